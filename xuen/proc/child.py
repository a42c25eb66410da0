"""A command and everything that it started, as its caller sees it: watched together, ended together.

Owns the wait for the end of a tree. Who belongs to it and how it ends is up to the subclasses: `supervised` on Linux,
`portable` elsewhere.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import IO, Final

GRACE: Final = 3.0  # seconds between SIGTERM and SIGKILL
HURRIED_GRACE: Final = 0.3  # ... once a second stop asked for haste
GIVE_UP: Final = 1.8  # seconds of SIGKILL after which a process counts as one that cannot be ended

_TICK: Final = 0.02  # seconds between two looks at whether a hurry was asked for


class Clock:
    """Seconds in which this program ran: a frozen container, a stopped process and a long callback do not count."""

    STEP: Final = 1.0  # seconds: of a longer gap between two looks no more counts; a look is due every 0.1 s

    def __init__(self) -> None:
        self.now = 0.0
        self._looked = time.monotonic()

    def look(self) -> float:
        """The time by now."""
        now = time.monotonic()
        self.now += min(now - self._looked, self.STEP)
        self._looked = now
        return self.now


class Child:
    """One running command with all that came of it. The caller of `start` calls `end`, whatever happens."""

    pid: int
    root: int
    """The process that the whole tree descends from, as far as this system allows."""
    stdin: IO[bytes] | None = None
    stdout: IO[bytes] | None = None
    stderr: IO[bytes] | None = None
    status: int | None = None
    """How the command ended: its exit code, minus N for signal N; None while it runs."""
    left: tuple[int, ...] = ()
    """The processes that the command left running when it ended."""
    survivors: tuple[int, ...] = ()
    """The processes that could not be ended."""

    def ended(self) -> bool:
        """Whether the command itself has ended; what it started may go on."""
        raise NotImplementedError

    def fileno(self) -> int:
        """A descriptor that is readable when there is news of the end; -1 when there is none (any more)."""
        return -1

    def signal(self, number: int, group: int | None = None) -> None:
        """Signal a process group of the tree: that of the command unless another one is named."""
        raise NotImplementedError

    def close(self) -> None:
        """Close its streams."""
        for file in (self.stdin, self.stdout, self.stderr):
            if file is not None:
                with contextlib.suppress(OSError):  # what was written last finds no reader
                    file.close()

    def end(
        self,
        *,
        grace: float = GRACE,
        hurried: Callable[[], bool] = lambda: False,
        meanwhile: Callable[[float], object] | None = None,
    ) -> tuple[int, ...]:
        """SIGTERM to all processes, `grace` seconds, SIGKILL until none is left; the pids that could not be ended.

        What processes start after they were asked, to clean up, has until then as well. `meanwhile(seconds)` is
        called in between, so that the caller can keep reading the output and no process hangs on a full pipe.
        """
        clock = Clock()
        self._end_within(grace)
        while not self._over(clock.look() - grace):
            (meanwhile or self._wait)(_TICK)
            if grace > HURRIED_GRACE and hurried():
                grace = HURRIED_GRACE
                self._end_within(grace)
        return self.survivors

    def _end_within(self, seconds: float) -> None:
        """Begin to end the tree, or shorten the grace."""

    def _over(self, late: float) -> bool:
        """Whether nothing more can be done; `late` are the seconds since the grace was over."""
        raise NotImplementedError

    def _wait(self, seconds: float) -> None:
        """Wait for news of the end."""
        time.sleep(seconds)
