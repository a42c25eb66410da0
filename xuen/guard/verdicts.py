"""verdicts.txt: what a person wrote about candidates, and what is still to be done about it.

Pure. `<id> <0-10> [comment]` a line; blank lines and those that begin with `#` are skipped. A score is plain ASCII
digits with at most one point and nothing stuck to it: `8/10`, `８` or `+8` are not guessed at, the line stays open.
Which lines were honoured is read from the history (its `verdict` lines), so neither a restart nor a kill between a
verdict and its effect loses or repeats one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from xuen.guard.history import Index, Known
from xuen.texts import Text
from xuen.texts.guard import VERDICT_BAD_SCORE, VERDICT_NO_SNAPSHOT, VERDICT_UNKNOWN_ID

_SCORE = re.compile(r"[0-9]{1,2}(?:\.[0-9]+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file, counted from 1; `score` is None where it is not a number from 0 to 10."""

    number: int
    text: str
    id: str
    score: float | None
    comment: str


@dataclass(frozen=True, slots=True)
class Due:
    """A verdict to carry out; `fresh` when the history does not know it yet."""

    known: Known
    score: float
    comment: str
    place: int
    fresh: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that changes nothing and stays open; the same `key` is the same complaint."""

    key: str
    text: Text


def parse(data: bytes) -> list[Line]:
    """All lines that claim to be verdicts, in order. CRLF, a BOM, no newline at the end: all fine. Raises nothing."""
    lines = []
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        text = raw.decode(errors="replace").strip()
        if not text or text.startswith("#"):
            continue
        identity, score, comment = [*text.split(None, 2), "", ""][:3]
        lines.append(Line(number, text, identity, _score(score), comment))
    return lines


def due(
    lines: list[Line], index: Index, is_intact: Callable[[Known], bool], reaches: Callable[[float], bool]
) -> tuple[list[Due], list[Problem]]:
    """What is to be carried out, in this order, and which lines cannot be.

    For each candidate its last usable line counts. Rejections come first, by place; then what is adopted, by score
    and then place, so that the best of them ends as the best.
    """
    problems: list[Problem] = []
    last: dict[str, Line] = {}
    for line in lines:
        if line.id not in index.known:
            problems.append(Problem(line.text, VERDICT_UNKNOWN_ID.of(line=line.number, id=line.id[:80])))
        elif line.score is None:
            problems.append(Problem(line.text, VERDICT_BAD_SCORE.of(line=line.number)))
        else:
            last[line.id] = line
    found: list[Due] = []
    for line in last.values():
        known = index.known[line.id]
        assert line.score is not None
        fresh = known.verdict != (line.score, line.comment)
        if not fresh and index.waiting is not known:
            continue
        if is_intact(known):
            found.append(Due(known, line.score, line.comment, line.number, fresh))
        else:
            problems.append(Problem(line.text, VERDICT_NO_SNAPSHOT.of(line=line.number, id=line.id)))
    found += _left_over(index, last, is_intact)
    return sorted(found, key=lambda each: _order(each, reaches)), problems


def _left_over(index: Index, last: dict[str, Line], is_intact: Callable[[Known], bool]) -> list[Due]:
    """A verdict that the history holds without its effect, and that no line of the file speaks about any more."""
    known = index.waiting
    if known is None or known.verdict is None or known.id in last or not is_intact(known):
        return []
    score, comment = known.verdict
    return [Due(known, score, comment, 0, False)]


def _order(each: Due, reaches: Callable[[float], bool]) -> tuple[bool, float, int]:
    adopt = reaches(each.score) and not each.known.was_best
    return adopt, each.score if adopt else 0.0, each.place


def _score(word: str) -> float | None:
    if _SCORE.fullmatch(word) is None:
        return None
    score = float(word)
    return score if score <= 10 else None
