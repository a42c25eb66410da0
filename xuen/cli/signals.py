"""Signals become a request to stop; the loop decides how."""

from __future__ import annotations

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
    control start background jobs with it ignored, and a scheduler that sends it means it.
    """

    def ask(number: int, _: FrameType | None) -> None:
        stop.request(128 + number)

    before = {number: signal.getsignal(number) for number in _ENDING}
    for number, handler in before.items():
        if not (handler is signal.SIG_IGN and number != signal.SIGINT):
            signal.signal(number, ask)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
