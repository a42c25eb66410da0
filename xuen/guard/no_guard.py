"""No guard (`--no-rounds`): the newest state simply goes on, and research.md holds it. There is no record.

A research.md that lost its markers is kept aside and the last good state put back, because no round could start from
it. The round guard also falls back on this while it cannot read its own files.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from xuen.errors import DamagedResearch
from xuen.events import Damaged, RunFinished, RunStarted, SectionsShown
from xuen.guard.candidates import new_id
from xuen.guard.round import RoundReport, agent_failed, heartbeat
from xuen.guard.steps import Steps
from xuen.sink import Sink
from xuen.texts import Text
from xuen.workspace.research import Sections, new_research, parse
from xuen.workspace.research_file import ResearchFile


class NoGuard:
    """The interface of a guard without its work; `clock` answers in UTC, `steps` reports trouble with the disk."""

    def __init__(
        self,
        research: ResearchFile,
        *,
        root: Path,
        sink: Sink,
        clock: Callable[[], datetime],
        steps: Steps | None = None,
    ) -> None:
        self._research = research
        self._root = root
        self._sink = sink
        self._clock = clock
        self._steps = steps or Steps(sink)
        self._last_good = parse(new_research(""))
        self._agent = ""
        self._streak = 0
        self._round = 0

    def start(self, started: RunStarted, left: bytes | None = None) -> None:  # noqa: ARG002 - it goes on or is gone
        """Emit the start and see to a well-formed research.md."""
        self._sink.emit(started)
        self.take_over(started)

    def take_over(self, started: RunStarted) -> None:
        """Take research.md as it is for the last good state; a damaged one is kept aside for an empty one."""
        self._agent, self._round = started.agent, started.round
        self._last_good = parse(new_research(started.task))
        try:
            self._last_good = parse(self._research.read())
        except DamagedResearch as damage:
            kept = self._steps.result(self._put_back)
            self._tell_damage(damage.reason, kept, self._round)
        except OSError:
            pass  # the first round will tell

    def last_round(self) -> int:
        """The last round of this run; nothing is known of earlier ones."""
        return self._round

    def open_round(self, round: int) -> str:
        """A name for the round, for the screen only."""
        self._round = round
        return new_id(self._clock(), round, lambda _: False)

    def sections(self) -> Sections:
        """What research.md held when last looked at."""
        return self._last_good.sections

    def document(self) -> bytes:
        """research.md as the user and the last round left it, or the last good state."""
        with suppress(DamagedResearch, OSError):
            self._last_good = parse(self._research.read())
        return self._last_good.data

    def shown(self) -> SectionsShown:
        """The sections alone."""
        now = self.sections()
        return SectionsShown(idea=now.idea, artifact=now.artifact)

    def keep_prompt(self, id: str, text: str) -> None:
        """Keeps nothing."""

    def log_path(self, id: str) -> Path | None:  # noqa: ARG002 - the same for every round
        """None: no output is kept."""
        return None

    def close_round(self, report: RoundReport) -> tuple[()]:
        """Take the newest well-formed state; refuse a damaged one. Nothing is judged."""
        before = self.sections()
        try:
            state = report.research()
        except DamagedResearch as damage:
            self._streak = 0
            data = report.data
            kept = None if data is None else self._steps.result(partial(self._research.keep_copy, data))
            self._tell_damage(damage.reason, kept, report.round)
            state = self._last_good
        if state.sections != before:
            self._last_good = state
            self._steps.attempt(partial(self._research.put_sections, state.sections, seen=(before,)))
        if not report.outcome.worked:
            self._streak = 0
            self._sink.emit(agent_failed(report, self._agent))
        elif state.sections != before:
            self._streak = 0
        elif state.data == report.data:  # else it was damaged
            self._streak += 1
            self._sink.emit(heartbeat(report, self._streak, self._agent))
        return ()

    def finish(self, finished: RunFinished) -> None:
        """Tell the end."""
        self._sink.emit(finished)

    def _tell_damage(self, reason: Text, kept: Path | None, round: int) -> None:
        place = kept.relative_to(self._root).as_posix() if kept else None
        self._sink.emit(Damaged(round=round, reason=reason, kept=place))

    def _put_back(self) -> Path | None:
        kept = self._research.keep_aside()
        self._research.replace(self._last_good.data)
        return kept
