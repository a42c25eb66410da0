"""Where the file tools may go: one folder, and nothing outside of it.

Owns the way from a path that a model wrote to an open folder and a name in it. Every component is opened by itself,
relative to the folder before it and without following links; a link is read and its target walked in the same way,
so a link that points inside works and one that leads out is refused. What was checked is what is used: the open
folder stays the same one, whatever is renamed or swapped meanwhile.

Refuses: paths outside, `..` above the folder, `~`, NUL, links that lead out (also dangling ones and those in
`/proc`), and writing below `.xwork`, which belongs to the runtime. Always holds: nothing outside is read, made or
changed; a file is replaced whole or not at all, so a hard link to a file elsewhere is parted from it, never written
through.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from xuen.errors import XuenError
from xuen.files.durable import NO_LINKS, TEMPORARIES
from xuen.files.lock import try_lock

STATE = ".xwork"
"""The folder of the runtime's own files in the workspace."""

_LINKS = 40  # links that one path may lead over
_SWAPS = 1000  # times that a component may be swapped for something else during one walk
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # opening a FIFO must not wait for its writer


class PathRefused(XuenError):
    """A path that a tool may not or cannot use; the message is for the model."""


class FolderMissing(PathRefused):
    """A folder on the way does not exist."""


class Place:
    """A name in an open folder of the workspace; usable inside `Workspace.place` only."""

    def __init__(self, folder: int, name: str, shown: str, made: Sequence[str] = ()) -> None:
        self.made = tuple(made)  # folders that had to be made on the way, the outermost first
        self._folder = folder
        self._name = name  # "." for the workspace itself
        self.shown = shown  # relative to the workspace, links resolved

    def stat(self) -> os.stat_result | None:
        """What stands there, links not followed; None for nothing."""
        try:
            return os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open_file(self) -> int:
        """A descriptor to read a regular file with.

        Raises:
            PathRefused: there is none, or it is something else.
        """
        try:
            descriptor = os.open(self._name, _FILE, dir_fd=self._folder)
        except OSError as error:
            raise PathRefused(_why(error, self.shown)) from error
        kind = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(kind):
            os.close(descriptor)
            raise PathRefused(f"{self.shown} is {_kind(kind)}, not a regular file")
        return descriptor

    def open_folder(self) -> int:
        """A descriptor to list a folder with.

        Raises:
            PathRefused: there is none, or it is something else.
        """
        try:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            return os.open(self._name, flags, dir_fd=self._folder)
        except OSError as error:
            raise PathRefused(_why(error, self.shown)) from error

    def open_new(self, flags: int) -> int:
        """A descriptor of a new file, opened with `flags`.

        Raises:
            FileExistsError: the name is taken.
            OSError: it cannot be made.
        """
        return os.open(self._name, flags, 0o666, dir_fd=self._folder)

    def read(self, limit: int) -> bytes:
        """The content of a regular file of at most `limit` bytes.

        Raises:
            PathRefused: there is none, it is something else, or it is larger.
        """
        descriptor = self.open_file()
        with os.fdopen(descriptor, "rb") as file:
            if os.fstat(descriptor).st_size > limit:
                raise PathRefused(f"{self.shown} is larger than the {limit:,} bytes that this tool takes")
            data = file.read(limit + 1)
        if len(data) > limit:
            raise PathRefused(f"{self.shown} is larger than the {limit:,} bytes that this tool takes")
        return data

    def write(self, data: bytes, *, mode: int | None = None, new: bool = False) -> None:
        """Put a file with `data` there, whole or not at all; `mode` None keeps the old file's permissions.

        `new` refuses a name that is taken, also against a process that is faster.

        Raises:
            PathRefused: the place is not fit for a file.
            OSError: the disk; nothing was changed.
        """
        before = self.stat()
        if before is not None and not stat.S_ISREG(before.st_mode) and not stat.S_ISLNK(before.st_mode):
            raise PathRefused(f"{self.shown} is {_kind(before.st_mode)}, not a regular file")
        if mode is None and before is not None and stat.S_ISREG(before.st_mode):
            mode = stat.S_IMODE(before.st_mode)
        temporary = self._temporary(data, mode)
        try:
            if new:
                self._name_anew(temporary, data)
            else:
                os.replace(temporary, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except FileExistsError as error:
            raise PathRefused(f"{self.shown} exists already") from error
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=self._folder)
        self._sync()

    def _name_anew(self, temporary: str, data: bytes) -> None:
        """Give the file its name if that is free; where there are no hard links, write it there once more."""
        try:
            os.link(temporary, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = self.open_new(flags)
            try:
                _write_out(descriptor, data)
            except BaseException:
                os.unlink(self._name, dir_fd=self._folder)
                raise

    def remove(self) -> None:
        """Delete the file.

        Raises:
            OSError: it is not there or cannot be deleted.
        """
        os.unlink(self._name, dir_fd=self._folder)
        self._sync()

    def remove_folder(self) -> None:
        """Delete an empty folder.

        Raises:
            OSError: it is not there, not empty or no folder.
        """
        os.rmdir(self._name, dir_fd=self._folder)

    def _temporary(self, data: bytes, mode: int | None) -> str:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        name = TEMPORARIES.replace("*", os.urandom(8).hex())
        descriptor = os.open(name, flags, 0o666 if mode is None else 0o600, dir_fd=self._folder)
        try:
            with suppress(OSError):
                try_lock(descriptor)  # the clean-up of left-overs skips locked files
            _write_out(descriptor, data, mode)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=self._folder)
            raise
        return name

    def _sync(self) -> None:
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._folder)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
                raise
        finally:
            os.close(descriptor)


class Workspace:
    """The folder. Opened once: it stays this folder even when its name is given to another one."""

    def __init__(self, root: Path) -> None:
        """Raises OSError when there is no such folder."""
        given = Path(os.path.abspath(root))  # noqa: PTH100 - links and `..` as the caller spelled them
        self.root = root.resolve(strict=True)
        self._spellings = (self.root.parts, given.parts)
        self._descriptor = os.open(self.root, _FOLDER)

    def close(self) -> None:
        """Close the folder; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    @contextmanager
    def place(self, path: str, *, writing: bool = False, create_parents: bool = False) -> Iterator[Place]:
        """The place that a path means, held open for the body.

        Raises:
            PathRefused: it leads outside, cannot be, or may not be written.
        """
        walk = _Walk(self._descriptor, self._inside(path), path, create_parents)
        try:
            place = walk.to_the_end(self._spellings)
            if writing and (place.shown == STATE or place.shown.startswith(STATE + "/")):
                raise PathRefused(f"{path} belongs to the runtime and is not written by tools")
            if writing and (place.shown == "." or path.endswith("/")):
                raise PathRefused(f"{path} names a folder, not a file")
            yield place
        finally:
            walk.close()

    def _inside(self, path: str) -> list[str]:
        """The components below the workspace, not yet walked."""
        if "\0" in path:
            raise PathRefused("a path cannot hold a NUL character")
        if not path.strip():
            raise PathRefused('the path is empty; "." is the workspace')
        if path.split("/", 1)[0] == "~":
            raise PathRefused(f"{path}: ~ is not expanded, and paths outside the workspace are refused")
        parts = _below(path, self._spellings)
        if parts is None:
            raise PathRefused(f"{path} is outside the workspace")
        return parts


class _Walk:
    """One path, component by component."""

    def __init__(self, root: int, parts: list[str], path: str, create_parents: bool) -> None:
        self._folders = [os.dup(root)]
        self._names: list[str] = []
        self._left = deque(parts)
        self._path = path
        self._create_parents = create_parents
        self._links = self._swaps = 0
        self._made: list[str] = []

    def close(self) -> None:
        while self._folders:
            os.close(self._folders.pop())

    def to_the_end(self, spellings: tuple[tuple[str, ...], ...]) -> Place:
        try:
            while self._left:
                part = self._left.popleft()
                if part == "..":
                    self._up()
                elif (kind := self._kind(part)) is not None and stat.S_ISLNK(kind):
                    self._follow(part, spellings)
                elif not self._left:
                    return Place(self._folders[-1], part, "/".join([*self._names, part]), self._made)
                else:
                    self._down(part, missing=kind is None)
        except OSError as error:
            raise PathRefused(_why(error, self._path)) from error
        shown = "/".join(self._names) or "."
        return Place(self._folders[-1], ".", shown, self._made)

    def _kind(self, part: str) -> int | None:
        try:
            return os.stat(part, dir_fd=self._folders[-1], follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None

    def _up(self) -> None:
        if not self._names:
            raise PathRefused(f"{self._path} is outside the workspace")
        self._names.pop()
        os.close(self._folders.pop())

    def _down(self, part: str, *, missing: bool) -> None:
        if missing:
            if not self._create_parents:
                raise FolderMissing(f"the folder {'/'.join([*self._names, part])} does not exist")
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=self._folders[-1])
                self._made.append("/".join([*self._names, part]))
        try:
            self._folders.append(os.open(part, _FOLDER, dir_fd=self._folders[-1]))
            self._names.append(part)
        except OSError as error:
            # It was something else a moment ago: a link that has come meanwhile is walked as one.
            self._swaps += 1
            kind = self._kind(part)
            if self._swaps > _SWAPS or (kind is not None and not stat.S_ISLNK(kind) and not stat.S_ISDIR(kind)):
                raise PathRefused(f"{'/'.join([*self._names, part])} is not a folder") from error
            if error.errno not in {errno.ELOOP, errno.ENOTDIR, errno.ENOENT}:
                raise
            self._left.appendleft(part)

    def _follow(self, part: str, spellings: tuple[tuple[str, ...], ...]) -> None:
        self._links += 1
        if self._links > _LINKS:
            raise PathRefused(f"{self._path} leads over too many links")
        try:
            target = os.readlink(part, dir_fd=self._folders[-1])
        except OSError:  # no link any more
            self._swaps += 1
            if self._swaps > _SWAPS:
                raise
            self._left.appendleft(part)
            return
        parts = _below(target, spellings)
        if parts is None:
            raise PathRefused(f"{self._path} leads over a link to {target}, outside the workspace")
        if target.startswith("/"):
            while self._names:
                self._up()
        self._left.extendleft(reversed(parts))


def _below(path: str, spellings: tuple[tuple[str, ...], ...]) -> list[str] | None:
    """The components of a path below the workspace; None for an absolute one that does not begin with it."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not path.startswith("/"):
        return parts
    for spelling in spellings:
        root = list(spelling[1:])
        if parts[: len(root)] == root:
            return parts[len(root) :]
    return None


def _write_out(descriptor: int, data: bytes, mode: int | None = None) -> None:
    """Write a new file and bring it to the disk; closes the descriptor."""
    with os.fdopen(descriptor, "wb") as file:
        if mode is not None:
            os.fchmod(descriptor, mode)
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _kind(mode: int) -> str:
    tests: dict[str, Callable[[int], bool]] = {
        "a folder": stat.S_ISDIR,
        "a link": stat.S_ISLNK,
        "a FIFO": stat.S_ISFIFO,
        "a socket": stat.S_ISSOCK,
        "a device": lambda bits: stat.S_ISCHR(bits) or stat.S_ISBLK(bits),
    }
    return next((name for name, test in tests.items() if test(mode)), "something else")


def _why(error: OSError, shown: str) -> str:
    match error.errno:
        case errno.ENOENT:
            return f"{shown} does not exist"
        case errno.ELOOP:
            return f"{shown} turned into a link"
        case errno.ENXIO:
            return f"{shown} is not a regular file"
        case _:
            return f"{shown}: {error.strerror}"
