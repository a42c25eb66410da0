"""Work on the guard's own files that has to happen in order, and what happens when the disk refuses.

What always holds: a step that failed is tried again before any later one, so nothing is skipped and nothing overtakes
it; the trouble is told once (`GuardOff`), its end once (`GuardOn`), and neither ever leaves this module as an
exception. Steps must be safe to run twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeVar

from xuen.errors import LockTimeout
from xuen.events import GuardOff, GuardOn
from xuen.sink import Sink
from xuen.texts import plain
from xuen.texts.guard import CANNOT_WORK

TROUBLE = (OSError, LockTimeout)
"""What a disk, a folder or a lock can do to the guard."""

Result = TypeVar("Result")


class Steps:
    """A queue of steps; empty as long as everything works."""

    def __init__(self, sink: Sink, *, first: Callable[[], object] = lambda: None) -> None:
        """`first` is done before every step."""
        self._sink = sink
        self._first = first
        self._queue: deque[Callable[[], object]] = deque()
        self.is_off = False

    @property
    def waiting(self) -> bool:
        """Whether steps could not be done yet."""
        return bool(self._queue)

    def later(self, step: Callable[[], object]) -> None:
        """Queue a step for the next `run`."""
        self._queue.append(step)

    def run(self, *steps: Callable[[], object]) -> bool:
        """Do what waits and then these; False when some of it still waits."""
        self._queue.extend(steps)
        while self._queue:
            if not self.attempt(self._queue[0]):
                return False
            self._queue.popleft()
        return True

    def result(self, step: Callable[[], Result]) -> Result | None:
        """What a step that need not be kept for later gives; None when it did not work."""
        try:
            self._first()
            return step()
        except TROUBLE as error:
            self._turn_off(error)
            return None

    def attempt(self, step: Callable[[], object]) -> bool:
        """Do one step that need not be kept for later; whether it worked."""
        return self.result(lambda: (step(),)) is not None

    def all_well(self) -> None:
        """Say that everything works again, if it did not and nothing waits any more."""
        if self.is_off and not self._queue:
            self.is_off = False
            self._sink.emit(GuardOn())

    def _turn_off(self, error: BaseException) -> None:
        if not self.is_off:
            self.is_off = True
            self._sink.emit(GuardOff(reason=CANNOT_WORK.of(error=plain(str(error)))))
