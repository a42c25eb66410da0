"""An agent whose calls leave research.md as it was: for words and for judging.

Owns restoring the file. Always: when a call returns or raises, the file has the bytes that it had before the call; a
file that was missing or unreadable before is left to the code that deals with damage.
"""

from __future__ import annotations

from collections.abc import Callable

from xuen.agent.call import Agent, Call, Outcome
from xuen.errors import DamagedResearch, LockTimeout
from xuen.events import Notice
from xuen.sink import Sink
from xuen.texts import agent as texts
from xuen.texts import plain
from xuen.workspace.research_file import ResearchFile


class KeepResearch:
    """Wraps an agent; says so when something had to be put back."""

    def __init__(self, agent: Agent, research: ResearchFile, sink: Sink) -> None:
        self._agent = agent
        self._research = research
        self._sink = sink

    @property
    def name(self) -> str:
        """The name of the agent within."""
        return self._agent.name

    def call(self, call: Call, *, on_started: Callable[[], None] | None = None) -> Outcome:
        """As the agent within; nothing that it did to research.md stays.

        Raises:
            PromptTooLong: the prompt does not fit; nothing was started.
        """
        before = self._read()
        try:
            return self._agent.call(call, on_started=on_started)
        finally:
            if before is not None and self._read() != before:
                self._put_back(before, call)

    def _read(self) -> bytes | None:
        try:
            return self._research.read()
        except (DamagedResearch, OSError):
            return None

    def _put_back(self, before: bytes, call: Call) -> None:
        try:
            if self._read() is None:
                self._research.keep_aside()  # a folder or the like stands in its place
            self._research.replace(before)
        except (LockTimeout, OSError) as error:
            failed = texts.RESEARCH_NOT_PUT_BACK.of(purpose=call.purpose.value, error=plain(str(error)))
            self._sink.emit(Notice(level="error", text=failed))
        else:
            self._sink.emit(Notice(level="warning", text=texts.RESEARCH_PUT_BACK.of(purpose=call.purpose.value)))
