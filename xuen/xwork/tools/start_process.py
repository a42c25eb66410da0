"""`start_process`: start a program that goes on."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools import command
from xuen.xwork.tools.base import Arguments, Tool, command_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Outcome


class StartProcess(Arguments, frozen=True, kw_only=True):
    """Arguments of `start_process`."""

    command: Annotated[str, Meta(min_length=1, description="A shell command")]
    cwd: Annotated[str, Meta(description="Folder to run in, relative to the workspace")] = "."


def _run(asked: StartProcess, context: ToolContext) -> Outcome:
    with command.folder(context.workspace, asked.cwd) as cwd:
        managed = context.processes.start(asked.command, cwd, context.env, context.sandbox)
    return Outcome(f"process_id: {managed.name}")


TOOL = Tool(
    "start_process",
    "Start a program that goes on while you work: a server, a watcher, something with standard input. Gives its "
    "process_id for poll_process, write_process and stop_process. It ends with you at the latest.",
    StartProcess,
    _run,
    risk=Risk.EXECUTE,
    resources=command_of,
)
