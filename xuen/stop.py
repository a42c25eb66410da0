"""One token says that the run should end, and how urgently."""

from __future__ import annotations

import threading


class Stop:
    """Set once by a signal or a key, watched by everything that waits.

    `exit_code` is what the program should end with (0 for a quit from the screen, 128 + N for signal N);
    the first caller decides it. `hurry()` shortens the grace that processes are given, nothing more.
    Both may be called from a signal handler or from any thread.
    """

    def __init__(self) -> None:
        self._set = threading.Event()
        self._hurried = threading.Event()
        self.exit_code: int | None = None

    def request(self, exit_code: int) -> None:
        """Ask for a graceful end; a second request hurries it."""
        if self._set.is_set():
            self._hurried.set()
            return
        self.exit_code = exit_code
        self._set.set()

    def is_set(self) -> bool:
        """Whether an end was asked for."""
        return self._set.is_set()

    def is_hurried(self) -> bool:
        """Whether it was asked for more than once."""
        return self._hurried.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Sleep until the token is set, at most `seconds`; whether it is."""
        return self._set.wait(seconds)
