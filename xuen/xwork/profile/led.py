"""A model too small for tools behind the protocol of one that has them: xuen's questions are taken step by step.

Given a request of xuen's it leads the small model through plain completions and answers as any model would: a
text, and tool calls that carry the text on. Whoever asks, the agent, its journal, its policy and its tools, sees no
difference. Owns the order of the steps, what is tried again and what counts as failed. Always holds: what is written
into a section is text of the model, and it goes to write_section.py on its standard input, never in a command; an
empty answer, or a section that was not written, is an error and never a success.

What is no question of xuen's the model answers by itself: with the tools if it can use them, else in plain words.
"""

from __future__ import annotations

import shlex
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import ModelError, Retryable
from xuen.xwork.gate import REMINDER
from xuen.xwork.messages import Assistant, Finish, Message, System, ToolDefinition, Usage, User
from xuen.xwork.model.client import (
    Delta,
    Finished,
    ModelClient,
    Options,
    TextDelta,
    UsageDelta,
)
from xuen.xwork.profile import shots, tidy
from xuen.xwork.profile.progress import CHECK, FEED, LOOK, POLL, SECTIONS, START, Progress, progress
from xuen.xwork.profile.steps import Pieces, Steps, judge, words
from xuen.xwork.request import Request
from xuen.xwork.tools.artifacts import CUT

_TRIES = 3
_ALIKE = 0.9  # from here on a text is nearly the same as the one before
_WAIT = 60_000  # milliseconds for write_section.py, which may wait for a lock
_PLAIN = System("You are a helpful assistant. You give clear, concrete answers.")
_STATE = "research.md"


class Led:
    """A small model, led. The only thing kept from a conversation is how often the current step has been tried."""

    def __init__(
        self, client: ModelClient, workspace: Path, request: Request | None = None, *, uses_tools: bool = False
    ) -> None:
        """Without a `request` the prompt is a plain question, which `uses_tools` leaves to the model."""
        self._client = client
        self._workspace = workspace
        self._request = request
        self._uses_tools = uses_tools
        self._fresh = True  # nothing was asked yet: a failure in the conversation is that of an earlier life
        self._at = -1  # messages of the conversation at the step that is tried
        self._tried = 0
        self._kept = ""

    @property
    def name(self) -> str:
        """The small model's."""
        return self._client.name

    @property
    def context_tokens(self) -> int | None:
        """None while it leads: each step is asked for in a short conversation of its own."""
        return None if self._request else self._client.context_tokens

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        *,
        options: Options,
        cancel: Cancel,
    ) -> Iterator[Delta]:
        """See `ModelClient.complete`."""
        if not tools:  # notes on the conversation are wanted
            yield from self._client.complete(messages, (), options=options, cancel=cancel)
            return
        at = _place_of_prompt(messages)
        prompt = messages[at].text if at >= 0 else ""
        request = self._request
        if request is None and self._uses_tools:
            yield from self._client.complete(messages, tools, options=options, cancel=cancel)
            return
        taken = Steps(self._client, cancel, zlib.crc32(prompt.encode("utf-8", "replace")) & 0x3FFFFFFF)
        if request is None:
            asked = [_PLAIN, *(one for one in messages if isinstance(one, User | Assistant) and one.text)]
            yield from self._written(taken, len(messages), _Wanted("", asked, 512))
        elif request.purpose == "words":
            yield from words(taken, request)
        elif request.purpose == "judge":
            yield from judge(taken, request)
        else:
            yield from self._research(taken, request, progress(messages[at + 1 :]), len(messages))
        self._fresh = False
        yield UsageDelta(taken.usage or Usage(input_tokens=0, output_tokens=0))  # some steps ask no model
        yield Finished(Finish.CALLS if taken.calls else Finish.STOP)

    def close(self) -> None:
        """Release the model; a second call does nothing."""
        self._client.close()

    # --- research ---

    def _research(self, taken: Steps, request: Request, done: Progress, length: int) -> Pieces:
        if not (self._workspace / "write_section.py").is_file():
            raise ModelError(texts.NO_WORKSPACE, mend=texts.NO_WORKSPACE_MEND)
        if self._fresh:
            done.forgive()
        elif done.trouble:
            raise ModelError(texts.NOT_SEEN.of(reason=plain(done.trouble)))
        if not done.looked:
            asked = shots.think(request.task, request.words, _asides(request))
            yield from self._written(taken, length, _Wanted("think", asked, 100))
            yield taken.call(LOOK, path=_STATE, limit=1)
            return
        for name in SECTIONS:
            section = done.section(name)
            if not section.written:
                yield from self._section(taken, request, done, name, length)
                return
        yield from _end(taken, request, done)

    def _section(self, taken: Steps, request: Request, done: Progress, name: str, length: int) -> Pieces:
        """The next step of one section: its text and a process, the text into it, its end."""
        section = done.section(name)
        if section.trouble:
            raise ModelError(texts.NOT_WRITTEN.of(section=name, reason=plain(section.trouble)))
        if section.process:
            if not section.fed:
                yield taken.call(FEED, process_id=section.process, text=section.text, close_stdin=True)
            yield taken.call(POLL, process_id=section.process, wait_ms=_WAIT)
            return
        if not section.text:
            yield from self._written(taken, length, _text_of(name, request, done))
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(self._workspace / 'write_section.py'))} {name}"
        yield taken.call(START, command=command)

    # --- text ---

    def _written(self, taken: Steps, length: int, wanted: _Wanted) -> Pieces:
        """Text of the model, given on tidied as it comes; what is not accepted is void and asked for again.

        Where none is, the last one with anything in it counts; nothing usable in all tries is an error.
        """
        if self._at != length:
            self._at, self._tried, self._kept = length, 0, ""
        options = msgspec.structs.replace(
            shots.WRITING,
            max_tokens=wanted.limit,
            seed=taken.seed + self._tried,
            temperature=0.3 + 0.3 * self._tried,
            grammar=shots.POINTS_GRAMMAR if wanted.listed else None,
        )
        self._tried += 1
        flow = (tidy.numbered if wanted.listed else tidy.sentences)(shots.EXAMPLE_RUNS)
        for delta in taken.ask(wanted.step, wanted.asked, options):
            if not isinstance(delta, TextDelta):
                yield delta
            elif more := flow.add(delta.text):
                yield TextDelta(more)
        if more := flow.end():
            yield TextDelta(more)
        if flow.text and tidy.alike(flow.text, wanted.before) < _ALIKE:
            return
        kept, self._kept = self._kept, flow.text or self._kept
        if self._tried < _TRIES:
            raise Retryable(texts.SAME_AGAIN if flow.text else texts.EMPTY_ANSWER, retry_after=0.0)
        self._tried = 0
        if not flow.text:
            if not kept:
                raise ModelError(texts.EMPTY_ANSWER)
            yield TextDelta(kept)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A text that is wanted of the model."""

    step: str
    asked: Sequence[Message]
    limit: int  # tokens
    before: str = ""  # what it must differ from
    listed: bool = False  # numbered points instead of prose


def _text_of(section: str, request: Request, done: Progress) -> _Wanted:
    asides = _asides(request)
    if section == "idea":
        asked = shots.find_idea(request.task, request.words, request.idea, asides)
        return _Wanted(section, asked, 130, before=request.idea)
    asked = shots.write_points(request.task, done.idea.text, request.artifact, asides)
    return _Wanted(section, asked, 240, before=request.artifact, listed=True)


def _asides(request: Request) -> str:
    return " ".join(part for part in (request.notes, *request.inputs) if part)


def _end(taken: Steps, request: Request, done: Progress) -> Pieces:
    """A look at the result, and the last word."""
    if done.check is None:
        yield taken.call(CHECK, command=f"cat {_STATE}")
        return
    if CUT not in done.check and not all(done.section(name).text in done.check for name in SECTIONS):
        raise ModelError(texts.NOT_THERE)
    yield TextDelta(texts.BOTH_WRITTEN.in_language(request.language))


def _place_of_prompt(messages: Sequence[Message]) -> int:
    """Where the last thing stands that the host asked for; -1 for nowhere."""
    return next(
        (
            at
            for at in range(len(messages) - 1, -1, -1)
            if isinstance(messages[at], User) and messages[at].text != REMINDER
        ),
        -1,
    )
