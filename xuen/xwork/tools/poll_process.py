"""`poll_process`: the new output of a managed process."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools.base import Arguments, Tool, process_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Outcome
from xuen.xwork.tools.processes import Managed


class PollProcess(Arguments, frozen=True, kw_only=True):
    """Arguments of `poll_process`."""

    process_id: str
    wait_ms: Annotated[
        int, Meta(ge=0, le=300_000, description="Milliseconds to wait for output or the end if there is none yet")
    ] = 1000


def _run(asked: PollProcess, context: ToolContext) -> Outcome:
    managed = context.processes.get(asked.process_id)
    managed.wait(asked.wait_ms / 1000, context.cancel)
    running = managed.running()
    output = managed.take()
    if running:
        return Outcome(report(managed, "running", output))
    context.processes.release(managed.name, hurried=context.cancel.is_set)  # what it left running ends here too
    return Outcome(report(managed, status(managed), output + managed.take()))


def status(managed: Managed) -> str:
    """How a process ended."""
    if managed.refused():
        return "not run: the sandbox around it could not be made"
    code = managed.child.status
    if code is None:
        return "could not be ended"
    return f"exited with code {code}" if code >= 0 else f"ended by signal {-code}"


def report(managed: Managed, state: str, output: str) -> str:
    """What the model sees of a process."""
    return f"{managed.name}: {state}\n{output or '(no new output)'}"


TOOL = Tool(
    "poll_process",
    "Get the output that a process has written since the last poll, and whether it still runs. One that has ended is "
    "released then: its id is not valid any more.",
    PollProcess,
    _run,
    risk=Risk.READ,
    resources=process_of,
    repeats=True,
)
