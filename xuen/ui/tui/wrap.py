"""Breaks a line into rows of a given width in cells, for narrow and wide scripts alike.

Pure. Rows hold every character of the line in order, so joining them gives the line back; blanks at a break
stay at the end of their row and may stand out of it. A row never begins with closing punctuation unless the
width leaves no choice.
"""

from __future__ import annotations

import re

from rich.cells import cell_len

_WIDE = (
    "\u1100-\u115f\u2e80-\u2fff\u3003-\u3007\u3012-\u3013\u301c-\u303e\u3041-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3"
    "\uf900-\ufaff\ufe30-\ufe4f\uff03-\uff07\uff0a-\uff0b\uff0d\uff0f-\uff19\uff1c-\uff1e\uff20-\uff3a"
    "\uff41-\uff5a\U0001f300-\U0001faff\U00020000-\U0003fffd"
)
_OPENING = "（「『【《〈“‘［｛"
_CLOSING = "，。、！？；：）」』】》〉”’］｝…％"
_TOKEN = re.compile(
    rf"\s+|[{_OPENING}]*[{_WIDE}][\u0300-\u036f\u200d\ufe0f]*[{_CLOSING}]*|[^\s{_WIDE}{_OPENING}]+[{_CLOSING}]*|[{_OPENING}]+"
)


def wrap(line: str, width: int) -> list[str]:
    """The rows of one line without newlines; at least one, each with at least one character if the line has any."""
    if len(line) <= width and line.isascii():
        return [line]
    rows: list[str] = []
    row, used = "", 0
    for token in _TOKEN.findall(line):
        size = cell_len(token)
        if used + size <= width or token.isspace():
            row, used = row + token, used + size
            continue
        if row:
            rows.append(row)
        *full, row = _chop(token, width) if size > width else [token]
        rows += full
        used = cell_len(row)
    return [*rows, row]


def _chop(token: str, width: int) -> list[str]:
    """A token that is wider than a row, cut wherever the row is full."""
    pieces: list[str] = []
    piece, used = "", 0
    for character in token:
        size = cell_len(character)
        if piece and used + size > width:
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + character, used + size
    return [*pieces, piece]
