"""From what a judge printed to the lines that are its answer; pure.

Owns what, beside thinking, does not count: quotations, blocks of code, and lines that repeat the question (some
agents print the whole conversation, and the question holds a candidate that may praise itself). Refuses to weigh
what remains.
Always: a line is kept or dropped whole, in order, and full-width forms of ASCII have become ASCII.
"""

from __future__ import annotations

import re
from collections import defaultdict

_WIDTHS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0xA0: " ", 0x202F: " "}
_INVISIBLE = dict.fromkeys((0xFEFF, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFE0F))
_FENCE = re.compile(r"^\s*(?:```|~~~)\s*([\w+-]*)\s*$")
_PLAIN_FENCES = frozenset({"", "text", "txt", "plaintext", "markdown", "md"})
_NUMBERED = re.compile(r"^\s*\d{1,6}[.):|]?\s+")
_WORD = re.compile(r"\d+(?:[./]\d+)*|[^\W\d_]+")


def normal(text: str) -> str:
    """Full-width ASCII as ASCII, all blanks as blanks, nothing invisible, LF only."""
    return text.translate(_WIDTHS).translate(_INVISIBLE).replace("\r\n", "\n").replace("\r", "\n")


def without_echo(text: str, asked: str) -> str:
    """The lines that do not stand in the question. An answer of a single line is no echo.

    A judge whose honest line also stands in the question loses that line: better no score than a borrowed one.
    """
    lines = text.split("\n")
    if not asked or sum(bool(line.strip()) for line in lines) < 2:
        return text
    question = _Question(asked)
    return "\n".join(line for line in lines if line not in question)


def answer_lines(text: str) -> list[str]:
    """The lines without quotations and without blocks of code, blank ones left out.

    A plain block that ends the answer is the answer in a frame, so its content stays.
    """
    kept: list[str] = []
    block: list[str] | None = None
    language = ""
    frame: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if block is not None:
            if fence and not fence[1]:
                frame, block = (block if language in _PLAIN_FENCES else []), None
            elif line.strip():
                block.append(line)
        elif fence:
            block, language, frame = [], fence[1].lower(), []
        elif line.strip():
            frame = []
            if not line.lstrip().startswith(">"):
                kept.append(line)
    return kept + frame


def without_fences(text: str) -> str:
    """The text without the lines that open and close blocks of code; the blocks' content stays."""
    return "\n".join(line for line in text.split("\n") if not _FENCE.match(line)).strip()


class _Question:
    """Which lines stand in a question, compared by words and numbers alone: frames and line ends change nothing."""

    def __init__(self, text: str) -> None:
        self._words = _words(text)
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, word in enumerate(self._words):
            self._places[word].append(place)
        self._known: dict[str, bool] = {}

    def __contains__(self, line: str) -> bool:
        if line not in self._known:
            self._known[line] = self._holds(_words(line)) or self._holds(_words(_NUMBERED.sub("", line)))
        return self._known[line]

    def _holds(self, words: list[str]) -> bool:
        if not words:
            return False
        rarest = min(range(len(words)), key=lambda at: len(self._places.get(words[at], ())))
        starts = (place - rarest for place in self._places.get(words[rarest], ()))
        return any(start >= 0 and self._words[start : start + len(words)] == words for start in starts)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
