"""What changed between two versions of a section, line by line.

Pure. Unchanged stretches are cut down to a few lines around each change. Very long texts are compared only up to
`MAX_LINES` lines, so that a screen never waits for it; the cut is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

MAX_LINES = 3000
CONTEXT = 2

What = Literal["same", "added", "removed", "gap", "cut"]


class DiffLine(NamedTuple):
    """One line: there in both, only in the new or in the old text, or a mark for lines that are left out."""

    what: What
    text: str = ""


def diff(old: str, new: str) -> list[DiffLine]:
    """The changes from `old` to `new`; empty when there are none."""
    before, after = old.splitlines(), new.splitlines()
    if before == after:
        return []
    cut = max(len(before), len(after)) > MAX_LINES
    lines = list(_changes(before[:MAX_LINES], after[:MAX_LINES]))
    return [*lines, DiffLine("cut")] if cut else lines


def _changes(before: list[str], after: list[str]) -> Iterator[DiffLine]:
    matcher = SequenceMatcher(None, before, after)
    for number, group in enumerate(matcher.get_grouped_opcodes(CONTEXT)):
        if number or group[0][1] or group[0][3]:
            yield DiffLine("gap")
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                yield from (DiffLine("same", line) for line in before[start:end])
            else:
                yield from (DiffLine("removed", line) for line in before[start:end])
                yield from (DiffLine("added", line) for line in after[new_start:new_end])
