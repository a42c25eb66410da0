"""Where a suite runs: one folder, one environment, one deadline; and what a runner answers.

Owns starting the commands of a suite and what bounds them: standard input closed, a session of their own, the time
that is left for all runners together, a head and a tail of the output, the whole process tree ended. Refuses to read
anything into an exit code; that is the runners' knowledge. Always: when `run` returns, nothing that it started is left.
"""

from __future__ import annotations

import errno
import shutil
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from xuen.events import JudgeOutcome, Why
from xuen.guard.verify.suites.traces import Trace, changes, trace_of
from xuen.proc.capture import HeadTail
from xuen.proc.command import CannotStart, Listener, run
from xuen.proc.output import LineCutter
from xuen.proc.pipes import STREAMS, Stream
from xuen.stop import Stop
from xuen.texts import Text
from xuen.texts import verify as texts

_HEAD: Final = 64 << 10  # bytes of each stream that are kept from its beginning
_NOT_THERE: Final = frozenset(
    (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ENOEXEC)
)  # the interpreter of a script too
_TAIL: Final = 256 << 10  # … and from its end, where runners print their summaries


@dataclass(frozen=True, slots=True)
class Finding:
    """What one runner says: `unavailable` means that it has no suite to run here, so the next one is asked."""

    outcome: JudgeOutcome
    reason: Text
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Site:
    """Where a suite may be: a folder, the PATH for its programs, the interpreter for projects without their own."""

    folder: Path
    path: str | None
    python: str

    def has(self, *names: str) -> bool:
        """Whether one of these files is in the folder."""
        return any((self.folder / name).is_file() for name in names)

    def which(self, *names: str) -> str | None:
        """The first of these programs that is on PATH."""
        return next((path for name in names if (path := shutil.which(name, path=self.path))), None)


@dataclass(frozen=True, slots=True)
class Present:
    """Something for a runner, by the files that are there; nothing has been started to know it.

    `name` is what a person calls it; `program` runs it, None when that is not on PATH. `probe` are arguments with
    which the program ends with 0 where it can run the suite. `doubt` says what only a run can tell.
    """

    name: str
    program: str | None
    probe: tuple[str, ...] = ()
    doubt: Text | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended: `code` is None when it was ended from here or could not be started."""

    why: Why
    code: int | None
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """Both streams, one after the other."""
        return self.stdout + ("\n" if self.stdout and self.stderr else "") + self.stderr

    @property
    def killed(self) -> bool:
        """Whether a signal ended it, as far as the exit code says so."""
        return self.code is not None and 128 < self.code <= 128 + signal.NSIG


@dataclass(slots=True)
class SuiteRun:
    """One run of the cascade in `folder`; `private` is a folder of its own outside it, removed afterwards.

    `timeout` is in seconds for everything together, 0 for none. `climbs` says whether settings of the folders above
    belong to the suite. `python` is the interpreter for projects that have none of their own.
    """

    folder: Path
    private: Path
    env: Mapping[str, str]
    stop: Stop
    timeout: float
    climbs: bool
    python: str
    _spent: float = 0.0
    _started: bool = False
    _before: Trace | None = None

    @property
    def site(self) -> Site:
        """Where it is."""
        return Site(self.folder, self.env.get("PATH"), self.python)

    def run(self, argv: Sequence[str]) -> Ran:
        """Run one command in the folder to its end, or to the end of the time that is left.

        Raises:
            CannotStart: the system has no room for it, say; a program that is not there is no error.
        """
        if self.stop.is_set():
            return Ran(Why.STOPPED, None, "", "")
        left = self.timeout and max(0.01, self.timeout - self._spent)
        if not self._started:
            self._started, self._before = True, trace_of(self.folder)
        captured = _Captured()
        try:
            ended = run(
                argv,
                cwd=self.folder,
                env=self.env,
                listener=captured,
                cancel=self.stop.begin_call(),
                hurried=self.stop.is_hurried,
                timeout=left,
            )
        except CannotStart as error:
            if error.errno not in _NOT_THERE:
                raise
            return Ran(Why.NOT_FOUND, None, "", f"{argv[0]}: {error.strerror}")
        self._spent += ended.seconds
        return Ran(ended.why, ended.code, captured.text("stdout"), captured.text("stderr"))

    def changed(self) -> str:
        """The files in the folder that changed since the first command, as a short list; empty for none."""
        return changes(self._before, trace_of(self.folder)) if self._before is not None else ""

    def unfinished(self, ran: Ran) -> Finding | None:
        """The finding for a command that did not come to its own end, whatever the runner; else None."""
        if ran.why is Why.TIMEOUT:
            return Finding("unknown", texts.SUITE_TIMEOUT.of(seconds=f"{self.timeout:g}"), ran.output)
        if ran.why is Why.STOPPED:
            return Finding("unknown", texts.SUITE_STOPPED, ran.output)
        if ran.why is Why.NOT_FOUND:
            return Finding("unavailable", texts.CANNOT_START.of(error=ran.stderr), ran.output)
        if ran.killed:
            return Finding("unknown", texts.SUITE_KILLED.of(code=ran.code), ran.output)
        return None


class _Captured(Listener):
    """Keeps a head and a tail of each stream."""

    def __init__(self) -> None:
        self._cutters = {stream: LineCutter() for stream in STREAMS}
        self._kept = {stream: HeadTail(_HEAD, _TAIL) for stream in STREAMS}

    def output(self, stream: Stream, chunk: bytes) -> None:
        """Bytes came."""
        self._kept[stream].add(self._cutters[stream].feed(chunk))

    def text(self, stream: Stream) -> str:
        """What is kept, as clean text; called once, at the end."""
        self._kept[stream].add(self._cutters[stream].finish())
        return self._kept[stream].text("en")
