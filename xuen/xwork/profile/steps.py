"""What a small model is led through inside one answer: lists of terms, and scores.

Owns the counting of completions and calls that an answer is made of, and of what they cost. Always holds: an answer
that holds nothing usable is an error; a score is a number that the model gave.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Generator, Sequence

import msgspec

from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import ModelError
from xuen.xwork.messages import Message, Usage
from xuen.xwork.model.client import (
    Assembler,
    CallDelta,
    Delta,
    ModelClient,
    Options,
    ReasoningDelta,
    StepDelta,
    TextDelta,
)
from xuen.xwork.profile import shots, tidy
from xuen.xwork.request import Request

_LISTS = 5  # completions that one list of terms may take
_TERMS = 20  # terms that are enough for one call
_SCORES = 6  # numbers that are averaged for one text

Pieces = Generator[Delta, None, None]


class Steps:
    """The completions and calls that one answer is made of, and what they cost together."""

    def __init__(self, client: ModelClient, cancel: Cancel, seed: int) -> None:
        self._client = client
        self._cancel = cancel
        self.seed = seed
        self.usage: Usage | None = None
        self.calls = 0

    def ask(self, step: str, asked: Sequence[Message], options: Options) -> Pieces:
        """One completion of the small model, piece by piece; its usage is added up."""
        if step:
            yield StepDelta(step)
        assembler = Assembler()
        for delta in self._client.complete(asked, options=options, cancel=self._cancel):
            assembler.add(delta)
            if isinstance(delta, TextDelta):
                yield delta
        usage = assembler.answer().usage
        self.usage = usage if self.usage is None else self.usage.plus(usage)

    def call(self, name: str, **arguments: object) -> CallDelta:
        """A tool call, as the piece of the answer that it is."""
        self.calls += 1
        return CallDelta(self.calls - 1, name=name, arguments=msgspec.json.encode(arguments).decode())


def words(taken: Steps, request: Request) -> Pieces:
    """Terms, a line each, until there are enough of them."""
    wanted = min(request.count, _TERMS)
    known = {term.casefold() for term in (*request.known, *shots.EXAMPLE_TERMS)}
    found = 0
    for attempt in range(_LISTS):
        if found >= wanted:
            break
        # Warmer each time: the same task asked again tends to the same list.
        options = msgspec.structs.replace(shots.LISTING, seed=taken.seed + attempt, temperature=0.5 + 0.15 * attempt)
        said: list[str] = []
        yield from _silently(taken.ask("words", shots.list_terms(request.task), options), said)
        for term in map(tidy.term, "".join(said).splitlines()):
            if term and term.casefold() not in known and found < wanted:
                known.add(term.casefold())
                found += 1
                yield TextDelta(f"{term}\n")
    if not found:
        raise ModelError(texts.EMPTY_ANSWER)


def judge(taken: Steps, request: Request) -> Pieces:
    """Each of two texts gets the mean of a few numbers; their difference says which is better, or by how much.

    The same seeds serve for both, so that chance weighs on both alike. Twice the difference, because this model's
    means lie within a few points of each other. Where there is no best yet, anything is clearly better than nothing,
    and the better the candidate alone, the more. No sentence says why: what this model says of a text has nothing to
    do with its numbers, and a sentence with a number in it would put the score in doubt.
    """
    own: list[float] = []
    other: list[float] = []
    if request.a is not None and request.b is not None:
        yield from _scores(taken, "A", request.task, request.a.text, own)
        yield from _scores(taken, "B", request.task, request.b.text, other)
        better = "EQUAL" if sum(own) == sum(other) else "A" if sum(own) > sum(other) else "B"
        yield TextDelta(f"BETTER {request.nonce}: {better}\n")
        return
    candidate, best = request.candidate.text, request.best.text
    yield from _scores(taken, "candidate", request.task, candidate, own)
    above = 2 + 0.3 * statistics.fmean(own)
    if best.strip():
        yield from _scores(taken, "best", request.task, best, other)
        above = 2 * (statistics.fmean(own) - statistics.fmean(other))
    yield TextDelta(f"SCORE {request.nonce}: {min(10.0, max(0.0, 5 + above)):.1f}\n")


def _scores(taken: Steps, what: str, task: str, answer: str, numbers: list[float]) -> Pieces:
    """The model's scores for a text; they are kept as what it thought."""
    asked = shots.score(task, answer)
    for number in range(_SCORES):
        said: list[str] = []
        options = msgspec.structs.replace(shots.SCORING, seed=taken.seed + number)
        yield from _silently(taken.ask("score", asked, options), said)
        found = re.search(r"\d+(?:\.\d+)?", "".join(said))
        if found is None:
            raise ModelError(texts.NO_SCORE.of(said=plain("".join(said).strip())))
        numbers.append(float(found.group()))
    yield ReasoningDelta(f"{what}: {' '.join(f'{number:g}' for number in numbers)}\n")


def _silently(pieces: Pieces, said: list[str]) -> Pieces:
    """The pieces without their text, which goes into `said`."""
    for piece in pieces:
        if isinstance(piece, TextDelta):
            said.append(piece.text)
        else:
            yield piece
