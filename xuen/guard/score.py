"""The score in a judge's answer, read from text; pure.

Owns the question which number, if any, is the judge's verdict on the candidate, from 0 to 10. Refuses to guess: an
answer that can be read in two ways, or that speaks of another scale, of a part, of the best or of a condition has no
score. Always: what a model thinks, quotes or repeats of the question never counts, and a number outside 0 to 10 is
never bent into range.

A line that also stands in the question gives no score, as it may be an echo; but it casts doubt like any other, as
it may be the judge's own word.

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

from xuen.guard.answer_text import Question, answer_lines, normal, without_fences, without_question
from xuen.guard.score_doubts import (
    accounts_for,
    disturbs,
    introduces_another,
    is_other_scale,
    is_rival,
    is_rival_heading,
)
from xuen.guard.score_forms import (
    Claim,
    Rank,
    alone,
    bare,
    heading_rank,
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
_QUOTE = re.compile(r"[\"'“”„«»「」『』]{1,3}")
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
    echoed: bool  # it stands in the question


def read_score(answer: str, *, asked: str = "") -> ScoreReading:
    """The judge's score from 0 to 10, if the answer gives exactly one with certainty.

    `asked` is the prompt that the judge was given. Where the answer prints it, that counts for nothing; other lines of
    the answer that stand in it give no score, unless the answer is a single line.
    """
    answer, asked = normal(answer), normal(asked)
    single = sum(bool(line.strip()) for line in answer.split("\n")) < 2
    text = without_thinking(without_question(answer, asked))
    lines = list(_lines(text, Question("" if single else asked)))
    if not lines:
        return ScoreReading(None, ANSWER_EMPTY)
    return _decide(lines)


# --- what is claimed -----------------------------------------------------------------------------------------------


def _lines(text: str, question: Question) -> Iterator[_Line]:
    before, found, after = _objects(without_fences(text))
    if not found:
        yield from _claims(answer_lines(text), question)
        return
    yield from _claims(answer_lines(before), question)
    for pairs, source in found:
        yield _Line("", tuple(_object_claims(pairs)), source in question)
    yield from _claims(answer_lines(after), question)


def _claims(raw: list[str], question: Question) -> Iterator[_Line]:
    texts = [(text, line) for line in raw if (text := undress(line)) and _speaks(text)]
    if len(texts) == 1 and (only := bare(texts[0][0])) is not None:
        yield _Line(texts[0][0], (Claim(Rank.PLAIN, only),), texts[0][1] in question)
        return
    heading: Rank | None = None
    for number, (text, line) in enumerate(texts):
        claims = _claims_of(text, heading, alone_counts=number in (0, len(texts) - 1)) if may_claim(text) else []
        echoed = line in question
        heading = None if echoed else heading_rank(text)
        yield _Line(text, tuple(claims), echoed)


def _speaks(text: str) -> bool:
    """Whether a line says anything; a quotation mark alone on its line does."""
    return any(char.isalnum() for char in text) or _QUOTE.fullmatch(text) is not None


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


_Object = tuple[dict[str, Any], str]  # what a JSON object holds, and its source


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


def _objects(text: str) -> tuple[str, list[_Object], str]:
    """The JSON objects that begin or end the answer, with what stands before and after them.

    One in the middle may be a quotation, so it does not count.
    """
    for start in itertools.islice((found.end() - 1 for found in _OBJECT.finditer(text)), _TRIES):
        found, rest = _sequence(text[start:])
        if found and (start == 0 or not rest):
            return text[:start], found, rest
    return text, [], ""


def _sequence(text: str) -> tuple[list[_Object], str]:
    found: list[_Object] = []
    while text.startswith("{"):
        try:
            value, end = _DECODER.raw_decode(text)
        except (ValueError, _Doubtful, RecursionError):
            break
        found.append((value, text[:end]))
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
    placed = [(place, claim) for place, line in enumerate(lines) for claim in line.claims if not line.echoed]
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
    if _contradicted(last.value, rank, lines):
        return ScoreReading(None, SCORES_DISAGREE)
    if _foreign(lines, place) or (not ends_answer and _doubtful(lines, place, last.value, rank)):
        return ScoreReading(None, SCORE_UNCERTAIN.of(line=_quoted(lines[place].text)))
    return ScoreReading(last.value, SCORE_READ.of(score=f"{last.value:g}"))


def _contradicted(value: float, rank: Rank, lines: list[_Line]) -> bool:
    """Whether another number has as good a claim; that of an echoed line may be the judge's last word."""
    weighty = {rank, Rank.SAID} if rank is Rank.PLAIN else {rank}
    return any(
        claim.value is not None and claim.value != value and (line.echoed or claim.rank in weighty)
        for line in lines
        for claim in line.claims
    )


def _foreign(lines: list[_Line], place: int) -> bool:
    """Whether a claim is the best's or somebody else's, or on another scale, wherever in the answer it stands."""
    before = lines[place - 1].text if place > 0 else ""
    return is_rival_heading(before) or introduces_another(before) or any(is_other_scale(line.text) for line in lines)


def _doubtful(lines: list[_Line], place: int, value: float, rank: Rank) -> bool:
    """Whether the lines around a claim that does not end the answer make it a quotation, or take it back."""
    if rank is not Rank.FINAL and any(is_rival(line.text) for line in lines):
        return True
    if place > 0 and lines[place - 1].text.endswith(":") and heading_rank(lines[place - 1].text) is None:
        return True
    if any(claim.value != value for line in lines[place + 1 :] for claim in line.claims):
        return True
    after = lines[place + 1 :]
    if rank is not Rank.SAID and not (after and accounts_for(after[0].text)):
        return True
    if any(bare(line.text) not in (None, value) for line in after):
        return True
    return any(disturbs(line.text, value) for line in (lines[place:] if rank is Rank.SAID else after))


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
