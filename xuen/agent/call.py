"""One call of an outside agent, as values: what is asked, what came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from xuen.events import Purpose, Why
from xuen.texts import Text
from xuen.texts import call as texts

WIDTH: Final = 200  # characters of an agent's line that a message repeats
# What the shell itself says, under the name that `Template.argv` gives it, whatever its language.
SHELL_SAYS: Final = re.compile(r"^xuen: .+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Call:
    """What an agent is asked, why, and in which round (0 before the first).

    `data` is what the prompt of this purpose is made of, for agents that read no prose: `words`, `idea`, `artifact`
    and `inputs` for research, `count` and `known` for words, `candidate` and `best` for a score, and for the last two
    the `nonce` that the answer carries.
    """

    prompt: str
    purpose: Purpose
    round: int
    log: Path | None = None  # where the whole output is kept, capped; None keeps nothing
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended. `stdout` and `stderr` are cleaned text, bounded to a head and a tail."""

    why: Why
    code: int | None  # None when no process ran or when it was ended by us
    seconds: float
    stdout: str
    stderr: str
    asked: str = field(default="", repr=False)  # the prompt, which several agents print again
    usual: set[str] = field(
        default_factory=set, repr=False, compare=False
    )  # of this agent's good calls, shared by all its outcomes

    @property
    def worked(self) -> bool:
        """Whether the command ended by itself with exit code 0."""
        return self.why is Why.OK


def beginning(line: str) -> str:
    """As much of a line as a message repeats; a sign tells that there was more."""
    return line if len(line) <= WIDTH else line[:WIDTH] + " …"


def ending(why: Why, code: int | None, seconds: float) -> Text:
    """How a call ended, in words."""
    if why is Why.FAILED and code is None:
        return texts.FAILED_UNKNOWN
    if why is Why.FAILED and code == 0:
        return texts.FAILED_WELL
    return texts.ENDED[why].of(code=code, seconds=round(seconds))


class Agent(Protocol):
    """Whatever can be asked; the one implementation that xuen has runs a shell command."""

    @property
    def name(self) -> str:
        """What a person calls it: a preset's name or the first word of the command."""
        ...

    def call(self, call: Call, *, on_started: Callable[[], None] | None = None) -> Outcome:
        """Ask once and wait for the end; tells CallStarted, Output and CallEnded to the sink.

        `on_started` runs once, when it is certain that the agent works on the call, and within it at the latest; not
        at all for a call that never began.

        Raises:
            PromptTooLong: the prompt does not fit; nothing was started, and CallEnded was told.
        """
        ...
