"""The body of a model server's answer: the events of a stream, or JSON. Its first bytes decide, not its label.

Pure: bytes in, values out. Always holds: how the bytes were cut changes nothing, and nothing of the body is dropped in
silence. That is why the events are read here: libraries follow the standard and pass over lines with an unknown field,
which is where some servers report that they failed.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

Part = dict[str, Any] | str | None
"""An object; the text of something that is none; None for the server's own mark of the end."""

_MARK = b"\xef\xbb\xbf"  # of UTF-8, which a stream may begin with
_WHITE = b" \t\r\n"
_LINE = re.compile(rb"\r\n|\n|\r(?!\Z)")
_BLANKS = re.compile(r"\s*")
_DONE = "[DONE]"


class UnreadableBody(ValueError):
    """A part of the answer that should be JSON and is not; holds its text."""


def parts(pieces: Iterable[bytes]) -> Iterator[Part]:
    """What a body holds, in order and as it arrives; a body of JSON is read to its end first.

    Raises:
        UnreadableBody: a part of it is not JSON, so the answer would have a gap.
    """
    rest = iter(pieces)
    read = head = b""
    for piece in rest:
        read = (read + piece).lstrip(_WHITE)
        head = read.removeprefix(_MARK).lstrip(_WHITE)
        if head and not _MARK.startswith(read):
            break
    if head[:1] in (b"{", b"["):
        yield from _values(b"".join([head, *rest]).decode("utf-8", "replace"))
        yield None
    else:
        yield from _events(_lines(chain([head], rest)))


def _values(text: str) -> Iterator[Part]:
    """One JSON value, or several that follow each other."""
    decoder = json.JSONDecoder()
    at, end = 0, len(text.rstrip())
    while at < end:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise UnreadableBody(text[at:]) from error
        yield from _objects(value)
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing as well


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for piece in pieces:
        *lines, rest = _LINE.split(rest + piece)
        for line in lines:
            yield line.decode("utf-8", "replace")
    yield rest.removesuffix(b"\r").decode("utf-8", "replace")


def _events(lines: Iterable[str]) -> Iterator[Part]:
    """The parts of a stream's events; the last event may lack its empty line."""
    name, data = "", list[str]()
    for line in chain(lines, [""]):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            yield from _event(name, "\n".join(data))
            name, data = "", []
        elif field == "data":
            data.append(value)
        elif field == "event":
            name = value
        elif field == "error":
            yield from _event(field, value)
        elif line.startswith("{"):
            yield from _event("", line)
        elif field not in ("", "id", "retry"):
            yield from _objects(line)


def _event(name: str, data: str) -> Iterator[Part]:
    data = data.strip()
    if not data or data.startswith(":"):  # some gateways put the comments that keep a connection open into `data`
        return
    if data == _DONE:
        yield None
        return
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        if name != "error":
            raise UnreadableBody(data) from error
        value = {"error": data}
    for part in _objects(value):
        yield {"type": name} | part if name and isinstance(part, dict) else part


def _objects(value: object) -> Iterator[Part]:
    """The objects of a decoded value; a list stands for its items, and anything else for its text."""
    if isinstance(value, list):
        for item in value:
            yield from _objects(item)
    elif isinstance(value, dict):
        yield value
    elif value == _DONE:
        yield None
    elif value is not None:
        yield value if isinstance(value, str) else json.dumps(value)
