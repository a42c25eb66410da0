"""The roll of processes that a later run could not recognise by their environment.

Owns one small file in the workspace, which exists only while a call has such processes or after a run was killed.
Always: an entry names a process by pid and start time, and counts only for the current boot of the system, so no
other process can be meant. A roll that is torn, missing or unwritable costs only its entries.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from xuen.files.durable import write_bytes
from xuen.files.regular import read_regular

ROLL: Final = ".xuen-processes"

Identity = tuple[int, float]


def write_roll(workspace: Path, who: Iterable[Identity]) -> None:
    """Note these processes and no others; without any the file goes."""
    path = workspace / ROLL
    lines = [f"{pid} {start!r}" for pid, start in sorted(who)]
    with contextlib.suppress(OSError):
        if lines:
            write_bytes(path, "\n".join([_boot(), *lines, ""]).encode())
        else:
            path.unlink(missing_ok=True)


def read_roll(workspace: Path) -> set[Identity]:
    """Who was noted since the system started."""
    try:
        boot, *lines = read_regular(workspace / ROLL).decode().splitlines() or [""]
    except (OSError, UnicodeDecodeError):
        return set()
    found = set()
    for line in lines if boot == _boot() else ():
        with contextlib.suppress(ValueError):
            pid, start = line.split(" ")
            found.add((int(pid), float(start)))
    return found


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return "-"  # other systems give start times since the epoch, which do not repeat
