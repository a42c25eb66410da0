"""`write_file`: make, replace or lengthen a file."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools.base import Arguments, PathText, Tool, path_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Effect, Outcome
from xuen.xwork.tools.text_file import LIMIT, encode


class WriteFile(Arguments, frozen=True, kw_only=True):
    """Arguments of `write_file`."""

    path: PathText
    content: str
    mode: Annotated[Literal["overwrite", "create", "append"], Meta(description="create refuses a file that exists")] = (
        "overwrite"
    )
    create_parents: Annotated[bool, Meta(description="Make missing folders on the way")] = False


def _run(asked: WriteFile, context: ToolContext) -> Outcome:
    data = encode(asked.content)
    with context.workspace.place(asked.path, writing=True, create_parents=asked.create_parents) as place:
        before = place.stat()
        if asked.mode == "append" and before is not None:
            place.write(place.read(LIMIT) + data)
            done = "Appended to"
        else:
            place.write(data, new=asked.mode == "create")
            done = "Created" if before is None else "Overwrote"
        return Outcome(f"{done} {place.shown} ({len(data):,} bytes)", effect=Effect.WRITE)


TOOL = Tool(
    "write_file",
    "Write a whole text file in the workspace, or append to it. The file is replaced in one step; its permissions "
    "stay.",
    WriteFile,
    _run,
    risk=Risk.WRITE,
    resources=path_of,
)
