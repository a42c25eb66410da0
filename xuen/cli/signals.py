"""Signals become a request to stop; the loop decides how."""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from xuen.stop import Stop

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def signals_stop(stop: Stop) -> Iterator[None]:
    """While this is entered, SIGINT, SIGTERM and SIGHUP ask `stop` for a graceful end with 128 + their number.

    A SIGHUP that was ignored from the start (`nohup`) stays ignored. SIGINT is taken even then: shells without job
    control start background jobs with it ignored, and a scheduler that sends it means it. Once a stopped run is over,
    one more signal ends the program at once and with the same code: who asked twice shall not get another answer.
    """

    def ask(number: int, _: FrameType | None) -> None:
        stop.request(128 + number)

    def leave(_: int, __: FrameType | None) -> None:
        os._exit(stop.exit_code or 0)

    before = {number: signal.getsignal(number) for number in _ENDING}
    taken = [number for number in _ENDING if before[number] is not signal.SIG_IGN or number == signal.SIGINT]
    for number in taken:
        signal.signal(number, ask)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, leave if stop.is_set() else before[number])
        if stop.is_set():  # the interpreter's own end takes handlers away, but leaves what is ignored
            atexit.register(lambda: [signal.signal(number, signal.SIG_IGN) for number in taken])
