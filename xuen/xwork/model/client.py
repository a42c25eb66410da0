"""The one protocol behind which every language model stands, and how its pieces become an answer.

A client owns its connection or its loaded weights and nothing of the conversation, all of which is passed with every
request. It refuses to retry (which is up to the caller) and to carry out tool calls.

Always holds: `complete` gives any number of pieces and then exactly one `Finished`, or it raises; how the
pieces were cut never changes the answer that `assemble` makes of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from xuen.xwork.cancel import Cancel
from xuen.xwork.messages import Assistant, Finish, Message, ToolCall, ToolDefinition, Usage


class TextDelta(msgspec.Struct, frozen=True):
    """A piece of the answer's text."""

    text: str


class ReasoningDelta(msgspec.Struct, frozen=True):
    """A piece of what the model thought."""

    text: str


class CallDelta(msgspec.Struct, frozen=True):
    """A piece of the tool call at place `index` of the answer.

    `id` and `name` stand whole in one of the call's pieces and are empty in the others; `arguments` are joined
    in order.
    """

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


class UsageDelta(msgspec.Struct, frozen=True):
    """What the provider counted; a later one replaces the fields that it knows."""

    usage: Usage


class ReplayDelta(msgspec.Struct, frozen=True):
    """What this provider wants back with the next request (see `Assistant.replay`); a later one replaces it."""

    json: str


class StepDelta(msgspec.Struct, frozen=True):
    """A model that is led through steps begins one; no part of the answer, but people see how far it is."""

    step: str


class Finished(msgspec.Struct, frozen=True):
    """The last piece; `word` is the server's own for an unknown reason."""

    reason: Finish
    word: str = ""


Delta = TextDelta | ReasoningDelta | CallDelta | UsageDelta | ReplayDelta | StepDelta | Finished


class Options(msgspec.Struct, frozen=True):
    """How to write one answer; None leaves it to the provider.

    A client leaves out what its provider does not know. Whoever needs `grammar` kept checks the answer.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()  # texts at which the answer ends; they are not part of it
    grammar: str | None = None  # GBNF, honoured by the embedded model


class ModelClient(Protocol):
    """A language model that can be asked."""

    @property
    def name(self) -> str:
        """What a person calls the model."""
        ...

    @property
    def context_tokens(self) -> int | None:
        """How many tokens a request and its answer may have together; None if that is not known."""
        ...

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        *,
        options: Options,
        cancel: Cancel,
    ) -> Iterator[Delta]:
        """Ask for one answer and give its pieces as they come.

        Nothing is asked before the first piece is taken. Closing the iterator ends the request.

        Raises:
            Interrupted: `cancel` was set; within half a second, also while nothing arrives.
            ModelError: the answer did not come about (see `xuen.xwork.errors` for the kinds). Pieces that came
                before are void.
        """
        ...

    def close(self) -> None:
        """Release the connection or the weights; a second call does nothing."""
        ...


class Answer(msgspec.Struct, frozen=True):
    """A whole answer and what it cost."""

    message: Assistant
    usage: Usage


class Assembler:
    """Takes pieces in order and makes the answer of them."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[tuple[int, list[CallDelta]]] = []
        self._usage = Usage()
        self._replay = ""
        self._finish: Finish | None = None

    def add(self, delta: Delta) -> None:
        """Take the next piece."""
        match delta:
            case TextDelta(text):
                self._text.append(text)
            case ReasoningDelta(text):
                self._reasoning.append(text)
            case CallDelta():
                self._add_call(delta)
            case UsageDelta(usage):
                known = {name: value for name, value in msgspec.structs.asdict(usage).items() if value is not None}
                self._usage = msgspec.structs.replace(self._usage, **known)
            case ReplayDelta(json):
                self._replay = json
            case Finished(reason):
                self._finish = reason

    def _add_call(self, delta: CallDelta) -> None:
        """Put a piece to its call; some servers give all calls of an answer the same index."""
        parts = next((parts for index, parts in reversed(self._calls) if index == delta.index), None)
        if parts is None or _begins_another(delta, parts):
            self._calls.append((delta.index, [delta]))
        else:
            parts.append(delta)

    def answer(self) -> Answer:
        """The answer that the pieces so far make; without `Finished` it counts as cut off."""
        message = Assistant(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            calls=tuple(
                _call(number, parts) for number, (_, parts) in enumerate(sorted(self._calls, key=lambda one: one[0]))
            ),
            finish=Finish.LENGTH if self._finish is None else self._finish,
            replay=self._replay,
        )
        return Answer(message=message, usage=self._usage)


def assemble(deltas: Iterable[Delta]) -> Answer:
    """All pieces of one completion as its answer; raises what the completion raises."""
    assembler = Assembler()
    for delta in deltas:
        assembler.add(delta)
    return assembler.answer()


def _call(index: int, parts: list[CallDelta]) -> ToolCall:
    """One call of its pieces; providers that name no id get one that is unique within the answer."""
    return ToolCall(
        id=next((part.id for part in parts if part.id), f"call_{index}"),
        name=next((part.name for part in parts if part.name), ""),
        arguments="".join(part.arguments for part in parts),
    )


def _begins_another(delta: CallDelta, parts: list[CallDelta]) -> bool:
    """Whether a piece with a name belongs to a further call: it has an id of its own, or the last one is whole."""
    if not delta.name:
        return False
    known = next((part.id for part in parts if part.id), "")
    if delta.id or known:
        return bool(delta.id and known and delta.id != known)
    try:
        return isinstance(msgspec.json.decode("".join(part.arguments for part in parts)), dict)
    except msgspec.DecodeError:
        return False
