"""The output of a running command, read without ever blocking.

Owns its pipes, one or two, and waking up at its end. Refuses to wait for other processes that hold a pipe open.
Always: everything is closed at the end of the `with`, and a command that floods its output never waits for a sleeping
reader.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import sys
import time
from typing import IO, Literal, Protocol

from xuen.proc.child import Child

Stream = Literal["stdout", "stderr"]
STREAMS: tuple[Stream, ...] = ("stdout", "stderr")

_CHUNK = 1 << 18  # bytes read at once
_PIPE = 1 << 20  # bytes that a pipe holds where the system allows it: fewer turns for a command that floods
_TICK = 0.1  # seconds between two ticks
_DRAIN = 1.0  # seconds that reading what is left in the pipes may take at the end


class OutputListener(Protocol):
    """Receives what a command prints. The methods must not block for long."""

    def output(self, stream: Stream, chunk: bytes) -> None:
        """Bytes came, as they were read."""
        ...

    def tick(self) -> None:
        """About every 0.1 s, also in silence."""
        ...


class Pipes:
    """The output of one command; both streams may share the first pipe."""

    def __init__(self, child: Child, listener: OutputListener) -> None:
        self._child = child
        self._listener = listener
        self._selector = selectors.PollSelector()  # which needs no descriptor
        self._files: dict[int, IO[bytes]] = {}
        self._ticked = time.monotonic()
        self._news = -1

    def __enter__(self) -> Pipes:
        for name, file in zip(STREAMS, (self._child.stdout, self._child.stderr), strict=True):
            if file is None:
                continue
            os.set_blocking(file.fileno(), False)
            _widen(file.fileno())
            self._selector.register(file.fileno(), selectors.EVENT_READ, name)
            self._files[file.fileno()] = file
        self._news = self._child.fileno()
        if self._news >= 0:  # without it the end is seen at the next tick
            self._selector.register(self._news, selectors.EVENT_READ, None)
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        for file in self._files.values():
            file.close()

    def pump(self, seconds: float) -> int:
        """Wait up to `seconds` for output or the command's end and pass on what is there: how many bytes that was."""
        count = 0
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                self._hear()
            else:
                count += self._read(key.fd, key.data)
        now = time.monotonic()
        if now - self._ticked >= _TICK:
            self._ticked = now
            self._listener.tick()
        return count

    def drain(self) -> None:
        """Pass on what is left in the pipes, for a second at most: a survivor may keep writing."""
        until = time.monotonic() + _DRAIN
        while self._files and self.pump(0) and time.monotonic() < until:
            pass

    def _hear(self) -> None:
        self._child.ended()
        if self._child.fileno() != self._news:  # closed, and its number may be that of something else by now
            self._selector.unregister(self._news)

    def _read(self, fd: int, name: Stream) -> int:
        try:
            chunk = os.read(fd, _CHUNK)
        except (BlockingIOError, InterruptedError):
            return 0
        if not chunk:
            self._selector.unregister(fd)
            self._files.pop(fd).close()
            return 0
        self._listener.output(name, chunk)
        return len(chunk)


def _widen(fd: int) -> None:
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):  # over this user's share of pipe memory: it stays as it is
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE)
