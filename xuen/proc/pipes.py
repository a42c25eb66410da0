"""The output of a running command, read without ever blocking.

Owns its pipes, one or two, and the descriptor that signals its end. Refuses to wait for other processes that hold a
pipe open. Always: everything is closed at the end of the `with`, and a command that floods its output never waits for
a sleeping reader. May be imported by `xuen.xwork`; knows nothing of agents.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import sys
import time
from typing import IO, Literal, Protocol

from xuen.proc.tree import ProcessTree

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

    def __init__(self, tree: ProcessTree, listener: OutputListener, selector: selectors.BaseSelector) -> None:
        self._tree = tree
        self._listener = listener
        self._selector = selector
        self._files: dict[int, IO[bytes]] = {}
        self._ticked = time.monotonic()
        self._exit = -1
        self.last_output = self._ticked

    def __enter__(self) -> Pipes:
        for name, file in zip(STREAMS, (self._tree.process.stdout, self._tree.process.stderr), strict=True):
            if file is None:
                continue
            os.set_blocking(file.fileno(), False)
            _widen(file.fileno())
            self._selector.register(file.fileno(), selectors.EVENT_READ, name)
            self._files[file.fileno()] = file
        if sys.platform == "linux":
            with contextlib.suppress(OSError):  # without it the end is seen at the next tick
                self._exit = os.pidfd_open(self._tree.pid)
                self._selector.register(self._exit, selectors.EVENT_READ, None)
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        for file in self._files.values():
            file.close()
        if self._exit >= 0:
            os.close(self._exit)

    def pump(self, seconds: float) -> int:
        """Wait up to `seconds` for output or the command's end and pass on what is there: how many bytes that was."""
        count = 0
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                self._forget_exit()
            else:
                count += self._read(key.fd, key.data)
        now = time.monotonic()
        if count:
            self.last_output = now
        if now - self._ticked >= _TICK:
            self._ticked = now
            self._listener.tick()
        return count

    def drain(self) -> None:
        """Pass on what is left in the pipes, for a second at most: a survivor may keep writing."""
        until = time.monotonic() + _DRAIN
        while self._files and self.pump(0) and time.monotonic() < until:
            pass

    def _forget_exit(self) -> None:
        # Ready for ever once the command has ended, so it would turn every later wait into a busy one.
        self._selector.unregister(self._exit)

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
