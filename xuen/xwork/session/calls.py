"""The calls of an answer as they are kept: ids that are unique, ids and names that every provider takes, arguments
that are JSON.

Pure. A model may write anything; what is recorded can be sent back to any provider.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import msgspec

from xuen.xwork.messages import Assistant, ToolCall
from xuen.xwork.session.records import whole_message
from xuen.xwork.tools.registry import MALFORMED

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")


def settled(message: Assistant, taken: Collection[str]) -> Assistant:
    """The answer as it is written down; `taken` are the ids that calls have had until then."""
    clean = whole_message(message)
    assert isinstance(clean, Assistant)
    return msgspec.structs.replace(clean, calls=tuple(_calls(clean.calls, taken))) if clean.calls else clean


def _calls(calls: Sequence[ToolCall], taken: Collection[str]) -> Iterator[ToolCall]:
    given: set[str] = set()
    for call in calls:
        name = call.id
        # Ids that count from 0 in each answer, as some servers give them, come again.
        number = len(taken) + len(given)
        while not _ID.fullmatch(name) or name in given or name in taken:
            number += 1
            name = f"call_{number}"
        given.add(name)
        yield ToolCall(name, _FOREIGN.sub("_", call.name)[:64] or "unnamed", _arguments(call.arguments))


def _arguments(text: str) -> str:
    if not text.strip():
        return "{}"  # how some servers write a call without arguments
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        value = None
    if isinstance(value, dict) and MALFORMED not in value:
        return text
    return msgspec.json.encode({MALFORMED: text}).decode()
