"""`stop_process`: end a managed process."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools.base import Arguments, Tool, process_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Outcome
from xuen.xwork.tools.poll_process import report, status
from xuen.xwork.tools.processes import Managed

_PATIENCE = 2.0  # seconds that a process has after a signal before it is said to run on


class StopProcess(Arguments, frozen=True, kw_only=True):
    """Arguments of `stop_process`."""

    process_id: str
    signal: Annotated[
        Literal["interrupt", "terminate", "kill"] | None,
        Meta(description="Only this one; without it interrupt, then terminate, then kill, until all of it has ended"),
    ] = None


def _run(asked: StopProcess, context: ToolContext) -> Outcome:
    managed = context.processes.get(asked.process_id)
    match asked.signal:
        case None:
            return _released(context.processes.stop(managed.name, context.cancel))
        case "kill":
            return _released(context.processes.release(managed.name, 0.0))
        case "interrupt":
            managed.interrupt()
        case "terminate":
            managed.terminate()
    if managed.ended_within(_PATIENCE, context.cancel):
        return _released(context.processes.release(managed.name, hurried=context.cancel.is_set))
    return Outcome(report(managed, f"still running after the signal {asked.signal}", managed.take()), failed=True)


def _released(managed: Managed) -> Outcome:
    return Outcome(report(managed, status(managed), managed.take()))


TOOL = Tool(
    "stop_process",
    "End a process and everything that it started, and get its last output. Its id is not valid any more then.",
    StopProcess,
    _run,
    risk=Risk.EXECUTE,
    resources=process_of,
)
