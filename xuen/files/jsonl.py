"""JSON lines: one object a line, read by someone who expects the worst.

Owns how a record becomes a line and back. A line that is damaged, wherever it stands, costs that line only; a last
line without a newline counts when it is whole. Lines end with LF and nothing else. Text that UTF-8 cannot carry
(lone surrogates) becomes U+FFFD on the way in and on the way out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xuen.files.durable import append_lines

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Lines:
    """What a file of JSON lines holds: its objects in order, and the numbers (from 1) of the lines that hold none."""

    objects: list[dict[str, Any]]
    damaged: list[int]


def read_lines(path: Path) -> Lines:
    """All objects of the file and which lines are damaged; a missing file has none of either.

    Raises:
        OSError: the file is there and cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Lines([], [])
    return parse_lines(data)


def read_objects(path: Path) -> list[dict[str, Any]]:
    """All objects of the file in order; damaged lines are passed over, a missing file is empty.

    Raises:
        OSError: the file is there and cannot be read.
    """
    return read_lines(path).objects


def parse_lines(data: bytes) -> Lines:
    """The same for bytes at hand. Blank lines are neither objects nor damage."""
    found = Lines([], [])
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        value = _parse(line)
        if value is None:
            found.damaged.append(number)
        else:
            found.objects.append(value)
    return found


def append_objects(path: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    """Add one line for each object; they are on the disk when this returns.

    Raises:
        TypeError, ValueError: an object that JSON cannot hold; nothing was written.
        OSError: the disk; some of the lines may have been written.
    """
    append_lines(path, [to_line(each) for each in objects])


def to_line(value: Mapping[str, Any]) -> bytes:
    """One object as UTF-8 JSON without a newline in it.

    Raises:
        TypeError, ValueError: JSON cannot hold it.
    """
    text = json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _SURROGATE.sub("\ufffd", text).encode()


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line.decode())
        if _ESCAPED_SURROGATE.search(line):  # pairs are fine and already one character now
            value = json.loads(_SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
