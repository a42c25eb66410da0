"""Managed processes: programs that go on between the calls of a conversation.

Owns their ids, the reading of their output in the background and their end. Always holds: an id names one process
for the life of the agent and is never given again; unread output is bounded in memory, the newest stays; nothing is
left when the shelf is closed.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

from xuen.proc.child import GRACE
from xuen.xwork.cancel import Cancel
from xuen.xwork.sandbox.bubblewrap import Sandbox
from xuen.xwork.tools import command
from xuen.xwork.tools.artifacts import clean_text
from xuen.xwork.tools.outcome import ToolError

AT_ONCE = 16  # processes
CLOSE = 1.0  # seconds between asking all of them to end and killing what is left
_UNREAD = 1 << 20  # characters of output that wait for a poll
_CHUNK = 1 << 16
_TICK = 0.05
_WRITE = 5.0  # seconds that a process has to take its input
_INTERRUPT = 2.0  # seconds between an interrupt and the next step
NO_PROCESS = "there is no process"
"""How the answer begins to an id that names none (any more)."""


class Managed:
    """One process."""

    def __init__(self, name: str, text: str, started: command.Started) -> None:
        self.name = name
        self.command = text
        self.child = started.child
        self._started = started
        self._unread: deque[str] = deque()
        self._size = self._lost = 0  # characters
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, name=f"output of {name}", daemon=True)
        assert self.child.stdin is not None
        os.set_blocking(self.child.stdin.fileno(), False)
        self._reader.start()

    def running(self) -> bool:
        """Whether the command itself runs."""
        return not self.child.ended()

    def wait(self, seconds: float, cancel: Cancel) -> None:
        """Wait for output or the end, at most `seconds`."""
        deadline = time.monotonic() + seconds
        with self._news:
            while not self._unread and self.running() and not cancel.is_set():
                left = deadline - time.monotonic()
                if left <= 0:
                    return
                self._news.wait(min(_TICK, left))
        if not self.running():
            self._reader.join(_TICK * 4)  # what it wrote last

    def ended_within(self, seconds: float, cancel: Cancel) -> bool:
        """Whether it ends in that time."""
        deadline = time.monotonic() + seconds
        while self.running():
            if time.monotonic() >= deadline or cancel.wait(_TICK):
                return not self.running()
        return True

    def take(self) -> str:
        """The output that came since the last time; a character that is not whole yet waits for its rest."""
        with self._news:
            text, lost = "".join(self._unread), self._lost
            self._unread.clear()
            self._size = self._lost = 0
        notice = f"[... {lost:,} characters of output before this were not polled in time ...]\n" if lost else ""
        return notice + clean_text(text)

    def write(self, text: bytes, cancel: Cancel) -> int:
        """Give it input; how many bytes it took within a few seconds."""
        file = self.child.stdin
        if file is None or file.closed:
            raise ToolError(f"the standard input of {self.name} is closed")
        view, done, deadline = memoryview(text), 0, time.monotonic() + _WRITE
        room = select.poll()
        room.register(file, select.POLLOUT)
        while view and time.monotonic() < deadline and not cancel.is_set():
            try:
                if room.poll(1000 * _TICK):
                    count = os.write(file.fileno(), view)
                    view, done = view[count:], done + count
            except BlockingIOError:
                continue
            except BrokenPipeError as error:
                raise ToolError(f"{self.name} does not read its standard input any more") from error
        return done

    def close_stdin(self) -> None:
        """End its input."""
        if self.child.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self.child.stdin.close()

    def refused(self) -> bool:
        """Whether it never began, because its sandbox could not be made; asked after the end."""
        return self._started.refused()

    def interrupt(self) -> None:
        """What Ctrl+C does in a terminal: SIGINT for its group."""
        self._started.signal(signal.SIGINT)

    def terminate(self) -> None:
        """Ask it to end."""
        self._started.signal(signal.SIGTERM)

    def end(self, grace: float, hurried: Callable[[], bool]) -> None:
        """End it with everything that it started."""
        self.child.end(grace=grace, hurried=hurried)
        self.close_stdin()
        self._reader.join(0.5)
        self._started.close()

    def _read(self) -> None:
        file = self.child.stdout
        assert file is not None
        whole = codecs.getincrementaldecoder("utf-8")("replace")
        with file:
            while chunk := os.read(file.fileno(), _CHUNK):
                self._keep(whole.decode(chunk))
        self._keep(whole.decode(b"", final=True))

    def _keep(self, text: str) -> None:
        """Take the next piece of output; what is not polled in time is dropped, the oldest first."""
        if not text:  # only half a character has come
            return
        with self._news:
            self._unread.append(text)
            self._size += len(text)
            while self._size > _UNREAD:
                gone = len(self._unread.popleft())
                self._size -= gone
                self._lost += gone
            self._news.notify_all()


class ProcessTable:
    """The managed processes of one agent."""

    def __init__(self) -> None:
        self._managed: dict[str, Managed] = {}
        self._count = 0

    def start(self, text: str, cwd: Path, env: Mapping[str, str], sandbox: Sandbox | None = None) -> Managed:
        """Start a command and give it an id.

        Raises:
            ToolError: too many run, or it could not be started.
        """
        if len(self._managed) >= AT_ONCE:
            raise ToolError(f"{AT_ONCE} processes are there already; stop one of them first")
        started = command.start(text, cwd, env, stdin=subprocess.PIPE, sandbox=sandbox)
        self._count += 1
        managed = Managed(f"p{self._count}", text, started)
        self._managed[managed.name] = managed
        return managed

    def get(self, name: str) -> Managed:
        """The process of that id.

        Raises:
            ToolError: there is none (any more).
        """
        if name in self._managed:
            return self._managed[name]
        known = ", ".join(self._managed) or "none"
        raise ToolError(f"{NO_PROCESS} {name!r}; running: {known}. Processes live no longer than their agent.")

    def release(self, name: str, grace: float = GRACE, hurried: Callable[[], bool] = lambda: False) -> Managed:
        """End a process with its tree and forget it; the grace is short once it is `hurried`."""
        managed = self.get(name)
        managed.end(grace, hurried)
        del self._managed[name]
        return managed

    def stop(self, name: str, cancel: Cancel) -> Managed:
        """The whole ladder: interrupt, a pause, SIGTERM to the tree, a pause, SIGKILL until nothing is left."""
        managed = self.get(name)
        managed.interrupt()
        managed.ended_within(_INTERRUPT, cancel)
        return self.release(name, hurried=cancel.is_set)

    def close(self) -> None:
        """End all of them."""
        for managed in self._managed.values():
            managed.terminate()
        deadline = time.monotonic() + CLOSE  # one for all of them
        for name in list(self._managed):
            self.release(name, max(0.0, deadline - time.monotonic()))
