"""Text for people, to a stream that may fail: a pipe whose reader leaves, a full disk, an encoding with few characters.

Owns the last step of everything that is written as text. Always: no text raises; a character that the encoding lacks
gets a replacement; nothing more is written to a reader that left; what was lost to anything else stands in `trouble`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO


class TextOut:
    """Writes texts to a stream, each at once."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encoding = getattr(stream, "encoding", None) or "utf-8"
        self._silent = False
        self.trouble: OSError | None = None
        """Why a text could not be written; a reader that left is no trouble."""

    def write(self, text: str) -> None:
        """Write a text and flush it."""
        if self._silent:
            return
        try:
            self._stream.write(self.shown(text))
            self._stream.flush()
        except BrokenPipeError:
            self._silent = True
            let_go(self._stream.fileno())
        except OSError as error:  # a full disk or a terminal that hung up: a later text may fare better
            self.trouble = error

    def shown(self, text: str) -> str:
        """The text with a replacement for each character that the stream's encoding lacks."""
        return text.encode(self._encoding, "replace").decode(self._encoding)

    def knows(self, text: str) -> bool:
        """Whether the stream's encoding has all these characters."""
        return self.shown(text) == text


def let_go(descriptor: int) -> None:
    """Point a descriptor whose reader is gone at nothing, so that a last flush at exit stays quiet."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)


def settle(stream: TextIO) -> None:
    """Write out at the end of the process what the stream still holds, or drop it where that fails."""
    try:
        stream.flush()
    except OSError:
        let_go(stream.fileno())
        with suppress(OSError):
            stream.flush()
