"""A network without a way out that the commands of one agent share.

Without it each command had a loopback interface of its own, and a server that one command started could not be tried
by the next. Owns the namespaces, which are kept alive by being open; no process has to run for them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Mapping

from xuen.xwork.cancel import Cancel, stop_if
from xuen.xwork.sandbox.report import Report

_MAKE = 20.0  # seconds that making it may take
_LOOK = 0.01  # seconds between two looks at its maker


class Island:
    """The open namespaces: the network's, and that of the users to whom it belongs."""

    def __init__(self, entering: str, user: int, network: int) -> None:
        """`entering` is the program nsenter; the descriptors are closed with the island."""
        self._entering = entering
        self._open: tuple[int, ...] = (user, network)

    def prefix(self) -> list[str]:
        """What a command line begins with so that it is carried out on the island."""
        # By our process's own names, so that commands need not inherit the descriptors.
        user, network = (f"/proc/{os.getpid()}/fd/{descriptor}" for descriptor in self._open)
        return [self._entering, f"--user={user}", "--preserve-credentials", f"--net={network}", "--"]

    def close(self) -> None:
        """Let it go; a second call does nothing."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open = ()


def make(bubblewrap: str, env: Mapping[str, str], cancel: Cancel, limit: float = _MAKE) -> Island | None:
    """A new island; None where the system has not what it takes, or not within `limit` seconds.

    Raises:
        Interrupted: `cancel` was set.
    """
    entering = shutil.which("nsenter", path=env.get("PATH"))
    if entering is None:
        return None
    report = Report()
    walls = [
        "--die-with-parent",
        "--unshare-user",
        "--unshare-net",
        "--unshare-pid",
        "--cap-drop",
        "ALL",
        "--ro-bind",
        "/",
        "/",
    ]
    argv = [bubblewrap, *walls, "--json-status-fd", str(report.write_end), "--", "cat"]
    opened: list[int] = []
    try:
        with subprocess.Popen(
            argv,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(report.write_end,),
        ) as holder:
            try:
                report.begun()
                first = report.wait(limit, cancel)
                if first is not None:
                    for kind in ("user", "net"):
                        opened.append(os.open(f"/proc/{first}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC))
                    _end_of_input(holder, limit, cancel)  # which ends it, when all is set up
            finally:
                holder.kill()  # or its end would be waited for, however long it takes
        if first is not None and holder.returncode == 0:
            return Island(entering, *opened)
    except OSError:
        pass
    finally:
        report.close()
    for descriptor in opened:
        os.close(descriptor)
    stop_if(cancel)
    return None


def _end_of_input(holder: subprocess.Popen[bytes], limit: float, cancel: Cancel) -> None:
    """Close its input and wait for its end, `limit` seconds at most or until `cancel` is set."""
    assert holder.stdin is not None
    holder.stdin.close()
    deadline = time.monotonic() + limit
    while holder.poll() is None and time.monotonic() < deadline and not cancel.wait(_LOOK):
        pass
