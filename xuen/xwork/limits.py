"""What ends a run that leads nowhere: the same calls with the same results, failures in a row, too many turns.

Owns the counting within one run. Compares results too, so that work which changes something never counts as stuck, and
exempts tools that are meant to be called repeatedly.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from xuen.texts import Text
from xuen.texts import xwork as texts
from xuen.xwork.messages import ToolCall

_LONGEST_CYCLE = 4  # batches that a repetition may consist of


class Limits:
    """The guards of one run. 0 switches a limit off."""

    def __init__(self, *, turns: int, repeats: int, failures: int) -> None:
        self._turns = turns
        self._repeats = repeats
        self._failures = failures
        self._asked = 0
        self._failed = 0
        self._batches: deque[int] = deque(maxlen=max(1, repeats) * _LONGEST_CYCLE)

    def turn(self) -> Text | None:
        """Count a turn; the reason to stop instead of taking it, if there is one."""
        if self._turns and self._asked >= self._turns:
            return texts.TURNS_OVER.of(count=self._turns)
        self._asked += 1
        return None

    def result(self, failed: bool) -> None:
        """Count the result of one call."""
        self._failed = self._failed + 1 if failed else 0

    def batch(self, calls: Sequence[ToolCall], results: Sequence[str], *, exempt: bool) -> Text | None:
        """Compare the calls of one answer and their results with those before; the reason to stop, if there is one."""
        if self._failures and self._failed >= self._failures:
            return texts.FAILURES.of(count=self._failed)
        if exempt or not self._repeats:
            self._batches.clear()
            return None
        self._batches.append(hash((*((call.name, call.arguments) for call in calls), *results)))
        if any(self._repeated(length) for length in range(1, _LONGEST_CYCLE + 1)):
            return texts.REPEATS.of(count=self._repeats)
        return None

    def _repeated(self, length: int) -> bool:
        """Whether the last batches are one sequence of `length`, again and again."""
        wanted = self._repeats * length
        if len(self._batches) < wanted:
            return False
        last = list(self._batches)[-wanted:]
        return all(last[at] == last[at - length] for at in range(length, wanted))
