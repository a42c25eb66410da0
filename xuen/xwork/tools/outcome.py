"""What comes of a call of a tool: the words of tools, registry, agent and session for it."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from xuen.errors import XuenError


class Effect(StrEnum):
    """What a call did to the state of the work."""

    NONE = "none"  # it looked, or it failed before it did anything
    WRITE = "write"  # the workspace is, or may be, different
    CHECK = "check"  # a command ended as it was expected to


class Outcome(msgspec.Struct, frozen=True):
    """The result of a call."""

    text: str
    failed: bool = False
    effect: Effect = Effect.NONE
    same: str = ""  # what tells it from another result of the same call, where the text holds times or file names
    bounded: bool = False  # the tool has shortened the text itself and says where the rest is


class ToolError(XuenError):
    """A call that a tool cannot carry out; the message tells the model why. Nothing was changed."""


class HalfDone(ToolError):
    """A call that failed and could not be taken back: the workspace is not what it was."""
