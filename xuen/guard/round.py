"""What the loop and a guard say to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from xuen.agent.call import Outcome
from xuen.agent.causes import likely_cause, why_failed
from xuen.errors import DamagedResearch
from xuen.events import AgentFailed, Heartbeat, RunFinished, RunStarted, SectionsShown
from xuen.guard.verify import Judgement
from xuen.texts.guard import RESEARCH_MISSING
from xuen.workspace.research import Research, Sections, parse

CAUSE_FROM = 3
"""From how many heartbeats in a row the likely cause is told."""


@dataclass(frozen=True, slots=True)
class RoundReport:
    """How a round went: `data` is research.md of the work folder, read once after the call; None when it is gone."""

    id: str
    round: int
    words: tuple[str, ...]
    outcome: Outcome
    data: bytes | None

    def research(self) -> Research:
        """research.md as the round left it.

        Raises:
            DamagedResearch: it is gone or not well-formed.
        """
        if self.data is None:
            raise DamagedResearch(RESEARCH_MISSING)
        return parse(self.data)


def agent_failed(report: RoundReport, agent: str) -> AgentFailed:
    """What is told of a round whose call did not work; `agent` is the name of the agent."""
    outcome = report.outcome
    return AgentFailed(round=report.round, why=outcome.why, code=outcome.code, reason=why_failed(outcome, agent))


def heartbeat(report: RoundReport, streak: int, agent: str) -> Heartbeat:
    """What is told of the `streak`-th round in a row that changed nothing; `agent` is the name of the agent."""
    cause = likely_cause(report.outcome, agent) if streak >= CAUSE_FROM else None
    return Heartbeat(round=report.round, streak=streak, cause=cause)


class Guard(Protocol):
    """The round guard, or the absence of one. No method raises for troubles of the guard's own."""

    def start(self, started: RunStarted, left: bytes | None = None) -> None:
        """Emit (and record) the start, recover, fix the baseline, read the verdicts; research.md is the best then.

        `left` is research.md of the work folder, which a killed run may have left.
        """
        ...

    def last_round(self) -> int:
        """The highest round number that this workspace has seen."""
        ...

    def open_round(self, round: int) -> str:
        """A new id for a round that begins now."""
        ...

    def sections(self) -> Sections:
        """The state that the next round starts from."""
        ...

    def document(self) -> bytes:
        """research.md for the work folder: these sections, and what the user wrote around them. Raises nothing."""
        ...

    def shown(self) -> SectionsShown:
        """What a screen shows first: the sections and, where there is a guard, the best and what is pending."""
        ...

    def keep_prompt(self, id: str, text: str) -> None:
        """Keep what the agent is asked."""
        ...

    def log_path(self, id: str) -> Path | None:
        """Where the agent's output of that round goes; None keeps none."""
        ...

    def close_round(self, report: RoundReport) -> Sequence[Judgement]:
        """Decide what becomes of a round, then publish the best; the judgements that it took."""
        ...

    def finish(self, finished: RunFinished) -> None:
        """Read the verdicts a last time; tell (and record) the end."""
        ...
