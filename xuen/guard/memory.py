"""A guard without a disk: the research and the record of its rounds live in memory only.

It keeps the promises that the loop relies on: each round starts from the best, and a round that failed or was not
adopted leaves no trace. For tests of the loop's rules, and for programs that keep a record of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from xuen.errors import DamagedResearch
from xuen.events import Adopted, Damaged, Event, Pending, Rejected, RunFinished, RunStarted, SectionsShown
from xuen.guard.candidates import digest
from xuen.guard.round import RoundReport, agent_failed, heartbeat
from xuen.guard.verify import Judgement
from xuen.sink import Sink
from xuen.texts import plain
from xuen.workspace.research import Sections, new_research, parse

Judge = Callable[[Sections, Sections], Judgement]
"""Compares a candidate with the best; `passed` adopts, `failed` rejects, everything else leaves it pending."""


def _adopt(candidate: Sections, best: Sections) -> Judgement:  # noqa: ARG001 - the newest is the best
    return Judgement("memory", "passed", None, plain(""))


class MemoryGuard:
    """A guard and the state store of its loop: a scripted agent overwrites the state with `write`.

    `last_round` is the last round of earlier runs; `reports` are the rounds of this one.
    """

    def __init__(self, sink: Sink, *, judge: Judge = _adopt, last_round: int = 0) -> None:
        self._sink = sink
        self._judge = judge
        self._round = last_round
        self._best = self._data = new_research("")
        self._agent = ""
        self._streak = 0
        self.reports: list[RoundReport] = []
        self.trouble = False

    def materialise(self, document: bytes) -> None:
        """Put a state there."""
        self._data = document

    def capture(self) -> bytes | None:
        """The state as it is now."""
        return self._data

    def write(self, idea: str, artifact: str = "") -> None:
        """Overwrite both sections, as an agent does during its call."""
        self._data = parse(self._data).with_sections(Sections(idea, artifact))

    def start(self, started: RunStarted, left: bytes | None = None) -> None:  # noqa: ARG002 - nothing outlives it
        """Emit the start."""
        self._agent = started.agent
        self._sink.emit(started)

    def last_round(self) -> int:
        """The last round that was opened."""
        return self._round

    def open_round(self, round: int) -> str:
        """A name for the round."""
        self._round = round
        return f"r{round}"

    def sections(self) -> Sections:
        """The best."""
        return parse(self._best).sections

    def document(self) -> bytes:
        """The best as a whole file."""
        return self._best

    def shown(self) -> SectionsShown:
        """The best as an event."""
        best = self.sections()
        return SectionsShown(idea=best.idea, artifact=best.artifact)

    def keep_prompt(self, id: str, text: str) -> None:
        """Keeps nothing."""

    def log_path(self, id: str) -> Path | None:  # noqa: ARG002 - the same for every round
        """None: no output is kept."""
        return None

    def close_round(self, report: RoundReport) -> tuple[Judgement, ...]:
        """Tell what became of the round and put the best back; the judgement, if there was one."""
        self.reports.append(report)
        judgements: tuple[Judgement, ...] = ()
        if not report.outcome.worked:
            self._end_streak(agent_failed(report, self._agent))
        else:
            try:
                state = report.research()
            except DamagedResearch as damage:
                self._end_streak(Damaged(round=report.round, reason=damage.reason, kept=None))
            else:
                judgements = self._look_at(report, state.data, state.sections)
        self._data = self._best
        return judgements

    def finish(self, finished: RunFinished) -> None:
        """Tell the end."""
        self._sink.emit(finished)

    def _look_at(self, report: RoundReport, data: bytes, sections: Sections) -> tuple[Judgement, ...]:
        best = self.sections()
        if sections == best:
            self._streak += 1
            self._sink.emit(heartbeat(report, self._streak, self._agent))
            return ()
        found = self._judge(sections, best)
        what: dict[str, Any] = {"round": report.round, "id": report.id, "verify": found.verifier}
        event: Event
        if found.outcome == "passed":
            self._best = data
            event = Adopted(sha256=digest(data), score=found.score, **what)
        elif found.outcome == "failed":
            event = Rejected(score=found.score, reason=found.reason, **what)
        else:
            event = Pending(reason=found.reason, **what)
        self._end_streak(event)
        return (found,)

    def _end_streak(self, event: Event) -> None:
        self._streak = 0
        self._sink.emit(event)
