"""What bubblewrap tells of one command, through a pipe that the command itself does not get.

Owns the pipe. Always holds: an exit code counts as the command's only when bubblewrap has said that the command ran;
what was told stays known after the pipe is closed.
"""

from __future__ import annotations

import os
import re
import time

from xuen.xwork.cancel import Cancel

_LOOK = 0.05  # seconds between two looks at the cancel token
_CHILD = re.compile(rb'"child-pid": *(\d+)')
_EXIT = re.compile(rb'"exit-code": *\d+')


class Report:
    """The report on one command."""

    def __init__(self) -> None:
        self._read, self.write_end = os.pipe()
        os.set_blocking(self._read, False)
        self._told = b""

    def begun(self) -> None:
        """Bubblewrap has inherited the write end; close ours."""
        os.close(self.write_end)
        self.write_end = -1

    @property
    def first_process(self) -> int | None:
        """The first process inside, which leads the command's group; None before it is known."""
        found = _CHILD.search(self._news())
        return int(found[1]) if found else None

    @property
    def carried_out(self) -> bool:
        """Whether the exit code of bubblewrap is that of the command; asked after the end."""
        return _EXIT.search(self._news()) is not None

    def wait(self, seconds: float, cancel: Cancel) -> int | None:
        """The first process inside, as soon as it is known; None when bubblewrap ends before, or `cancel` was set."""
        import select

        deadline = time.monotonic() + seconds

        news = select.poll()  # which, unlike select, knows descriptors above 1023
        news.register(self._read, select.POLLIN)
        while (first := self.first_process) is None:
            if cancel.is_set() or time.monotonic() >= deadline:
                return None
            before = len(self._told)
            if news.poll(_LOOK * 1000) and len(self._news()) == before:  # ready without anything to read: the end
                return None
        return first

    def close(self) -> None:
        """Close the pipe; what was reported stays available. A second call does nothing."""
        self._news()
        for end in (self._read, self.write_end):
            if end >= 0:
                os.close(end)
        self._read = self.write_end = -1

    def _news(self) -> bytes:
        while self._read >= 0:
            try:
                chunk = os.read(self._read, 4096)
            except BlockingIOError:
                break
            self._told += chunk
            if not chunk:
                break
        return self._told
