"""Files that are whole or not there, also after a kill -9 or a power loss.

Owns the three ways in which xuen writes: replace a file, create one that must not exist, append whole lines.
Each returns only when the bytes and the name are on the disk.

What always holds:
- A reader sees the old content or the new one, never a part. A failed write leaves the old file and no other.
- A symbolic link in the place of the file is never followed: `write_bytes` puts a file in its place,
  `create_bytes` finds the name taken, `append_lines` refuses. What the link points to stays as it is. A pipe, a
  folder or the like is refused and never waited for.
- Temporary files are called `.xuen-<random>.tmp`, stand in the file's own folder and are locked while they are
  written. That is how `remove_temporaries` tells those of a killed process from those of a living one; a process
  number in the name could not, since every new container counts from 1 again.
- Bytes that are on the disk are never cut off: a torn last line gets a newline before the next append.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from xuen.files.lock import try_lock, unlock
from xuen.files.regular import require_regular

TEMPORARIES = ".xuen-*.tmp"
"""The pattern that every temporary file's name matches."""

_APPEND_SECONDS = 30.0
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV, errno.EINVAL}
"""What says that a file system has no hard links."""

_CLOEXEC = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


def write_bytes(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Put `data` in the place of whatever stands at `path`.

    `mode` are the permission bits; None keeps those of the file that is replaced, a new one follows the umask.

    Raises:
        OSError: nothing was changed, save when only the last fsync of the folder failed.
    """
    with _temporary(path.parent, data, _old_mode(path) if mode is None else mode) as temporary:
        temporary.replace(path)
    sync_folder(path.parent)


def create_bytes(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Make a new file with `data`; a name that is taken stays as it is, also against a process that is faster.

    `mode` are the permission bits; None follows the umask.

    Raises:
        FileExistsError: something has that name.
        OSError: nothing was made.
    """
    with _temporary(path.parent, data, mode) as temporary:
        try:
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            _create_without_link(path, data, 0o666 if mode is None else mode)
    sync_folder(path.parent)


def append_lines(path: Path, lines: Sequence[bytes]) -> None:
    """Add whole lines (given without their newlines) to the end of a file, which is made when it is missing.

    All lines go out in one write. Where the system takes only a part of it, the lines that did not get through
    whole are written again on a line of their own, so a half one may stay in the file but nothing is glued to it.

    Raises:
        ValueError: a line holds a newline.
        TimeoutError: another process kept the file locked (`files.lock`, or an append of its own); nothing was added.
        NotAFile: something else stands there; a link or a folder may be told as any other OSError.
        OSError: some or all lines are not in the file (disk full, …).
    """
    if any(b"\n" in line for line in lines):
        raise ValueError("a line to append holds a newline")
    if not lines:
        return
    with _open_to_append(path) as (descriptor, new):
        _append(descriptor, [line + b"\n" for line in lines])
        unlock(descriptor)  # others need not wait for the disk
        os.fsync(descriptor)
    if new:
        sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, durably; one that exists is fine.

    Raises:
        OSError: it cannot be made, or something else has that name.
    """
    if path.is_dir():
        return
    if path.parent != path:
        make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir()
    if not path.is_dir():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    sync_folder(path.parent)


def remove_temporaries(folder: Path) -> int:
    """Delete what killed processes left half written in `folder` (not below it); how many that were.

    One that some process is writing right now stays. A folder that is missing or cannot be listed counts as empty.
    Raises nothing.
    """
    removed = 0
    with suppress(OSError):
        for temporary in folder.glob(TEMPORARIES):
            with suppress(OSError):
                removed += _remove_if_left(temporary)
    return removed


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can do that.

    Raises:
        OSError: the disk failed.
    """
    if os.name == "nt":  # folders cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY | _CLOEXEC | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # a file system without that notion
            raise
    finally:
        os.close(descriptor)


@contextmanager
def _temporary(folder: Path, data: bytes, mode: int | None) -> Iterator[Path]:
    """A file with `data` that is on the disk and locked; its name is free again after the body, whatever happens.

    A name that the disk does not free is no trouble of the writer's: the next `remove_temporaries` finds it.
    """
    descriptor, temporary = _open_temporary(folder, 0o666 if mode is None else 0o600)
    try:
        try:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            _write_all(descriptor, data)
            os.fsync(descriptor)
            if os.name == "nt":  # no open file can be renamed there, and none that is open be deleted by others
                os.close(descriptor)
                descriptor = -1
            yield temporary
        finally:
            if descriptor >= 0:
                os.close(descriptor)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _open_temporary(folder: Path, mode: int) -> tuple[int, Path]:
    while True:
        temporary = folder / TEMPORARIES.replace("*", os.urandom(8).hex())
        try:
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | _CLOEXEC | _NOFOLLOW, mode)
        except FileExistsError:
            continue
        # `remove_temporaries` may have met the file before its lock was there; then it is gone, or soon will be.
        # Where there are no locks, nobody removes it either.
        if _lock_if_possible(descriptor) and os.fstat(descriptor).st_nlink:
            return descriptor, temporary
        os.close(descriptor)


def _remove_if_left(temporary: Path) -> bool:
    if not stat.S_ISREG(temporary.lstat().st_mode):
        return False
    if os.name == "nt":
        temporary.unlink()  # refused while its writer has it open
        return True
    descriptor = os.open(temporary, os.O_RDWR | _CLOEXEC | _NOFOLLOW)
    try:
        if not try_lock(descriptor):
            return False
        temporary.unlink()
        return True
    finally:
        os.close(descriptor)


def _old_mode(path: Path) -> int | None:
    with suppress(FileNotFoundError):
        seen = path.lstat().st_mode
        if stat.S_ISREG(seen):
            return stat.S_IMODE(seen)
    return None


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _create_without_link(path: Path, data: bytes, mode: int) -> None:
    """The second best where there are no hard links: the name is there a moment before the content."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CLOEXEC | _NOFOLLOW, mode)
    try:
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@contextmanager
def _open_to_append(path: Path) -> Iterator[tuple[int, bool]]:
    """The file, open and locked, and whether it was made; always the one that has the name, not a replaced one.

    Where the file system cannot lock, O_APPEND alone keeps single writes apart.
    """
    flags = os.O_RDWR | os.O_APPEND | _CLOEXEC | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0)
    deadline = time.monotonic() + _APPEND_SECONDS
    while True:
        try:
            descriptor, new = os.open(path, flags), False
        except FileNotFoundError:
            descriptor, new = os.open(path, flags | os.O_CREAT, 0o666), True
        try:
            require_regular(descriptor, path)
            if _lock_if_possible(descriptor) and _has_name(descriptor, path):
                yield descriptor, new
                return
        finally:
            os.close(descriptor)
        if time.monotonic() >= deadline:
            raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), str(path))
        time.sleep(0.002)


def _lock_if_possible(descriptor: int) -> bool:
    """Take the lock; False where another process holds it. A file system that cannot lock is no hindrance."""
    try:
        return try_lock(descriptor)
    except OSError:
        return True


def _has_name(descriptor: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    return False


def _append(descriptor: int, lines: list[bytes]) -> None:
    """Write `lines` (with newlines) at the end."""
    while lines:
        healing = b"" if _ends_with_newline(descriptor) else b"\n"
        data = healing + b"".join(lines)
        written = os.write(descriptor, data)
        if written == len(data):
            return
        whole = data[:written].count(b"\n") - len(healing)
        lines = lines[max(whole, 0) :]


def _ends_with_newline(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    if size == 0:
        return True
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"
