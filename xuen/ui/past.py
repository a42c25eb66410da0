"""What became of the last rounds of earlier runs, out of the history: where the chart begins.

Reads the end of the file only, so that its cost does not grow with the workspace. Whatever cannot be read is no
round: a chart is never a reason not to start.
"""

from __future__ import annotations

import os

from msgspec import MsgspecError

from xuen.events import from_json
from xuen.ui.view import Mark, View, fold
from xuen.workspace.paths import Workspace

TAIL = 512 << 10
"""Bytes that are read: some hundred rounds with all that was said of them."""


def past_marks(workspace: Workspace) -> tuple[Mark, ...]:
    """The outcomes of the newest rounds, oldest first; none where there is no history yet."""
    view = View()
    for line in _tail(workspace):
        try:
            view = fold(view, from_json(line))
        except MsgspecError:  # half a line, or one of a later version
            continue
    return view.marks


def _tail(workspace: Workspace) -> list[bytes]:
    try:
        if not workspace.history.is_file():  # a pipe would be waited for
            return []
        with workspace.history.open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - TAIL)
            file.seek(start)
            lines = file.read(TAIL).split(b"\n")
    except OSError:
        return []
    return lines[1:] if start else lines
