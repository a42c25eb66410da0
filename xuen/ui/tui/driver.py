"""Textual's terminal driver, made to outlive its terminal.

When a terminal hangs up, writes to it fail and reads end. Textual's writer thread would die of that and its
queue block the screen for ever; here output to a terminal that is gone goes nowhere, so that the run can be
ended in order. The screen is drawn on standard output: standard error may have been sent to a file. Its size is the
terminal's own, whatever COLUMNS and LINES say. A process that was stopped and goes on takes the terminal anew, and
draws all of it.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import sys
from contextlib import suppress
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver


def terminal_hung_up() -> bool:
    """Whether standard input was a terminal and that terminal is gone."""
    if sys.__stdin__ is None or sys.__stdin__.closed:
        return False
    descriptor = sys.__stdin__.fileno()
    if not stat.S_ISCHR(os.fstat(descriptor).st_mode):  # a pipe hangs up when its writer is done, which is no harm
        return False
    poll = select.poll()
    poll.register(descriptor, 0)  # 0: nothing but hang-ups
    return any(happened & select.POLLHUP for _, happened in poll.poll(0))


class _Forgiving:
    """A text file whose writes never fail: not for a terminal that is gone, nor for its encoding."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._encoding: str = getattr(file, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        try:
            return self._file.write(text.encode(self._encoding, "replace").decode(self._encoding))
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            return

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class HangupProofDriver(LinuxDriver):
    """The Linux and macOS driver with a forgiving output."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._file: Any = _Forgiving(sys.__stdout__ or self._file)
        self._size = self._get_terminal_size()  # for the first draw, before the terminal is asked
        self._has_terminal = False

    def _get_terminal_size(self) -> tuple[int, int]:
        """Columns and rows; the environment's are those of a terminal that was, and never change."""
        with suppress(OSError):
            size = os.get_terminal_size(self._file.fileno())
            if size.columns and size.lines:
                return size.columns, size.lines
        return super()._get_terminal_size()

    def start_application_mode(self) -> None:
        """Take the terminal."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._has_terminal = self._writer_thread is not None

    def stop_application_mode(self) -> None:
        """Give it back."""
        self._has_terminal = False
        super().stop_application_mode()

    def _sigcont_application(self, *_: Any) -> None:
        """Go on after SIGTSTP or SIGSTOP; Textual 8.2 knows the first only, and would take the terminal twice."""
        if self._has_terminal:
            self.suspend_application_mode()
        super()._sigcont_application()

    def run_input_thread(self) -> None:
        """Read keys until told to stop or until the terminal is gone."""
        try:
            super().run_input_thread()
        except OSError as error:
            if error.errno != errno.EIO:
                raise
