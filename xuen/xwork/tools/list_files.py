"""`list_files`: what is in a folder, bounded."""

from __future__ import annotations

import os
import stat
from typing import Annotated

from msgspec import Meta

from xuen.xwork.cancel import stop_if
from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools.base import MOST, Arguments, PathText, Tool, path_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Outcome
from xuen.xwork.tools.walk import DEEPEST, Entry, matches, printable, walk

_LIMIT = 500


class ListFiles(Arguments, frozen=True, kw_only=True):
    """Arguments of `list_files`."""

    path: PathText = "."
    recursive: bool = False
    pattern: Annotated[
        str | None, Meta(description="Wildcards like *.py; with a slash in it the path below the folder is compared")
    ] = None
    limit: Annotated[int, Meta(ge=1, le=MOST, description="Entries at most")] = _LIMIT


def _run(asked: ListFiles, context: ToolContext) -> Outcome:
    with context.workspace.place(asked.path) as place:
        folder = place.open_folder()
        try:
            return _listing(folder, asked, "" if place.shown == "." else f"{place.shown}/", context)
        finally:
            os.close(folder)


def _listing(folder: int, asked: ListFiles, prefix: str, context: ToolContext) -> Outcome:
    lines: list[str] = []
    for entry in walk(folder, DEEPEST if asked.recursive else 1):
        stop_if(context.cancel)
        if not matches(asked.pattern, entry.name, entry.path):
            continue
        if len(lines) == asked.limit:
            lines.append(f"[more than {asked.limit} entries; narrow it with path or pattern]")
            break
        lines.append(_line(entry, prefix))
    return Outcome("\n".join(lines) or "(nothing)")


def _line(entry: Entry, prefix: str) -> str:
    path = printable(prefix + entry.path)
    if stat.S_ISDIR(entry.mode):
        return f"{path}/"
    if stat.S_ISREG(entry.mode):
        return f"{path} ({entry.size:,} bytes)"
    return f"{path} ({'link' if stat.S_ISLNK(entry.mode) else 'special file'})"


TOOL = Tool(
    "list_files",
    "List a folder of the workspace, sorted; folders end with a slash. Recursive listings do not enter .git, .xwork "
    "and links.",
    ListFiles,
    _run,
    risk=Risk.READ,
    resources=path_of,
)
