"""An isolated network namespace that all commands of one agent share.

Without it each command would have a loopback interface of its own, and a server that one command started could not be
reached by the next. Owns the namespaces; open descriptors keep them alive, so no process has to run for them.
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


class SharedNetwork:
    """The open network namespace, and the user namespace that owns it."""

    def __init__(self, entering: str, user: int, network: int) -> None:
        """`entering` is the path of nsenter; `close` closes the descriptors."""
        self._entering = entering
        self._open: tuple[int, ...] = (user, network)

    def prefix(self) -> list[str]:
        """What to put before a command line so that it runs in the namespace."""
        # Named through our own /proc entry, so that commands need not inherit the descriptors.
        user, network = (f"/proc/{os.getpid()}/fd/{descriptor}" for descriptor in self._open)
        return [self._entering, f"--user={user}", "--preserve-credentials", f"--net={network}", "--"]

    def close(self) -> None:
        """Release the namespaces; a second call does nothing."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open = ()


def make_network(bubblewrap: str, env: Mapping[str, str], cancel: Cancel, limit: float = _MAKE) -> SharedNetwork | None:
    """A new shared network; None where the system does not support one, or it takes more than `limit` seconds.

    Raises:
        Interrupted: `cancel` was set.
    """
    entering = shutil.which("nsenter", path=env.get("PATH"))
    if entering is None:
        return None
    report = Report()
    options = [
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
    argv = [bubblewrap, *options, "--json-status-fd", str(report.write_end), "--", "cat"]
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
            return SharedNetwork(entering, *opened)
    except OSError:
        pass
    finally:
        report.close()
    for descriptor in opened:
        os.close(descriptor)
    stop_if(cancel)
    return None


def _end_of_input(holder: subprocess.Popen[bytes], limit: float, cancel: Cancel) -> None:
    """Close its input and wait until it ends, `limit` seconds have passed, or `cancel` is set."""
    assert holder.stdin is not None
    holder.stdin.close()
    deadline = time.monotonic() + limit
    while holder.poll() is None and time.monotonic() < deadline and not cancel.wait(_LOOK):
        pass
