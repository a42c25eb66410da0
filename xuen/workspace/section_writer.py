"""Puts write_section.py into a folder: `section_script`, copied out with the place of the run's lock.

Written anew at each start, so that neither an agent's edit nor an older xuen lives on in it, and before a round where
an agent deleted or changed it: without it no later agent could write. A folder of that name is renamed, never deleted.
"""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files

from xuen.files.aside import keep_aside, make_room
from xuen.files.durable import write_bytes
from xuen.files.regular import NotAFile, read_regular
from xuen.workspace.paths import Folder

RUN_LOCK = ".xuen.lock"
"""Where `section_script` itself looks for the run's lock: beside it."""


def script(run_lock: str = RUN_LOCK) -> bytes:
    """The program's text; `run_lock` is the path of the run's lock from the program's folder."""
    text = files("xuen.workspace").joinpath("section_script.py").read_bytes()
    return text.replace(f'RUN_LOCK = "{RUN_LOCK}"'.encode(), f'RUN_LOCK = "{run_lock}"'.encode(), 1)


def install(folder: Folder, run_lock: str = RUN_LOCK) -> None:
    """Write the program, atomically; agents of a living run may be starting it right now.

    Raises:
        OSError: it could not be written.
    """
    if folder.section_writer.is_dir() and not folder.section_writer.is_symlink():
        keep_aside(folder.section_writer, datetime.now(UTC))
    write_bytes(folder.section_writer, script(run_lock), mode=0o755)


def renew(folder: Folder, run_lock: str = RUN_LOCK) -> None:
    """Restore the program, and clear the place of its lock file, where an earlier round's agent changed them.

    Raises:
        OSError: they could not be restored.
    """
    make_room(folder.research_lock, lambda: datetime.now(UTC))
    try:
        if read_regular(folder.section_writer, follow=False) == script(run_lock):
            return
    except (FileNotFoundError, NotAFile, PermissionError):
        pass
    install(folder, run_lock)
