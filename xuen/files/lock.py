"""One exclusive lock between processes, held through an open file.

Owns how xuen locks: `flock` where there is one, one byte far behind the content with `msvcrt` elsewhere. `lockf`
is not used, because closing any other descriptor of the same file would drop such a lock. A lock file is never
deleted; otherwise two processes could hold "the" lock through two different files of one name.

What always holds: the lock ends with its process, however that ends; it does not pass to programs that the process
starts, nor to a forked copy of it; where the file system cannot lock, that is an error and never a lock that
excludes nobody. A symbolic link in the place of a lock file is refused, because the holder writes into that file.
A folder can be locked itself; that lock cannot be deleted.

`try_lock` and `open_locked` stand word for word in `workspace/write_section.py` too, which must run on its own.
"""

from __future__ import annotations

import json
import os
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from xuen.errors import LockTimeout
from xuen.files.regular import read_regular

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


_FOLDER = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_DIRECTORY", 0)


def try_lock(descriptor: int) -> bool:
    """Take the exclusive lock of an open file without waiting; whether it was had.

    Raises:
        OSError: the file system cannot lock (ENOLCK, ESTALE, …).
    """
    if sys.platform == "win32":
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # behind any content, which others may then still read
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
    else:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def open_locked(path: Path, wait: float | None) -> int:
    """Open the lock file, make it if it is missing, and hold its lock; closing the descriptor ends it.

    `wait` is the longest time in seconds, None is without end.

    Raises:
        TimeoutError: it stayed held.
        OSError: the file cannot be opened, is a symbolic link, or cannot be locked.
    """
    deadline = None if wait is None else time.monotonic() + wait
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        descriptor = os.open(path, flags, 0o666)
        try:
            if try_lock(descriptor):
                # Whoever deleted or replaced the file while we waited left us with a lock that nobody else sees.
                ours, named = os.fstat(descriptor), path.lstat()
                if (ours.st_dev, ours.st_ino) == (named.st_dev, named.st_ino):
                    held, descriptor = descriptor, -1
                    return held
        except FileNotFoundError:
            pass
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        if deadline is not None and time.monotonic() >= deadline:
            raise TimeoutError(str(path))
        time.sleep(0.01)


def unlock(descriptor: int) -> None:
    """End the lock of an open file now: a child that stands between its fork and its exec still has it open too.

    Raises nothing; closing the descriptor is what makes sure.
    """
    with suppress(OSError):
        if sys.platform == "win32":
            os.lseek(descriptor, 1 << 30, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_UN)


class FileLock:
    """The lock of one file. Two `FileLock`s exclude each other also within one process; none is re-entrant."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, timeout: float | None = None) -> None:
        """Hold the lock; wait at most `timeout` seconds, 0 tries once, None waits without end.

        Raises:
            LockTimeout: another holder kept it.
            OSError: the file cannot be opened or the file system cannot lock; `filename` names the lock file.
        """
        if self._descriptor is not None:
            raise RuntimeError(f"{self.path} is held already")
        try:
            self._descriptor = self._open(timeout)
        except TimeoutError:
            raise LockTimeout(f"{self.path} stayed held by another process") from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        _held.add(self)

    def release(self) -> None:
        """Give the lock back; does nothing when it is not held."""
        descriptor, self._descriptor = self._descriptor, None
        _held.discard(self)
        if descriptor is None:
            return
        unlock(descriptor)
        os.close(descriptor)

    def write(self, content: bytes) -> None:
        """Replace what the lock file says, for others to read (`holder`); only while the lock is held.

        In place, because a lock file is never replaced: a reader may meet half of it and then sees no holder.
        """
        if self._descriptor is None:
            raise RuntimeError(f"{self.path} is not held")
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, content)
        os.fsync(self._descriptor)

    def is_in_place(self) -> bool:
        """Whether what is held is still what others find at the path: not deleted, not replaced. Raises OSError."""
        if self._descriptor is None:
            return False
        with suppress(FileNotFoundError, NotADirectoryError):
            return os.path.samestat(os.fstat(self._descriptor), self.path.lstat())
        return False

    def _open(self, timeout: float | None) -> int:
        return open_locked(self.path, timeout)

    def _forget(self) -> None:
        """Close without unlocking: the lock belongs to the process that this one was forked from."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


class FolderLock(FileLock):
    """The lock of a folder itself, which nobody can delete as long as it holds anything. There is nothing to write.

    Some file systems, and Windows, cannot lock folders: `acquire` raises an OSError there.
    """

    def _open(self, timeout: float | None) -> int:
        deadline = None if timeout is None else time.monotonic() + timeout
        descriptor = os.open(self.path, _FOLDER)
        try:
            while not try_lock(descriptor):
                if deadline is not None and time.monotonic() >= deadline:
                    raise TimeoutError(str(self.path))
                time.sleep(0.01)
            held, descriptor = descriptor, -1
            return held
        finally:
            if descriptor >= 0:
                os.close(descriptor)


@contextmanager
def locked(path: Path, timeout: float | None = None) -> Iterator[FileLock]:
    """Hold the lock of `path` for the body.

    Raises:
        LockTimeout, OSError: as `FileLock.acquire`.
    """
    lock = FileLock(path)
    lock.acquire(timeout)
    try:
        yield lock
    finally:
        lock.release()


def holder(path: Path) -> dict[str, Any] | None:
    """What the last holder wrote about itself, if that is one JSON object; says nothing about being held now.

    Raises:
        OSError: the file is there and cannot be read.
    """
    try:
        said = json.loads(read_regular(path))
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def is_held(path: Path) -> bool:
    """Whether some process holds the lock of a file or a folder at this moment; a missing one is not made.

    Looking takes the lock for a few microseconds, so a holder-to-be should try for longer than that.

    Raises:
        OSError: the file cannot be opened or the file system cannot lock.
    """
    flags = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, _FOLDER if path.is_dir() else flags)
    except FileNotFoundError:
        return False
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


_held: weakref.WeakSet[FileLock] = weakref.WeakSet()


def _after_fork() -> None:
    for lock in tuple(_held):
        lock._forget()
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
