"""Puts write_section.py into a workspace: `section_script` as it stands, copied out.

Written anew at each start, so that neither an agent's edit nor an older xuen lives on in it, and before a round where
an agent deleted or changed it: without it no later agent could write. A folder of that name is renamed, never deleted.
"""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files

from xuen.files.aside import keep_aside, make_room
from xuen.files.durable import write_bytes
from xuen.files.regular import NotAFile, read_regular
from xuen.workspace.paths import Workspace


def script() -> bytes:
    """The program's text."""
    return files("xuen.workspace").joinpath("section_script.py").read_bytes()


def install(workspace: Workspace) -> None:
    """Write the program, atomically; agents of a living run may be starting it right now.

    Raises:
        OSError: it could not be written.
    """
    if workspace.section_writer.is_dir() and not workspace.section_writer.is_symlink():
        keep_aside(workspace.section_writer, datetime.now(UTC))
    write_bytes(workspace.section_writer, script(), mode=0o755)


def renew(workspace: Workspace) -> None:
    """Restore the program, and clear the place of its lock file, where an earlier round's agent changed them.

    Raises:
        OSError: they could not be restored.
    """
    make_room(workspace.research_lock, lambda: datetime.now(UTC))
    try:
        if read_regular(workspace.section_writer, follow=False) == script():
            return
    except (FileNotFoundError, NotAFile, PermissionError):
        pass
    install(workspace)
