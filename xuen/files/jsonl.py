"""JSON lines: one object a line, written strictly and read defensively.

Owns how a record becomes a line and back. A line that is damaged, wherever it stands, costs that line only; a last
line without a newline counts when it is whole. Lines end with LF and nothing else. Text that UTF-8 cannot carry
(lone surrogates) becomes U+FFFD on the way in and on the way out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from xuen.files.durable import append_lines
from xuen.files.regular import read_regular

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


LARGEST_SEQ: Final = 2**53 - 1
"""The largest whole number that every reader of JSON carries exactly."""


def read_objects(path: Path) -> list[dict[str, Any]]:
    """All objects of the file in order; damaged lines are passed over, a missing file is empty.

    Raises:
        OSError: the file is there and cannot be read; `NotAFile` where something else is there.
    """
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return []
    return parse_lines(data)


def parse_lines(data: bytes) -> list[dict[str, Any]]:
    """The same for bytes that were read already."""
    return [value for line in data.split(b"\n") if (value := parse_line(line)) is not None]


def parse_line(line: bytes) -> dict[str, Any] | None:
    """The object in one line; None where it holds none."""
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf").decode())
        if _ESCAPED_SURROGATE.search(line):  # pairs are fine and already one character now
            value = json.loads(_SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def whole(value: object) -> int | None:
    """A field that is a whole number from 0 to `LARGEST_SEQ`; None for anything else, true and false included."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_SEQ:
        return value
    return None


def number(value: object) -> float | None:
    """A field that is a finite number; None for anything else, true and false included."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


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
