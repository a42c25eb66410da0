"""From what a judge printed to the lines that are its answer; pure.

Owns what, beside thinking, does not count: the question where it is printed from its beginning (some agents print the
whole conversation, and the question holds a candidate that may praise itself), quotations and blocks of code. Knows
which other lines stand in the question. Refuses to weigh what remains.
Always: what is left is in order, and full-width forms of ASCII have become ASCII.
"""

from __future__ import annotations

import re
from collections import defaultdict

_WIDTHS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0xA0: " ", 0x202F: " "}
_INVISIBLE = dict.fromkeys((0xFEFF, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFE0F))
_FENCE = re.compile(r"^\s*(?:```|~~~)\s*([\w+-]*)\s*$")
_PLAIN_FENCES = frozenset({"", "text", "txt", "plaintext", "markdown", "md"})
_NUMBERED = re.compile(r"^\s*\d{1,6}[.):|]?\s+")
_WORD = re.compile(r"\d+(?:[./]\d+)*|[\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+")
_BEGINNING = 6  # letters by which the beginning of a question is looked for


def normal(text: str) -> str:
    """Full-width ASCII as ASCII, all blanks as blanks, nothing invisible, LF only."""
    return text.translate(_WIDTHS).translate(_INVISIBLE).replace("\r\n", "\n").replace("\r", "\n")


def without_question(text: str, asked: str) -> str:
    """The text without the question, wherever that is printed from its beginning, whole or cut short.

    Letters and digits are compared one by one, so that frames, numbered lines and other line ends change nothing.
    Marks within it, as of thinking or of code, are the question's own and go with it.
    """
    question = _characters(asked)
    if not question:
        return text
    kept: list[str] = []
    place: int | None = None  # how much of the question the lines before have printed
    for line in text.split("\n"):
        place, rest = _printed(line, question, place)
        kept += rest
    return "\n".join(kept)


def _printed(line: str, question: str, place: int | None) -> tuple[int | None, list[str]]:
    """How far the question has been printed after this line, and what of the line is not the question's."""
    if place is not None:
        for form in (line, _NUMBERED.sub("", line)):
            own = _characters(form)
            if question.startswith(own, place):
                place += len(own)
                return (place if place < len(question) else None), []
            if own.startswith(question[place:]):
                return None, [form[_offset(form, len(question) - place) :]]
    own = _characters(line)
    start = own.find(question[:_BEGINNING])
    if start >= 0 and question.startswith(own[start:]):
        return len(own) - start, [line[: _offset(line, start)]]
    if start >= 0 and own.startswith(question, start):
        return None, [line[: _offset(line, start)], line[_offset(line, start + len(question)) :]]
    return None, [line]


def _characters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _offset(line: str, count: int) -> int:
    """Where in the line so many of its letters and digits have been read."""
    at = 0
    while at < len(line) and count > 0:
        count -= len(_characters(line[at]))
        at += 1
    return at


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


class Question:
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
