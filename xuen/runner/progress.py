"""What the rounds of one run came to, and when that is a reason to end it.

Pure. What always holds: a call that was stopped counts as nothing; only a call that worked ends a row of failures; only
a change ends a row of calls without one, so failures in between do not keep a run going for ever.
"""

from __future__ import annotations

from xuen.agent.call import Outcome
from xuen.agent.causes import likely_cause, why_failed
from xuen.config.model import LoopSettings
from xuen.events import Why
from xuen.runner.round import Played
from xuen.texts import Text
from xuen.texts import run as texts

FIRST_PAUSE = 0.5
"""Seconds before the call that follows one without a change; doubled for each further one in a row."""
LONGEST_PAUSE = 60.0
"""Seconds; an agent that has nothing to say costs a call a minute at most."""


class Progress:
    """Counts the rounds of one run. `pause` are the seconds to wait before the next one."""

    def __init__(self, settings: LoopSettings, *, agent: str) -> None:
        self._max_failures = settings.max_failures
        self._max_unchanged = settings.max_unchanged
        self._agent = agent
        self.succeeded = 0
        self.unchanged = 0
        self.failed = 0
        self.pause = 0.0
        self._failures_in_a_row = 0
        self._unchanged_in_a_row = 0
        self._unchanged_why: Text = texts.NO_ROUND_WORKED

    @property
    def exit_code(self) -> int:
        """What a run that nobody stopped ends with."""
        return 0 if self.succeeded else 1

    def why_nothing(self) -> Text:
        """The reason that goes with exit code 1 when all rounds were played."""
        return texts.NO_ROUND_WORKED if self.failed else self._unchanged_why

    def count(self, played: Played) -> Text | None:
        """Count a round; the reason to end the run, where this is one."""
        outcome = played.outcome
        if outcome.why is Why.STOPPED:
            return None
        if not outcome.worked:
            return self._count_failure(outcome)
        self._failures_in_a_row = 0
        if not played.changed:
            return self._count_unchanged(outcome)
        self._unchanged_in_a_row = 0
        self.pause = 0.0
        self.succeeded += 1
        return None

    def _count_failure(self, outcome: Outcome) -> Text | None:
        self.failed += 1
        self._failures_in_a_row += 1
        if self._failures_in_a_row < self._max_failures:
            return None
        reason = why_failed(outcome, self._agent)
        return texts.TOO_MANY_FAILURES.of(count=self._failures_in_a_row, reason=reason)

    def _count_unchanged(self, outcome: Outcome) -> Text | None:
        self.unchanged += 1
        self._unchanged_in_a_row += 1
        self.pause = min(LONGEST_PAUSE, max(FIRST_PAUSE, self.pause * 2))
        cause = likely_cause(outcome, self._agent)
        self._unchanged_why = texts.UNCHANGED.of(count=self._unchanged_in_a_row, cause=cause)
        return self._unchanged_why if self._unchanged_in_a_row >= self._max_unchanged else None
