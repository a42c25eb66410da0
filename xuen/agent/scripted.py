"""An agent without a process: each call is answered by a function.

What httpx.MockTransport is for a client of HTTP, this is for all that stands above an agent: the loop's rules can be
tried in milliseconds, and a program that embeds xuen can answer calls itself.

    agent = ScriptedAgent(lambda call: failed(1, "no model") if call.round < 3 else worked())

The function may do what an agent does during its call: write sections, ask for a stop, take its time.
"""

from __future__ import annotations

from collections.abc import Callable

from xuen.agent.call import Call, Outcome
from xuen.events import Why


def worked(stdout: str = "") -> Outcome:
    """A call that ended with exit code 0."""
    return Outcome(Why.OK, 0, 0.0, stdout, "")


def failed(code: int = 1, stderr: str = "") -> Outcome:
    """A call that ended with another exit code."""
    return Outcome(Why.FAILED, code, 0.0, "", stderr)


class ScriptedAgent:
    """Answers with `answer`; `calls` are those that it got, in order. It tells no events."""

    def __init__(self, answer: Callable[[Call], Outcome], *, name: str = "scripted") -> None:
        self._answer = answer
        self._name = name
        self.calls: list[Call] = []

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self._name

    def call(self, call: Call, *, on_started: Callable[[], None] | None = None) -> Outcome:
        """Run `on_started`, then answer."""
        self.calls.append(call)
        if on_started is not None:
            on_started()
        return self._answer(call)
