"""From the loop's thread to the screen's: events in order, never waiting, never without bound.

Owns the only state that both threads touch. The loop appends; the screen drains when it draws. When an agent
prints more than a screen can show, in many lines or in long ones, the oldest undrawn lines of output are dropped and
counted; every other event always arrives.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

from xuen.events import Event, Output

MAX_WAITING_LINES = 2000
LINE = 100
"""Characters: a longer line counts as several, since drawing it takes as long as drawing those."""


class Drained(NamedTuple):
    """What happened since the last drain; `skipped` lines of output came before it and are gone."""

    events: list[Event]
    skipped: int


class Bridge:
    """A sink for the loop, a source for the screen."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._lines = 0
        self._skipped = 0

    def emit(self, event: Event) -> None:
        """Take an event; returns at once."""
        with self._lock:
            self._events.append(event)
            if isinstance(event, Output):
                self._lines += _lines_of(event)
                if self._lines > MAX_WAITING_LINES:
                    self._drop_half()

    def drain(self) -> Drained:
        """All events since the last call, oldest first."""
        with self._lock:
            drained = Drained(self._events, self._skipped)
            self._events, self._lines, self._skipped = [], 0, 0
            return drained

    def _drop_half(self) -> None:
        """Half at a time, so that a flood costs a constant per line."""
        drop = self._lines // 2
        kept: list[Event] = []
        for event in self._events:
            if drop > 0 and isinstance(event, Output):
                drop -= _lines_of(event)
                self._lines -= _lines_of(event)
                self._skipped += 1
            else:
                kept.append(event)
        self._events = kept


def _lines_of(event: Output) -> int:
    return 1 + len(event.line) // LINE
