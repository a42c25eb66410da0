"""One run owns a workspace.

Owns `.xuen.lock`: its lock says that a run is alive, its content (`{"pid", "run", "since"}`) which one.
write_section.py believes only both together, so the token of a killed run, which stays in the file, opens nothing.
A run that ends by itself empties the file first. An agent may delete the file; the lock of the folder itself, which
the run holds too, keeps a second run out even so, and the file is made anew before the next round.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from xuen.errors import LockTimeout, WorkspaceBusy, WorkspaceError
from xuen.files.aside import make_room
from xuen.files.lock import FileLock, FolderLock, holder, is_held, locked
from xuen.files.regular import read_regular
from xuen.texts import plain
from xuen.texts.workspace import BUSY, BUSY_MEND, BUSY_UNKNOWN, CANNOT_LOCK, CANNOT_LOCK_MEND
from xuen.workspace.paths import Workspace

PATIENCE = 1.0
"""Seconds to wait for a holder: enough for one that is just dying or only looking, short for a person."""


class RunLock:
    """The ownership of a workspace by the run with this token. The folder must exist."""

    def __init__(self, workspace: Workspace, token: str, *, patience: float = PATIENCE) -> None:
        self._workspace = workspace
        self._token = token
        self._patience = patience
        self._said = b""
        self._folder = FolderLock(workspace.root)
        self._lock = FileLock(workspace.run_lock)

    def acquire(self) -> None:
        """Own the workspace from now until `release` or the end of this process.

        Raises:
            WorkspaceBusy: another run owns it; names that process.
            WorkspaceError: the lock file cannot be made, or the file system cannot lock.
        """
        said = {"pid": os.getpid(), "run": self._token, "since": datetime.now(UTC).isoformat(timespec="seconds")}
        self._said = json.dumps(said).encode() + b"\n"
        try:
            with suppress(OSError):  # where folders cannot be locked, the file alone has to do
                self._folder.acquire(self._patience)
            self._own_file()
        except LockTimeout:
            self._folder.release()
            raise self._busy() from None
        except OSError as error:
            self._folder.release()
            reason, where = plain(str(error)), str(self._workspace.root)
            raise WorkspaceError(CANNOT_LOCK.of(error=reason), where=where, mend=CANNOT_LOCK_MEND) from error

    def renew(self) -> None:
        """Make `.xuen.lock` anew where somebody deleted, replaced or overwrote it while this run owns the workspace.

        A disk that refuses is no reason to end: the lock of the folder is still held, and this is tried again.

        Raises:
            WorkspaceBusy: another run has it now; only where folders cannot be locked, or this one was replaced.
        """
        path = self._workspace.run_lock
        try:
            if self._lock.is_in_place() and read_regular(path) == self._said:
                return
            self._lock.release()
            self._own_file()
        except LockTimeout:
            raise self._busy() from None
        except OSError:
            return

    def _own_file(self) -> None:
        """Lock the file and write into it who holds it. Raises LockTimeout, OSError: it is not held."""
        for path in (self._workspace.run_lock, self._workspace.research_lock):
            make_room(path, lambda: datetime.now(UTC))  # an agent may have left a folder or a link there
        with ExitStack() as stack:
            # write_section.py looks at the run lock while it holds this one. So it never sees the moment between
            # our lock and our token, in which a killed run's token would seem to be alive.
            for lock in (self._workspace.research_lock, self._workspace.work.research_lock):
                with suppress(LockTimeout, FileNotFoundError):  # the work folder may not be there yet
                    stack.enter_context(locked(lock, 2 * self._patience))
            self._lock.acquire(self._patience)
            try:
                self._lock.write(self._said)
            except OSError:
                self._lock.release()
                raise

    def release(self) -> None:
        """Give up the workspace; does nothing when it is not owned."""
        with suppress(OSError, RuntimeError):
            self._lock.write(b"")
        self._lock.release()
        self._folder.release()

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _busy(self) -> WorkspaceBusy:
        pid = holder_pid(self._workspace)
        what = BUSY_UNKNOWN if pid is None else BUSY.of(pid=pid)
        return WorkspaceBusy(what, where=str(self._workspace.root), mend=BUSY_MEND)


def is_owned(workspace: Workspace) -> bool:
    """Whether a run is alive in the workspace, also one whose lock file was deleted.

    Raises:
        OSError: the lock file is there and cannot be looked at.
    """
    with suppress(OSError):
        if is_held(workspace.root):
            return True
    return is_held(workspace.run_lock)


def holder_pid(workspace: Workspace) -> int | None:
    """The process that last wrote itself into the run lock; None when the run ended by itself or never was."""
    said: object = None
    with suppress(OSError):
        said = (holder(workspace.run_lock) or {}).get("pid")
    return said if isinstance(said, int) else None
