"""research.md on the disk.

Owns every change that xuen itself makes to it: always the whole file at once, always under `.research.lock`, which
the agents' write_section.py takes too. A damaged file is copied aside before anything replaces it, and so are sections
that the caller has never seen; nothing is deleted. If the lock stays held, the first caller waits the full time and
later ones only a moment, until it has been acquired again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from xuen.errors import DamagedResearch, LockTimeout
from xuen.files.aside import copy_aside, make_room, move_aside
from xuen.files.durable import write_bytes
from xuen.files.lock import locked
from xuen.files.regular import NotAFile, read_regular
from xuen.texts.workspace import RESEARCH_MISSING, RESEARCH_NOT_A_FILE
from xuen.workspace.paths import Folder
from xuen.workspace.research import Sections, parse

LOCK_SECONDS = 10.0
"""No agent is alive when xuen writes, and every other writer is done within a moment; somebody waits at a screen."""
_MOMENT = 0.5


def _now() -> datetime:
    return datetime.now(UTC)


class ResearchFile:
    """The research.md of one folder. A symbolic link in its place is read, and replaced by a file when written."""

    def __init__(self, folder: Folder, *, now: Callable[[], datetime] = _now, wait: float = LOCK_SECONDS) -> None:
        self._path = folder.research
        self._lock = folder.research_lock
        self._now = now
        self._wait = wait
        self._patience = wait

    def read(self) -> bytes:
        """The file as it stands; whole without a lock, because every writer replaces it.

        Raises:
            DamagedResearch: it is missing, or a folder, a pipe or the like.
            OSError: it cannot be read.
        """
        try:
            return read_regular(self._path)
        except FileNotFoundError:
            raise DamagedResearch(RESEARCH_MISSING) from None
        except NotAFile:
            raise DamagedResearch(RESEARCH_NOT_A_FILE) from None

    def put_sections(self, sections: Sections, *, seen: Container[Sections | None] | None = None) -> Path | None:
        """Replace the two sections and nothing else; a file that holds them already is not touched.

        Sections that are not among `seen` were written by somebody a moment ago: the file is first copied to
        `research.edited-<UTC>.md`, whose path is returned. None for `seen` keeps no copy.

        Raises:
            DamagedResearch: the file is not well-formed; it stays as it is.
            ValueError: a content holds a marker line.
            LockTimeout: the lock stayed held.
            OSError: nothing was changed.
        """
        with self._locked():
            data = self.read()
            now = parse(data)
            new = now.with_sections(sections)
            if new == data:
                return None
            kept = None
            if seen is not None and now.sections not in seen:
                kept = self._keep(data, "edited")
            write_bytes(self._path, new)
            return kept

    def replace(self, data: bytes) -> None:
        """Replace the whole file; for one that is damaged (after `keep_aside`) or missing.

        Raises:
            LockTimeout: the lock stayed held.
            OSError: nothing was changed.
        """
        with self._locked():
            write_bytes(self._path, data)

    def keep_aside(self, reason: str = "damaged") -> Path | None:
        """Keep what stands at research.md as `research.<reason>-<UTC>.md` in the workspace; None if nothing does.

        A file stays where it is too, so that there is no moment without one; a folder or the like is moved.

        Raises:
            LockTimeout: the lock stayed held.
            OSError: it could not be kept; research.md is untouched.
        """
        with self._locked():
            try:
                return self._keep(self.read(), reason)
            except DamagedResearch:  # missing, or no file
                return self._keep(None, reason)

    def keep_copy(self, data: bytes) -> Path:
        """Keep a damaged research.md that an agent left elsewhere as `research.damaged-<UTC>.md` beside this file.

        Raises:
            OSError: it could not be kept.
        """
        return copy_aside(self._path, data, f"research.damaged-{self._now().astimezone(UTC):%Y%m%d-%H%M%S}", ".md")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        make_room(self._lock, self._now)
        try:
            with locked(self._lock, self._patience):
                self._patience = self._wait
                yield
        except LockTimeout:
            self._patience = min(self._wait, _MOMENT)
            raise

    def _keep(self, data: bytes | None, reason: str) -> Path | None:
        """Copy `data`, or move what stands there when it is None, to the first free name."""
        stem = f"research.{reason}-{self._now().astimezone(UTC):%Y%m%d-%H%M%S}"
        return move_aside(self._path, stem, ".md") if data is None else copy_aside(self._path, data, stem, ".md")
