"""Asking a model until it answers or there is no point in going on.

Owns the waiting: exponential backoff with jitter, or exactly the time that the server asks for; a cancelled run ends
the wait at once. Gives up after the last try, or when the server asks for a longer wait than is allowed.
Always holds: pieces of a failed try are void, and whoever listens is told so (`Retrying`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from xuen.texts import Language, plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import EmptyAnswer, Interrupted, ModelError, Retryable
from xuen.xwork.events import (
    Listener,
    ModelEnded,
    ModelStarted,
    Notice,
    ReasoningChunk,
    Retrying,
    StepStarted,
    TextChunk,
)
from xuen.xwork.messages import Finish, Message, ToolDefinition
from xuen.xwork.model.client import (
    Answer,
    Assembler,
    Finished,
    ModelClient,
    Options,
    ReasoningDelta,
    StepDelta,
    TextDelta,
)
from xuen.xwork.model.surrogates import joined


class Patience(msgspec.Struct, frozen=True):
    """How often to try, and how long to wait in between."""

    tries: int = 6
    first: float = 1.0  # seconds before the first retry; doubled for each further one
    longest: float = 30.0
    server: float = 120.0  # seconds that a server may ask for


class Asker:
    """Asks one model, and retries what may work later."""

    def __init__(
        self,
        client: ModelClient,
        listener: Listener,
        cancel: Cancel,
        *,
        language: Language,
        patience: Patience | None = None,
        jitter: Callable[[], float] | None = None,
    ) -> None:
        self._client = client
        self._tell = listener
        self._cancel = cancel
        self._language: Language = language
        self._patience = patience or Patience()
        self._jitter = jitter or _jitter
        self._unclear: set[str] = set()  # unknown words for the end of an answer that were reported

    def ask(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        options: Options,
        *,
        step: Literal["", "compact"] = "",
    ) -> Answer:
        """One whole answer, which has a word or a call in it.

        Raises:
            Interrupted: the cancel token was set.
            ModelError: there is no answer; what was said last is in it.
        """
        self._tell(ModelStarted(step=step))
        attempt = 0
        while True:
            try:
                return self._once(messages, tools, options)
            except (Retryable, EmptyAnswer) as error:
                attempt += 1
                seconds = self._pause(attempt, error)
                self._tell(Retrying(attempt=attempt, seconds=seconds, reason=error.what.in_language(self._language)))
                if self._cancel.wait(seconds):
                    raise Interrupted(texts.INTERRUPTED) from error

    def _once(self, messages: Sequence[Message], tools: Sequence[ToolDefinition], options: Options) -> Answer:
        began = time.monotonic()
        assembler = Assembler()
        word = ""
        for delta in joined(self._client.complete(messages, tools, options=options, cancel=self._cancel)):
            assembler.add(delta)
            if isinstance(delta, TextDelta):
                self._tell(TextChunk(text=delta.text))
            elif isinstance(delta, ReasoningDelta):
                self._tell(ReasoningChunk(text=delta.text))
            elif isinstance(delta, StepDelta):
                self._tell(StepStarted(step=delta.step))
            elif isinstance(delta, Finished):
                word = delta.word
        answer = assembler.answer()
        said = answer.message
        if not said.text.strip() and not said.calls and said.finish is not Finish.REFUSED:
            raise EmptyAnswer(texts.EMPTY_ANSWER)
        self._tell(ModelEnded(finish=said.finish, usage=answer.usage, seconds=time.monotonic() - began))
        if said.finish is Finish.OTHER:
            self._report_end(word)
        return answer

    def _report_end(self, word: str) -> None:
        """Say once that answers end in an unknown way."""
        if word not in self._unclear:
            self._unclear.add(word)
            what = texts.UNKNOWN_END.of(word=plain(repr(word))) if word else texts.NO_REASON
            self._tell(Notice(level="warning", text=what.in_language(self._language)))

    def _pause(self, attempt: int, error: ModelError) -> float:
        """Seconds until the next try.

        Raises:
            ModelError: there is none.
        """
        patience = self._patience
        if attempt >= patience.tries:
            what = texts.GAVE_UP.of(count=attempt, reason=error.what)
            raise ModelError(what, mend=error.mend, status=error.status) from error
        asked = error.retry_after if isinstance(error, Retryable) else None
        if asked is not None and asked > patience.server:
            what = texts.WAIT_TOO_LONG.of(seconds=plain(f"{asked:.0f}"), reason=error.what)
            raise ModelError(what, mend=error.mend, status=error.status) from error
        if asked is not None:
            return asked
        grown = min(patience.longest, patience.first * 2.0 ** (attempt - 1))
        return grown * (0.75 + 0.5 * self._jitter())


def _jitter() -> float:
    """From 0 to 1; `random` is imported only when something has failed."""
    import random

    return random.random()
