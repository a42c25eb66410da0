"""A file of JSON lines that only grows, in a folder where others delete and replace what they like.

Owns the memory of every line that was seen or written, so that a file which lost some gets them back with the next
line. What is no file (a folder, a pipe, a link) is renamed first. As long as nobody else touches the file, checking
its mark is the only cost, however long it is. The memory is compressed: it grows to megabytes over some nights and is
read only after something was lost.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from xuen.files.aside import keep_aside
from xuen.files.durable import append_lines, make_folder
from xuen.files.jsonl import parse_line, to_line
from xuen.files.regular import Mark, NotAFile, mark_of, read_regular

Value = Mapping[str, Any]


class KeptLines:
    """The lines of one file, whose only writer this is."""

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._clock = clock
        self._memory = _Memory()
        self._lost: list[bytes] = []
        self._mark: Mark | None = None  # of the file that was read or written last; None where there was none

    @property
    def has_lost(self) -> bool:
        """Whether the file did not hold all lines when it was last read."""
        return bool(self._lost)

    def was_touched(self) -> bool:
        """Whether the file may hold something else than the lines. Raises OSError where it cannot be looked at."""
        return self.has_lost or self._mark is None or mark_of(self._path) != self._mark

    def read(self) -> list[Value]:
        """What all lines say, those that the file lost at the end; damaged ones are passed over.

        Raises:
            OSError: the file is there and cannot be read.
        """
        mark = None if self._path.is_symlink() else mark_of(self._path)  # nothing is ever added through a link
        there = _parsed(self._content())
        remembered = self._memory.lines()
        known = {_form(value) for _, value in there} if remembered else set()
        lost = [(line, value) for line, value in _parsed(remembered) if _form(value) not in known]
        lines = [line for line, _ in there] + [line for line, _ in lost]
        self._lost = [line for line, _ in lost] if mark is not None else lines
        self._memory = _Memory(lines)
        self._mark = mark
        return [value for _, value in [*there, *lost]]

    def add(self, values: Sequence[Value]) -> None:
        """Add one durable line for each of these, and those that the file lost before them, in one write.

        Raises:
            TypeError, ValueError: JSON cannot hold one of them; nothing was written.
            OSError: some or all lines may be missing; to be read again.
        """
        new = [to_line(value) for value in values]
        lines = [*self._lost, *new]
        try:
            make_folder(self._path.parent)
            before = self._make_room()
            append_lines(self._path, lines)
        except OSError:
            self._mark = None
            raise
        self._memory.add(new)
        self._mark = self._grown(before, sum(len(line) + 1 for line in lines))
        self._lost = []

    def _content(self) -> list[bytes]:
        with suppress(FileNotFoundError, NotAFile):
            return read_regular(self._path).split(b"\n")
        return []

    def _make_room(self) -> Mark | None:
        """The mark of the file, if there is one; what else stands there is renamed."""
        mark = None if self._path.is_symlink() else mark_of(self._path)
        if mark is None and os.path.lexists(self._path):
            keep_aside(self._path, self._clock())
        return mark

    def _grown(self, before: Mark | None, by: int) -> Mark | None:
        """The file's mark if it is the one that was read, longer by that many bytes; else it has to be read again."""
        with suppress(OSError):
            after = mark_of(self._path)
            if after is not None and before == self._mark and after[2] == by + (before[2] if before else 0):
                return after if before is None or after[:2] == before[:2] else None
        return None


class _Memory:
    """Lines that are rarely read back, compressed to about a fifth of their size."""

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        self._packer = zlib.compressobj(level=1)
        self._packed = bytearray()
        self.add(lines)

    def add(self, lines: Iterable[bytes]) -> None:
        """Remember some more."""
        self._packed += self._packer.compress(b"".join(line + b"\n" for line in lines))

    def lines(self) -> list[bytes]:
        """All of them, in order."""
        return zlib.decompress(self._packed + self._packer.copy().flush()).split(b"\n")[:-1]


def _parsed(lines: Sequence[bytes]) -> list[tuple[bytes, Value]]:
    return [(line, value) for line in lines if (value := parse_line(line)) is not None]


def _form(value: Value) -> str:
    """What a line says, whatever its blanks and the order of its keys."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
