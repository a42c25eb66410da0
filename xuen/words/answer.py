"""From an agent's answer to the words that it lists. Pure.

An answer lists its words in one way, and whatever else stands in it is talk. So the ways are tried in order: JSON,
blocks of code, a table, lines with marks (numbers, bullets), plain lines. What always holds: no word is empty, holds a
newline or begins with `#`, none comes twice, and what reads like a sentence, a heading or a message of the agent's
program is no word. In doubt it is left out: the next batch can fill the bank, but prose in it would stay.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from xuen.thinking import without_thinking
from xuen.words.lines import FAILURE, LABEL, Line, is_talk, lines_of, without_marks
from xuen.words.term import SEPARATOR, clean, emphasised_head, explained, is_list, is_sentence, is_whole, unique

LONGEST_LINE = 10_000
"""Characters of the longest line that is read: more than a thousand words with commas."""
MOST_LINES = 5_000
"""Lines of an answer that are read: a batch asks for a hundredth of that."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2060\ufeff]")
_BLANKS = re.compile(r"[^\S\n]{3,}")
_TAG = re.compile(r"</[a-z][\w-]*\s*>|(?<!\w)<[a-z][\w-]*\s*/?>|<br\s*/?>", re.IGNORECASE)
_USAGE = re.compile(r"\s*usage:\s", re.IGNORECASE)
_LINK = re.compile(r"\[([^\[\]\n]+)\]\([^()\s]+\)")
_FENCE = re.compile(r"\s*(?:```|~~~)\s*([\w+-]*)\s*$")
_CODE = frozenset(("bash", "sh", "shell", "console", "python", "py", "diff", "yaml", "xml", "html"))
_RULE = re.compile(r"\s*\|?\s*:?--[-:| \t]*$")
_FRAME = re.compile(r"\s*[+╔┌├╠└╚][-=+─═┬┼┴╦╬╩┐┤┘╗╣╝]+\s*$")
_CELLS = re.compile("[|｜│║]")
_UNFINISHED = re.compile(r'\[\s*("(?:[^"\\]|\\.)*"\s*,\s*)+')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"(?=\s*[,\]])')
_BOLD = re.compile(r"\*\*([^*]+)\*\*(?=\s*(?:[:：（(—–-]|$))")
_LAST_OF = re.compile(r"(?:and|or)(?:\s+|$)|以及|和(?=[^，。]{2,}$)", re.IGNORECASE)


def parse_words(answer: str) -> list[str]:
    """The words in an agent's answer, in order, each once."""
    text = without_thinking(_CONTROL.sub("", answer))
    text = _BLANKS.sub(lambda run: "\t" if "\t" in run[0] else "  ", text)  # patterns would try a long run in vain
    if _USAGE.match(text):
        return []  # a program's help
    found = _json_words(text)
    if found is None:
        lines = [line for line in text.splitlines() if len(line) <= LONGEST_LINE]
        lines = _LINK.sub(r"\1", _TAG.sub("\n", "\n".join(lines[:MOST_LINES]))).splitlines()
        found = _fenced_words(lines) or _words(_outside_fences(lines))
    return unique(found)


def without_lines_of(asked: str, text: str) -> str:
    """The text without lines that stand in what was asked: agents print it before they answer."""
    question = {_letters(line) for line in asked.splitlines()} - {""}
    return "\n".join(line for line in text.splitlines() if _letters(line) not in question)


def _letters(line: str) -> str:
    return "".join(filter(str.isalnum, line.casefold()))


# --- JSON ------------------------------------------------------------------------------------------------------------


def _json_words(text: str) -> list[str] | None:
    """The words of JSON, also in a block of code, with talk around it, or broken off; None where there is none."""
    blocks = ["\n".join(block) for _, block in _blocks(text.splitlines())]
    bare = text[text.find("[") : text.rfind("]") + 1]
    for piece in [*blocks, text, bare]:
        for value in (_decoded(piece), _decoded_lines(piece)):
            if words := [word for each in _strings(value) if (word := clean(each))]:
                return words
    if isinstance(_decoded(text), dict | list):
        return []  # a message of the program's, or an empty list
    if unfinished := _UNFINISHED.search(text):
        strings = [_decoded(each) for each in _STRING.findall(text, unfinished.start())]
        return [word for each in strings if isinstance(each, str) and (word := clean(each))]
    return None


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _decoded_lines(text: str) -> object:
    """A JSON object a line."""
    values = [_decoded(line) for line in text.splitlines() if line.strip()]
    return values if len(values) > 1 and all(isinstance(value, dict) for value in values) else None


def _strings(value: object) -> Iterator[str]:
    """The strings of a list, the first that can be a word of each object in it, and all lists of an object."""
    if isinstance(value, dict):
        for each in value.values():
            if isinstance(each, list):
                yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, str):
                yield each
            elif isinstance(each, dict):
                yield from [inner for inner in each.values() if isinstance(inner, str) and clean(inner)][:1]


# --- blocks of code --------------------------------------------------------------------------------------------------


def _blocks(lines: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The language and the lines of each block; one that is never closed goes to the end."""
    found: list[tuple[str, list[str]]] = []
    inside = False
    for line in lines:
        if fence := _FENCE.match(line):
            inside = not inside
            if inside:
                found.append((fence[1].lower(), []))
        elif inside:
            found[-1][1].append(line)
    return found


def _fenced_words(lines: Sequence[str]) -> list[str]:
    return [word for language, block in _blocks(lines) if language not in _CODE for word in _words(block)]


def _outside_fences(lines: Sequence[str]) -> list[str]:
    kept, inside = [], False
    for line in lines:
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            kept.append(line)
    return kept


# --- tables ----------------------------------------------------------------------------------------------------------


def _table_rows(lines: Sequence[str]) -> list[str] | None:
    """The rows of a table below its head; None where there is no table."""
    framed = [place for place, line in enumerate(lines) if _FRAME.match(line)]
    if len(framed) > 1:
        first = framed[1] if len(framed) > 2 else framed[0]
        return [line for line in lines[first : framed[-1]] if _CELLS.search(line)]
    for place, line in enumerate(lines):
        if place and _RULE.match(line) and _CELLS.search(lines[place - 1]):
            return [row for row in lines[place + 1 :] if _CELLS.search(row)]
    return None


def _row_words(row: str) -> list[str]:
    """The first cell that could be a word."""
    cells = (_term(cell.strip()) for cell in _CELLS.split(row))
    return [cell for cell in cells if cell][:1]


# --- lines -----------------------------------------------------------------------------------------------------------


def _words(raw: Sequence[str]) -> list[str]:
    """The words of a table, of lines with marks, or of plain lines."""
    rows = _table_rows(raw)
    if rows is not None:
        return [word for row in rows for word in _row_words(row)]
    lines = lines_of(raw)
    if len(lines) < 3 and not any(line.kind for line in lines) and any(FAILURE.search(line.text) for line in lines):
        return []  # the agent says why it has no answer
    return [word for line in _items(lines) for word in _line_words(line)]


def _items(lines: list[Line]) -> list[Line]:
    """The lines that are items: those with the commonest mark, or all where most have none."""
    kinds = Counter(line.kind for line in lines if line.kind not in ("", "heading", "quote") and _line_words(line))
    marked = sum(kinds.values())
    if marked and (marked == 1 or marked * 4 >= len(lines)) and not _are_outnumbered(lines, marked):
        (main, most), *_ = kinds.most_common()
        beside = {line.paragraph for line in lines if line.kind == main}
        return [line for line in lines if kinds[line.kind] * 2 > most and line.paragraph in beside]
    plain = {line.paragraph for line in lines if not line.kind}
    lines = [line for line in lines if line.kind not in kinds or line.paragraph in plain]
    for kind in ("quote", "heading"):
        some = [line for line in lines if line.kind == kind]
        if len(some) * 2 > len(lines):
            return some
        lines = [line for line in lines if line.kind != kind]
    return _plain_items(lines)


def _are_outnumbered(lines: list[Line], marked: int) -> bool:
    """Whether a single mark is no list beside the plain lines that could be one."""
    return marked == 1 and len(_plain_items([line for line in lines if not line.kind])) > 1


def _plain_items(lines: list[Line]) -> list[Line]:
    """Of lines without marks those that are made like most of them."""
    open_ended = {line for line in lines if line.text.endswith((":", "："))}
    if len(open_ended) < 3 or len(open_ended) * 2 <= len(lines):  # else it is how this answer writes its words
        lines = [line for line in lines if line not in open_ended]
    whole = {line for line in lines if is_whole(line.text)}
    if len(whole) * 2 <= len(lines):  # a heading or a remark among words
        lines = [line for line in lines if line not in whole]
    explaining = {line for line in lines if line.head[1] in (":", "：") and not _lists(line)}
    if len(explaining) * 2 < len(lines):
        lines = [line for line in lines if line not in explaining]
    stopped = {line for line in lines if line.text.endswith((".", "。", "!", "！"))}
    if len(lines) == 1:  # a sentence is no list of one word
        return [line for line in lines if line not in stopped or line.head[1] or is_list(line.text)]
    if len(stopped) * 2 <= len(lines):
        alone = Counter(line.paragraph for line in lines)
        lines = [line for line in lines if line not in stopped or (line.last and alone[line.paragraph] > 1)]
    return lines


def _lists(line: Line) -> bool:
    """Whether a line names what it lists: `Keywords: a, b`."""
    head, sign, rest = line.head
    return sign in (":", "：") and (is_list(rest) or (LABEL.fullmatch(head.strip()) is not None and bool(rest.strip())))


def _line_words(line: Line) -> list[str]:
    """The words of one item."""
    text = line.text
    if len(bold := _BOLD.findall(text)) > 1:
        return [word for each in bold if (word := clean(each))]
    if _lists(line) and emphasised_head(text) is None:
        return _listed(line.head[2])
    term = _without_explanation(text)
    if is_sentence(term) and not is_list(term):
        return []
    return _listed(term)


def _listed(text: str) -> list[str]:
    pieces = [piece.strip() for piece in SEPARATOR.split(text) if piece.strip()]
    if len(pieces) > 2 or (len(pieces) == 2 and "," in text):
        pieces[-1] = _LAST_OF.sub("", pieces[-1], count=1) if _LAST_OF.match(pieces[-1]) else pieces[-1]
    return [word for piece in pieces if (word := _term(piece))]


def _term(text: str) -> str:
    text = _without_explanation(without_marks(text)[0])
    word = clean(text)
    return "" if is_talk(word) else word


def _without_explanation(text: str) -> str:
    emphasised = emphasised_head(text)
    if emphasised is not None:
        return emphasised
    head = explained(text)[0]
    return head if head.strip() else text
