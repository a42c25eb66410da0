"""The outcomes of the last rounds as one row: a bar for a score, a sign for a round without one."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

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


def bar(mark: Mark) -> str:
    """The one character that stands for a round; scores 0 to 10 are low to high."""
    if mark.score is None:
        return _SIGNS[mark.kind]
    return _BARS[min(len(_BARS) - 1, max(0, round(mark.score / 10 * (len(_BARS) - 1))))]


def chart(marks: Sequence[Mark], width: int) -> Content:
    """The newest `width` outcomes, the newest last."""
    shown = marks[-width:] if width > 0 else ()
    return Content.assemble(*((bar(mark), _STYLES[mark.kind]) for mark in shown))
