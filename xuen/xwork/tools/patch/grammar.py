"""What a patch says, as values; pure.

    *** Begin Patch
    *** Add File: PATH          then lines that begin with +
    *** Delete File: PATH
    *** Update File: PATH       then, optionally, *** Move to: PATH, and chunks
    @@ a line before the change (or nothing; several narrow it down)
     context
    -old
    +new
    *** End of File             the chunk ends where the file does
    *** End Patch

Lenient where models are: blanks around the markers, a here-document around the whole, a first chunk without `@@`, an
empty line for an empty context line. Refuses everything else, with the number of the line.
"""

from __future__ import annotations

import re
from itertools import islice

import msgspec

from xuen.xwork.tools.outcome import ToolError

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE = "*** Add File:", "*** Delete File:", "*** Update File:"
MOVE, END_OF_FILE = "*** Move to:", "*** End of File"

_HEREDOC = re.compile(r"^(?:cat\s+)?<<-?\s*(['\"]?)(\w+)\1\s*\n(.*)\n\2\s*$", re.DOTALL)
_UNIFIED = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)$")


class Chunk(msgspec.Struct):
    """One change. Each line is its mark (blank, `-` or `+`) and its text."""

    number: int  # of its first line in the patch
    headings: list[str]  # lines that stand somewhere before it, each after the one before
    lines: list[tuple[str, str]]
    at_end: bool = False

    @property
    def old(self) -> list[str]:
        """The lines that must be there."""
        return [text for mark, text in self.lines if mark != "+"]


class Add(msgspec.Struct, frozen=True):
    """A new file."""

    path: str
    content: str


class Delete(msgspec.Struct, frozen=True):
    """A file that goes."""

    path: str


class Update(msgspec.Struct, frozen=True):
    """A file that changes, its name too if `move_to` is given."""

    path: str
    move_to: str | None
    chunks: tuple[Chunk, ...]


Change = Add | Delete | Update


def parse(text: str) -> list[Change]:
    """The changes of a patch, in order.

    Raises:
        ToolError: it is no patch; says why and in which line.
    """
    lines = _lines(text)
    if not lines or lines[0].strip() != BEGIN:
        raise ToolError(f"a patch begins with the line {BEGIN!r}")
    if lines[-1].strip() != END:
        raise ToolError(f"a patch ends with the line {END!r}")
    reader = _Reader(lines[:-1])
    changes: list[Change] = []
    reader.pass_blanks()
    while not reader.over():
        changes.append(reader.change())
        reader.pass_blanks()
    if not changes:
        raise ToolError("the patch changes nothing")
    return changes


def _lines(text: str) -> list[str]:
    text = text.strip()
    if found := _HEREDOC.match(text):
        text = found.group(3).strip()
    lines = text.split("\n")
    if all(line.endswith("\r") for line in lines[:-1]):  # the patch itself came with such line ends
        lines = [line.removesuffix("\r") for line in lines]
    return lines


class _Reader:
    """Goes through the lines of one patch."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 1

    def over(self) -> bool:
        return self._at >= len(self._lines)

    def pass_blanks(self) -> None:
        while not self.over() and not self._lines[self._at].strip():
            self._at += 1

    def change(self) -> Change:
        line = self._lines[self._at].strip()
        for marker, make in ((ADD, self._add), (DELETE, self._delete), (UPDATE, self._update)):
            if line.startswith(marker):
                self._at += 1
                path = line.removeprefix(marker).strip()
                if not path:
                    raise self._error(f"{marker!r} names no file", self._at)
                return make(path)
        raise self._error(f"{line!r} is none of {ADD!r}, {DELETE!r}, {UPDATE!r}", self._at + 1)

    def _add(self, path: str) -> Add:
        content: list[str] = []
        while (line := self._peek()) is not None and line.startswith("+"):
            content.append(line[1:] + "\n")
            self._at += 1
        following = self._peek()
        if following is not None and following.strip() and not following.strip().startswith("*** "):
            raise self._error(f"the lines of a new file begin with '+', this one does not: {following!r}", self._at + 1)
        return Add(path, "".join(content))

    def _delete(self, path: str) -> Delete:
        return Delete(path)

    def _update(self, path: str) -> Update:
        move_to = None
        line = self._peek()
        if line is not None and line.strip().startswith(MOVE):
            move_to = line.strip().removeprefix(MOVE).strip()
            self._at += 1
        chunks: list[Chunk] = []
        while (line := self._peek()) is not None and not _heads_a_file(line):
            if not line.strip() and not self._in_chunk():
                self.pass_blanks()
                continue
            chunks.append(self._chunk(first=not chunks))
        if not chunks and move_to is None:
            raise self._error(f"the update of {path} holds no change", self._at)
        return Update(path, move_to, tuple(chunks))

    def _in_chunk(self) -> bool:
        """Whether the blank line here is followed by more of a chunk without a heading."""
        following = next((line for line in islice(self._lines, self._at, None) if line.strip()), "")
        return following[:1] in (" ", "-", "+")

    def _chunk(self, *, first: bool) -> Chunk:
        chunk = Chunk(self._at + 1, [], [])
        while (line := self._peek()) is not None and line.rstrip().startswith("@@"):
            heading = (
                found.group(1) if (found := _UNIFIED.match(line.rstrip())) else line.rstrip()[2:].removeprefix(" ")
            )
            if heading.strip():
                chunk.headings.append(heading)
            first = True
            self._at += 1
        if not first:
            raise self._error(f"a chunk begins with '@@', this line does not: {self._lines[self._at]!r}", self._at + 1)
        blank = 0  # lines at the end that are empty: they stand between this and what follows
        while (line := self._peek()) is not None and (not line or line[0] in " -+"):
            chunk.lines.append((line[0], line[1:]) if line else (" ", ""))
            blank = 0 if line else blank + 1
            self._at += 1
        del chunk.lines[len(chunk.lines) - blank :]
        if (line := self._peek()) is not None and line.strip() == END_OF_FILE:
            chunk.at_end = True
            self._at += 1
        if not any(mark != " " for mark, _ in chunk.lines):
            raise self._error("this chunk changes nothing", chunk.number)
        return chunk

    def _peek(self) -> str | None:
        return None if self.over() else self._lines[self._at]

    @staticmethod
    def _error(what: str, number: int) -> ToolError:
        return ToolError(f"line {number} of the patch: {what}. Nothing was changed.")


def _heads_a_file(line: str) -> bool:
    return line.strip().startswith((ADD, DELETE, UPDATE))
