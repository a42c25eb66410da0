"""What the user typed and no agent call has taken yet: `inbox.jsonl`.

Any process may add at any time, with a run going on or none. Entries are taken out by rewriting the file under its
own lock, which every appender holds too, so an entry that arrives meanwhile stays for the next call. Lines that hold
no entry are left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from xuen.files.durable import write_bytes
from xuen.files.jsonl import append_objects, parse_lines
from xuen.files.lock import locked
from xuen.workspace.paths import Workspace

LOCK_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One text and when it was queued (ISO 8601 UTC; empty when unknown)."""

    ts: str
    text: str


def _now() -> datetime:
    return datetime.now(UTC)


def put(workspace: Workspace, text: str, *, now: Callable[[], datetime] = _now) -> None:
    """Queue a text; it is on the disk when this returns.

    Raises:
        OSError: it was not queued.
    """
    append_objects(workspace.inbox, [{"ts": now().astimezone(UTC).isoformat(), "text": text}])


def peek(workspace: Workspace) -> list[Entry]:
    """All queued texts, oldest first; they stay queued.

    Raises:
        OSError: the file is there and cannot be read.
    """
    try:
        data = workspace.inbox.read_bytes()
    except FileNotFoundError:
        return []
    return [entry for line in data.split(b"\n") if (entry := _entry(line)) is not None]


def consume(workspace: Workspace, entries: Iterable[Entry]) -> None:
    """Take these entries out, once each; others, and those that arrive meanwhile, stay.

    Raises:
        LockTimeout: another process kept the file locked.
        OSError: nothing was taken out.
    """
    taken = Counter(entries)
    if not taken:
        return
    with locked(workspace.inbox, LOCK_SECONDS):
        left = []
        for line in workspace.inbox.read_bytes().split(b"\n"):
            entry = _entry(line)
            if entry is not None and taken[entry] > 0:
                taken[entry] -= 1
            elif line:
                left.append(line + b"\n")
        write_bytes(workspace.inbox, b"".join(left))


def _entry(line: bytes) -> Entry | None:
    objects = parse_lines(line).objects
    text = objects[0].get("text") if objects else None
    if not isinstance(text, str):
        return None
    return Entry(str(objects[0].get("ts", "")), text)
