"""Where the chunks of a patch belong in a file, and what the file then is; pure.

Always holds: only the lines that a chunk removes or adds are different afterwards, every other byte stays; a chunk
that fits nowhere, or in several places, is refused and nothing is guessed; lines that were found by looking past
white space keep the file's own text, and what is added among them gets the file's own indentation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import msgspec

from xuen.xwork.tools.base import ToolError
from xuen.xwork.tools.patch.grammar import Chunk
from xuen.xwork.tools.text_file import newline_of

_PLAIN = str.maketrans(
    dict.fromkeys("‐‑‒–—―−", "-") | dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟", '"')
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
)  # fmt: skip


def _exact(line: str) -> str:
    return line


def _punctuation(line: str) -> str:
    return line.translate(_PLAIN).strip()


# From strict to lenient; the first one under which a chunk fits anywhere decides.
_LOOKS: tuple[Callable[[str], str], ...] = (_exact, str.rstrip, str.strip, _punctuation)


class Placed(msgspec.Struct, frozen=True):
    """A chunk and the number (from 0) of the line at which it begins."""

    at: int
    chunk: Chunk


def apply(text: str, chunks: Sequence[Chunk], shown: str) -> str:
    """The text with all chunks applied, in order.

    Raises:
        ToolError: a chunk has no place, or more than one.
    """
    newline = newline_of(text)
    pieces = text.split("\n")
    ended = pieces[-1] == ""  # whether the last line has its newline
    if ended:
        pieces.pop()
    lines = [piece.removesuffix("\r") for piece in pieces]
    ends = ["\r\n" if piece.endswith("\r") else "\n" for piece in pieces]
    if not ended:
        ends[-1] = newline  # what it gets when lines come after it
    placed = _place_all(lines, chunks, shown)
    for one in reversed(placed):
        _replace(lines, ends, one, newline)
    whole = "".join(line + end for line, end in zip(lines, ends, strict=True))
    if ended or not lines or not text:
        return whole
    return whole.removesuffix("\n").removesuffix("\r")


def _replace(lines: list[str], ends: list[str], placed: Placed, newline: str) -> None:
    """Take one chunk's lines out and put its new ones in; context lines stay those of the file."""
    at = placed.at
    indent = _indentation(placed.chunk, lines[at : at + len(placed.chunk.old)])
    for mark, text in placed.chunk.lines:
        if mark == " ":
            at += 1
        elif mark == "-":
            del lines[at], ends[at]
        else:
            lines.insert(at, indent(text))
            ends.insert(at, newline)
            at += 1


def _place_all(lines: list[str], chunks: Sequence[Chunk], shown: str) -> list[Placed]:
    candidates = [_candidates(lines, chunk, shown) for chunk in chunks]

    @cache
    def ways(number: int, cursor: int) -> int:
        """In how many ways the chunks from `number` on fit from line `cursor` on; 2 stands for more."""
        if number == len(chunks):
            return 1
        return min(2, sum(ways(number + 1, _after(at, chunks[number])) for at in candidates[number] if at >= cursor))

    if ways(0, 0) == 0:
        raise ToolError(f"{shown}: the chunks of the patch stand in the file in another order. Nothing was changed.")
    placed, cursor = [], 0
    for number, chunk in enumerate(chunks):
        fits = [at for at in candidates[number] if at >= cursor and ways(number + 1, _after(at, chunk))]
        if len(fits) > 1:
            where = ", ".join(str(at + 1) for at in fits[:10])
            raise ToolError(
                f"{shown}: the chunk in line {chunk.number} of the patch fits in several places (lines {where}). "
                "Nothing was changed: add lines around it, or a heading after @@."
            )
        placed.append(Placed(fits[0], chunk))
        cursor = _after(fits[0], chunk)
    return placed


def _after(at: int, chunk: Chunk) -> int:
    return at + len(chunk.old)


def _candidates(lines: list[str], chunk: Chunk, shown: str) -> list[int]:
    """All lines at which the chunk may begin."""
    floors = _below_headings(lines, chunk, shown)
    old = chunk.old
    if not old:
        return _for_additions(lines, chunk, floors)
    found: list[int] = []
    for look in _LOOKS:
        found = _occurrences(lines, old, look)
        if look in (str.strip, _punctuation):
            found = [at for at in found if _shift(old, lines[at : at + len(old)]) is not None]
        if found:
            break
    if chunk.at_end and len(lines) - len(old) in found:
        return [len(lines) - len(old)]
    if chunk.headings:
        # The nearest place below each place of the heading, or at it: some repeat the line.
        found = sorted({min(below) for floor in floors if (below := [at for at in found if at >= floor - 1])})
    if not found:
        wanted = "\n".join(old)
        raise ToolError(
            f"{shown}: these lines of the patch (line {chunk.number}) were not found in the file. Nothing was "
            f"changed; read the file again.\n{wanted}"
        )
    return found


def _for_additions(lines: list[str], chunk: Chunk, floors: list[int]) -> list[int]:
    """A chunk that only adds goes right below its heading, or to the end of the file."""
    return floors if chunk.headings and not chunk.at_end else [len(lines)]


def _below_headings(lines: list[str], chunk: Chunk, shown: str) -> list[int]:
    """The lines right below each place where the headings stand, one after the other."""
    floors = [0]
    for heading in chunk.headings:
        found: list[int] = []
        for look in _LOOKS:
            found = _occurrences(lines, [heading], look)
            if found:
                break
        floors = sorted({at + 1 for at in found if at >= floors[0]})
        if not floors:
            raise ToolError(f"{shown}: the heading {heading!r} of the patch was not found. Nothing was changed.")
    return floors


def _occurrences(lines: list[str], wanted: list[str], look: Callable[[str], str]) -> list[int]:
    seen = [look(line) for line in lines]
    sought = [look(line) for line in wanted]
    size = len(sought)
    return [at for at in range(len(seen) - size + 1) if seen[at] == sought[0] and seen[at : at + size] == sought]


def _indentation(chunk: Chunk, there: list[str]) -> Callable[[str], str]:
    """How added lines are indented: as the patch says, shifted by as much as the file's lines are from the patch's."""
    shift = _shift(chunk.old, there) or ("", "")

    def indent(text: str) -> str:
        has, should_have = shift
        if not text.strip():
            return text
        return should_have + text[len(has) :] if text.startswith(has) else text

    return indent


def _shift(old: Sequence[str], there: Sequence[str]) -> tuple[str, str] | None:
    """What all the patch's lines begin with and what the file's lines have instead; None where they do not agree."""
    found: tuple[str, str] | None = None
    for ours, theirs in zip(old, there, strict=True):
        if not ours.strip():
            continue
        mine, its = ours[: len(ours) - len(ours.lstrip())], theirs[: len(theirs) - len(theirs.lstrip())]
        if its.endswith(mine):
            shift = ("", its.removesuffix(mine))
        elif mine.endswith(its):
            shift = (mine.removesuffix(its), "")
        else:
            return None
        if found is not None and shift != found:
            return None
        found = shift
    return found or ("", "")
