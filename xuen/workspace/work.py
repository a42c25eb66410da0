"""The folder in which a research call works: a copy of research.md, and write_section.py.

Owns putting a state there and reading it back. What else an agent leaves in the folder stays for later calls. The
record never lies in it. What stands in the place of one of the files is renamed, never deleted.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from xuen.files.aside import keep_aside, make_room_for_folder
from xuen.files.durable import make_folder
from xuen.files.regular import read_regular
from xuen.workspace import section_writer
from xuen.workspace.paths import Workspace
from xuen.workspace.research_file import ResearchFile


class StateStore(Protocol):
    """Where a research call finds the state that it starts from, and leaves its own."""

    trouble: bool
    """Whether the last `materialise` failed."""

    def materialise(self, document: bytes) -> None:
        """Put a state there.

        Raises:
            OSError, LockTimeout: an older state may still be there.
        """
        ...

    def capture(self) -> bytes | None:
        """The state that is there; None when it is gone or cannot be read."""
        ...


class WorkFolder:
    """The work folder of one workspace; `clock` names what is renamed."""

    def __init__(self, workspace: Workspace, clock: Callable[[], datetime]) -> None:
        self.trouble = False  # whether the last try to put a state there failed
        self._folder = workspace.work
        self._research = ResearchFile(workspace.work, now=clock)
        self._clock = clock

    def materialise(self, document: bytes) -> None:
        """Make research.md hold exactly `document`, and write_section.py work beside it.

        Raises:
            OSError, LockTimeout: the folder may hold an older state.
        """
        self.trouble = True
        folder = self._folder
        if folder.root.is_symlink():
            keep_aside(folder.root, self._clock())
        make_room_for_folder(folder.root, self._clock)
        make_folder(folder.root)
        section_writer.renew(folder, run_lock="../.xuen.lock")
        now = self.capture()
        if now != document:
            if now is None:
                keep_aside(folder.research, self._clock())
            self._research.replace(document)
        self.trouble = False

    def capture(self) -> bytes | None:
        """research.md as the agent left it; None when it is gone, no file, or cannot be read. No link is followed."""
        try:
            return read_regular(self._folder.research, follow=False)
        except OSError:
            return None
