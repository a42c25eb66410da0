"""Shell commands for tools: started in a session of their own, read without blocking, ended as a whole tree.

Owns the environment that commands get, their start inside or outside a sandbox, and the wait for one. Refuses to
wait for whoever holds the output open after the command itself has ended. Always holds: standard input is empty;
nothing that a command started is left when `run` returns, also when it was cancelled or timed out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from xuen.proc import spawn
from xuen.proc.child import Child
from xuen.proc.command import Exit, Listener, attend
from xuen.proc.environment import outside_git
from xuen.proc.pipes import Stream
from xuen.xwork.cancel import Cancel
from xuen.xwork.policy.paths import Workspace
from xuen.xwork.sandbox.bubblewrap import Sandbox
from xuen.xwork.sandbox.report import Report
from xuen.xwork.tools.outcome import ToolError

_CANCEL_GRACE = 1.0  # seconds between SIGTERM and SIGKILL after a cancel
_QUIET = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GH_PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PYTHONUNBUFFERED": "1",
}
_READ_BY_SHELLS = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS")


def environment(outside: Mapping[str, str]) -> dict[str, str]:
    """The environment of commands: ours, without pagers, colours, prompts and the repository of a hook."""
    kept = {name: value for name, value in outside_git(outside).items() if name not in _READ_BY_SHELLS}
    if not any(kept.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        kept["LANG"] = "C.UTF-8"
    return kept | _QUIET


def shell() -> str:
    """The shell: bash where there is one, because that is what models write for."""
    return shutil.which("bash") or "/bin/sh"


class Started:
    """A command that runs: its process tree, and the report of its sandbox if it has one."""

    def __init__(self, child: Child, report: Report | None = None) -> None:
        self.child = child
        self._report = report

    def signal(self, number: int) -> None:
        """Signal its process group."""
        self.child.signal(number, self._report.first_process if self._report else None)

    def left(self) -> int:
        """How many processes it left running, the sandbox's own not counted; asked after the end."""
        own = self._report.first_process if self._report else None
        return sum(pid != own for pid in self.child.left)

    def refused(self) -> bool:
        """Whether it ended because its sandbox could not be made; asked after the end."""
        return self._report is not None and (self.child.status or 0) > 0 and not self._report.carried_out

    def close(self) -> None:
        """Release the report of the sandbox; what it said stays available."""
        if self._report is not None:
            self._report.close()


def start(
    command: str,
    cwd: Path,
    env: Mapping[str, str],
    *,
    stdin: int = subprocess.DEVNULL,
    sandbox: Sandbox | None = None,
) -> Started:
    """Start a command; both outputs come through one pipe, in the order in which they were written.

    Raises:
        ToolError: the system refused.
    """
    if "\0" in command:
        raise ToolError("a command cannot hold a NUL character")
    try:
        argv = [shell(), "-c", command]
        return launch(argv, cwd, env, stdin=stdin, stderr=subprocess.STDOUT, sandbox=sandbox)
    except OSError as error:
        raise ToolError(f"the command could not be started: {error.strerror}") from error


def launch(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    *,
    stdin: int = subprocess.DEVNULL,
    stderr: int,
    sandbox: Sandbox | None,
) -> Started:
    """Start a program, inside the sandbox if there is one.

    Raises:
        OSError: the system refused.
    """
    if sandbox is None:
        return Started(spawn.start(argv, cwd=cwd, env=env, stdin=stdin, stderr=stderr))
    report = Report()
    try:
        inside = sandbox.argv(argv, Path(os.path.realpath(cwd)), report.write_end)
        child = spawn.start(inside, cwd=cwd, env=env, stdin=stdin, stderr=stderr, extra=[report.write_end])
        report.begun()
    except BaseException:
        report.close()
        raise
    return Started(child, report)


@contextmanager
def folder(workspace: Workspace, cwd: str) -> Iterator[Path]:
    """A path through which a command can be started in a folder of the workspace; holds it open for the body.

    Raises:
        PathRefused: it is outside or no folder.
    """
    with workspace.place(cwd) as place:
        descriptor = place.open_folder()
        try:
            # Where the system has such names, the folder that was checked is the one that is used.
            opened = Path(f"/proc/self/fd/{descriptor}")
            yield opened if opened.exists() else workspace.root / place.shown
        finally:
            os.close(descriptor)


def run(started: Started, take: Callable[[bytes], None], *, timeout: float, cancel: Cancel) -> Exit:
    """Read a started command to its end and end its tree; `take` gets the output as it comes."""
    try:
        return attend(started.child, _Taker(take), cancel, timeout=timeout, cancel_grace=_CANCEL_GRACE)
    finally:
        started.close()


class _Taker(Listener):
    """Passes the output on."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take

    def output(self, stream: Stream, chunk: bytes) -> None:
        """Bytes came; both streams are one here."""
        del stream
        self._take(chunk)
