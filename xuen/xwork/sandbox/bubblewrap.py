"""A sandbox for commands, made by bubblewrap: the workspace is writable, everything else is read-only.

Owns what a command sees, and what bubblewrap reports about it. A command has a /tmp of its agent's own that lives as
long as the agent, sees no other processes, has no capabilities, no sockets below /run, and no network
unless it is allowed; the runtime's own folder in the workspace can only be read. Refuses to go on where the
sandbox cannot be made: a command then does not run at all, and no exit code is taken for its own.

Always holds: the environment passes through; bubblewrap is the first process of the command's tree, and everything
inside ends with the sandbox's own first process.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from xuen.proc.spawn import start
from xuen.texts import Text, plain
from xuen.texts import sandbox as texts
from xuen.texts.xwork import INTERRUPTED
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import BadUse, Interrupted
from xuen.xwork.policy.paths import STATE
from xuen.xwork.sandbox.mode import Mode
from xuen.xwork.sandbox.network import SharedNetwork, make_network
from xuen.xwork.sandbox.report import Report

_PROBE = 20.0  # seconds that bubblewrap has to show that it works
_LOOK = 0.01  # seconds between two looks at it and at the cancel token
_NOT_WRITABLE = 9  # exit code of the probe: the sandbox works, but the workspace in it is read-only
_TEMPORARY = ("/tmp", "/var/tmp")
_SYSTEM = ("/", "/dev", "/proc", "/sys", "/usr", "/etc")


class Sandbox:
    """The sandbox around the commands of one agent."""

    def __init__(self, program: str, workspace: Path, *, network: bool) -> None:
        """`program` is bubblewrap; `workspace` is absolute and holds no link.

        Raises:
            OSError: there is no place for temporary files.
        """
        self._network = network
        self._shared_network: SharedNetwork | None = None
        self._program = program
        self._workspace = str(workspace)
        import tempfile  # most agents have no sandbox

        self._temporary = tempfile.mkdtemp(prefix="xwork-")

    def argv(self, command: Sequence[str], cwd: Path, report: int | None = None) -> list[str]:
        """What to start instead of `command`; bubblewrap reports on the descriptor `report` how it went."""
        told = [] if report is None else ["--json-status-fd", str(report)]
        before = self._shared_network.prefix() if self._shared_network else []
        return [*before, self._program, *self._options(), "--chdir", str(cwd), *told, "--", *command]

    def share_network(self, env: Mapping[str, str], cancel: Cancel) -> None:
        """Put all further commands into one isolated network, unless they may use the real one.

        Raises:
            Interrupted: `cancel` was set.
        """
        if not self._network:
            self._shared_network = make_network(self._program, env, cancel)

    @property
    def rules(self) -> str:
        """What the model is told about it."""
        network = "they have network access."
        if not self._network:
            network = "they have no network, but can reach each other's servers on 127.0.0.1."
            if self._shared_network is None:
                network = "they have no network; even a server of another command cannot be reached."
        return (
            "Commands run in a sandbox: they can write in the workspace and in /tmp, elsewhere they can only read, "
            f"they do not see other processes, and {network}"
        )

    def close(self) -> None:
        """Remove the temporary files; a second call does nothing."""
        if self._shared_network is not None:
            self._shared_network.close()
            self._shared_network = None
        shutil.rmtree(self._temporary, ignore_errors=True)

    def _options(self) -> Iterator[str]:
        # Capabilities would let a command undo the mounts, and root could still write /proc/sys without any.
        yield from ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL")
        yield from () if self._network or self._shared_network else ("--unshare-net",)
        yield "--new-session"  # a group of its own, which signals can be sent to without hitting bubblewrap
        yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc")
        yield from self._run_folder()
        for folder in _TEMPORARY:
            if os.path.isdir(folder) and not os.path.islink(folder):  # noqa: PTH112, PTH114 - constants of the system
                yield from ("--bind", self._temporary, folder)
        for folder in {sys.prefix, sys.base_prefix}:  # the Python that runs us, should it live there
            if folder.startswith(tuple(f"{each}/" for each in _TEMPORARY)):
                yield from ("--ro-bind", folder, folder)
        yield from ("--setenv", "TMPDIR", _TEMPORARY[0])
        yield from ("--bind", self._workspace, self._workspace)
        state = Path(self._workspace, STATE)
        if state.is_dir() and not state.is_symlink():
            yield from ("--ro-bind", str(state), str(state))

    def _run_folder(self) -> Iterator[str]:
        """An empty /run: a socket that can be reached there may lead to a service which writes for others."""
        if not Path("/run").is_dir():
            return
        yield from ("--tmpfs", "/run")
        yield from ("--ro-bind-try", "/run/current-system", "/run/current-system")  # the programs of NixOS
        names = os.path.realpath("/etc/resolv.conf")
        if self._network and names.startswith("/run/"):
            yield from ("--ro-bind-try", names, names)


def make(
    mode: Mode, workspace: Path, *, network: bool, env: Mapping[str, str], cancel: Cancel
) -> tuple[Sandbox | None, Text | None]:
    """The sandbox that the mode asks for, tried once; with `auto` and none, why there is none.

    Raises:
        BadUse: it must be there and cannot.
        Interrupted: `cancel` was set.
    """
    if mode is Mode.OFF:
        return None, None
    try:
        return _tried(workspace, network=network, env=env, cancel=cancel), None
    except BadUse as error:
        if mode is Mode.ON:
            raise
        return None, texts.GOES_WITHOUT.of(reason=error.what)


def _tried(workspace: Path, *, network: bool, env: Mapping[str, str], cancel: Cancel) -> Sandbox:
    program = shutil.which("bwrap", path=env.get("PATH"))
    if program is None:
        raise BadUse(texts.MISSING, mend=texts.MISSING_MEND)
    root = workspace.resolve()
    if str(root) in _SYSTEM:
        raise BadUse(texts.WHOLE_SYSTEM.of(path=plain(str(root))), mend=texts.WHOLE_SYSTEM_MEND)
    try:
        sandbox = Sandbox(program, root, network=network)
    except OSError as error:
        raise BadUse(texts.NO_FOLDER.of(reason=plain(str(error)))) from error
    try:
        _probe(sandbox, root, env, cancel)
        sandbox.share_network(env, cancel)
    except BaseException:
        sandbox.close()
        raise
    return sandbox


def _probe(sandbox: Sandbox, root: Path, env: Mapping[str, str], cancel: Cancel) -> None:
    report = Report()
    try:
        argv = sandbox.argv(["/bin/sh", "-c", f"test -w . || exit {_NOT_WRITABLE}"], root, report.write_end)
        code, said = _tried_out(argv, root, env, report.write_end, cancel)
    except OSError as error:
        raise BadUse(texts.BROKEN.of(reason=plain(str(error))), mend=texts.BROKEN_MEND) from error
    finally:
        report.close()
    if code == _NOT_WRITABLE:
        raise BadUse(texts.NOT_WRITABLE.of(path=plain(str(root))), mend=texts.NOT_WRITABLE_MEND)
    if code != 0:
        reason = said[-1] if said else f"bwrap: exit code {code}"
        raise BadUse(texts.BROKEN.of(reason=plain(reason)), mend=texts.BROKEN_MEND)


def _tried_out(
    argv: Sequence[str], root: Path, env: Mapping[str, str], report: int, cancel: Cancel
) -> tuple[int | None, list[str]]:
    """The exit code of a command and the lines of its standard error; nothing of it is left.

    Raises:
        BadUse: it took too long.
        Interrupted: `cancel` was set.
        OSError: it could not be started.
    """
    from tempfile import TemporaryFile

    deadline = time.monotonic() + _PROBE
    with TemporaryFile() as errors:
        child = start(argv, cwd=root, env=env, stdout=subprocess.DEVNULL, stderr=errors, extra=[report])
        try:
            while not child.ended():
                if cancel.wait(_LOOK):
                    raise Interrupted(INTERRUPTED)
                if time.monotonic() >= deadline:
                    late = texts.TOO_SLOW.of(seconds=f"{_PROBE:g}")
                    raise BadUse(texts.BROKEN.of(reason=late), mend=texts.BROKEN_MEND)
        finally:
            child.end(grace=0.0)
        errors.seek(0)
        return child.status, errors.read().decode("utf-8", "replace").strip().splitlines()
