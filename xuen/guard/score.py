"""The score in a judge's answer, read from text; pure.

Owns the question which number, if any, is the judge's verdict on the candidate, from 0 to 10. Refuses to guess: an
answer that can be read in two ways, or that speaks of another scale, of a part, of the best or of a condition has no
score. Always: what a model thinks, quotes or repeats of the question never counts, and a number outside 0 to 10 is
never bent into range.

An answer is a row of claims. Final ones ("final score: 7") speak before plain ones ("score: 7"), these before said
ones ("I give it 7 out of 10"). Those that speak must agree, and nothing after them may take them back.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from xuen.guard.answer_text import answer_lines, normal, without_echo, without_fences
from xuen.guard.score_forms import (
    Claim,
    Rank,
    alone,
    bare,
    disturbs,
    heading_rank,
    is_rival,
    is_rival_heading,
    label_rank,
    labelled,
    may_claim,
    said,
    undress,
    value_of,
)
from xuen.texts import Text
from xuen.texts.verify import ANSWER_EMPTY, SCORE_MISSING, SCORE_READ, SCORE_UNCERTAIN, SCORES_DISAGREE
from xuen.thinking import without_thinking

_SCALE_KEYS = frozenset({"max", "max score", "maximum", "scale", "out of", "满分", "total", "denominator"})
_OBJECT = re.compile(r"^[ \t]*\{", re.MULTILINE)
_TRIES = 50  # places at which a JSON object may begin; more are no answer


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """`score` is 0 to 10, or None when there is no certain one; `reason` says what was read, or why nothing was."""

    score: float | None
    reason: Text


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the answer with what it claims; the line of a JSON object has no words."""

    text: str
    claims: tuple[Claim, ...]


def read_score(answer: str, *, asked: str = "") -> ScoreReading:
    """The judge's score from 0 to 10, if the answer gives exactly one with certainty.

    `asked` is the prompt that the judge was given: lines of the answer that stand in it are an echo.
    """
    text = without_echo(without_thinking(normal(answer)), normal(asked))
    lines = list(_lines(text))
    if not lines:
        return ScoreReading(None, ANSWER_EMPTY)
    return _decide(lines)


# --- what is claimed -----------------------------------------------------------------------------------------------


def _lines(text: str) -> Iterator[_Line]:
    before, found, after = _objects(without_fences(text))
    if not found:
        yield from _claims(answer_lines(text))
        return
    yield from _claims(answer_lines(before))
    for pairs in found:
        yield _Line("", tuple(_object_claims(pairs)))
    yield from _claims(answer_lines(after))


def _claims(raw: list[str]) -> Iterator[_Line]:
    texts = [text for line in raw if (text := undress(line)) and any(char.isalnum() for char in text)]
    if len(texts) == 1 and (only := bare(texts[0])) is not None:
        yield _Line(texts[0], (Claim(Rank.PLAIN, only),))
        return
    heading: Rank | None = None
    for number, text in enumerate(texts):
        claims = _claims_of(text, heading, alone_counts=number in (0, len(texts) - 1)) if may_claim(text) else []
        heading = heading_rank(text)
        yield _Line(text, tuple(claims))


def _claims_of(text: str, heading: Rank | None, *, alone_counts: bool) -> list[Claim]:
    """What a line claims; `heading` is the rank of a label that stands alone on the line before."""
    claim = labelled(text)
    if claim is not None:
        return [claim]
    value = alone(text)
    if heading is not None and (behind := bare(text) if value is None else value) is not None:
        return [Claim(heading, behind)]
    if value is not None and alone_counts:
        return [Claim(Rank.SAID, value)]
    return said(text)


# --- JSON ----------------------------------------------------------------------------------------------------------


class _Doubtful(Exception):
    """JSON that Python would read and a careful reader would not: NaN, the same key twice."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = {key.strip().lower().replace("_", " "): value for key, value in pairs}
    if len(built) != len(pairs):
        raise _Doubtful
    return built


def _constant(name: str) -> float:
    raise _Doubtful(name)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


def _objects(text: str) -> tuple[str, list[dict[str, Any]], str]:
    """The JSON objects that begin or end the answer, with what stands before and after them.

    One in the middle may be a quotation, so it does not count.
    """
    for start in itertools.islice((found.end() - 1 for found in _OBJECT.finditer(text)), _TRIES):
        found, rest = _sequence(text[start:])
        if found and (start == 0 or not rest):
            return text[:start], found, rest
    return text, [], ""


def _sequence(text: str) -> tuple[list[dict[str, Any]], str]:
    found: list[dict[str, Any]] = []
    while text.startswith("{"):
        try:
            value, end = _DECODER.raw_decode(text)
        except (ValueError, _Doubtful, RecursionError):
            break
        found.append(value)
        text = text[end:].strip()
    return found, text


def _object_claims(pairs: dict[str, Any]) -> Iterator[Claim]:
    other_scale = any(key in _SCALE_KEYS and value not in (10, "10") for key, value in pairs.items())
    for key, value in pairs.items():
        rank = label_rank(key)
        if rank is not None:
            yield Claim(rank, None if other_scale else _object_value(value))


def _object_value(value: object) -> float | None:
    if isinstance(value, str):
        return value_of(normal(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0 <= value <= 10 else None


# --- which claim speaks --------------------------------------------------------------------------------------------


def _decide(lines: list[_Line]) -> ScoreReading:
    placed = [(place, claim) for place, line in enumerate(lines) for claim in line.claims]
    if not placed:
        return ScoreReading(None, SCORE_MISSING)
    rank = max(claim.rank for _, claim in placed)
    speaking = [(place, claim) for place, claim in placed if claim.rank is rank]
    place, last = speaking[-1]
    ends_answer = place == len(lines) - 1 and rank is not Rank.SAID and last.value is not None
    if ends_answer:  # what could not be read further up was about the scale, or the like
        speaking = [(at, claim) for at, claim in speaking if claim.value is not None]
    if any(claim.value is None for _, claim in speaking) or last.value is None:
        return ScoreReading(None, SCORE_UNCERTAIN.of(line=_quoted(lines[place].text)))
    if _contradicted(last.value, [claim for _, claim in speaking], placed, rank):
        return ScoreReading(None, SCORES_DISAGREE)
    if (place > 0 and is_rival_heading(lines[place - 1].text)) or (
        not ends_answer and _doubtful(lines, place, last.value, rank)
    ):
        return ScoreReading(None, SCORE_UNCERTAIN.of(line=_quoted(lines[place].text)))
    return ScoreReading(last.value, SCORE_READ.of(score=f"{last.value:g}"))


def _contradicted(value: float, speaking: list[Claim], placed: list[tuple[int, Claim]], rank: Rank) -> bool:
    if any(claim.value != value for claim in speaking):
        return True
    return rank is Rank.PLAIN and any(claim.rank is Rank.SAID and claim.value != value for _, claim in placed)


def _doubtful(lines: list[_Line], place: int, value: float, rank: Rank) -> bool:
    """Whether the lines around a claim that does not end the answer make it a quotation, or take it back."""
    if rank is not Rank.FINAL and any(is_rival(line.text) for line in lines):
        return True
    if place > 0 and lines[place - 1].text.endswith(":") and heading_rank(lines[place - 1].text) is None:
        return True
    if any(claim.value != value for line in lines[place + 1 :] for claim in line.claims):
        return True
    others = lines[place:] if rank is Rank.SAID else lines[place + 1 :]
    return any(disturbs(line.text, value) for line in others)


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
