"""The signals of the command line: they ask the run to end, and end the process at once while native code runs.

Owns the handlers of SIGINT, SIGTERM and SIGHUP in the process of xwork's own command. A host that uses the library
keeps its handlers: none that was not put there by `watch` is ever touched.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from xuen.stop import Stop

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Handler:
    """Sets the token and nothing else: whatever waits looks at it several times a second."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        self._stop.request(128 + number)


def watch(stop: Stop) -> None:
    """From now on a signal sets `stop`; does nothing outside the main thread."""
    if threading.current_thread() is threading.main_thread():
        for number in _NUMBERS:
            signal.signal(number, _Handler(stop))


@contextmanager
def deadly() -> Iterator[None]:
    """Let a signal end the process while the body runs.

    For native code that holds the interpreter for seconds: until it returns, no handler in Python is called.
    """
    ours = [number for number in _NUMBERS if isinstance(signal.getsignal(number), _Handler)]
    if threading.current_thread() is not threading.main_thread():
        ours = []
    handlers = {number: signal.signal(number, signal.SIG_DFL) for number in ours}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
