"""How far a research call is, read back out of its conversation; pure.

A section is written by a process: it is started, gets the text on its standard input, and is polled until it has
ended. Nothing is kept beside the conversation, so a call that was killed goes on where its journal ends; a process
that died with the one before is started again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from xuen.xwork.messages import Assistant, Message, ToolCall, ToolResult, User
from xuen.xwork.tools.processes import NO_PROCESS

SECTIONS: Final = ("idea", "artifact")
LOOK, START, FEED, POLL, CHECK = "read_file", "start_process", "write_process", "poll_process", "exec_command"
_WRITTEN: Final = "exited with code 0"
_RUNS: Final = "running"


class Section(msgspec.Struct):
    """One section on its way into research.md."""

    text: str = ""  # what the model wrote
    process: str = ""  # the id of the process that writes it
    fed: bool = False  # it was given the text
    written: bool = False
    trouble: str = ""  # why it was not written


class Progress(msgspec.Struct):
    """What was done since the prompt."""

    idea: Section
    artifact: Section
    looked: bool = False
    check: str | None = None  # what the last look at the result has shown
    trouble: str = ""  # why looking did not work

    def section(self, name: str) -> Section:
        """The section of that name."""
        return self.idea if name == "idea" else self.artifact

    def forgive(self) -> None:
        """Try again what went wrong."""
        self.trouble = ""
        for section in (self.idea, self.artifact):
            if section.trouble:
                section.trouble = section.process = ""


def progress(messages: Sequence[Message]) -> Progress:
    """How far it is; `messages` is what came after the prompt."""
    done = Progress(Section(), Section())
    current = done.idea
    for message in messages:
        match message:
            case Assistant():
                for call in message.calls:
                    if call.name == START:
                        current = done.section(_name(call))
                        current.text = message.text or current.text
            case ToolResult():
                _take(done, current, message)
            case User():  # a reminder: what was seen until then does not count
                done.check = None
    return done


def _take(done: Progress, section: Section, result: ToolResult) -> None:
    said = " ".join(result.text.split())
    if result.name == LOOK:
        done.looked, done.trouble = not result.failed, said if result.failed else ""
    elif result.name == CHECK:
        done.check, done.trouble = (None, said) if result.failed else (result.text, "")
    elif result.failed and said.startswith(NO_PROCESS):
        section.process, section.fed = "", False
    elif result.name == START:
        section.fed, section.trouble = False, said if result.failed else ""
        section.process = "" if result.failed else result.text.partition(": ")[2]
    elif result.name == FEED:
        section.fed, section.trouble = True, said if result.failed else ""
    elif result.name == POLL:
        state = result.text.partition(": ")[2]
        if state.startswith(_WRITTEN) and not section.trouble:
            section.written = True
        elif not state.startswith((_RUNS, _WRITTEN)):
            section.trouble = said


def _name(call: ToolCall) -> str:
    """The section that a command writes: its last word."""
    arguments = msgspec.json.decode(call.arguments, type=dict[str, object])
    return str(arguments.get("command", "")).rsplit(" ", 1)[-1]
