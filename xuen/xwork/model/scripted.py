"""A model that says what a script holds: deterministic runs for tests, demonstrations and measurements.

A script is a JSON list of answers, or one answer a line. An answer is a text, or an object with any of `text`,
`reasoning`, `calls` (each `name` and `arguments`, an object or raw text), `finish`, `usage`, `chunk` (characters
a piece; 0 = all at once), `delay` (seconds before each piece), or `error` with `message` and `retry_after`.
Answers are given in order, one a request, whatever was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import (
    AccessDenied,
    BadUse,
    ContextOverflow,
    Interrupted,
    ModelError,
    RequestRefused,
    Retryable,
    ScriptOver,
)
from xuen.xwork.messages import Finish, Message, ToolDefinition, Usage
from xuen.xwork.model.client import (
    CallDelta,
    Delta,
    Finished,
    Options,
    ReasoningDelta,
    TextDelta,
    UsageDelta,
)


class ScriptedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call of the script; raw text as `arguments` is given as it is, so it may be malformed."""

    name: str
    arguments: dict[str, object] | str = {}
    id: str = ""


class ScriptedAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer of a script."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    finish: Finish | None = None  # None: `calls` when there are calls, else `stop`
    usage: Usage | None = None
    chunk: int = 0
    delay: float = 0.0
    error: Literal["", "retryable", "overflow", "refused", "access"] = ""
    message: str = ""
    retry_after: float | None = None


class ScriptedModel:
    """Gives the answers in order; `asked` keeps what it was asked, unless it is not to remember."""

    def __init__(
        self, answers: Sequence[ScriptedAnswer | str], *, context_tokens: int | None = None, remember: bool = True
    ) -> None:
        self._answers = tuple(ScriptedAnswer(text=one) if isinstance(one, str) else one for one in answers)
        self._context_tokens = context_tokens
        self._given = 0
        self._remember = remember
        self.asked: list[tuple[Message, ...]] = []

    @classmethod
    def from_file(cls, path: Path) -> ScriptedModel:
        """Read a script.

        Raises:
            BadUse: the file cannot be read or is no script.
        """
        try:
            return cls(_decode(path.read_bytes()))
        except (OSError, msgspec.DecodeError) as error:  # ValidationError is a DecodeError
            what = texts.SCRIPT_UNREADABLE.of(reason=plain(str(error)))
            raise BadUse(what, where=str(path), mend=texts.SCRIPT_MEND) from error

    @property
    def name(self) -> str:
        """What a person calls it."""
        return "script"

    @property
    def context_tokens(self) -> int | None:
        """What it was made with."""
        return self._context_tokens

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        *,
        options: Options,
        cancel: Cancel,
    ) -> Iterator[Delta]:
        """See `ModelClient.complete`; raises ScriptOver after the last answer."""
        del tools, options  # a script does not bend to them
        self._given += 1
        if self._remember:
            self.asked.append(tuple(messages))
        if self._given > len(self._answers):
            raise ScriptOver(texts.SCRIPT_OVER.of(count=len(self._answers)))
        answer = self._answers[self._given - 1]
        for delta in _pieces(answer):
            # A wait of 0 only looks; with a delay a cancel still ends it at once.
            if cancel.wait(answer.delay):
                raise Interrupted(texts.INTERRUPTED)
            yield delta
        if answer.error:
            raise _error(answer)
        yield Finished(answer.finish or (Finish.CALLS if answer.calls else Finish.STOP))

    def close(self) -> None:
        """Nothing to let go."""


def _decode(raw: bytes) -> list[ScriptedAnswer | str]:
    if raw.lstrip().startswith(b"["):
        return msgspec.json.decode(raw, type=list[ScriptedAnswer | str])
    return msgspec.json.Decoder(ScriptedAnswer | str).decode_lines(raw)


def _pieces(answer: ScriptedAnswer) -> Iterator[Delta]:
    for part in _cut(answer.reasoning, answer.chunk):
        yield ReasoningDelta(part)
    for part in _cut(answer.text, answer.chunk):
        yield TextDelta(part)
    for index, call in enumerate(answer.calls):
        raw = call.arguments if isinstance(call.arguments, str) else msgspec.json.encode(call.arguments).decode()
        yield CallDelta(index, id=call.id, name=call.name)
        for part in _cut(raw, answer.chunk):
            yield CallDelta(index, arguments=part)
    if answer.usage is not None:
        yield UsageDelta(answer.usage)


def _cut(text: str, size: int) -> Iterator[str]:
    step = size if size > 0 else max(1, len(text))
    for start in range(0, len(text), step):
        yield text[start : start + step]


def _error(answer: ScriptedAnswer) -> ModelError:
    what = plain(answer.message or answer.error)
    match answer.error:
        case "retryable":
            return Retryable(what, retry_after=answer.retry_after)
        case "overflow":
            return ContextOverflow(what)
        case "access":
            return AccessDenied(what)
        case _:
            return RequestRefused(what)
