"""What a person, a model and a tool say to each other, as immutable values.

One conversation is a sequence of `Message`. They are what clients translate into a provider's own form
and what a session writes down, so nothing in them belongs to one provider, except `Assistant.replay`.

Always holds: every field has a JSON form (`msgspec.json` reads back what it wrote); the field `role` tells
the kinds apart; an unknown count is None and never 0.
They hold no cycles, so the collector does not look at them (`gc=False`): a long conversation costs it nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec


class Finish(StrEnum):
    """Why a model stopped writing."""

    STOP = "stop"  # it was done, or met one of the stop texts
    CALLS = "calls"  # it wants its tool calls carried out
    LENGTH = "length"  # it was cut off: what it wrote, and above all its last tool call, may not be whole
    REFUSED = "refused"  # the provider withheld the answer
    OTHER = "other"  # the server gave no reason, or an unknown one: what it wrote may not be whole


class ToolCall(msgspec.Struct, frozen=True, gc=False):
    """One tool call, as the model wrote it.

    `arguments` is the raw text: it should be one JSON object, but a model may have written anything;
    whoever carries the call out decodes it and answers the model when it cannot.
    """

    id: str  # not empty, unique within one answer
    name: str
    arguments: str


class System(msgspec.Struct, frozen=True, gc=False, tag_field="role", tag="system"):
    """What the host tells the model before everything else."""

    text: str


class User(msgspec.Struct, frozen=True, gc=False, tag_field="role", tag="user"):
    """What a person, or the program in a person's place, says."""

    text: str


class Assistant(msgspec.Struct, frozen=True, gc=False, tag_field="role", tag="assistant"):
    """One whole answer of a model."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = Finish.STOP
    replay: str = ""  # JSON that this provider wants back as it was (signed reasoning); opaque to all others


class ToolResult(msgspec.Struct, frozen=True, gc=False, tag_field="role", tag="tool"):
    """The result of one tool call; `failed` tells the model that the call did not do what it should."""

    call_id: str
    name: str
    text: str
    failed: bool = False


Message = System | User | Assistant | ToolResult


class Usage(msgspec.Struct, frozen=True, gc=False):
    """What one completion cost, as the provider counted it; None where it did not say."""

    input_tokens: int | None = None  # the whole prompt, cached part included
    output_tokens: int | None = None  # everything that was written, reasoning included
    cached_tokens: int | None = None  # the part of `input_tokens` that came out of a cache
    reasoning_tokens: int | None = None  # the part of `output_tokens` that was reasoning
    cost: float | None = None  # US dollars

    def plus(self, other: Usage) -> Usage:
        """Both together; what one of them does not know is not known of the sum."""
        return Usage(*(None if a is None or b is None else a + b for a, b in self._pairs(other)))

    def with_more(self, other: Usage) -> Usage:
        """Both together as far as they know; what neither knows stays unknown."""
        return Usage(*(b if a is None else a if b is None else a + b for a, b in self._pairs(other)))

    def _pairs(self, other: Usage) -> Iterator[tuple[Any, Any]]:
        return zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)


class ToolDefinition(msgspec.Struct, frozen=True):
    """A tool as a model is told about it; `parameters` is the JSON schema of its arguments, an object."""

    name: str
    description: str
    parameters: dict[str, object]
