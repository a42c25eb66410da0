"""Opening a workspace.

Two steps, because the run lock comes between them: `make_workspace` needs only a folder that can be written to,
`furnish` puts into it what a run needs and belongs to the run that owns the workspace. Nothing that is there is
overwritten, except write_section.py.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from xuen.errors import LockTimeout, WorkspaceError, reason_of
from xuen.files.aside import make_room_for_folder
from xuen.files.durable import create_bytes, make_folder, remove_temporaries
from xuen.files.lock import locked
from xuen.files.regular import read_regular
from xuen.texts.workspace import CANNOT_USE, CANNOT_USE_MEND, NO_WORKSPACE, NO_WORKSPACE_MEND
from xuen.workspace import section_writer
from xuen.workspace.paths import Workspace
from xuen.workspace.research import new_research, parse_or_none


def make_workspace(root: Path) -> Workspace:
    """The workspace at `root`; its folder is made if it is missing, and a test file is written to it.

    Raises:
        WorkspaceError: it is no folder, or nothing can be written there.
    """
    workspace = Workspace(root.absolute())
    try:
        make_folder(workspace.root)
        with tempfile.TemporaryFile(dir=workspace.root) as probe:
            probe.write(b"x")
    except OSError as error:
        raise _unusable(workspace, error) from error
    return workspace


def find_workspace(root: Path) -> Workspace:
    """An existing workspace at `root`, for commands that only look at it or queue something.

    Raises:
        WorkspaceError: there is none, or that cannot be seen.
    """
    workspace = Workspace(root.absolute())
    try:
        found = workspace.research.exists() or workspace.rounds.is_dir()
    except OSError as error:  # a folder above it cannot be entered, say
        raise _unusable(workspace, error) from error
    if not found:
        raise WorkspaceError(NO_WORKSPACE, where=str(workspace.root), mend=NO_WORKSPACE_MEND)
    return workspace


def furnish(workspace: Workspace, task: str) -> bool:
    """Put write_section.py and, if there is none, research.md into the workspace; whether it was missing.

    A research.md that was lost comes back as `rounds/best.md`, else as a new one for this task.
    Half-written files of killed processes are removed, here and in `rounds/`.

    Raises:
        WorkspaceError: something could not be written.
    """
    try:
        make_room_for_folder(workspace.work.root, lambda: datetime.now(UTC))
        workspace.work.root.mkdir(exist_ok=True)
        remove_half_written(workspace)
        section_writer.install(workspace)
        create_bytes(workspace.research, _best(workspace) or new_research(task))
    except FileExistsError:
        return False
    except OSError as error:
        raise _unusable(workspace, error) from error
    return True


def remove_half_written(workspace: Workspace) -> None:
    """Remove the temporary files of killed processes, everywhere in the workspace that xuen writes.

    Raises:
        OSError: a folder cannot be read, or a file in it not be removed.
    """
    # A write_section.py that is at work right now holds this lock as long as its temporary file is there.
    for place in (workspace, workspace.work):
        if place.root.is_dir():
            with suppress(LockTimeout), locked(place.research_lock, 2):
                remove_temporaries(place.root)
    for folder in (workspace.rounds, workspace.prompts, workspace.logs):
        remove_temporaries(folder)


def _best(workspace: Workspace) -> bytes | None:
    """The best candidate, for a workspace that lost only its research.md; None without one."""
    try:
        best = parse_or_none(read_regular(workspace.best))
    except OSError:
        return None
    return best.data if best else None


def _unusable(workspace: Workspace, error: OSError) -> WorkspaceError:
    reason = reason_of(error)
    return WorkspaceError(CANNOT_USE.of(error=reason), where=str(workspace.root), mend=CANNOT_USE_MEND)
