"""What the user typed and no agent call has taken yet: `inbox.jsonl`.

Any process may append at any time, whether a run is active or not. Entries are removed by rewriting the file under
its own lock, which every appender holds too, so an entry that arrives meanwhile stays for the next call. Lines that
are no entries are left alone. While a call is being given the entries (`Handover`), nobody can change or remove them.
Entries that a call has received are remembered (`Sent`) until they are out of the file, so no text goes to two calls
of one run, and no call waits for somebody else's lock. A link, a folder or a pipe in the place of the file is refused
and left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType

from xuen.errors import LockTimeout
from xuen.files.durable import write_bytes
from xuen.files.jsonl import append_objects, parse_line, to_line
from xuen.files.lock import FileLock, locked
from xuen.files.regular import read_regular
from xuen.workspace.paths import Workspace

LOCK_SECONDS = 30.0
_EDIT_SECONDS = 2.0  # a person waits for this
_CALL_SECONDS = 0.2  # a call that has just begun waits for this, and hears neither a stop nor its timeout meanwhile


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
        OSError: the file is there and cannot be read; `NotAFile` where something else is there.
    """
    try:
        data = read_regular(workspace.inbox, follow=False)
    except FileNotFoundError:
        return []
    return [entry for line in data.split(b"\n") if (entry := _entry(line)) is not None]


def consume(workspace: Workspace, entries: Iterable[Entry], *, wait: float = LOCK_SECONDS) -> None:
    """Take these entries out, once each; others, and those that arrive meanwhile, stay. `wait` is in seconds.

    Raises:
        LockTimeout: another process kept the file locked.
        OSError: nothing was taken out.
    """
    taken = Counter(entries)
    if not taken:
        return
    with locked(workspace.inbox, wait):
        left = []
        for line in read_regular(workspace.inbox, follow=False).split(b"\n"):
            entry = _entry(line)
            if entry is not None and taken[entry] > 0:
                taken[entry] -= 1
            elif line:
                left.append(line + b"\n")
        write_bytes(workspace.inbox, b"".join(left))


def change(workspace: Workspace, entry: Entry, text: str | None) -> bool:
    """Give a waiting entry another text, or take it out (None); False when a call has it or is being given it.

    Raises:
        OSError: nothing was changed.
    """
    try:
        with locked(workspace.inbox_lock, 0.0), locked(workspace.inbox, _EDIT_SECONDS):
            lines = [line for line in read_regular(workspace.inbox, follow=False).split(b"\n") if line]
            place = next((index for index, line in enumerate(lines) if _entry(line) == entry), None)
            if place is None:
                return False
            lines[place : place + 1] = [] if text is None else [to_line({"ts": entry.ts, "text": text})]
            write_bytes(workspace.inbox, b"".join(line + b"\n" for line in lines))
    except (LockTimeout, FileNotFoundError):
        return False
    return True


class Sent:
    """Entries that calls of this run have received and the file still holds, because another process kept it locked."""

    def __init__(self) -> None:
        self._entries: Counter[Entry] = Counter()

    def add(self, entries: Iterable[Entry]) -> None:
        """Remember that a call has received these."""
        self._entries.update(entries)

    def others(self, entries: Iterable[Entry]) -> list[Entry]:
        """Those that no call has received yet, in order."""
        received = Counter(self._entries)
        found = []
        for entry in entries:
            if received[entry] > 0:
                received[entry] -= 1
            else:
                found.append(entry)
        return found

    def take_out(self, workspace: Workspace) -> None:
        """Take them out of the file, after a short wait at most.

        Raises:
            LockTimeout, OSError: they are still in it, and still remembered.
        """
        consume(workspace, self._entries.elements(), wait=_CALL_SECONDS)
        self._entries.clear()


class Handover:
    """Gives what waits to one call: within it the entries stay as they are, `take` takes them out.

    A call that never starts takes nothing. Where locks do not work, the entries are handed over without protection.
    `sent` is shared by all calls of a run. `trouble` says why an existing inbox cannot be read; then there are no
    entries.
    """

    def __init__(self, workspace: Workspace, sent: Sent | None = None) -> None:
        self._workspace = workspace
        self._sent = sent or Sent()
        self._lock = FileLock(workspace.inbox_lock)
        self.entries: list[Entry] = []
        self.trouble: OSError | None = None

    def __enter__(self) -> Handover:
        """Hold the entries. Raises nothing."""
        with suppress(LockTimeout, OSError):
            self._lock.acquire(_EDIT_SECONDS)
        with suppress(LockTimeout, OSError):
            self._sent.take_out(self._workspace)
        try:
            self.entries = self._sent.others(peek(self._workspace))
        except OSError as error:
            self.trouble = error
        if not self.entries:
            self._lock.release()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release what was not taken."""
        self._lock.release()

    def take(self) -> bool:
        """Remove the entries, as the call has received them; whether there were any.

        Raises:
            LockTimeout, OSError: they are still in the file, but no later call of this run gets them.
        """
        self._sent.add(self.entries)
        try:
            self._sent.take_out(self._workspace)
        finally:
            self._lock.release()
        return bool(self.entries)


def _entry(line: bytes) -> Entry | None:
    value = parse_line(line) or {}
    text = value.get("text")
    return Entry(str(value.get("ts", "")), text) if isinstance(text, str) else None
