"""The token by which a host ends a run: looked at by everything that waits."""

from __future__ import annotations

from xuen.stop import Cancel
from xuen.texts.xwork import INTERRUPTED
from xuen.xwork.errors import Interrupted

__all__ = ["Cancel", "stop_if"]


def stop_if(cancel: Cancel) -> None:
    """Raises Interrupted when the end was asked for."""
    if cancel.is_set():
        raise Interrupted(INTERRUPTED)
