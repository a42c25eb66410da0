"""`write_process`: input for a managed process."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools.base import Arguments, Tool, process_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Outcome, ToolError
from xuen.xwork.tools.text_file import encode


class WriteProcess(Arguments, frozen=True, kw_only=True):
    """Arguments of `write_process`."""

    process_id: str
    text: Annotated[str, Meta(description="Written as it is: end a line with a newline")] = ""
    close_stdin: bool = False


def _run(asked: WriteProcess, context: ToolContext) -> Outcome:
    managed = context.processes.get(asked.process_id)
    if not asked.text and not asked.close_stdin:
        raise ToolError("give text to write, or close_stdin")
    data = encode(asked.text)
    done = managed.write(data, context.cancel) if data else 0
    if done < len(data):
        return Outcome(f"{managed.name} took only {done:,} of {len(data):,} bytes in time", failed=True)
    if asked.close_stdin:
        managed.close_stdin()
    closed = "; its standard input is closed" if asked.close_stdin else ""
    return Outcome(f"{done:,} bytes written to {managed.name}{closed}")


TOOL = Tool(
    "write_process",
    "Write text to the standard input of a process, or close it.",
    WriteProcess,
    _run,
    risk=Risk.EXECUTE,
    resources=process_of,
)
