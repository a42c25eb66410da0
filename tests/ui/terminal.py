"""A pseudo-terminal with a program in it, for the tests here."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 60.0  # seconds; every step here takes well under one on an idle machine


class Terminal:
    """A pseudo-terminal with a program in it."""

    def __init__(self, *argv, errors=None, cwd=None, **environ):
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 80))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TEXTUAL_DRIVER")}
        env |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **environ}
        self.process = subprocess.Popen(
            [sys.executable, *map(str, argv)],
            stdin=slave,
            stdout=slave,
            stderr=slave if errors is None else errors,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
        self.seen = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.slave, self.master):
            if descriptor is not None:
                os.close(descriptor)

    def read(self, *, until=None):
        """Read until something is seen, or until the program has ended."""
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.02)[0]:
                self.seen += os.read(self.master, 65536)
            elif until is None and self.process.poll() is not None:
                return
            if until is not None and until in self.seen:
                return
        raise AssertionError(f"not seen in {LIMIT} s: {until!r}\n{self.seen[-2000:]!r}")

    def read_what_is_there(self):
        """Read all that was written so far, and forget it."""
        while select.select([self.master], [], [], 0.05)[0]:
            os.read(self.master, 65536)
        self.seen = b""

    def ready(self):
        self.read(until=b"More")
        self.read(until=b"best r1")
        return self

    def stop_reading(self):
        """Read nothing until the program can write no more."""
        waiting = [0]
        for _ in range(round(LIMIT)):
            time.sleep(1)
            counted = fcntl.ioctl(self.master, termios.FIONREAD, bytes(4))
            waiting.append(int.from_bytes(counted, sys.byteorder))
            if waiting[-1] and waiting[-4:] == 4 * waiting[-1:]:
                return
        raise AssertionError(f"the terminal never was full: {waiting}")

    def type(self, keys):
        os.write(self.master, keys)

    def end(self):
        """The exit code, after checking that the terminal is as it was found."""
        self.read()
        code = self.process.wait(LIMIT)
        assert self.seen.rfind(b"\x1b[?1049l") > self.seen.rfind(b"\x1b[?1049h"), "the alternate screen was not left"
        assert self.seen.rfind(b"\x1b[?1000l") > self.seen.rfind(b"\x1b[?1000h"), "the mouse is still reported"
        assert self.seen.rfind(b"\x1b[?25h") > self.seen.rfind(b"\x1b[?25l"), "the cursor is still hidden"
        assert termios.tcgetattr(self.slave)[3] == self.before[3], "echo or line mode is not as before"
        assert b"Traceback" not in self.seen
        return code
