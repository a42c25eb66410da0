"""The events of a run of xwork: immutable values, one JSON object each (field `event`).

The plain output, `--json` and a host's own listener are all built on them. Order within a run:

    [Notice | Fetching]*  RunStarted  [Notice]*
    per completion:  ModelStarted  (StepStarted | ReasoningChunk | TextChunk)*  [Retrying …]  ModelEnded
                     then per call of the answer:  ToolStarted  ToolEnded
    Compacted    between completions
    exactly one of   Completed | Failed

Chunks are pieces of text as they came; joined in order they are the answer. A listener is called on the
thread of the run and must not block it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from xuen.xwork.messages import Finish, Usage


def _tag(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag=_tag):
    """What all events share: the field `event` in the JSON form."""


class RunStarted(Event, frozen=True, kw_only=True):
    """A run begins."""

    model: str
    workspace: str
    resumed: bool = False


class Notice(Event, frozen=True, kw_only=True):
    """Something that a person should know, in the language of the run."""

    level: Literal["info", "warning"]
    text: str


class Fetching(Event, frozen=True, kw_only=True):
    """The embedded model's weights are on their way; `done` and `total` in bytes."""

    done: int
    total: int


class ModelStarted(Event, frozen=True, kw_only=True):
    """A completion was asked for; `step` says what for, where it is not the next step of the work."""

    step: Literal["", "compact"] = ""


class StepStarted(Event, frozen=True, kw_only=True):
    """A model that is led through the steps of its answer begins one: think, idea, artifact, words, score."""

    step: str


class TextChunk(Event, frozen=True, kw_only=True):
    """A piece of the answer."""

    text: str


class ReasoningChunk(Event, frozen=True, kw_only=True):
    """A piece of what the model thought."""

    text: str


class Retrying(Event, frozen=True, kw_only=True):
    """A completion failed and is asked for again after `seconds`; chunks told since ModelStarted are void."""

    attempt: int  # 1 for the first retry
    seconds: float
    reason: str


class ModelEnded(Event, frozen=True, kw_only=True):
    """A completion is whole."""

    finish: Finish
    usage: Usage
    seconds: float


class ToolStarted(Event, frozen=True, kw_only=True):
    """A tool call begins; `arguments` is the raw text of the model."""

    call_id: str
    name: str
    arguments: str


class ToolEnded(Event, frozen=True, kw_only=True):
    """A tool call is over; `text` is what the model gets to see."""

    call_id: str
    name: str
    text: str
    failed: bool
    seconds: float


class Compacted(Event, frozen=True, kw_only=True):
    """The conversation was made shorter; estimated tokens before and after."""

    before: int
    after: int


class Completed(Event, frozen=True, kw_only=True):
    """The run reached its end; `text` is the model's last word."""

    text: str
    usage: Usage


class Failed(Event, frozen=True, kw_only=True):
    """The run ended without reaching it; `error` is one line for a person, `code` the exit code."""

    error: str
    code: int


AnyEvent = (
    RunStarted
    | Notice
    | Fetching
    | ModelStarted
    | StepStarted
    | TextChunk
    | ReasoningChunk
    | Retrying
    | ModelEnded
    | ToolStarted
    | ToolEnded
    | Compacted
    | Completed
    | Failed
)

Listener = Callable[[AnyEvent], None]
