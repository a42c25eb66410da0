"""The lock between processes: held, given back, lost with its process, never silently missing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from xuen.errors import LockTimeout
from xuen.files.lock import FileLock, holder, is_held, locked

HOLD = """
import sys, time
from pathlib import Path
from xuen.files.lock import FileLock
lock = FileLock(Path(sys.argv[1]))
lock.acquire(5)
lock.write(b'{"pid": 1}')
print("held", flush=True)
"""


def holding(path: Path, more: str = "time.sleep(60)") -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", HOLD + more, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def end(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate()


def test_another_process_is_kept_out_until_the_lock_is_given_back(tmp_path: Path) -> None:
    path, go = tmp_path / "lock", tmp_path / "lock.go"
    os.mkfifo(go)
    child = holding(path, "open(sys.argv[1] + '.go').read(); lock.release(); print('free', flush=True); time.sleep(60)")
    try:
        with pytest.raises(LockTimeout, match="lock"):
            FileLock(path).acquire(0)
        assert is_held(path)
        go.write_text("go")
        assert child.stdout is not None
        assert child.stdout.readline() == "free\n"
        with locked(path, 0):
            assert is_held(path)
        assert not is_held(path)
    finally:
        end(child)
    assert path.exists()


def test_a_holder_killed_at_once_blocks_nobody(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    child = holding(path)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    with locked(path, 10):
        assert holder(path) == {"pid": 1}


def test_two_locks_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    order: list[str] = []

    def second() -> None:
        with locked(path, 30):
            order.append("second")

    with locked(path, 0):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.1)
        order.append("first")
    thread.join(30)
    assert order == ["first", "second"]


def test_opening_and_closing_the_file_elsewhere_does_not_drop_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path, 0) as lock:
        lock.write(b'{"pid": 7}')
        path.read_bytes()
        assert holder(path) == {"pid": 7}
        assert is_held(path)


def test_a_child_program_does_not_keep_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    child = holding(
        path, "import subprocess; print(subprocess.Popen(['sleep', '60'], stdout=2).pid, flush=True); time.sleep(60)"
    )
    assert child.stdout is not None
    sleeper = int(child.stdout.readline())
    try:
        end(child)
        with locked(path, 30):
            pass
    finally:
        os.kill(sleeper, signal.SIGKILL)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_copy_of_the_holder_neither_keeps_nor_ends_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    child = holding(
        path,
        "import os\nif os.fork() == 0: lock.release(); print(os.getpid(), flush=True); time.sleep(60)\ntime.sleep(60)",
    )
    assert child.stdout is not None
    copy = int(child.stdout.readline())
    try:
        assert is_held(path)
        child.kill()
        child.wait()
        with locked(path, 30):
            pass
    finally:
        os.kill(copy, signal.SIGKILL)
        child.communicate()


def test_a_lock_file_that_was_deleted_does_not_let_two_in(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = FileLock(path)
    first.acquire(0)
    waiting = FileLock(path)
    got = threading.Event()

    def wait() -> None:
        waiting.acquire(30)
        got.set()

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.05)
    path.unlink()
    assert got.wait(30)
    with pytest.raises(LockTimeout):
        FileLock(path).acquire(0)
    thread.join()
    waiting.release()
    first.release()


def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    (tmp_path / "lock").symlink_to(outside)
    with pytest.raises(OSError, match="lock"):
        FileLock(tmp_path / "lock").acquire(0)
    assert outside.read_bytes() == b"mine"


def test_looking_makes_no_file_and_rubbish_names_no_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert not is_held(path)
    assert holder(path) is None
    assert not path.exists()
    for rubbish in (b"", b'{"pid":', b"[1]", b"\xff", b"[" * 100_000):
        path.write_bytes(rubbish)
        assert holder(path) is None


def test_what_the_holder_says_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked(path, 0) as lock:
        lock.write(b'{"pid": 12345, "run": "long"}')
        lock.write(b'{"pid": 1}')
        assert path.read_bytes() == b'{"pid": 1}'
        with pytest.raises(RuntimeError):
            lock.acquire(0)
    with pytest.raises(RuntimeError):
        lock.write(b"x")
    lock.release()


ACQUIRE = """
import sys
from pathlib import Path
from xuen.files.lock import FileLock
try:
    FileLock(Path(sys.argv[1])).acquire(5)
except OSError as error:
    print("OSError", error.errno, error.filename)
else:
    print("held")
"""


@pytest.mark.needs("strace")
@pytest.mark.parametrize(
    ("error", "says"), [("ENOLCK", "OSError 37"), ("ESTALE", "OSError 116"), ("EINTR:when=1", "held")]
)
def test_where_locks_fail_that_is_an_error_and_an_interruption_is_none(tmp_path: Path, error: str, says: str) -> None:
    strace = ["strace", "-o", "/dev/null", "-e", "trace=flock", "-e", f"inject=flock:error={error}"]
    command = [*strace, sys.executable, "-c", ACQUIRE, str(tmp_path / "lock")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith(says)
    if says != "held":
        assert str(tmp_path / "lock") in done.stdout


def test_no_step_of_four_counters_is_lost(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("0")
    code = (
        "import sys; from pathlib import Path; from xuen.files.lock import locked\n"
        "folder = Path(sys.argv[1])\n"
        "for _ in range(40):\n"
        "    with locked(folder / 'lock', 60):\n"
        "        number = int((folder / 'n').read_text()); (folder / 'n').write_text(str(number + 1))\n"
    )
    counters = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(4)]
    assert [counter.wait(timeout=90) for counter in counters] == [0] * 4
    assert (tmp_path / "n").read_text() == "160"
