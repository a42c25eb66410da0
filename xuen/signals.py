"""Signals become a request to stop; what runs decides how. One place for both programs, xuen and xwork.

A host that uses xwork as a library keeps its handlers: only those that stand here are ever replaced.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from xuen.stop import Stop

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class _Asks:
    """A handler that sets the token and nothing else: whatever waits looks at it several times a second."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop

    def __call__(self, number: int, _: FrameType | None) -> None:
        self._stop.request(128 + number)


@contextmanager
def signals_stop(stop: Stop) -> Iterator[None]:
    """While this is entered, SIGINT, SIGTERM and SIGHUP ask `stop` for a graceful end with 128 + their number.

    A SIGHUP that was ignored from the start (`nohup`) stays ignored. SIGINT is taken even then: shells without job
    control start background jobs with it ignored, and a scheduler that sends it means it. Once a stopped run is over,
    one more signal ends the program at once and with the same code: who asked twice shall not get another answer.
    Outside the main thread, where handlers cannot be set, it does nothing.
    """

    def leave(_: int, __: FrameType | None) -> None:
        os._exit(stop.exit_code or 0)

    before = {number: signal.getsignal(number) for number in _ENDING} if _in_main_thread() else {}
    taken = [number for number in before if before[number] is not signal.SIG_IGN or number == signal.SIGINT]
    for number in taken:
        signal.signal(number, _Asks(stop))
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, leave if stop.is_set() else before[number])
        if stop.is_set():  # the interpreter's own end takes handlers away, but leaves what is ignored
            atexit.register(lambda: [signal.signal(number, signal.SIG_IGN) for number in taken])


@contextmanager
def default_handlers() -> Iterator[None]:
    """Let a signal end the process while this is entered.

    For native code that holds the interpreter for seconds: until it returns, no handler in Python is called.
    """
    ours = [number for number in _ENDING if _in_main_thread() and isinstance(signal.getsignal(number), _Asks)]
    handlers = {number: signal.signal(number, signal.SIG_DFL) for number in ours}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
