"""A command and everything that it started: begun together, watched together, ended together.

Owns the spawning of commands in a session of their own, the question which processes belong to one, and their end.
A process belongs to a tree when it descends from the command, shares a session with one that does, carries the
tree's token in its environment, or (on Linux, after `adopt_orphans`) lost its parents and became a child of ours.
On Linux no process leaves ancestry, session and environment all at once without landing in the last group, so daemons
that hide are found too; elsewhere one that does all three is not. Where several trees run, such orphans are those of
the only brief one: a lasting one, which stands beside others for long, says so when it is spawned.

Always: a process that is no member is never signalled; children of ours that others started are never reaped;
all times are monotonic; the command itself stays unreaped until its tree has ended, so its pid, group and session
cannot pass to a stranger meanwhile. May be imported by `xuen.xwork`; knows nothing of agents.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from xuen.proc.table import Row, Snapshot, Table, children_of_task, own_children, send, system_table

TREE = "XUEN_TREE"
"""The environment variable with the tokens of all trees that a process is part of, the innermost last."""

GRACE = 3.0  # seconds between SIGTERM and SIGKILL
HURRIED_GRACE = 0.3  # … once a second stop asked for haste
GIVE_UP = 1.8  # seconds of SIGKILL after which a process counts as one that cannot be ended
STRIKES = 20  # … and how often it was sent at least: where much else runs, seconds alone say little
_CALM_SWEEPS = 2  # still sweeps in a row that prove the end
_RESTLESS_SWEEPS = 6  # … where processes of others come and go all the time and orphans are not ours
_HUNT = 0.02  # seconds of one hunt for orphans
_SET_CHILD_SUBREAPER = 36  # prctl(2)


class _Era:
    """The trees that run, and what was there before the first of them since none was running."""

    def __init__(self) -> None:
        self.roots: set[int] = set()
        self.since = 0.0  # start of that first tree
        self.strangers: frozenset[tuple[int, float]] = frozenset()  # children of ours that were there before it


class _Registry:
    """What all trees of this program share."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # held while a command starts, so that no sweep takes it for an orphan
        self.adopts = False
        self.every, self.brief = _Era(), _Era()
        self.tokens: dict[int, bytes] = {}  # of all trees, by their roots

    def only(self, root: int) -> _Era | None:
        """Of which trees this one is the only one, so that nobody else can have left an orphan."""
        return next((era for era in (self.every, self.brief) if era.roots == {root}), None)


_registry = _Registry()


def adopt_orphans() -> bool:
    """Let processes that lose their parents become children of this program; whether this system can.

    For programs that start all their sessions through this module (xuen, xwork): while a tree runs, an orphan in a
    session that is not ours is then taken for a member of it, unless it was a child of ours before the tree began.
    """
    if sys.platform != "linux" or _registry.adopts:
        return _registry.adopts
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    _registry.adopts = libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    return _registry.adopts


def spawn(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
    lasting: bool = False,
    table: Table | None = None,
) -> ProcessTree:
    """Start a command in a session of its own; it inherits the descriptors `pass_fds` beside its streams.

    A `lasting` one stands beside others: orphans without a mark that come up meanwhile are taken for theirs.

    Raises:
        OSError: it could not be started.
    """
    token = secrets.token_hex(12)
    marked = {**env, TREE: f"{env[TREE]}:{token}" if env.get(TREE) else token}
    source = table or system_table()
    with _registry.lock:
        eras = [_registry.every] if lasting else [_registry.every, _registry.brief]
        new = [era for era in eras if not era.roots]
        if new and _registry.adopts:  # times are too coarse to tell what began a moment before the tree
            there = frozenset(row.identity for row in map(source.row, own_children()) if row)
            for era in new:
                era.strangers = there
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=marked,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=pass_fds,
            bufsize=0,
            start_new_session=True,
        )
        start = 0.0
        with contextlib.suppress(OSError):  # for want of descriptors; the command runs and must be registered
            row = source.row(process.pid)
            start = row.start if row else 0.0
        for era in new:
            era.since = start
        for era in eras:
            era.roots.add(process.pid)
        _registry.tokens[process.pid] = token.encode()
    return ProcessTree(process, token, start, source)


class ProcessTree:
    """One running command with all that came of it. Whoever spawned it calls `end`, whatever happens."""

    def __init__(self, process: subprocess.Popen[bytes], token: str, start: float, table: Table) -> None:
        self.process = process
        self.pid = process.pid
        self._token = token.encode()
        self._start = start
        self._table = table
        self._seen: set[tuple[int, float]] = set()
        self._foreign: set[tuple[int, float]] = set()
        self._gone = False
        self._takes = False  # orphans; whether the last sweep did
        self._restless = 0  # sweeps in a row that found nobody

    def command_ended(self) -> bool:
        """Whether the command itself has ended; what it started may go on."""
        if self.process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self.process.poll() is not None
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # somebody reaped it for us, so it has ended
            return True

    def members(self) -> list[Row]:
        """The processes of the tree that run now; orphans that have ended are reaped on the way.

        Raises:
            OSError: they cannot be read now, for want of descriptors or memory.
        """
        return self._sweep()[0]

    def unmarked(self, members: list[Row]) -> frozenset[tuple[int, float]]:
        """The identities of those members whose environment does not tell where they belong."""
        return frozenset(row.identity for row in members if not self._carries_token(self._table.environ(row.pid)))

    def end(
        self,
        *,
        grace: float = GRACE,
        hurried: Callable[[], bool] = lambda: False,
        meanwhile: Callable[[float], object] = time.sleep,
    ) -> list[int]:
        """SIGTERM to all members, `grace` seconds, SIGKILL until none is left; the pids that could not be ended.

        What members start after they were asked, to tidy up, has until then as well. `meanwhile(seconds)`
        is called in between, so that the caller can keep reading the output and no process hangs on a full pipe.
        """
        began = time.monotonic()
        told: set[tuple[int, float]] = set()
        rows: list[Row] = []
        pause, calm, strikes = 0.002, 0, 0
        while True:
            try:
                rows, still = self._sweep()
            except OSError:  # no descriptor or memory left, perhaps soon again: then those seen last may still run
                still = False
            calm = calm + 1 if still else 0
            if calm >= _CALM_SWEEPS and self._forget():
                return []
            spent = time.monotonic() - began
            limit = min(grace, HURRIED_GRACE) if hurried() else grace
            if spent >= limit + GIVE_UP and strikes >= STRIKES:
                self._forget(at_once=True)
                return [row.pid for row in rows if row.pid != self.pid or not self._gone]
            if spent >= limit:
                self._kill(rows)
                pause, strikes = 0.002, strikes + 1
            else:
                self._ask(rows, told)
            if not still:
                meanwhile(pause)
                pause = min(pause * 1.5, 0.05)

    @property
    def returncode(self) -> int | None:
        """How the command ended: its exit code, minus N for signal N; None while it runs."""
        return self.process.returncode

    # --- who belongs -----------------------------------------------------------------------------------------------

    def _sweep(self) -> tuple[list[Row], bool]:
        """The members that run, and whether everything is still: none runs and none has just ended.

        A process that forks and exits faster than processes can be listed is never seen alive, but it leaves
        orphans to reap. Where we get no orphans, names that vanish while listing are the sign of it, a weak one.
        """
        with _registry.lock:
            snapshot = self._table.snapshot()
            roots = set(_registry.every.roots)
            era = _registry.only(self.pid)
        members = self._closure(snapshot, roots, era)
        self._seen.update(row.identity for row in members)
        alive = [row for row in members if not row.zombie]
        reaped = sum(self._reap(row.pid) for row in members if row.zombie and row.pid not in roots)
        if _registry.adopts:
            before, self._takes = self._takes, era is not None
            return alive, not alive and not reaped and before == self._takes
        self._restless = 0 if alive else self._restless + 1
        return alive, not alive and (snapshot.settled or self._restless > _RESTLESS_SWEEPS)

    @staticmethod
    def _reap(pid: int) -> bool:
        """Whether an orphan of ours that has ended was reaped; others stay with their parents."""
        try:
            return os.waitpid(pid, os.WNOHANG)[0] == pid
        except ChildProcessError:
            return False

    def _closure(self, snapshot: Snapshot, roots: set[int], era: _Era | None) -> list[Row]:
        """All rows that are members by themselves, and all that descend from them or share a session with them."""
        ours = os.getsid(0)
        earliest = self._start if era is None else min(era.since, self._start)
        rows = [row for row in snapshot.rows.values() if row.start >= earliest and row.session != ours]
        found: dict[int, Row] = {}
        rest = []
        for row in rows:
            if self._is_member(row, roots, era):
                found[row.pid] = row
            elif row.pid not in roots:
                rest.append(row)
        return with_kin(found, rest)

    def _is_member(self, row: Row, roots: set[int], era: _Era | None) -> bool:
        if row.pid == self.pid:
            return not self._gone
        if row.pid in roots or row.identity in _registry.every.strangers:
            return False
        if row.identity in self._seen or self._is_orphan(row, era):
            return True
        if row.zombie or row.start < self._start or row.identity in self._foreign:
            return False
        environ = self._table.environ(row.pid)
        if self._carries_token(environ):
            return True
        if environ:  # an empty one may be one that is just being replaced; nobody comes to carry the token later
            self._foreign.add(row.identity)
        return False

    def _is_orphan(self, row: Row, era: _Era | None) -> bool:
        if era is None or not _registry.adopts or row.parent != os.getpid() or row.identity in era.strangers:
            return False
        return not self._is_of_others(row.pid)

    def _is_of_others(self, pid: int) -> bool:
        """Whether a process carries the token of another tree that runs."""
        others = [token for root, token in _registry.tokens.copy().items() if root != self.pid]
        environ = self._table.environ(pid) if others else b""
        return any(token in environ for token in others)

    def _carries_token(self, environ: bytes) -> bool:
        return any(
            self._token in entry.partition(b"=")[2].split(b":")
            for entry in environ.split(b"\0")
            if entry.startswith(TREE.encode() + b"=")
        )

    # --- the end ---------------------------------------------------------------------------------------------------

    def _ask(self, rows: list[Row], told: set[tuple[int, float]]) -> None:
        # What a member starts after it was asked is its tidying up, and left alone as long as that member lives.
        tidying = {row.pid for row in rows if row.identity in told}
        for row in sorted(rows, key=lambda row: row.start):
            if row.identity in told:
                continue
            if row.parent in tidying:
                tidying.add(row.pid)
                continue
            with contextlib.suppress(OSError):  # for want of descriptors: it is asked again in the next sweep
                send(self._table, row, signal.SIGTERM)
                send(self._table, row, signal.SIGCONT)  # a stopped process would never see the other one
                told.add(row.identity)

    def _kill(self, rows: list[Row]) -> None:
        if self.process.returncode is None:  # so the group cannot have been given to others; needs no descriptor
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            for row in rows:
                send(self._table, row, signal.SIGKILL)
            self._kill_groups({row.session for row in rows})
            if _registry.adopts:
                self._hunt()

    def _kill_groups(self, sessions: set[int]) -> None:
        """A group dies at one stroke: its members cannot fork past it.

        A group whose leader still runs or lies unreaped cannot have been given to others, and all of a session's
        groups are ours if one of them is.
        """
        now = self._table.snapshot().rows
        for group in {row.group for row in now.values() if row.session in sessions and row.start >= self._start}:
            if group in now:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)

    def _hunt(self) -> None:
        """Kill orphans the moment they arrive: a chain of forks in new sessions outruns every listing.

        What is a child of ours keeps its pid until we reap it, so nobody else can be hit.
        """
        ours = os.getsid(0)
        with _registry.lock:
            era = _registry.only(self.pid)
            if era is None:
                return
            spared = _registry.every.roots | {pid for pid, _ in era.strangers}
            until = time.monotonic() + _HUNT
            while time.monotonic() < until:
                for pid in children_of_task(os.getpid()):  # the first thread gets the orphans
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        if pid not in spared and os.getsid(pid) != ours and not self._is_of_others(pid):
                            os.kill(pid, signal.SIGKILL)
                            self._reap(pid)

    def _forget(self, *, at_once: bool = False) -> bool:
        """Unregister this tree; False while there may be orphans that no other tree would take."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=0.5)
        self._gone = self.process.returncode is not None
        with _registry.lock:
            if _registry.adopts and not self._takes and _registry.only(self.pid) and not at_once:
                return False  # the others ended since the last sweep
            for era in (_registry.every, _registry.brief):
                era.roots.discard(self.pid)
            _registry.tokens.pop(self.pid, None)
        return True


def with_kin(found: dict[int, Row], rest: list[Row]) -> list[Row]:
    """What was found, and of the rest all that descend from it or share a session with it."""
    found = dict(found)
    grew = bool(found)
    while grew:
        sessions = {row.session for row in found.values()}
        new = [row for row in rest if row.pid not in found and (row.parent in found or row.session in sessions)]
        found.update((row.pid, row) for row in new)
        grew = bool(new)
    return list(found.values())
