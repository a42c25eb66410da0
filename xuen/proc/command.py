"""Run one command to its end: with limits, with its output handed on as it comes, with nothing of it left.

Owns the wait: what ends a command (its own end, a timeout, idleness, a stop) and reading both pipes meanwhile, all in
the thread that called. Refuses to wait for anything but the command itself: who holds a pipe open afterwards is
ended with the tree. Always: the pipes are closed, no process, zombie, thread or descriptor is left, also when a
callback raises.
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xuen.events import Why
from xuen.proc.pipes import Pipes, Stream
from xuen.proc.tree import GRACE, ProcessTree, adopt_orphans, spawn
from xuen.stop import Stop

_TICK = 0.1  # seconds between looks at the clock and the stop
_LOOK = 1.0  # seconds between looks at the tree
_FIRST_LOOK = 0.2
_BUSY = 0.01  # processor seconds per second from which a tree counts as working


class CannotStart(OSError):
    """The system refused to start the command; nothing runs."""


class Listener:
    """What a caller wants to know while a command runs. The methods must not block for long."""

    def started(self, pid: int) -> None:
        """The process runs."""

    def output(self, stream: Stream, chunk: bytes) -> None:
        """Bytes came, as they were read."""

    def unmarked(self, who: frozenset[tuple[int, float]]) -> None:
        """These processes do not carry the command's environment (pid and start time of each); on every change."""

    def tick(self) -> None:
        """About every 0.1 s, also in silence."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How it ended. `code` is 128 + N for a death by signal N, None when the command was ended from here."""

    why: Why
    code: int | None
    seconds: float
    survivors: tuple[int, ...] = ()


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    listener: Listener,
    stop: Stop,
    timeout: float = 0.0,
    idle_timeout: float = 0.0,
    grace: float = GRACE,
) -> Ended:
    """Run a command with standard input from `/dev/null`; limits in seconds, 0 for none.

    Raises:
        CannotStart: it could not be started.
    """
    adopt_orphans()
    stop.begin_call()
    began = time.monotonic()
    try:
        selector = selectors.DefaultSelector()
        try:
            tree = spawn(argv, cwd=cwd, env=env)
        except OSError:
            selector.close()
            raise
    except OSError as error:
        raise CannotStart(error.errno, error.strerror, error.filename) from error
    try:
        with Pipes(tree, listener, selector) as pipes:
            listener.started(tree.pid)
            why = _wait(tree, pipes, listener, stop, _Limits(began, timeout, idle_timeout))
            survivors = tree.end(grace=grace, hurried=stop.is_hurried, meanwhile=pipes.pump)
            pipes.drain()
    except BaseException:
        tree.end(grace=grace, hurried=stop.is_hurried)  # whatever went wrong, in a callback too, nothing is left
        raise
    code = None
    if why is Why.OK:
        status = tree.returncode or 0
        code = status if status >= 0 else 128 - status
        why = Why.OK if code == 0 else Why.FAILED
    return Ended(why, code, time.monotonic() - began, tuple(survivors))


@dataclass(frozen=True, slots=True)
class _Limits:
    began: float
    timeout: float
    idle: float


def _wait(tree: ProcessTree, pipes: Pipes, listener: Listener, stop: Stop, limits: _Limits) -> Why:
    """Read until the command ends or must be ended; `Why.OK` stands for its own end."""
    pulse = _Pulse(tree, listener, limits.began)
    while not tree.command_ended():
        now = time.monotonic()
        if stop.ends_call():
            return Why.STOPPED
        if limits.timeout and now - limits.began >= limits.timeout:
            return Why.TIMEOUT
        pulse.look(now, pipes.last_output, limits.idle)
        idle = limits.idle and now - pulse.last_sign >= limits.idle
        if idle and not tree.command_ended():  # what ended during the look no longer shows what it used
            return Why.IDLE
        left = limits.began + limits.timeout - now if limits.timeout else _TICK
        pipes.pump(max(0.0, min(_TICK, left)))
    return Why.OK


class _Pulse:
    """When the tree last printed something or used the processor."""

    def __init__(self, tree: ProcessTree, listener: Listener, now: float) -> None:
        self._tree = tree
        self._listener = listener
        self._unmarked: frozenset[tuple[int, float]] = frozenset()
        self._looked = now
        self._every = _FIRST_LOOK
        self._cpu: dict[tuple[int, float], float] = {}
        self.last_sign = now

    def look(self, now: float, last_output: float, idle: float) -> None:
        """Note signs of life; looking at the tree also reaps its orphans and keeps its members in mind.

        Nobody who has been silent for `idle` seconds is called idle by a look of some time ago.
        """
        self.last_sign = max(self.last_sign, last_output)
        passed = now - self._looked
        if passed < self._every and not (idle and now - self.last_sign >= idle):
            return
        try:
            members = self._tree.members()
            unmarked = self._tree.unmarked(members)
        except OSError:  # for want of descriptors; at the next turn then
            return
        if unmarked != self._unmarked:
            self._unmarked = unmarked
            self._listener.unmarked(unmarked)
        cpu = {row.identity: row.cpu for row in members}
        used = sum(max(0.0, seconds - self._cpu.get(who, 0.0)) for who, seconds in cpu.items())
        if used > _BUSY * passed:
            self.last_sign = now
        self._cpu, self._looked = cpu, now
        # Where a great many processes run, looking at them takes long; it must stay a small part of the time.
        self._every = max(_LOOK, 50 * (time.monotonic() - now))
