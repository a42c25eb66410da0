"""Commands on a system without subreapers: a tree is what psutil can find.

Owns the search. A daemon that leaves its parents, its session and its environment all at once is not found, and
nothing ends a tree when this program is killed; the next run ends what carries the marks of a run (`leftovers`).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import psutil

from xuen.proc.child import GIVE_UP, Child

_MARK: Final = "XUEN_COMMAND"
_KILLS: Final = 20  # before a process counts as one that cannot be ended: on a busy machine seconds alone say little
_CALM: Final = 2  # looks in a row that find nothing


class FoundTree(Child):
    """The processes that `_belongs` recognises, and all that descends from them."""

    def __init__(self) -> None:
        self._known: set[psutil.Process] = set()
        self.asked: set[psutil.Process] = set()
        self._calm = self._kills = 0

    def _belongs(self, process: psutil.Process) -> bool:
        raise NotImplementedError

    def _over(self, late: float) -> bool:
        members = self._members()
        self._calm = 0 if members else self._calm + 1
        self._kills += late >= 0
        gives_up = late > GIVE_UP and self._kills > _KILLS
        if gives_up:
            self.survivors = tuple(process.pid for process in members)
        asked = {process.pid for process in self.asked}
        for process in members:
            with contextlib.suppress(psutil.Error):
                if late >= 0:
                    process.kill()
                elif process not in self.asked and process.ppid() not in asked:  # else it cleans up
                    process.terminate()
                    process.resume()  # a stopped process would never see the other one
                self.asked.add(process)
        return self._calm >= _CALM or gives_up

    def _members(self) -> list[psutil.Process]:
        """Those that run now."""
        for process in (*psutil.process_iter(), *self._known):
            with contextlib.suppress(psutil.Error, OSError):
                if process in self._known or self._belongs(process):
                    self._known |= {process, *process.children(recursive=True)}
        self._known = {process for process in self._known if _runs(process)}
        return list(self._known)


class PortableChild(FoundTree):
    """Started by this program itself; found by descent, session and a mark in the environment."""

    def __init__(
        self, popen: Callable[..., subprocess.Popen[bytes]], argv: Sequence[str], env: Mapping[str, str]
    ) -> None:
        """`popen` starts a program, with its folder and streams. Raises OSError when it cannot be started."""
        super().__init__()
        self._mark = secrets.token_hex(12)
        self._process = popen(argv, env={**env, _MARK: self._mark})
        self.stdin, self.stdout, self.stderr = self._process.stdin, self._process.stdout, self._process.stderr
        self.pid = self.root = self._process.pid

    def ended(self) -> bool:
        """Whether the command itself has ended; what it started may go on."""
        if self.status is None and self._process.poll() is not None:
            self.status = self._process.returncode
            self.left = tuple(process.pid for process in self._members())
        return self.status is not None

    def signal(self, number: int, group: int | None = None) -> None:
        """Signal a process group of the tree: that of the command unless another one is named."""
        if not self.ended():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group or self.pid, number)

    def _over(self, late: float) -> bool:
        self.ended()
        return super()._over(late)

    def _belongs(self, process: psutil.Process) -> bool:
        return os.getsid(process.pid) == self.pid or process.environ().get(_MARK) == self._mark


def _runs(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False
