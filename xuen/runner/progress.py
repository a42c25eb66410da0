"""What the rounds of one run came to, and when that is a reason to end it.

Pure. What always holds: a call that was stopped counts as nothing; only a call that worked ends a row of failures; only
a change ends a row of calls without one, and only a judge that could tell ends a row of its failures, so nothing in
between keeps a run going for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xuen.agent.call import Outcome
from xuen.agent.causes import likely_cause, why_failed
from xuen.config.model import LoopSettings
from xuen.events import Why
from xuen.guard.verify import Judgement
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
        self._unjudged = 0
        self._failures_in_a_row = 0
        self._unchanged_in_a_row = 0
        self._evaluations_failed: Counter[str] = Counter()  # in a row, by the verifier's name
        self._trouble: Text | None = None  # the latest

    @property
    def exit_code(self) -> int:
        """What a run that nobody stopped ends with: 1 where no round succeeded, or no evaluation of one worked."""
        return 0 if self.succeeded > self._unjudged else 1

    def why_nothing(self) -> Text:
        """The reason that goes with exit code 1 when all rounds were played."""
        return texts.NO_ROUND_BECAUSE.of(trouble=self._trouble) if self._trouble else texts.NO_ROUND_WORKED

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
        return self._count_judgements(played.judgements)

    def _count_failure(self, outcome: Outcome) -> Text | None:
        self.failed += 1
        self._failures_in_a_row += 1
        reason = why_failed(outcome, self._agent)
        self._trouble = texts.TOO_MANY_FAILURES.of(count=self._failures_in_a_row, reason=reason)
        return self._trouble if self._failures_in_a_row >= self._max_failures else None

    def _count_unchanged(self, outcome: Outcome) -> Text | None:
        self.unchanged += 1
        self._unchanged_in_a_row += 1
        self.pause = min(LONGEST_PAUSE, max(FIRST_PAUSE, self.pause * 2))
        cause = likely_cause(outcome, self._agent)
        self._trouble = texts.UNCHANGED.of(count=self._unchanged_in_a_row, cause=cause)
        return self._trouble if self._unchanged_in_a_row >= self._max_unchanged else None

    def _count_judgements(self, judgements: Sequence[Judgement]) -> Text | None:
        in_a_row = self._evaluations_failed
        self._unjudged += any(each.is_failure for each in judgements)
        for each in judgements:
            if each.outcome in ("passed", "failed"):
                in_a_row[each.verifier] = 0
            if each.is_failure:
                in_a_row[each.verifier] += 1
                count = in_a_row[each.verifier]
                self._trouble = texts.EVALUATION_FAILED.of(count=count, reason=each.reason)
                if count >= self._max_failures:
                    return self._trouble
        return None
