"""What a session writes down, one JSON object a line.

Owns the form of the records and how text gets into them. Always holds: what was encoded can be decoded, whatever a
model or a file put into it; a lone surrogate, which UTF-8 cannot encode, is replaced by U+FFFD before anything
else happens, so that memory and disk agree.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from xuen.xwork.messages import Assistant, Message, ToolCall, ToolResult, Usage, User
from xuen.xwork.request import Request
from xuen.xwork.tools.outcome import Effect

VERSION = 1


class Opened(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="session"):
    """The first line."""

    version: int
    workspace: str
    created: str  # ISO 8601, UTC


class Trusted(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="trusted"):
    """The user took over what stands before, although this machine did not write it; `digest` is that of its bytes."""

    digest: str


class ModelChosen(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="model"):
    """Who answers from here on: a model server, a script, or the embedded model where both are None.

    Neither a key nor a user name or password of the address is kept.
    """

    base_url: str | None = None
    model: str | None = None


EMBEDDED = ModelChosen()


class Prompted(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="prompt"):
    """The host asked for something: a run begins; `request` is the same as data, where a model needs it."""

    message: User
    request: Request | None = None


class Reminded(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="reminder"):
    """The runtime told the model something; part of the conversation like a prompt."""

    message: User


class Answered(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="answer"):
    """The model's answer is whole."""

    message: Assistant
    usage: Usage = Usage()


class Carried(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="result"):
    """A tool call is over; it is never executed again."""

    message: ToolResult
    effect: Effect = Effect.NONE


class Compacted(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="compaction"):
    """From here on `summary` stands for the messages before number `first_kept` (from 0, all messages counted)."""

    summary: str
    first_kept: int
    usage: Usage = Usage()  # what the summary cost


class Resumed(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="resumed"):
    """An interrupted run goes on."""


class Ended(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="ended"):
    """A run reached its end, or a guard stopped it; nothing waits."""

    outcome: Literal["completed", "stopped"]
    reason: str = ""


Record = Opened | Trusted | ModelChosen | Prompted | Reminded | Answered | Carried | Compacted | Resumed | Ended

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)


def encode(record: Record) -> bytes:
    """One line, without its newline."""
    return _encoder.encode(record)


def decode(line: bytes) -> Record | None:
    """The record of a line; None for a damaged one."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def whole(text: str) -> str:
    """A text that UTF-8 can encode: a split surrogate pair becomes its character, a lone surrogate U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def whole_message(message: Message) -> Message:
    """The message with all its texts `whole`."""
    match message:
        case Assistant():
            calls = tuple(ToolCall(whole(one.id), whole(one.name), whole(one.arguments)) for one in message.calls)
            return Assistant(
                whole(message.text), whole(message.reasoning), calls, message.finish, whole(message.replay)
            )
        case ToolResult():
            return ToolResult(whole(message.call_id), whole(message.name), whole(message.text), message.failed)
        case _:
            return type(message)(whole(message.text))
