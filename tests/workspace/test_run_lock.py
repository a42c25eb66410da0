"""One run owns a workspace: a second is told who, a dead one blocks nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from xuen.errors import WorkspaceBusy, WorkspaceError
from xuen.files.lock import holder, is_held, locked
from xuen.workspace.paths import Workspace
from xuen.workspace.run_lock import RunLock, holder_pid

OWN = """
import sys, time
from pathlib import Path
from xuen.workspace.paths import Workspace
from xuen.workspace.run_lock import RunLock
with RunLock(Workspace(Path(sys.argv[1])), sys.argv[2]):
    print("owned", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def owner(workspace: Workspace, token: str = "token") -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", OWN, str(workspace.root), token],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "owned\n"
    return child


def test_a_second_run_is_told_who_holds_the_workspace_and_what_to_do(workspace: Workspace) -> None:
    child = owner(workspace)
    try:
        with pytest.raises(WorkspaceBusy) as caught:
            RunLock(workspace, "second", patience=0.1).acquire()
        for language in ("en", "zh"):
            line = caught.value.line(language)
            assert str(child.pid) in line
            assert str(workspace.root) in line
            assert "--workspace" in line
        assert holder(workspace.run_lock) is not None
        assert holder_pid(workspace) == child.pid
    finally:
        child.communicate()
    assert child.returncode == 0
    assert holder_pid(workspace) is None
    with RunLock(workspace, "second", patience=0.1):
        assert holder_pid(workspace) == os.getpid()


def test_a_killed_run_does_not_block_the_next(workspace: Workspace) -> None:
    child = owner(workspace)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert holder_pid(workspace) == child.pid
    with RunLock(workspace, "next"):
        assert (holder(workspace.run_lock) or {})["run"] == "next"


def test_looking_at_the_lock_all_the_time_does_not_keep_a_run_from_starting(workspace: Workspace) -> None:
    stop = threading.Event()
    workspace.run_lock.touch()

    def look() -> None:
        while not stop.is_set():
            is_held(workspace.run_lock)

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for looker in lookers:
        looker.start()
    try:
        for number in range(20):
            with RunLock(workspace, str(number), patience=60):
                pass
    finally:
        stop.set()
        for looker in lookers:
            looker.join()


def test_a_section_writer_that_hangs_does_not_keep_a_run_from_starting(workspace: Workspace) -> None:
    with locked(workspace.research_lock, 0), RunLock(workspace, "t", patience=0.1):
        assert is_held(workspace.run_lock)


def test_giving_back_twice_or_what_was_never_had_does_no_harm(workspace: Workspace) -> None:
    lock = RunLock(workspace, "t", patience=0)
    lock.release()
    lock.acquire()
    lock.release()
    lock.release()
    assert workspace.run_lock.read_bytes() == b""


def test_a_lock_file_that_cannot_be_made_is_one_clear_error(workspace: Workspace) -> None:
    workspace.root.rename(workspace.root.with_name("gone"))
    with pytest.raises(WorkspaceError, match="cannot lock") as caught:
        RunLock(workspace, "t", patience=0).acquire()
    assert not isinstance(caught.value, WorkspaceBusy)


@pytest.mark.needs("strace")
def test_a_file_system_without_locks_is_one_clear_error(workspace: Workspace) -> None:
    strace = ["strace", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:error=ENOLCK"]
    command = [*strace, sys.executable, "-c", OWN, str(workspace.root), "t"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    assert "owned" not in done.stdout
    assert "WorkspaceError" in done.stderr
