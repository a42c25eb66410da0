"""What the commands that look at a workspace share. Nothing here makes, locks or changes a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from xuen.errors import WorkspaceError, reason_of
from xuen.files.jsonl import number
from xuen.texts import Text, plain
from xuen.texts import cli as texts
from xuen.workspace.paths import Workspace
from xuen.workspace.run_lock import holder_pid, is_owned
from xuen.workspace.setup import find_workspace

_EVENTS = {
    "baseline": texts.E_BASELINE,
    "candidate": texts.E_CANDIDATE,
    "adopted": texts.E_ADOPTED,
    "rejected": texts.E_REJECTED,
    "pending": texts.E_PENDING,
    "open": texts.E_OPEN,
    "heartbeat": texts.E_HEARTBEAT,
    "damaged": texts.E_DAMAGED,
    "agent_failed": texts.E_AGENT_FAILED,
    "stopped": texts.E_STOPPED,
    "restored": texts.E_RESTORED,
    "verdict": texts.E_VERDICT,
    "recovered": texts.E_RECOVERED,
    "run_started": texts.E_RUN_STARTED,
    "run_finished": texts.E_RUN_FINISHED,
}


@contextmanager
def workspace_of(folder: str) -> Iterator[Workspace]:
    """The workspace that a run has made there, for the body to read.

    Raises:
        WorkspaceError: there is none, or a file in it cannot be read or written.
    """
    workspace = find_workspace(Path(folder))
    try:
        yield workspace
    except OSError as error:
        where = str(error.filename or workspace.root)
        raise WorkspaceError(texts.CANNOT_USE_FILE.of(reason=reason_of(error)), where=where) from None


def running_pid(workspace: Workspace) -> int | None:
    """The process of the run that holds the workspace now; 0 if it is not known, None if there is no run."""
    with suppress(OSError):
        if is_owned(workspace):
            return holder_pid(workspace) or 0
    return None


def event_name(event: object) -> Text:
    """An event of the history in words; one that is not known as it stands there."""
    return _EVENTS.get(str(event), plain(str(event)))


def when(ts: object) -> str:
    """A time of the history as `2026-11-30 10:11:12Z`; empty where there is none, its own text where it is no time."""
    text = "" if ts is None else str(ts)
    return f"{text[:10]} {text[11:19]}Z" if len(text) > 19 and text.endswith("Z") else text


def points(score: object) -> str:
    """A score as a person writes it; empty where there is none."""
    found = number(score)
    return "" if found is None else f"{found:g}"
