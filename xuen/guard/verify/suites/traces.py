"""What a suite left changed in its folder: compared by name, size and time, reported, never undone.

Whoever undoes a suite's changes also undoes the edits that the user had not committed yet, so nothing is touched.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

Trace = dict[str, tuple[int, int]]
"""Path within the folder to (modification time in ns, size in bytes)."""

_LIMIT: Final = 20_000  # files; a larger tree is not looked at, the look must stay cheap beside the suite
_SKIPPED: Final = frozenset(("node_modules", "venv", "env", "__pycache__", "rounds", "target", "build", "dist"))
_SHOWN: Final = 5


def trace_of(folder: Path) -> Trace | None:
    """The files of a folder, hidden ones and what tools keep for themselves left out; None for too many."""
    trace: Trace = {}
    for base, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED and not name.startswith(".")]
        for name in files:
            if name.startswith(".") or name == "inbox.jsonl":
                continue
            path = os.path.join(base, name)  # noqa: PTH118 - thousands of files
            try:
                state = os.lstat(path)
            except OSError:
                continue
            trace[os.path.relpath(path, folder)] = (state.st_mtime_ns, state.st_size)
            if len(trace) > _LIMIT:
                return None
    return trace


def changes(before: Trace | None, after: Trace | None) -> str:
    """The files that were changed, made or deleted in between, as a short list; empty for none."""
    if before is None or after is None:
        return ""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    more = f", … (+{len(names) - _SHOWN})" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
