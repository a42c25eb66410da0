"""Textual's terminal driver, made to outlive its terminal.

When a terminal hangs up, writes to it fail and reads end. Textual's writer thread would die of that and its
queue block the screen for ever; here output to a terminal that is gone goes nowhere, so that the run can be
ended in order. A terminal that is there and reads nothing (a connection that is lost, an emulator that was stopped)
holds up neither keys nor an end: nothing here waits for it but the end, and that not for long. What it sends that is
no key ends nothing. The screen is drawn on standard output: standard error may have been sent to a file. Its size is
the terminal's own, whatever COLUMNS and LINES say. A process that was stopped and goes on takes the terminal anew, and
draws all of it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import select
import stat
import sys
import time
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

_PATIENCE = 3.0  # seconds in which a terminal has to read something, or the end is not held up by it
_BEHIND = 0.5  # seconds that something waits to be written, from which the terminal is slower than the screen
_PIECE = 1024  # bytes that are written at once, so that a slow terminal is seen to read
_READ = 4096


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


class _Terminal:
    """The terminal as a text file. Writes never fail: not for a terminal that is gone, nor for its encoding."""

    def __init__(self, file: IO[str]) -> None:
        with suppress(OSError):
            file.flush()
        self._descriptor = os.dup(file.fileno())  # of our own: a write that never ends holds no lock of `file`
        self._encoding: str = getattr(file, "encoding", None) or "utf-8"
        self.taken = 0  # bytes

    def write(self, text: str) -> None:
        data = text.encode(self._encoding, "replace")
        with suppress(OSError):
            while data:
                taken = os.write(self._descriptor, data[:_PIECE])
                self.taken += taken
                data = data[taken:]

    def flush(self) -> None:
        """Nothing is kept here."""

    def fileno(self) -> int:
        return self._descriptor


class HangupProofDriver(LinuxDriver):
    """The Linux and macOS driver for a terminal of which nothing is expected."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._terminal = _Terminal(sys.__stdout__ or self._file)
        self._file: Any = self._terminal
        self._size = self._get_terminal_size()  # for the first draw, before the terminal is asked
        self._has_terminal = False
        self._caught_up = 0.0  # when nothing waited to be written

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
        self._caught_up = time.monotonic()
        if self._writer_thread is not None:
            self._writer_thread._queue.maxsize = 0  # whoever draws must not wait; `is_behind` says when to leave it

    def stop_application_mode(self) -> None:
        """Give it back."""
        self._has_terminal = False
        super().stop_application_mode()

    def close(self) -> None:
        """End the output, and any other to a terminal that reads nothing."""
        writer = self._writer_thread
        if writer is None:
            return
        writer._queue.put(None)
        while writer.is_alive():
            taken = self._terminal.taken
            writer.join(_PATIENCE)
            if writer.is_alive() and taken == self._terminal.taken:
                _silence_terminals()
                return

    def is_behind(self) -> bool:
        """Whether the terminal reads more slowly than the screen is drawn."""
        now = time.monotonic()
        if self._writer_thread is None or not self._writer_thread._queue.qsize():
            self._caught_up = now
        return now - self._caught_up > _BEHIND

    def _sigtstp_application(self, *_: Any) -> None:
        """Give the terminal back and stop."""
        _soon(super()._sigtstp_application)

    def _sigcont_application(self, *_: Any) -> None:
        """Go on after SIGTSTP or SIGSTOP; Textual 8.2 knows the first only, and would take the terminal twice."""
        _soon(self._take_anew)

    def _take_anew(self) -> None:
        if self._has_terminal:
            self.suspend_application_mode()
        super()._sigcont_application()

    def run_input_thread(self) -> None:
        """Read keys until told to stop or until the terminal is gone.

        Textual 8.2 ends the program at a byte that is not UTF-8, and at a key whose number is none.
        """
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            text = ""
            if select.select([self.fileno], [], [], 0.1)[0]:
                data = _read(self.fileno)
                if not data:
                    return
                text = decode(data)
            for character in (*text, None):  # one by one: what follows a sequence that is none is not lost with it
                try:
                    for event in parser.tick() if character is None else parser.feed(character):
                        self.process_message(event)
                except (ValueError, ArithmeticError):
                    parser = XTermParser(self._debug)


def _soon(action: Callable[[], object]) -> None:
    """Run what a signal asks for, but not amid what it met: that may hold the lock of what is to be drawn."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        action()
    else:
        loop.call_soon_threadsafe(action)


def _read(descriptor: int) -> bytes:
    """What was typed; nothing from a terminal that is gone."""
    try:
        return os.read(descriptor, _READ)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return b""


def _silence_terminals() -> None:
    """Let what is still said to a terminal go nowhere, since saying it would wait for ever."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        if os.isatty(descriptor):
            os.dup2(nowhere, descriptor)
    os.close(nowhere)
