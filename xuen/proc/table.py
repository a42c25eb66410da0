"""What runs on this machine right now, as values: `/proc` on Linux, psutil elsewhere.

Owns reading processes and sending them signals. Refuses to signal a process that is not the one that was read:
a `Row` is known by pid and start time together, so a pid that the system has given to somebody else is left alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Row:
    """One process. `start` is in units of the source, comparable only with other rows of the same source."""

    pid: int
    parent: int
    group: int
    session: int
    start: float
    cpu: float  # seconds, its own and those of its children that were waited for
    zombie: bool

    @property
    def identity(self) -> tuple[int, float]:
        """What tells this process from a later one with the same pid."""
        return self.pid, self.start


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All processes that could be read; not `settled` when one vanished while it was taken."""

    rows: dict[int, Row]
    settled: bool


class Table(Protocol):
    """A source of rows."""

    def snapshot(self) -> Snapshot:
        """Read all processes.

        Raises:
            OSError: not now, for want of descriptors or memory.
        """
        ...

    def row(self, pid: int) -> Row | None:
        """Read one process; None when there is none."""
        ...

    def environ(self, pid: int) -> bytes:
        """Its environment as `name=value` with NUL between; empty when it cannot be read."""
        ...


class ProcTable:
    """Linux: reads `/proc` itself, some ten times faster than psutil. Fields: proc_pid_stat(5)."""

    def __init__(self) -> None:
        self._tick = 1 / os.sysconf("SC_CLK_TCK")

    def snapshot(self) -> Snapshot:
        """Read all processes."""
        rows: dict[int, Row] = {}
        settled = True
        for name in os.listdir("/proc"):  # noqa: PTH208 - this is read many times while a tree is ended
            if name.isdecimal():
                row = self.row(int(name))
                if row is None:
                    settled = False
                else:
                    rows[row.pid] = row
        return Snapshot(rows, settled)

    def row(self, pid: int) -> Row | None:
        """Read one process; None when there is none."""
        data = read_file(f"/proc/{pid}/stat")
        if not data:
            return None
        # The name, in parentheses, may itself hold blanks and parentheses.
        fields = data[data.rindex(b")") + 2 :].split()
        return Row(
            pid=pid,
            parent=int(fields[1]),
            group=int(fields[2]),
            session=int(fields[3]),
            start=float(fields[19]),
            cpu=sum(int(ticks) for ticks in fields[11:15]) * self._tick,
            # A first thread that has ended shows as a zombie too while others go on.
            zombie=fields[0] in (b"Z", b"X") and int(fields[17]) < 2,
        )

    def environ(self, pid: int) -> bytes:
        """Its environment as `name=value` with NUL between; empty when it cannot be read."""
        return read_file(f"/proc/{pid}/environ")


class PsutilTable:
    """Every other system."""

    def snapshot(self) -> Snapshot:
        """Read all processes."""
        import psutil

        rows = {}
        settled = True
        for pid in psutil.pids():
            row = self.row(pid)
            if row is None:
                settled = False
            else:
                rows[pid] = row
        return Snapshot(rows, settled)

    def row(self, pid: int) -> Row | None:
        """Read one process; None when there is none."""
        import psutil

        try:
            process = psutil.Process(pid)
            with process.oneshot():
                try:
                    cpu = float(sum(process.cpu_times()[:4]))
                except psutil.AccessDenied:
                    cpu = 0.0
                return Row(
                    pid=pid,
                    parent=process.ppid(),
                    group=os.getpgid(pid),
                    session=os.getsid(pid),
                    start=process.create_time(),
                    cpu=cpu,
                    zombie=process.status() == psutil.STATUS_ZOMBIE,
                )
        except (psutil.Error, OSError):
            return None

    def environ(self, pid: int) -> bytes:
        """Its environment as `name=value` with NUL between; empty when it cannot be read."""
        import psutil

        try:
            pairs = psutil.Process(pid).environ()
        except (psutil.Error, OSError):
            return b""
        return b"\0".join(os.fsencode(f"{name}={value}") for name, value in pairs.items())


def system_table() -> Table:
    """The best source of this system."""
    return ProcTable() if sys.platform == "linux" and Path("/proc/self/stat").exists() else PsutilTable()


def send(table: Table, row: Row, number: int) -> None:
    """Signal exactly the process of `row`; does nothing when it has ended or may not be signalled."""
    try:
        handle = os.pidfd_open(row.pid) if sys.platform == "linux" else -1
    except ProcessLookupError:
        return
    except OSError:  # an old kernel, or no descriptor left: then by pid, right after the check
        handle = -1
    try:
        now = table.row(row.pid)
        if now is None or now.identity != row.identity:
            return
        # What may not be signalled is seen again in the next sweep and told as a survivor.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if handle >= 0:
                signal.pidfd_send_signal(handle, number)
            else:
                os.kill(row.pid, number)
    finally:
        if handle >= 0:
            os.close(handle)


def own_children() -> list[int]:
    """The children of this program, whichever thread began them; Linux only."""
    return [pid for task in os.listdir("/proc/self/task") for pid in children_of_task(int(task))]  # noqa: PTH208 - as above


def children_of_task(task: int) -> list[int]:
    """The children of one thread of this program; the first thread has its pid and gets the orphans. Linux only."""
    return [int(pid) for pid in read_file(f"/proc/self/task/{task}/children").split()]


def read_file(path: str) -> bytes:
    """All of a file under `/proc`; empty when its process has ended or is not ours to read.

    Raises:
        OSError: this program has no descriptor or memory left, so nothing can be said.
    """
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise
        return b""
