"""Where events go: one protocol, and a fan-out that outlives a broken listener.

Owns the delivery order: every sink sees all events in the order in which they were emitted, one at a time,
also when several threads emit.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Protocol

from xuen.events import Event, Notice
from xuen.texts import plain
from xuen.texts.run import SINK_DROPPED


class Sink(Protocol):
    """Anything that wants to know what happens."""

    def emit(self, event: Event) -> None:
        """Take one event; must not block for long."""
        ...


class FanOut:
    """Hands every event to all sinks; a sink that raises is dropped and the others are told, once."""

    def __init__(self, sinks: Iterable[Sink]) -> None:
        self._sinks = list(sinks)
        self._lock = threading.RLock()

    def emit(self, event: Event) -> None:
        """Deliver to each sink that still works. Raises nothing."""
        with self._lock:
            waiting = [event]  # and after it, the news of each sink that it broke
            for each in waiting:
                waiting += self._deliver(each)

    def _deliver(self, event: Event) -> list[Event]:
        """Hand one event to all sinks and drop those that raise; what the others should know of that."""
        news: list[Event] = []
        for sink in self._sinks:
            try:
                sink.emit(event)
            # A listener is somebody else's code and must never stop the loop (one of four broad handlers).
            except Exception as error:  # noqa: BLE001 - see above
                self._sinks = [other for other in self._sinks if other is not sink]
                text = SINK_DROPPED.of(name=type(sink).__name__, error=plain(str(error)))
                news.append(Notice(level="warning", text=text))
        return news
