"""`apply_patch`: changes of several files, all or none."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from xuen.xwork.policy.permission import Resource, Risk
from xuen.xwork.tools.base import Arguments, Tool
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Effect, Outcome, ToolError
from xuen.xwork.tools.patch.grammar import Update, parse
from xuen.xwork.tools.patch.transaction import carry_out, plan


class ApplyPatch(Arguments, frozen=True, kw_only=True):
    """Arguments of `apply_patch`."""

    patch: Annotated[str, Meta(min_length=1, description="From *** Begin Patch to *** End Patch")]


def _run(asked: ApplyPatch, context: ToolContext) -> Outcome:
    steps, told = plan(parse(asked.patch), context.workspace)
    carry_out(steps, context.workspace)
    return Outcome("Applied:\n" + "\n".join(told), effect=Effect.WRITE)


def _files(arguments: Any) -> tuple[Resource, ...]:
    try:
        changes = parse(arguments.patch)
    except ToolError:  # it will be refused in a moment
        return ()
    paths = [change.path for change in changes]
    paths += [change.move_to for change in changes if isinstance(change, Update) and change.move_to]
    return tuple(Resource("path", path) for path in paths)


TOOL = Tool(
    "apply_patch",
    """Change several files in one step: all changes or none. The patch:
*** Begin Patch
*** Add File: PATH            (then its lines, each with + before it)
*** Delete File: PATH
*** Update File: PATH         (then *** Move to: PATH if it is renamed, then chunks)
@@ a line that stands before the change, or nothing after the @@
 a line that stays
-a line that goes
+a line that comes
*** End Patch
Give about three lines that stay before and after each change. A chunk that fits in several places is refused.""",
    ApplyPatch,
    _run,
    risk=Risk.WRITE,
    resources=_files,
)
