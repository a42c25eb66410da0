"""The outcomes of the last rounds as one row: a bar for a score, a sign for a round without one."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from xuen.texts import Text
from xuen.texts import screen as say
from xuen.ui.telling import Tone
from xuen.ui.view import Kind, Mark

_BARS = "▁▂▃▄▅▆▇█"
_SIGNS: dict[Kind, str] = {"pending": "?", "failed": "×", "stopped": "/", "still": "·", "adopted": "█", "rejected": "▁"}
_STYLES: dict[Kind, str] = {
    "adopted": "$text-success",
    "rejected": "$text-error",
    "pending": "$text-warning",
    "failed": "$text-error",
    "stopped": "$foreground-muted",
    "still": "$foreground-muted",
}

_REJECTED = "-"
"""A rejected round where there are no colours: its bar would look like an adopted one."""


def legend(*, colour: bool) -> tuple[tuple[Tone, str, Text], ...]:
    """What each sign means, with the tone of its colour."""
    return (
        ("good", _BARS, say.SIGN_ADOPTED),
        ("bad", _BARS if colour else _REJECTED, say.SIGN_REJECTED if colour else say.STATUS["rejected"]),
        ("wait", _SIGNS["pending"], say.SIGN_PENDING),
        ("muted", _SIGNS["still"], say.SIGN_STILL),
        ("bad", _SIGNS["failed"], say.SIGN_FAILED),
        ("muted", _SIGNS["stopped"], say.SIGN_STOPPED),
    )


def bar(mark: Mark, *, colour: bool = True) -> str:
    """The one character that stands for a round; scores 0 to 10 are low to high."""
    if mark.kind == "rejected" and not colour:
        return _REJECTED
    if mark.score is None:
        return _SIGNS[mark.kind]
    return _BARS[min(len(_BARS) - 1, max(0, round(mark.score / 10 * (len(_BARS) - 1))))]


def chart(marks: Sequence[Mark], width: int, *, colour: bool = True) -> Content:
    """The newest `width` outcomes, the newest last."""
    shown = marks[-width:] if width > 0 else ()
    return Content.assemble(*((bar(mark, colour=colour), _STYLES[mark.kind]) for mark in shown))
