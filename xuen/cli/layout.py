"""Text in columns for a terminal, where a Chinese character takes two cells. Standard library only."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Iterable

_MAX_WIDTH = 110
_PIECE = re.compile(r" +|[^\s\u2e80-\uffef]+[，。、；：）”？]*|.[，。、；：）”？]*")


def cells(text: str) -> int:
    """How many cells of a terminal the text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` cells, broken at blanks and between Chinese characters.

    A single piece that is wider keeps a line of its own, whole.
    """
    lines = [""]
    for piece in _PIECE.findall(text):
        if cells(lines[-1]) + cells(piece.rstrip()) > width and lines[-1].strip():
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [line.rstrip() for line in lines]


def columns(rows: Iterable[tuple[str, str]], *, indent: int = 2) -> list[str]:
    """Rows of a name and a text, the texts below each other and wrapped to the terminal."""
    rows = list(rows)
    width = min(shutil.get_terminal_size().columns, _MAX_WIDTH)
    left = indent + min(max(cells(name) for name, _ in rows), 28) + 2
    lines = []
    for name, text in rows:
        first, *more = wrap(text, max(width - left, 20)) or [""]
        head = " " * indent + name
        lines.append(head + " " * max(left - cells(head), 2) + first)
        lines += [" " * left + line for line in more]
    return lines
