"""`search_text`: lines that hold a literal text, bounded.

What counts is decided here, line by line; where ripgrep is installed it only says which files need not be opened, so
the result is the same with it and without.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from xuen.events import Why
from xuen.texts.xwork import INTERRUPTED
from xuen.xwork.cancel import stop_if
from xuen.xwork.errors import Interrupted
from xuen.xwork.policy.paths import Place
from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools import command
from xuen.xwork.tools.base import MOST, Arguments, PathText, Tool, path_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Outcome, ToolError
from xuen.xwork.tools.walk import DEEPEST, SKIPPED, matches, printable, walk

_LIMIT = 200
_SIZE = 64 << 20  # bytes of a file that is searched
_SNIFF = 8 << 10  # bytes that tell a binary file by a NUL in them
_BEFORE, _AFTER = 80, 220  # characters of a line around the text
_PREFILTER = 60.0  # seconds that ripgrep has
_NAMES = 32 << 20  # bytes of file names that are taken from it


class SearchText(Arguments, frozen=True, kw_only=True):
    """Arguments of `search_text`."""

    query: Annotated[str, Meta(min_length=1, description="Literal text within one line, case-sensitive")]
    path: Annotated[PathText, Meta(description="Folder or file")] = "."
    pattern: Annotated[str | None, Meta(description="Only files that fit these wildcards, like *.py")] = None
    max_depth: Annotated[int, Meta(ge=1, le=DEEPEST, description="1 is the folder itself")] = DEEPEST
    limit: Annotated[int, Meta(ge=1, le=MOST, description="Lines at most")] = _LIMIT


def _run(asked: SearchText, context: ToolContext) -> Outcome:
    if "\n" in asked.query or "\r" in asked.query:
        raise ToolError("the query must stand within one line")
    query = asked.query.encode("utf-8", "surrogatepass")
    lines: list[str] = []
    with context.workspace.place(asked.path) as place:
        for shown, data in _files(asked, context, place, query):
            if len(data) > _SIZE:
                lines.append(f"{printable(shown)}: [only its first {_SIZE >> 20} MiB are searched]")
            for number, line in _hits(data, query):
                if len(lines) >= asked.limit:
                    lines.append(f"[more than {asked.limit} lines; narrow the search]")
                    return Outcome("\n".join(lines))
                lines.append(f"{printable(shown)}:{number}: {_around(line, asked.query)}")
    return Outcome("\n".join(lines) or "(no line holds this text)")


def _files(asked: SearchText, context: ToolContext, place: Place, query: bytes) -> Iterator[tuple[str, bytes]]:
    """The files to look at and their contents, sorted by path."""
    found = place.stat()
    if found is not None and stat.S_ISREG(found.st_mode):
        yield place.shown, _content(place.open_file())
        return
    prefix = "" if place.shown == "." else f"{place.shown}/"
    folder = place.open_folder()
    try:
        worth = _prefiltered(folder, asked, context, query)
        for entry in walk(folder, asked.max_depth):
            stop_if(context.cancel)
            if not stat.S_ISREG(entry.mode) or not matches(asked.pattern, entry.name, entry.path):
                continue
            if worth is not None and os.fsencode(entry.path) not in worth:
                continue
            descriptor = entry.open_file()
            if descriptor is not None:
                yield prefix + entry.path, _content(descriptor)
    finally:
        os.close(folder)


def _content(descriptor: int) -> bytes:
    """What is in a file, of a larger one a byte more than is searched; nothing for one that is binary."""
    with os.fdopen(descriptor, "rb") as file:
        start = file.read(_SNIFF)
        return b"" if b"\0" in start else start + file.read(_SIZE + 1 - len(start))


def _hits(data: bytes, query: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that hold the query, with their numbers."""
    number, counted, at = 1, 0, data.find(query)
    while at >= 0:
        number += data.count(b"\n", counted, at)
        start = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield number, data[start:end]
        counted = end
        at = data.find(query, end)


def _around(line: bytes, query: str) -> str:
    text = line.decode("utf-8", "replace").rstrip("\r")
    at = max(0, text.find(query))
    start, end = max(0, at - _BEFORE), at + len(query) + _AFTER
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def _prefiltered(folder: int, asked: SearchText, context: ToolContext, query: bytes) -> set[bytes] | None:
    """The paths of all files that hold the query, from ripgrep; None when it is not there or does not work."""
    program = shutil.which("rg")
    where = f"/proc/self/fd/{folder}"
    if program is None or not os.path.isdir(where):  # noqa: PTH112 - a name for a descriptor
        return None
    options = [
        "--no-config",
        "--no-ignore",
        "--hidden",
        "--no-messages",
        "--text",
        "--encoding",
        "none",
        "--fixed-strings",
        "--null",
    ]
    skipped = [f"--glob=!{name}" for name in SKIPPED]
    argv = [program, *options, *skipped, f"--max-depth={asked.max_depth}", "--files-with-matches", "-e"]
    names = bytearray()

    def take(chunk: bytes) -> None:
        if len(names) <= _NAMES:
            names.extend(chunk)

    try:
        # Started in the folder itself; `.` is a name that no swap can change.
        argv += [os.fsdecode(query), "."]
        started = command.launch(argv, Path(where), context.env, stderr=subprocess.DEVNULL, sandbox=context.sandbox)
    except (OSError, ValueError):
        return None
    ended = command.run(started, take, timeout=_PREFILTER, cancel=context.cancel)
    if ended.why is Why.STOPPED:
        raise Interrupted(INTERRUPTED)
    if not ended.by_itself or started.refused() or ended.status not in (0, 1) or len(names) > _NAMES:
        return None
    return {name.removeprefix(b"./") for name in bytes(names).split(b"\0") if name}


TOOL = Tool(
    "search_text",
    "Find the lines of text files that hold a literal text: path, line number and the line. Does not enter .git, "
    ".xwork and links.",
    SearchText,
    _run,
    risk=Risk.READ,
    resources=path_of,
)
