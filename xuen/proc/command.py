"""Run one command to its end: with limits, with its output handed on as it comes, with nothing of it left.

Owns the wait: what ends a command (its own end, a timeout, idleness, a cancel) and reading its output meanwhile, all in
the thread that called. Refuses to wait for anything but the command itself: what holds a pipe open afterwards is
ended with the tree. Always: the pipes are closed, no process, zombie, thread or descriptor is left, also when a
callback raises; time in which this program did not run does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xuen.events import Why
from xuen.proc.child import GRACE, Child, Clock
from xuen.proc.load import Used, is_busy, used_below
from xuen.proc.pipes import Pipes, Stream
from xuen.proc.spawn import start
from xuen.stop import Cancel

_TICK = 0.1  # seconds between looks at the clock and the cancel token
_LOOK = 1.0  # seconds between looks at the processor time of the tree


class CannotStart(OSError):
    """The system refused to start the command; nothing runs."""


class Listener:
    """What a caller wants to know while a command runs. The methods must not block for long."""

    def started(self, pid: int) -> None:
        """The process runs."""

    def output(self, stream: Stream, chunk: bytes) -> None:
        """Bytes came, as they were read."""

    def tick(self) -> None:
        """About every 0.1 s, also in silence."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a command ended. `status` is its exit code, minus N for signal N, also where it was ended from here."""

    why: Why
    status: int | None  # None only when it could not be ended
    seconds: float
    left: tuple[int, ...]  # processes that it had left running when it ended
    survivors: tuple[int, ...]  # processes that could not be ended

    @property
    def by_itself(self) -> bool:
        """Whether the command ended before anything ended it."""
        return self.why in (Why.OK, Why.FAILED)

    @property
    def code(self) -> int | None:
        """As a shell says it: 128 + N for signal N; None when the command was ended from here."""
        if not self.by_itself or self.status is None:
            return None
        return self.status if self.status >= 0 else 128 - self.status


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    listener: Listener,
    cancel: Cancel,
    hurried: Callable[[], bool] = lambda: False,
    timeout: float = 0.0,
    idle_timeout: float = 0.0,
    grace: float = GRACE,
    prefix: Sequence[str] = (),
) -> Exit:
    """Run a command with standard input from `/dev/null`; limits in seconds, 0 for none.

    `prefix` are the words of a program that runs the command, a sandbox say.

    Raises:
        CannotStart: it could not be started.
    """
    try:
        child = start([*prefix, *argv], cwd=cwd, env=env)
    except OSError as error:
        raise CannotStart(error.errno, error.strerror or str(error), error.filename) from error
    return attend(child, listener, cancel, hurried=hurried, timeout=timeout, idle_timeout=idle_timeout, grace=grace)


def attend(
    child: Child,
    listener: Listener,
    cancel: Cancel,
    *,
    hurried: Callable[[], bool] = lambda: False,
    timeout: float = 0.0,
    idle_timeout: float = 0.0,
    grace: float = GRACE,
    cancel_grace: float | None = None,
) -> Exit:
    """Wait for the end of a command that runs, and end its tree; limits in seconds, 0 for none.

    `cancel_grace` stands in for `grace` after a cancel.
    """
    clock = Clock()
    try:
        with Pipes(child, listener) as pipes:
            listener.started(child.pid)
            why = _wait(child, pipes, cancel, clock, (timeout, idle_timeout))
            if why is Why.STOPPED and cancel_grace is not None:
                grace = cancel_grace

            def meanwhile(seconds: float) -> None:
                pipes.pump(seconds)
                clock.look()

            child.end(grace=grace, hurried=hurried, meanwhile=meanwhile)
            pipes.drain()
    except BaseException:
        child.end(grace=grace if cancel_grace is None else cancel_grace, hurried=hurried)
        child.close()
        raise
    if why is Why.OK and child.status != 0:
        why = Why.FAILED
    return Exit(why, child.status, clock.look(), child.left, child.survivors)


def _wait(child: Child, pipes: Pipes, cancel: Cancel, clock: Clock, limits: tuple[float, float]) -> Why:
    """Read until the command ends or must be ended; `Why.OK` stands for its own end."""
    timeout, idle_timeout = limits
    pulse = _Pulse(child.root) if idle_timeout else None
    while not child.ended():
        now = clock.look()
        if cancel.is_set():
            return Why.STOPPED
        if timeout and now >= timeout:
            return Why.TIMEOUT
        if pulse and now - pulse.last_sign >= idle_timeout and not pulse.beats(now) and not child.ended():
            return Why.IDLE  # what ended during the look no longer shows what it used
        if pipes.pump(max(0.0, min(_TICK, timeout - now)) if timeout else _TICK) and pulse:
            pulse.last_sign = now
        if pulse and now - pulse.looked >= pulse.every:
            pulse.beats(now)
    return Why.OK


class _Pulse:
    """When a tree last printed something or used the processor."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._used: Used = {}
        self.looked = self.last_sign = 0.0
        self.every = _LOOK / 5  # the first look comes soon, for a later one to be compared with

    def beats(self, now: float) -> bool:
        """Look at the processor time; whether any was used since the look before."""
        began = Clock()
        used = used_below(self._root)
        busy = is_busy(self._used, used, now - self.looked)
        self._used, self.looked = used, now
        # Where a great many processes run, looking at them takes long; it must stay a small part of the time.
        self.every = max(_LOOK, 50 * began.look())
        if busy:
            self.last_sign = now
        return busy
