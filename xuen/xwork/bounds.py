"""Limits on what the runtime keeps in a workspace: the newest journals of single calls, the newest artifacts.

Owns the bounds of `.xwork/calls` and `.xwork/artifacts`, so that neither they nor the cost of a call grow with the
number of calls. Refuses to touch a journal that some process works on, and whatever does not carry one of the
names given here. Always holds: nothing outside the workspace is deleted, also when a folder is a link; what cannot be
deleted stays, and is no error.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from typing import Final

import msgspec

from xuen.files.lock import try_lock
from xuen.xwork.policy.paths import STATE, PathRefused, Workspace

ARTIFACTS: Final = f"{STATE}/artifacts"
CALLS: Final = f"{STATE}/calls"
"""Where xuen puts the journals of its calls, one each."""
_LOCK: Final = ".lock"  # what the name of a journal's lock ends with


class Bound(msgspec.Struct, frozen=True):
    """What stays in one folder: the newest files, so many and so large together at most."""

    folder: str
    name: re.Pattern[str]
    count: int
    size: int  # bytes


BOUNDS: Final = (
    Bound(CALLS, re.compile(r".+\.jsonl"), 100, 64 << 20),  # the calls of about forty rounds
    Bound(ARTIFACTS, re.compile(r"output-.+\.txt"), 200, 256 << 20),
)


def tidy(workspace: Workspace, bounds: tuple[Bound, ...] = BOUNDS) -> int:
    """Delete what is beyond the bounds, the oldest first; how many files that were."""
    return sum(_tidy(workspace, bound) for bound in bounds)


def _tidy(workspace: Workspace, bound: Bound) -> int:
    try:
        with workspace.place(bound.folder) as place:
            folder = place.open_folder()
    except (PathRefused, OSError):  # nothing was ever put there
        return 0
    try:
        return sum(_removed(folder, name) for name in _beyond(folder, bound))
    finally:
        os.close(folder)


def _beyond(folder: int, bound: Bound) -> list[str]:
    """The names of what is too old to stay, without those of their locks."""
    found: dict[str, tuple[int, int]] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name.removesuffix(_LOCK)
            with suppress(OSError):  # gone meanwhile
                seen = entry.stat(follow_symlinks=False)
                if bound.name.fullmatch(name) and stat.S_ISREG(seen.st_mode):
                    changed, size = found.get(name, (0, 0))
                    found[name] = (max(changed, seen.st_mtime_ns), size + seen.st_size)
    beyond: list[str] = []
    whole = 0
    for number, (name, (_, size)) in enumerate(sorted(found.items(), key=lambda one: one[1], reverse=True)):
        whole += size
        if number >= bound.count or (number and whole > bound.size):  # the newest one always stays
            beyond.append(name)
    return beyond


def _removed(folder: int, name: str) -> bool:
    """Delete a file and its lock file, unless the lock is held; whether they are gone."""
    lock = -1
    try:
        with suppress(FileNotFoundError):
            lock = os.open(name + _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            if not try_lock(lock):
                return False
        # A process that waits for the lock checks afterwards that the file still has its name.
        for each in (name, name + _LOCK):
            with suppress(FileNotFoundError):
                os.unlink(each, dir_fd=folder)
    except OSError:
        return False
    finally:
        if lock >= 0:
            os.close(lock)
    return True
