"""A command under its supervisor (`xuen.proc.supervisor`). Linux only.

Owns the talk with the supervisor. Always: when this program ends in any way, or a child is dropped, its tree is killed.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from xuen.proc.child import GIVE_UP, Child

# Imported and not run as a script, since only modules are kept compiled: that is a third of its start.
_CODE: Final = "import sys; sys.path.append(sys.argv.pop(1)); from supervisor import main; main()"
_GUARD: Final = (sys.executable, "-I", "-S", "-c", _CODE, str(Path(__file__).parent))
_LOOK: Final = 1.0  # seconds between two looks at whether a command has started
_LATE: Final = GIVE_UP + 1.0  # seconds after the grace when a supervisor that does not end is killed


class SupervisedChild(Child):
    """Started by its supervisor; may be used from any thread."""

    def __init__(
        self,
        popen: Callable[..., subprocess.Popen[bytes]],
        argv: Sequence[str],
        env: Mapping[str, str],
        extra: Sequence[int] = (),
    ) -> None:
        """`popen` starts a program, with its folder and streams. Raises OSError when the command cannot be started."""
        self.pid = self.root = 0
        self._heard = b""
        self._open = True
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair()
        with contextlib.ExitStack() as undo:
            undo.callback(self._control.close)
            with theirs:
                guard = [*_GUARD, str(theirs.fileno()), *map(str, extra)]
                self._process = popen(guard, pass_fds=[theirs.fileno(), *extra])
            self.stdin, self.stdout, self.stderr = self._process.stdin, self._process.stdout, self._process.stderr
            undo.callback(self.close)
            undo.callback(self._close)
            variables = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
            with contextlib.suppress(ConnectionError):  # then it says why, or nothing
                self._control.sendall(marshal.dumps(([os.fsencode(word) for word in argv], variables)))
            self._control.settimeout(_LOOK)
            while self._open and not self.pid:
                if error := self._hear():
                    raise OSError(error, os.strerror(error), argv[0])
            if not self.pid:
                raise OSError("its supervisor ended")
            self._control.setblocking(False)
            undo.pop_all()

    def ended(self) -> bool:
        """Whether the command itself has ended; what it started may go on."""
        self._hear()
        return self.status is not None

    def fileno(self) -> int:
        """A descriptor that is readable when there is news of the end; -1 once everything is over."""
        return self._control.fileno()

    def signal(self, number: int, group: int | None = None) -> None:
        """Signal a process group of the tree: that of the command unless another one is named."""
        self._order(f"signal {number:d} {group or self.pid}")

    def _end_within(self, seconds: float) -> None:
        self._order(f"end {seconds}")

    def _over(self, late: float) -> bool:
        self._hear()
        with self._lock:
            if (
                self._open and late > _LATE
            ):  # the guard kills a supervisor whose caller is gone, and ends what it leaves
                self._close()
        return not self._open

    def _order(self, line: str) -> None:
        with self._lock, contextlib.suppress(OSError):  # it has ended
            self._control.sendall(line.encode() + b"\n")

    def _close(self) -> None:
        self._open = False
        self._control.close()
        try:
            self._process.wait(_LATE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self.status is None:  # its supervisor was killed, and the command with it
            self.status = -signal.SIGKILL

    def _hear(self) -> int:
        """Take what the supervisor says; the number of an error, if it says one."""
        with self._lock:
            if not self._open:
                return 0
            try:
                data = self._control.recv(1 << 16)
            except (BlockingIOError, TimeoutError):
                self._process.send_signal(signal.SIGCONT)  # an agent may have stopped the guard
                return 0
            except ConnectionError:
                data = b""
            *lines, self._heard = (self._heard + data).split(b"\n")
            error = max([self._note(*line.split()) for line in lines], default=0)
            if not data:
                self._close()
            return error

    def _note(self, word: bytes, *rest: bytes) -> int:
        numbers = tuple(map(int, rest))
        if word == b"supervisor":
            (self.root,) = numbers
        elif word == b"started":
            (self.pid,) = numbers
        elif word == b"exited":
            self.status, self.left = numbers[0], numbers[1:]
        elif word == b"survivors":
            self.survivors = numbers
        return numbers[0] if word == b"error" else 0
