"""Walking through folders of the workspace, sorted, without following links.

Always holds: only folders that were opened relative to their parents are entered, so a swap on the way leads nowhere
else; `.git` and the runtime's own folder are not entered from above.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase

import msgspec

from xuen.xwork.policy.paths import STATE

SKIPPED = (".git", STATE)
DEEPEST = 64  # folders below the first one


class Entry(msgspec.Struct, frozen=True):
    """Something in a folder. `folder` is open until the walk goes on."""

    folder: int
    name: str
    path: str  # relative to where the walk began
    mode: int
    size: int

    def open_file(self) -> int | None:
        """A descriptor to read it with; None when it is no regular file any more."""
        with suppress(OSError):
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(self.name, flags, dir_fd=self.folder)
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return descriptor
            os.close(descriptor)
        return None


def walk(folder: int, max_depth: int, before: str = "") -> Iterator[Entry]:
    """Everything in an open folder, each folder before what is in it; a depth of 1 is the folder alone."""
    for name in sorted(os.listdir(folder)):
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:  # gone meanwhile
            continue
        yield Entry(folder, name, before + name, found.st_mode, found.st_size)
        if not stat.S_ISDIR(found.st_mode) or max_depth <= 1 or name in SKIPPED:
            continue
        try:
            below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except OSError:  # not ours to read, or no folder any more
            continue
        try:
            yield from walk(below, max_depth - 1, f"{before}{name}/")
        finally:
            os.close(below)


def matches(pattern: str | None, name: str, path: str) -> bool:
    """Whether a wildcard pattern fits: the path when it holds a slash, else the name alone."""
    if not pattern:
        return True
    return fnmatchcase(path, pattern.removeprefix("./")) if "/" in pattern else fnmatchcase(name, pattern)


def printable(path: str) -> str:
    """A path as one line of text, bytes that are no UTF-8 replaced."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return text if text.isprintable() else "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
