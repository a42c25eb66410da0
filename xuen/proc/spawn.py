"""Starts a command in a session of its own, by the means of this system."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from xuen.proc.child import Child
from xuen.texts import proc as texts


def start(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.PIPE,
    extra: Sequence[int] = (),
) -> Child:
    """Start a command; beside its streams it inherits the descriptors `extra` (Linux only).

    Raises:
        OSError: it could not be started.
    """

    def popen(words: Sequence[str], **more: Any) -> subprocess.Popen[bytes]:
        streams: dict[str, Any] = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        return subprocess.Popen(words, cwd=cwd, bufsize=0, start_new_session=True, **streams, **more)

    if sys.platform != "linux":
        from xuen.proc.portable import PortableChild

        return PortableChild(popen, argv, env)
    if not sees_processes():
        raise OSError(texts.NO_PROC.en)
    from xuen.proc.supervised import SupervisedChild

    return SupervisedChild(popen, argv, env, extra)


def sees_processes() -> bool:
    """Whether a command's processes can be seen, and so be ended: `/proc` is there, that of our own namespace."""
    try:
        return sys.platform != "linux" or Path("/proc/self/stat").read_bytes().startswith(b"%d " % os.getpid())
    except OSError:
        return False
