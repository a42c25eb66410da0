"""`read_file`: a page of a text file with line numbers."""

from __future__ import annotations

import os
from typing import Annotated, BinaryIO

from msgspec import Meta

from xuen.xwork.cancel import Cancel, stop_if
from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools.base import Arguments, Count, PathText, Tool, path_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Outcome, ToolError
from xuen.xwork.tools.text_file import decode

PAGE = 2000  # lines of a page unless asked for fewer
_ROOM = 15_000  # characters of a page
_LINE = 2000  # characters of a line
_SKIP = 1 << 20  # bytes of a line that are read at once


class ReadFile(Arguments, frozen=True, kw_only=True):
    """Arguments of `read_file`."""

    path: PathText
    offset: Annotated[Count, Meta(description="First line, counted from 1")] = 1
    limit: Annotated[Count, Meta(description="Lines at most")] = PAGE


def _run(asked: ReadFile, context: ToolContext) -> Outcome:
    with context.workspace.place(asked.path) as place, os.fdopen(place.open_file(), "rb") as file:
        return _page(file, asked, place.shown, context.cancel)


def _page(file: BinaryIO, asked: ReadFile, shown: str, cancel: Cancel) -> Outcome:
    """Reads no further than the page's end, so the size of the file does not matter."""
    number = _skip(file, asked.offset - 1, cancel)
    if number < asked.offset - 1 or (number and not (file.peek(1))):  # type: ignore[attr-defined]
        raise ToolError(f"{shown} has only {number} lines")
    lines: list[str] = []
    room = _ROOM
    while len(lines) < asked.limit:
        raw = file.readline(_SKIP)
        if not raw:
            return Outcome("\n".join(lines) if lines else f"{shown} is empty")
        number += 1
        line = _text(raw, shown, first=number == 1)
        if len(raw) == _SKIP and not raw.endswith(b"\n"):
            _skip(file, 1, cancel)  # the rest of an enormous line is not shown
        room -= len(line) + 8
        if room < 0 and lines:
            number -= 1
            break
        lines.append(f"{number:>6}\t{line}")
    if not file.peek(1):  # type: ignore[attr-defined]
        return Outcome("\n".join(lines))
    return Outcome("\n".join([*lines, f"[more lines follow; go on with offset {number + 1}]"]))


def _skip(file: BinaryIO, count: int, cancel: Cancel) -> int:
    """Pass over `count` lines; how many there were.

    Raises:
        Interrupted: `cancel` was set.
    """
    for passed in range(count):
        piece = file.readline(_SKIP)
        if not piece:
            return passed
        while piece and not piece.endswith(b"\n"):
            stop_if(cancel)
            piece = file.readline(_SKIP)
        stop_if(cancel)
    return count


def _text(raw: bytes, shown: str, *, first: bool) -> str:
    if len(raw) == _SKIP:  # it may end inside a character
        raw = raw.decode("utf-8", "ignore").encode()
    file = decode(raw, shown)
    line = file.text.rstrip("\r\n") if first or not file.bom else "\ufeff" + file.text.rstrip("\r\n")
    if len(line) <= _LINE:
        return line
    return f"{line[:_LINE]} [... {len(line) - _LINE:,} characters of this line left out]"


TOOL = Tool(
    "read_file",
    "Read a UTF-8 text file of the workspace. Every line comes with its number and a tab before it. Long files come "
    "in pages: the last line says with which offset to go on.",
    ReadFile,
    _run,
    risk=Risk.READ,
    resources=path_of,
)
