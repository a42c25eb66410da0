"""Text files as tools see them: UTF-8 with its byte-order mark and line ends kept, anything else refused clearly."""

from __future__ import annotations

import msgspec

from xuen.xwork.tools.outcome import ToolError

LIMIT = 32 << 20
"""Bytes of a file that is edited as a whole."""

_BOM = b"\xef\xbb\xbf"


class TextFile(msgspec.Struct, frozen=True):
    """The text of a file without its byte-order mark, line ends as they are."""

    text: str
    bom: bool = False

    def encode(self) -> bytes:
        """The bytes of the file."""
        return (_BOM if self.bom else b"") + self.text.encode()


def decode(data: bytes, shown: str) -> TextFile:
    """The file `shown` with the content `data`.

    Raises:
        ToolError: it is binary or in another encoding.
    """
    if b"\0" in data:
        raise ToolError(f"{shown} is a binary file (it holds NUL bytes); this tool is for UTF-8 text")
    try:
        text = data.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        raise ToolError(f"{shown} is not UTF-8 text (first bad byte at offset {error.start})") from error
    return TextFile(text, data.startswith(_BOM))


def encode(text: str) -> bytes:
    """The bytes of a text that a model wrote.

    Raises:
        ToolError: it holds what UTF-8 cannot carry.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"the text holds half of a surrogate pair at character {error.start}") from error


def newline_of(text: str) -> str:
    """The line end that new lines of this text get: that of its first line."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"
