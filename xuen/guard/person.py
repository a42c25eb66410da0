"""Carrying out what a person wrote into verdicts.txt. What is due is decided in `verdicts`, purely."""

from __future__ import annotations

from collections.abc import Iterator

from xuen.events import Adopted, Rejected, Verdict
from xuen.files.regular import read_regular
from xuen.guard.best import Best
from xuen.guard.desk import Desk
from xuen.guard.history import anchor_of
from xuen.guard.policy import Policy
from xuen.guard.verdicts import Due, Line, Problem, due, parse
from xuen.texts import guard as texts
from xuen.texts import plain

_TOLD_AT_ONCE = 5


class Person:
    """Reads the file again and again; complains about each bad line once in a run."""

    def __init__(self, desk: Desk, policy: Policy) -> None:
        self._desk = desk
        self._policy = policy
        self._told: set[str] = set()

    def honour(self, best: Best, number: int) -> Iterator[Best]:
        """Carry out every verdict that is due, in round `number`; each new best as it comes about.

        A verdict and its effect go into the history in one write, so that a kill leaves both or neither; where it
        left half, the next reading finishes it.

        Raises:
            OSError: the history or a snapshot failed; what is left is due again next time.
        """
        lines = self._read()
        if not lines and self._desk.index.waiting is None:
            return
        todo, problems = due(lines, self._desk.index, self._desk.is_intact, self._policy.reaches)
        self._complain(problems)
        for each in todo:
            best = self._carry_out(each, best, number)
            yield best

    def _read(self) -> list[Line]:
        try:
            return parse(read_regular(self._desk.workspace.verdicts))
        except FileNotFoundError:
            return []
        except OSError as error:
            self._complain([Problem("unreadable", texts.VERDICTS_UNREADABLE.of(error=plain(str(error))))])
            return []

    def _carry_out(self, each: Due, best: Best, number: int) -> Best:
        known, score = each.known, f"{each.score:g}"
        verdict = Verdict(round=number, id=known.id, score=each.score, comment=each.comment)
        first = (verdict,) if each.fresh else ()
        if known.was_best:
            self._desk.record(*first)
            note = texts.VERDICT_FOR_BEST if known.id == best.anchor.id else texts.VERDICT_FOR_ADOPTED
            self._desk.notice(note.of(id=known.id, score=score))
            return best
        if not self._policy.reaches(each.score):
            reason = texts.PERSON_REJECTED.of(score=score, needed=f"{self._policy.adopt_score:g}")
            self._desk.record(
                *first, Rejected(round=known.round, id=known.id, score=each.score, verify="user", reason=reason)
            )
            return best
        data = self._desk.snapshot(known)
        if data is None:  # gone since it was looked at
            return best
        adopted = Adopted(round=known.round, id=known.id, sha256=known.sha256, score=each.score, verify="user")
        line = self._desk.record(*first, adopted)[-1]
        return Best.of(anchor_of(line), data)

    def _complain(self, problems: list[Problem]) -> None:
        new = [problem for problem in problems if problem.key not in self._told]
        for problem in new[:_TOLD_AT_ONCE]:
            self._desk.notice(problem.text)
        if len(new) > _TOLD_AT_ONCE:
            self._desk.notice(texts.VERDICT_MORE.of(count=len(new) - _TOLD_AT_ONCE))
        self._told.update(problem.key for problem in new)
