"""Whatever shape a command's processes take, none is left; an independent judge looks into /proc."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest
from tree_shapes import SHAPES

from xuen.events import Why
from xuen.proc.command import CannotStart, Listener, run
from xuen.proc.leftovers import end_leftovers
from xuen.proc.portable import PortableChild
from xuen.proc.spawn import start
from xuen.proc.supervisor import ask_to_end, row_of
from xuen.stop import Stop

PYTHON = sys.executable
ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the judge of these tests reads /proc")


def holders(mark: Path) -> list[int]:
    """All processes that hold `mark` open: a descriptor is inherited whatever happens to names and environments."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if any(fd.readlink() == mark for fd in (entry / "fd").iterdir()):
                    found.append(int(entry.name))
    return found


def zombies() -> set[int]:
    return {child.pid for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE}


def descriptors() -> set[int]:
    """The descriptors that are open here; what earlier tests forgot to close may be collected at any time."""
    return {int(path.name) for path in Path("/proc/self/fd").iterdir()}


def marked(script: str, mark: Path) -> list[str]:
    return ["/bin/sh", "-c", f'exec 9<"$1"; shift; {script}', "sh", str(mark)]


@pytest.fixture(autouse=True)
def no_new_zombies() -> Iterator[None]:
    before = zombies()
    yield
    for pid in zombies() - before:
        pytest.fail(f"zombie {pid}")


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    path = tmp_path / "mark"
    path.touch()
    return path.resolve()


class Heard(Listener):
    def __init__(self) -> None:
        self.pid = 0
        self.said = b""

    def started(self, pid):
        self.pid = pid

    def output(self, stream, chunk):
        self.said += chunk


class StopsWhenReady(Heard):
    """Asks for the end as soon as the command has said that it is ready."""

    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self.stop = stop

    def output(self, stream, chunk):
        super().output(stream, chunk)
        if not self.stop.is_set() and b"ready\n" in self.said:
            self.stop.request(130)


def go(argv, tmp_path, *, timeout=0.4, stop=None, listener=None, **kwargs):
    stop = stop or Stop()
    return run(
        argv,
        cwd=tmp_path,
        env=dict(os.environ),
        listener=listener or Heard(),
        cancel=stop.begin_call(),
        hurried=stop.is_hurried,
        timeout=timeout,
        **{"grace": 0.5, **kwargs},
    )


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if "chain" not in shape])  # that one comes below
def test_nothing_is_left_of(shape, mark, tmp_path):
    began = time.monotonic()
    ended = go(marked(SHAPES[shape], mark), tmp_path)
    assert holders(mark) == []
    assert ended.survivors == ()
    assert ended.why in (Why.OK, Why.TIMEOUT)
    assert time.monotonic() - began < 0.4 + 5


def test_a_chain_of_forks_in_ever_new_sessions_without_environment_is_caught(tmp_path):
    # Faster than any listing of processes, so the judge is a counter that each link of the chain writes.
    counter = tmp_path / "count"
    chain = tmp_path / "chain.py"
    chain.write_text(
        "import os, signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"fd = os.open({str(counter)!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND)\n"
        "while True:\n"
        "    if os.fork(): os._exit(0)\n"
        "    os.setsid()\n"
        "    os.write(fd, b'.')\n"
    )

    class StopsWhenLong(Listener):
        def tick(self):
            if counter.exists() and counter.stat().st_size > 3 and not stop.is_set():
                stop.request(130)

    stop = Stop()
    argv = ["/bin/sh", "-c", f"exec env -i {PYTHON} -S {chain}"]
    go(argv, tmp_path, timeout=60, stop=stop, listener=StopsWhenLong())
    size = counter.stat().st_size
    assert size > 3, "the chain ran"
    time.sleep(0.3)
    assert counter.stat().st_size == size


@pytest.mark.parametrize("shell", [pytest.param(s, marks=pytest.mark.needs(s)) for s in ("dash", "bash", "busybox")])
def test_every_shell_gives_the_same_end(shell, mark, tmp_path):
    script = f'exec 9<"{mark}"; sleep 300 & sleep 300'
    argv = {"dash": ["dash", "-c"], "bash": ["bash", "-c"], "busybox": ["busybox", "sh", "-c"]}[shell]
    ended = go([*argv, script], tmp_path)
    assert (ended.why, ended.code) == (Why.TIMEOUT, None)
    assert holders(mark) == []


def test_the_leader_ends_first_and_the_rest_of_the_group_is_still_ended(mark, tmp_path):
    heard = Heard()
    ended = go(marked("sleep 60 & echo done; exit 0", mark), tmp_path, timeout=30, listener=heard)
    assert (ended.why, ended.code, heard.said) == (Why.OK, 0, b"done\n")
    assert ended.seconds < 5
    assert holders(mark) == []


@pytest.mark.parametrize(("script", "code"), [("exit 3", 3), ("exit 126", 126), ("kill -KILL $$", 137), (":", 0)])
def test_the_code_of_the_command_itself_is_told(script, code, tmp_path):
    ended = go(["/bin/sh", "-c", script], tmp_path)
    assert (ended.why, ended.code) == (Why.OK if code == 0 else Why.FAILED, code)


def test_a_stop_ends_the_tree(mark, tmp_path):
    stop = Stop()
    threading.Timer(0.3, stop.request, [130]).start()
    ended = go(marked("setsid sleep 300 & sleep 300", mark), tmp_path, timeout=0, stop=stop)
    assert (ended.why, ended.code) == (Why.STOPPED, None)
    assert holders(mark) == []


def test_a_second_stop_shortens_the_grace(mark, tmp_path):
    stop = Stop()
    for delay in (0.2, 0.25):
        threading.Timer(delay, stop.request, [130]).start()
    ended = go(marked("trap '' TERM; while :; do sleep 0.1; done", mark), tmp_path, timeout=0, stop=stop, grace=60.0)
    assert ended.why is Why.STOPPED
    assert ended.seconds < 20
    assert holders(mark) == []


def test_sigterm_comes_first_and_leaves_time_to_end_well(tmp_path):
    script = "trap 'sleep 0.2; echo saved; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    heard = StopsWhenReady(Stop())
    ended = go(["/bin/sh", "-c", script], tmp_path, timeout=0, stop=heard.stop, listener=heard, grace=60.0)
    assert ended.why is Why.STOPPED
    assert b"saved\n" in heard.said
    assert ended.seconds < 50


def test_whoever_floods_the_pipe_while_ending_does_not_hang(mark, tmp_path):
    script = "trap 'head -c 5000000 /dev/zero; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    heard = StopsWhenReady(Stop())
    go(marked(script, mark), tmp_path, timeout=0, stop=heard.stop, listener=heard, grace=60.0)
    assert heard.said.count(0) == 5_000_000
    assert holders(mark) == []


def test_idle_means_neither_output_nor_processor_time(tmp_path):
    assert go(["/bin/sh", "-c", "sleep 300"], tmp_path, timeout=30, idle_timeout=1.0).why is Why.IDLE
    talks = "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.5; done"
    assert go(["/bin/sh", "-c", talks], tmp_path, timeout=60, idle_timeout=3.5).why is Why.OK
    works = "import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end: pass\nprint('over')"
    argv = ["/bin/sh", "-c", f'setsid {PYTHON} -c "$0" & wait', works]
    assert go(argv, tmp_path, timeout=30, idle_timeout=0.9).why is Why.OK  # it is looked at once a second


def test_fifty_timed_out_commands_leak_no_thread_descriptor_or_zombie(mark, tmp_path):
    go(marked("sleep 300 & wait", mark), tmp_path, timeout=0.05)
    threads, opened = set(threading.enumerate()), descriptors()
    for _ in range(50):
        go(marked("setsid sleep 300 & sleep 300", mark), tmp_path, timeout=0.02)
    assert set(threading.enumerate()) <= threads
    assert descriptors() <= opened
    assert holders(mark) == []


def test_children_of_other_threads_are_neither_ended_nor_reaped(mark, tmp_path):
    other = subprocess.Popen(["/bin/sh", "-c", "sleep 0.6; exit 7"])
    gone = subprocess.Popen(["/bin/sh", "-c", "exit 5"])
    go(marked("setsid sleep 300 & sleep 300", mark), tmp_path, timeout=0.2)
    assert other.wait(timeout=30) == 7
    assert gone.wait(timeout=30) == 5


DAEMON = "setsid -f env -i sh -c 'trap \"\" TERM; while :; do sleep 0.05; done'"  # nothing tells whose it is


def begun(script, mark, tmp_path, **streams):
    streams = streams or {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return start(marked(script, mark), cwd=tmp_path, env=dict(os.environ), **streams)


def wait_for(condition) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.02)


def test_trees_that_run_at_once_do_not_touch_each_other(mark, tmp_path):
    theirs = tmp_path / "theirs"
    theirs.touch()
    others = [begun(f"{DAEMON}; setsid -f sleep 300; sleep 300", theirs, tmp_path) for _ in range(2)]
    wait_for(lambda: len(holders(theirs)) >= 8)
    before = holders(theirs)
    time.sleep(0.2)  # the short sleeps of the first look are over
    kept = set(before) & set(holders(theirs))
    assert len(kept) >= 6
    for _ in range(2):
        child = begun(f"{DAEMON}; sleep 0.2; exit 4", mark, tmp_path)
        wait_for(child.ended)
        assert (child.status, len(child.left) >= 1) == (4, True)
        assert child.end(grace=0.2) == ()
        assert holders(mark) == []
        assert kept <= set(holders(theirs))
    for other in others:
        other.end(grace=0.2)
    assert holders(theirs) == []


def test_trees_that_end_at_the_same_moment_leave_nothing_between_them(mark, tmp_path):
    children = [begun(f"{DAEMON}; sleep 0.3", mark, tmp_path) for _ in range(3)]
    threads = [threading.Thread(target=child.end, kwargs={"grace": 0.2}) for child in children]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert holders(mark) == []


def test_a_child_of_the_host_is_no_member_whatever_session_it_is_in(mark, tmp_path):
    mine = subprocess.Popen(["sleep", "300"], start_new_session=True)
    go(marked(f"{DAEMON}; sleep 0.1", mark), tmp_path, timeout=30)
    assert mine.poll() is None
    mine.kill()
    mine.wait()
    assert holders(mark) == []


def test_a_command_gets_its_extra_descriptors_and_no_others(tmp_path):
    read, write = os.pipe()
    child = start(
        ["sh", "-c", "ls /proc/self/fd > /dev/fd/$0", str(write)], cwd=tmp_path, env=dict(os.environ), extra=[write]
    )
    os.close(write)
    with os.fdopen(read, "rb") as file:
        opened = set(map(int, file.read().split()))  # one of them is what `ls` opens
    assert {0, 1, 2, write} < opened and len(opened) == 5
    child.end()
    child.close()


def test_a_command_gets_exactly_its_environment_and_is_looked_for_on_its_own_path(tmp_path):
    (tmp_path / "reported").symlink_to("/usr/bin/env")
    heard = Heard()
    env = {"PATH": str(tmp_path), "Ä": "\udcff", "LC_ALL": "C"}
    run(["reported"], cwd=Path("/"), env=env, listener=heard, cancel=threading.Event(), timeout=30)
    assert set(heard.said.splitlines()) == {b"PATH=" + os.fsencode(tmp_path), "Ä=".encode() + b"\xff", b"LC_ALL=C"}


# --- when something above the command is killed or stopped -------------------------------------------------------


@pytest.mark.parametrize("shape", ["own session", "double fork", "ignores SIGTERM", "forks while it is killed"])
def test_a_killed_supervisor_leaves_nothing_and_its_command_counts_as_killed(shape, mark, tmp_path):
    child = begun(SHAPES[shape] + "\nsleep 300", mark, tmp_path)
    wait_for(lambda: len(holders(mark)) >= 2)
    os.kill(child.root, signal.SIGKILL)
    wait_for(lambda: child.ended() and child.fileno() < 0)
    assert holders(mark) == []
    assert child.end() == ()
    assert child.status in (-signal.SIGKILL, 0)


def test_a_stopped_supervisor_does_not_keep_a_call_from_its_end(mark, tmp_path):
    script = 'guard=$(cut -d" " -f4 /proc/$PPID/stat); kill -STOP "$PPID" $guard; setsid sleep 300 & sleep 300'
    ended = go(marked(script, mark), tmp_path, timeout=0.5)
    assert ended.why is Why.TIMEOUT
    assert holders(mark) == []


@pytest.mark.parametrize("stopped", [False, True])
def test_a_killed_guard_takes_its_tree_with_it(stopped, mark, tmp_path):
    child = begun("trap '' TERM; setsid sleep 300 & sleep 300", mark, tmp_path)
    wait_for(lambda: len(holders(mark)) >= 3)
    if stopped:
        os.kill(psutil.Process(child.root).ppid(), signal.SIGSTOP)
        os.kill(child.root, signal.SIGSTOP)
    psutil.Process(child.root).parent().kill()
    wait_for(child.ended)
    assert child.end() == ()
    assert holders(mark) == []


KILLED = """
import os, sys, threading
from pathlib import Path
from xuen.proc.command import Listener, run
run(["/bin/sh", "-c", sys.argv[1]], cwd=Path("."), env=dict(os.environ), listener=Listener(), cancel=threading.Event())
"""


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if "chain" not in shape])
def test_a_program_that_is_killed_takes_its_commands_with_it(shape, mark, tmp_path):
    script = f'exec 9<"{mark}"\n{SHAPES[shape]}\nsleep 300'
    host = subprocess.Popen([PYTHON, "-c", KILLED, script], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    wait_for(lambda: len(holders(mark)) >= 1)
    time.sleep(0.3)
    below = psutil.Process(host.pid).children(recursive=True)
    host.kill()
    host.wait()
    wait_for(lambda: not holders(mark))
    wait_for(lambda: not any(process.is_running() for process in below))  # the guard and the supervisor too


def test_a_callback_that_fails_still_leaves_nothing(mark, tmp_path):
    class Broken(Listener):
        def output(self, stream, chunk):
            raise ValueError("broken listener")

    with pytest.raises(ValueError, match="broken listener"):
        go(marked("setsid sleep 300 & echo hello; sleep 300", mark), tmp_path, timeout=30, listener=Broken())
    assert holders(mark) == []


def test_what_cannot_be_started_is_said_and_leaves_nothing(tmp_path):
    with pytest.raises(CannotStart):
        go([str(tmp_path / "nothing")], tmp_path)


@pytest.mark.parametrize("shape", ["own session", "ignores SIGTERM", "background child that is waited for"])
def test_other_systems_end_trees_too(shape, mark, tmp_path):
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    popen = partial(subprocess.Popen, cwd=tmp_path, start_new_session=True, **streams)
    child = PortableChild(popen, marked(SHAPES[shape], mark), os.environ)
    time.sleep(0.3)
    assert child.end(grace=0.5) == ()
    assert child.status is not None
    assert holders(mark) == []


def test_a_pid_that_was_given_to_another_process_is_not_signalled():
    other = subprocess.Popen(["sleep", "30"])
    try:
        row = row_of(other.pid)
        ask_to_end(row._replace(start=row.start - 1))
        time.sleep(0.1)
        assert other.poll() is None
        ask_to_end(row)
        assert other.wait(timeout=30) == -signal.SIGTERM
    finally:
        other.kill()
        other.wait()


def test_leftovers_of_a_killed_run_are_ended_and_nobody_else(mark, tmp_path):
    here, elsewhere, link = tmp_path / "here", tmp_path / "elsewhere", tmp_path / "link"
    here.mkdir()
    link.symlink_to(here)

    def start(workspace: Path, run_token: str) -> subprocess.Popen:
        env = {**os.environ, "XUEN_WORKSPACE": str(workspace), "XUEN_RUN": run_token}
        return subprocess.Popen(
            marked("setsid sleep 300 & env -i sh -c 'trap : TERM; sleep 300; sleep 300' & wait", mark),
            env=env,
            start_new_session=True,
        )

    left, same_run, other_place = start(here, "old"), start(here, "new"), start(elsewhere, "old")
    try:
        until = time.monotonic() + 60
        while len(holders(mark)) < 12 and time.monotonic() < until:
            time.sleep(0.05)
        assert end_leftovers(link, "new", grace=0.3) >= 4
        assert len(holders(mark)) == 8
        assert left.wait(timeout=30) != 0
        assert (same_run.poll(), other_place.poll()) == (None, None)
        assert end_leftovers(here, "new") == 0
    finally:
        end_leftovers(here, "another", grace=0.1)
        end_leftovers(elsewhere, "another", grace=0.1)
        for process in (left, same_run, other_place):
            process.wait(timeout=30)
    assert holders(mark) == []
