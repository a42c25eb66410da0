"""What changed between two versions of a section, line by line, and word by word within a changed line.

Pure. Unchanged stretches are cut down to a few lines around each change. Very long texts are compared only up to
`MAX_LINES` lines, which is told, and by words only as far as `MAX_WORK` goes, so that a screen hardly waits for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Literal, NamedTuple

MAX_LINES = 3000
CONTEXT = 2
MAX_WORK = 1_000_000
"""Comparing two lines costs as much as the product of their words, a Chinese character being one; the sum of it that
is spent on one text. What goes beyond is marked by lines only."""
_ALIKE = 0.4  # of their words two lines share at least this much, or they are two different lines
_HAN = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"\d+(?:[.,]\d+)+|[{_HAN}]|[^\W{_HAN}]+|\s+|.")

Span = tuple[int, int]

What = Literal["same", "added", "removed", "gap", "cut"]


class DiffLine(NamedTuple):
    """One line: there in both, only in the new or in the old text, or a mark for lines that are left out."""

    what: What
    text: str = ""
    spans: tuple[Span, ...] = ()  # the characters that differ, where most of the line stands in the other text too


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
    words = _Words()
    for number, group in enumerate(matcher.get_grouped_opcodes(CONTEXT)):
        if number or group[0][1] or group[0][3]:
            yield DiffLine("gap")
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                yield from (DiffLine("same", line) for line in before[start:end])
            else:
                yield from _replaced(before[start:end], after[new_start:new_end], words)


def _replaced(removed: list[str], added: list[str], words: _Words) -> Iterator[DiffLine]:
    """The lines that went, then those that came; the first of each are compared with each other, and so on."""
    found = [words.changed(*pair) for pair in zip(removed, added, strict=False)]
    for what, lines, side in (("removed", removed, 0), ("added", added, 1)):
        for number, line in enumerate(lines):
            yield DiffLine(what, line, found[number][side] if number < len(found) else ())  # type: ignore[arg-type]


class _Words:
    """Compares lines by words until `MAX_WORK` is spent."""

    def __init__(self) -> None:
        self.left = MAX_WORK

    def changed(self, old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """The places in each of two lines where they differ; none where that is too much work or they are unlike."""
        if len(old) + len(new) > MAX_WORK:
            return (), ()
        words = [_WORD.findall(line) for line in (old, new)]
        work = len(words[0]) * len(words[1])
        if work > self.left:
            return (), ()
        self.left -= work
        return changed_words(*words)


def changed_words(old: list[str], new: list[str]) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The places in each of two lines of words where they differ; none where they have too little in common."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.quick_ratio() < _ALIKE or matcher.ratio() < _ALIKE:
        return (), ()
    changed = [each[1:] for each in matcher.get_opcodes() if each[0] != "equal"]
    return (
        _spans(old, [each[:2] for each in changed]),
        _spans(new, [each[2:] for each in changed]),
    )


def _spans(words: list[str], ranges: list[Span]) -> tuple[Span, ...]:
    """From words to characters; empty ranges are none."""
    ends = [0, *accumulate(map(len, words))]
    return tuple((ends[start], ends[end]) for start, end in ranges if start < end)
