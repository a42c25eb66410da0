"""Reading a file of xuen's own, in whose place anything may stand by now.

Owns the one way to read such files: a pipe, a folder, a socket or a device is refused at once and never waited for,
and so is a file that is too large to be one of xuen's: reading it would cost all the memory that there is.
A symbolic link is followed, unless the caller wants none. A `Mark` tells without reading whether a file was touched.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

Mark = tuple[int, int, int, int, int]
"""Device, inode, size and the times of the last changes in nanoseconds: no write leaves all of them as they were."""

LARGEST = 256 << 20
"""Bytes of the largest file that is read: a history of some 500,000 rounds. What is larger counts as no file."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_SOMETHING_ELSE = {errno.EISDIR, errno.ELOOP, errno.ENXIO}  # a folder, a link, a socket


class NotAFile(OSError):
    """Something else than a regular file stands at a path: no trouble of the disk, so waiting does not mend it."""

    @classmethod
    def at(cls, path: Path, mode: int = 0) -> NotAFile:
        """The error for what has this `st_mode`; 0 where that is not known."""
        if stat.S_ISDIR(mode):
            return cls(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if stat.S_ISLNK(mode):
            return cls(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        if stat.S_ISREG(mode):
            return cls(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
        return cls(errno.EINVAL, "Not a regular file", str(path))


def read_regular(path: Path, *, follow: bool = True) -> bytes:
    """The whole content of a regular file.

    Raises:
        FileNotFoundError: nothing is there, or a link that leads nowhere.
        NotAFile: something else stands there, or more than `LARGEST`; a symbolic link too where `follow` is False.
        OSError: it cannot be read.
    """
    try:
        descriptor = os.open(path, _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        if error.errno in _SOMETHING_ELSE or (os.name == "nt" and path.is_dir()):
            raise NotAFile.at(path, path.lstat().st_mode) from None
        raise
    try:
        require_regular(descriptor, path)
        if os.fstat(descriptor).st_size > LARGEST:
            raise NotAFile.at(path, stat.S_IFREG)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def require_regular(descriptor: int, path: Path) -> None:
    """Raises `NotAFile` where the open `path` is no regular file."""
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        raise NotAFile.at(path, mode)


def mark_of(path: Path) -> Mark | None:
    """The mark of a regular file that can be read, links followed; None where there is none.

    Raises:
        OSError: its folder cannot be searched, or the disk failed.
    """
    try:
        seen = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise
    if not stat.S_ISREG(seen.st_mode) or seen.st_size > LARGEST:
        return None
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
