"""Where the chunks of a patch belong in a file, and what the file then is; pure.

Always holds: only the lines that a chunk removes or adds are different afterwards, every other byte stays; a chunk
that fits nowhere, or in several places, is refused and nothing is guessed; lines that were found by looking past
white space keep the file's own text, and what is added among them gets the file's own indentation.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

import msgspec

from xuen.xwork.tools.outcome import ToolError
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
    """Put the new lines of a chunk in the place of its old ones; context lines stay those of the file."""
    there = slice(placed.at, _after(placed.at, placed.chunk))
    indent = _indentation(placed.chunk, lines[there])
    old = zip(lines[there], ends[there], strict=True)
    new: list[tuple[str, str]] = []
    for mark, text in placed.chunk.lines:
        if mark == "+":
            new.append((indent(text), newline))
        elif mark == "-":
            next(old)
        else:
            new.append(next(old))
    lines[there], ends[there] = [line for line, _ in new], [end for _, end in new]


def _place_all(lines: list[str], chunks: Sequence[Chunk], shown: str) -> list[Placed]:
    looked = _Looked(lines)
    candidates = [*(_candidates(looked, chunk, shown) for chunk in chunks), []]
    ways = _ways(chunks, candidates)
    placed, cursor = [], 0
    for number, chunk in enumerate(chunks):
        places, following = candidates[number], candidates[number + 1]
        first = bisect_left(places, cursor)
        if not ways[number][first]:
            raise ToolError(
                f"{shown}: the chunks of the patch stand in the file in another order. Nothing was changed."
            )
        # A place counts when the chunks after it have places too.
        fits = [
            places[at]
            for at in range(first, len(places))
            if ways[number + 1][bisect_left(following, _after(places[at], chunk))]
        ]
        if len(fits) > 1:
            where = ", ".join(str(at + 1) for at in fits[:10])
            raise ToolError(
                f"{shown}: the chunk in line {chunk.number} of the patch fits in several places (lines {where}). "
                "Nothing was changed: add lines around it, or a heading after @@."
            )
        placed.append(Placed(fits[0], chunk))
        cursor = _after(fits[0], chunk)
    return placed


def _ways(chunks: Sequence[Chunk], candidates: Sequence[list[int]]) -> list[list[int]]:
    """`[n][i]`: in how many ways the chunks from number n on fit, that one at its candidate i or later.

    Counts to 2 and no further. Works from the last chunk to the first, so that it takes no longer than there are
    candidates.
    """
    ways = [*([0] * (len(places) + 1) for places in candidates[:-1]), [1]]
    for number in range(len(chunks) - 1, -1, -1):
        places = candidates[number]
        for at in range(len(places) - 1, -1, -1):
            rest = ways[number + 1][bisect_left(candidates[number + 1], _after(places[at], chunks[number]))]
            ways[number][at] = min(2, ways[number][at + 1] + rest)
    return ways


def _after(at: int, chunk: Chunk) -> int:
    return at + len(chunk.old)


class _Looked:
    """The lines of a file as each look sees them, and where each of them stands; worked out once."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._seen: dict[Callable[[str], str], tuple[list[str], dict[str, list[int]]]] = {}

    def occurrences(self, wanted: list[str], look: Callable[[str], str]) -> list[int]:
        """Where these lines begin, under that look, in order."""
        if look not in self._seen:
            seen = [look(line) for line in self.lines]
            places: dict[str, list[int]] = {}
            for at, line in enumerate(seen):
                places.setdefault(line, []).append(at)
            self._seen[look] = seen, places
        seen, places = self._seen[look]
        sought = [look(line) for line in wanted]
        return [at for at in places.get(sought[0], ()) if seen[at : at + len(sought)] == sought]


def _candidates(looked: _Looked, chunk: Chunk, shown: str) -> list[int]:
    """All lines at which the chunk may begin, in order."""
    lines = looked.lines
    floors = _below_headings(looked, chunk, shown)
    old = chunk.old
    if not old:
        return _for_additions(lines, chunk, floors)
    found: list[int] = []
    for look in _LOOKS:
        found = looked.occurrences(old, look)
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


def _below_headings(looked: _Looked, chunk: Chunk, shown: str) -> list[int]:
    """The lines right below each place where the headings stand, one after the other."""
    floors = [0]
    for heading in chunk.headings:
        found: list[int] = []
        for look in _LOOKS:
            found = looked.occurrences([heading], look)
            if found:
                break
        floors = sorted({at + 1 for at in found if at >= floors[0]})
        if not floors:
            raise ToolError(f"{shown}: the heading {heading!r} of the patch was not found. Nothing was changed.")
    return floors


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
