"""What changed between two versions of a section, line by line, and word by word within a changed line.

Pure. Unchanged stretches are cut down to a few lines around each change. Very long texts are compared only up to
`MAX_LINES` lines, and very long lines not by words, so that a screen never waits for it; the cut is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Literal, NamedTuple

MAX_LINES = 3000
CONTEXT = 2
MAX_WORDS = 400
"""Lines with more words are not compared word by word; a Chinese character counts as one."""
MAX_PAIRS = 300
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
    pairs = 0
    for number, group in enumerate(matcher.get_grouped_opcodes(CONTEXT)):
        if number or group[0][1] or group[0][3]:
            yield DiffLine("gap")
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                yield from (DiffLine("same", line) for line in before[start:end])
            else:
                removed, added = before[start:end], after[new_start:new_end]
                pairs += min(len(removed), len(added))
                yield from _replaced(removed, added, by_words=pairs <= MAX_PAIRS)


def _replaced(removed: list[str], added: list[str], *, by_words: bool) -> Iterator[DiffLine]:
    """The lines that went, then those that came; the first of each are compared with each other, and so on."""
    found = [changed_words(*pair) for pair in zip(removed, added, strict=False)] if by_words else []
    for what, lines, side in (("removed", removed, 0), ("added", added, 1)):
        for number, line in enumerate(lines):
            yield DiffLine(what, line, found[number][side] if number < len(found) else ())  # type: ignore[arg-type]


def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The places in each of two lines where they differ; none where they have too little in common, or too much."""
    words = [_WORD.findall(line) for line in (old, new)]
    if max(map(len, words)) > MAX_WORDS:
        return (), ()
    matcher = SequenceMatcher(None, words[0], words[1], autojunk=False)
    if matcher.quick_ratio() < _ALIKE or matcher.ratio() < _ALIKE:
        return (), ()
    changed = [each[1:] for each in matcher.get_opcodes() if each[0] != "equal"]
    return (
        _spans(words[0], [each[:2] for each in changed]),
        _spans(words[1], [each[2:] for each in changed]),
    )


def _spans(words: list[str], ranges: list[Span]) -> tuple[Span, ...]:
    """From words to characters; empty ranges are none."""
    ends = [0, *accumulate(map(len, words))]
    return tuple((ends[start], ends[end]) for start, end in ranges if start < end)
