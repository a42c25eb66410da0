"""The token by which a host ends a run: looked at by everything that waits."""

from __future__ import annotations

from typing import Protocol

from xuen.texts.xwork import INTERRUPTED
from xuen.xwork.errors import Interrupted


class Cancel(Protocol):
    """What can say that the end was asked for; `threading.Event` and xuen's `Stop` both can."""

    def is_set(self) -> bool:
        """Whether it was."""
        ...

    def wait(self, seconds: float | None = None, /) -> bool:
        """Sleep until it is, at most `seconds`; whether it is."""
        ...


def stop_if(cancel: Cancel) -> None:
    """Raises Interrupted when the end was asked for."""
    if cancel.is_set():
        raise Interrupted(INTERRUPTED)
