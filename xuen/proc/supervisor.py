"""The supervisor: a program that starts one command and ends all that it started. Linux, standard library only.

It runs as two processes. The supervisor is the subreaper of the command, so "belongs to the command" means "descends
from the supervisor", whatever happens to parents, groups, sessions and environments; that nothing is left is the
kernel's word (no child), never a guess from a list of processes. The guard above it is a subreaper too, and ends what
a killed supervisor leaves.

Always holds: a tree ends when its caller asks for it, when the caller is gone (its end of the control socket closes)
and when the guard is gone; the control socket closes when nothing is left; a pid that may have passed to another
process gets no signal. Starts in about 10 ms, since it imports little.

The caller sends the command, then `end SECONDS` (again to shorten the grace) or `signal NUMBER GROUP`. It receives
`supervisor PID`, `started PID` or `error ERRNO`, `exited STATUS LEFT...`, and `survivors PID...` if there are any.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import marshal
import os
import select
import signal
import sys
import time
from collections import namedtuple

_GIVE_UP = 1.8  # seconds of SIGKILL after which a process counts as one that cannot be ended
_BURSTS = 20  # ... and bursts of kills at least: on a busy machine seconds alone say little
_BURST = 0.02  # seconds of one burst
_STEP = 0.5  # seconds: of a longer gap between two looks at the clock no more counts, since nothing ran here
_MOST = 1000  # pids in one message

_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36  # prctl(2)
_ORPHANED = signal.SIGCONT  # what the supervisor gets when the guard ends: a stopped one wakes up
_prctl = ctypes.CDLL(None).prctl

Row = namedtuple("Row", "pid parent group start zombie")


def row_of(pid: int) -> Row | None:
    """One line of the process table; None when there is no such process. A process is known by pid and start time."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - as above
            stat = file.read()
    except OSError:
        return None
    # proc_pid_stat(5); the name, in parentheses, may itself hold blanks and parentheses.
    fields = stat[stat.rfind(b")") + 2 :].split()
    # A first thread that has ended shows as a zombie too while others go on.
    zombie = fields[0] in (b"Z", b"X") and int(fields[17]) < 2
    return Row(pid, int(fields[1]), int(fields[2]), int(fields[19]), zombie)


def descendants() -> list[Row]:
    """All processes below this one, parents before their children."""
    below: dict[int, list[Row]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - as above
        if name.isdecimal() and (row := row_of(int(name))):
            below.setdefault(row.parent, []).append(row)
    found = below.pop(os.getpid(), [])
    for row in found:  # which grows meanwhile
        found += below.pop(row.pid, [])
    return found


def running() -> list[int]:
    """The pids below this one of processes that have not ended."""
    return [row.pid for row in descendants() if not row.zombie][:_MOST]


def children() -> list[int]:
    """The pids of our children, those included that have ended and were not reaped."""
    me = os.getpid()
    try:
        with open(f"/proc/{me}/task/{me}/children", "rb", buffering=0) as file:  # noqa: PTH123 - as above
            return [int(pid) for pid in file.read().split()]
    except OSError:  # a kernel without this file
        return [row.pid for row in descendants() if row.parent == me]


def ask_to_end(row: Row) -> None:
    """SIGTERM for exactly the process of `row`, and SIGCONT, without which a stopped one would not see the other."""
    handle = -1
    with contextlib.suppress(OSError):  # a kernel without pidfds: then by pid, right after the check
        handle = os.pidfd_open(row.pid)
    now = row_of(row.pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        for number in (signal.SIGTERM, signal.SIGCONT) if now and now.start == row.start else ():
            signal.pidfd_send_signal(handle, number) if handle >= 0 else os.kill(row.pid, number)
    if handle >= 0:
        os.close(handle)


def reap(ended: dict[int, int | None], options: int = os.WNOHANG) -> bool:
    """Reap what has ended, and note how those in `ended` did; whether any child is left. What was stopped goes on."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, options))[0]:
            if os.WIFSTOPPED(found[1]):
                os.kill(found[0], signal.SIGCONT)
            elif found[0] in ended:
                ended[found[0]] = found[1]
        return True
    return False


def kill_children(ended: dict[int, int | None], seconds: float) -> bool:
    """Kill our children, and those of theirs that become ours, over and over; whether any child is left.

    A chain of forks in ever new sessions outruns every list of processes, but each link becomes a child of ours. A
    group dies at one stroke: its members cannot fork past it. The numbers of a child and of its group cannot pass to
    others before the child is reaped, and the group is never our own, since a command begins in its own session.
    """
    until = time.monotonic() + seconds
    left = reap(ended)
    while left and time.monotonic() < until:
        for child in children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if (group := os.getpgid(child)) != os.getpgrp():
                    os.killpg(group, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        left = reap(ended)
    return left


def adopt() -> int:
    """Become the subreaper of all that this process starts; a descriptor from which the signals that come are read."""
    _prctl(_SET_CHILD_SUBREAPER, 1)
    read, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    return read


def release(descriptors: list[int]) -> None:
    """Let go of what is the command's: its folder, its streams and its extra descriptors."""
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    for descriptor in (null, *descriptors):
        os.close(descriptor)


class Supervisor:
    """Starts a command, waits, and ends its tree."""

    def __init__(self, control: int, guard: int) -> None:
        _prctl(_SET_PDEATHSIG, _ORPHANED)
        self._guard = guard
        self._control = control
        self._woken = adopt()
        self._heard = b""
        self._poll = select.poll()
        for descriptor in (control, self._woken):
            self._poll.register(descriptor, select.POLLIN)
        self._command = 0
        self._ended: dict[int, int | None] = {}
        self._reported = False
        self._grace: float | None = None  # seconds of SIGTERM that are left; None until the end was asked for
        self._asked: set[tuple[int, int]] = set()
        self._bursts = 0

    def start(self) -> bool:
        """Start the command that the caller describes; whether it runs."""
        self._tell("supervisor", os.getpid())
        with open(self._control, "rb", closefd=False) as description:
            argv, env = marshal.load(description)
        os.environb.clear()
        os.environb.update(env)  # whose PATH is searched
        try:
            defaults = (signal.SIGPIPE, signal.SIGXFSZ)  # which Python ignores
            self._command = os.posix_spawnp(argv[0], argv, os.environb, setsid=True, setsigdef=defaults)
        except (OSError, ValueError) as error:
            self._tell("error", getattr(error, "errno", errno.EINVAL))
            return False
        self._ended[self._command] = None
        self._tell("started", self._command)
        return True

    def run(self) -> None:
        """Wait for the command, for orders and, once the end was asked for, for the last process."""
        pause = looked = None
        while self._is_left():
            self._listen(pause)
            if self._grace is None:
                continue
            now = time.monotonic()
            self._grace -= min(now - (looked or now), _STEP)
            looked = now
            pause = min((pause or 0.002) * 1.5, 0.05) if self._grace > 0 else 0.002
            if not self._sweep():
                return

    def _tell(self, *words: object) -> None:
        with contextlib.suppress(OSError):  # the caller is gone
            os.write(self._control, " ".join(map(str, words)).encode() + b"\n")

    def _is_left(self) -> bool:
        """Whether any process is left; reports the command's own end."""
        left = reap(self._ended)
        status = self._ended[self._command]
        if status is not None and not self._reported:
            self._reported = True
            self._tell("exited", os.waitstatus_to_exitcode(status), *(running() if left else ()))
        return left

    def _listen(self, seconds: float | None) -> None:
        for descriptor, _ in self._poll.poll(None if seconds is None else 1000 * seconds):
            if descriptor == self._control:
                self._hear()
            else:
                os.read(self._woken, 4096)
        if os.getppid() != self._guard:
            self._end_within(0.0)

    def _hear(self) -> None:
        data = b""
        with contextlib.suppress(ConnectionError):
            data = os.read(self._control, 4096)
        if not data:
            self._poll.unregister(self._control)
            self._end_within(0.0)
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            order, *numbers = line.split()
            if order == b"end":
                self._end_within(float(numbers[0]))
            else:
                self._signal(int(numbers[0]), int(numbers[1]))

    def _signal(self, number: int, group: int) -> None:
        if any(row.group == group for row in descendants()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)

    def _end_within(self, seconds: float) -> None:
        self._grace = seconds if self._grace is None else min(self._grace, seconds)

    def _sweep(self) -> bool:
        """Ask all processes to end, or kill them once the grace is over; False when they cannot be ended."""
        assert self._grace is not None
        if self._grace > 0:
            self._ask()
        elif self._grace < -_GIVE_UP and self._bursts >= _BURSTS:
            self._tell("survivors", *running())
            return False
        else:
            self._bursts += 1
            kill_children(self._ended, _BURST)
        return True

    def _ask(self) -> None:
        # What a process starts after it was asked is its cleanup, and left alone as long as that process lives.
        rows = descendants()
        cleaning = {row.pid for row in rows if (row.pid, row.start) in self._asked}
        for row in rows:
            if row.parent in cleaning:
                cleaning.add(row.pid)
            elif row.pid not in cleaning:
                ask_to_end(row)
                self._asked.add((row.pid, row.start))


def main() -> None:
    """Supervise one command; the arguments are the control socket and the extra descriptors of the command."""
    control, *extra = map(int, sys.argv[1:])
    os.set_inheritable(control, False)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGCHLD, _ORPHANED):
        if signal.getsignal(number) != signal.SIG_IGN or number in (signal.SIGCHLD, _ORPHANED):
            signal.signal(number, lambda _number, _frame: None)  # not SIG_IGN, which the command would inherit
    woken, guard = adopt(), os.getpid()
    supervisor = os.fork()
    if not supervisor:
        code = 1
        try:
            one = Supervisor(control, guard)
            if os.getppid() == guard and one.start():
                release(extra)
                one.run()
            code = 0
        finally:
            os._exit(code)
    release(extra)
    watch(supervisor, control, woken)
    os._exit(0)  # at once: the caller waits


def watch(supervisor: int, control: int, woken: int) -> None:
    """The guard: wait for the supervisor, kill it when the caller is gone, and end what a killed one leaves."""
    poll = select.poll()
    poll.register(control, 0)  # of which a hangup is told all the same
    poll.register(woken, select.POLLIN)
    ended: dict[int, int | None] = {supervisor: None}
    while reap(ended, os.WNOHANG | os.WUNTRACED) and ended[supervisor] is None:  # an agent may stop its parent
        for descriptor, _ in poll.poll():
            if descriptor == woken:
                os.read(woken, 4096)
            else:
                poll.unregister(control)
                os.kill(supervisor, signal.SIGKILL)
    if ended[supervisor] != 0:
        kill_children(ended, _GIVE_UP)
