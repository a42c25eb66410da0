"""`exec_command`: run a shell command to its end."""

from __future__ import annotations

import signal
from typing import Annotated

from msgspec import Meta

from xuen.events import Why
from xuen.proc.command import Exit
from xuen.texts.xwork import INTERRUPTED
from xuen.xwork.errors import Interrupted
from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools import command
from xuen.xwork.tools.artifacts import Capture
from xuen.xwork.tools.base import Arguments, Tool, command_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Effect, Outcome

_NOT_RUN = "the command was not run: the sandbox around it could not be made"
TIMEOUT = 120.0  # seconds unless the call says otherwise
ExitCode = Annotated[int, Meta(ge=0, le=255)]


class ExecCommand(Arguments, frozen=True, kw_only=True):
    """Arguments of `exec_command`."""

    command: Annotated[str, Meta(min_length=1, description="A shell command, not interactive")]
    cwd: Annotated[str, Meta(description="Folder to run in, relative to the workspace")] = "."
    timeout: Annotated[float, Meta(gt=0, le=86_400, description="Seconds until it is ended")] = TIMEOUT
    expected_exit_codes: Annotated[
        tuple[ExitCode, ...],
        Meta(min_length=1, description="Exit codes that count as success, for commands that must fail"),
    ] = (0,)


def _run(asked: ExecCommand, context: ToolContext) -> Outcome:
    capture = Capture(context.artifacts)
    with command.folder(context.workspace, asked.cwd) as cwd:
        started = command.start(asked.command, cwd, context.env, sandbox=context.sandbox)
    try:
        ended = command.run(started, capture.add, timeout=asked.timeout, cancel=context.cancel)
    finally:
        output = capture.text()
    if ended.why is Why.STOPPED:
        raise Interrupted(INTERRUPTED)  # nothing is recorded, so a resumed run does it again
    refused = started.refused()
    good = ended.by_itself and not refused and ended.status in asked.expected_exit_codes
    how = _NOT_RUN if ended.by_itself and refused else _how(ended, started.left(), asked)
    text = f"{how}\n{output or '(no output)'}"
    # A command that failed may have done half of its work, but that is not what the gate asks about.
    return Outcome(
        text,
        failed=not good,
        effect=Effect.CHECK if good else Effect.NONE,
        same=f"{ended.status} {capture.digest()}",
        bounded=True,
    )


def _how(ended: Exit, left_behind: int, asked: ExecCommand) -> str:
    took = f"{ended.seconds:.1f} s"
    if ended.why is Why.TIMEOUT:
        return f"timed out after {asked.timeout:g} s; the command and everything that it started were ended"
    left = f"; {left_behind} processes that it left running were ended" if left_behind else ""
    if ended.status is None or ended.status < 0:
        return f"{_signal(ended.status)} after {took}{left}"
    expected = ""
    if ended.status not in asked.expected_exit_codes:
        expected = f", expected {' or '.join(map(str, asked.expected_exit_codes))}"
    elif asked.expected_exit_codes != (0,):
        expected = ", as expected"
    return f"exit code {ended.status}{expected} ({took}){left}"


def _signal(status: int | None) -> str:
    if status is None:
        return "could not be ended"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"


TOOL = Tool(
    "exec_command",
    "Run a shell command to its end, from the workspace, without standard input, and get its exit code and output. "
    "What it leaves running is ended with it; for servers and the like use start_process.",
    ExecCommand,
    _run,
    risk=Risk.EXECUTE,
    resources=command_of,
)
