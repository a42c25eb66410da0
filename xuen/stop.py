"""What a run was asked to do by whoever watches it: end, end only what runs now, or wait between rounds."""

from __future__ import annotations

import threading
from typing import Protocol


class Cancel(Protocol):
    """What can say that an end was asked for, of a run or of one command; `threading.Event` and `Stop` both can."""

    def is_set(self) -> bool:
        """Whether it was."""
        ...

    def wait(self, seconds: float | None = None, /) -> bool:
        """Sleep until it is, at most `seconds`; whether it is."""
        ...


class Stop:
    """One token for one run, set by signals and keys, watched by everything that waits.

    `exit_code` is what the program should end with (0 for a quit from the screen, 128 + N for signal N);
    the first caller decides it. Asking again shortens the grace that processes are given, nothing more.
    All methods may be called from any thread, `request` also from a signal handler. An end goes before
    everything else: it lets a pausing loop go.
    """

    def __init__(self) -> None:
        self._set = threading.Event()
        self._hurried = threading.Event()
        self._skip = threading.Event()
        self._go = threading.Event()
        self._go.set()
        self._waiting = False
        self.exit_code: int | None = None

    def request(self, exit_code: int) -> None:
        """Ask for a graceful end; a second request hurries it."""
        if self._set.is_set():
            self._hurried.set()
            return
        self.exit_code = exit_code
        self._set.set()
        self._skip.set()
        self._go.set()

    def is_set(self) -> bool:
        """Whether an end was asked for."""
        return self._set.is_set()

    def is_hurried(self) -> bool:
        """Whether it was asked for more than once."""
        return self._hurried.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Sleep until an end is asked for, at most `seconds`; whether it was."""
        return self._set.wait(seconds)

    # --- the call that runs now ------------------------------------------------------------------------------------

    def begin_call(self) -> Cancel:
        """The token of a command that is about to run; what was asked of an earlier one is not meant for it."""
        self._skip.clear()
        if self._set.is_set():
            self._skip.set()
        return self._skip

    def skip_call(self) -> None:
        """Ask for the end of the command that runs now, an agent or a test suite; the run itself goes on."""
        self._skip.set()

    def ends_call(self) -> bool:
        """Whether the command that runs now should end."""
        return self._skip.is_set()

    # --- between rounds --------------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Ask the loop to wait when the present round is over."""
        self._go.clear()
        if self._set.is_set():
            self._go.set()

    def go_on(self) -> None:
        """Take a pause back, or end it."""
        self._go.set()

    def is_paused(self) -> bool:
        """Whether the loop should wait between rounds."""
        return not self._go.is_set()

    def is_waiting(self) -> bool:
        """Whether the loop stands still because of a pause."""
        return self._waiting

    def wait_while_paused(self) -> None:
        """Return when there is no pause, or an end was asked for."""
        self._waiting = True
        self._go.wait()
        self._waiting = False
