"""Whatever shape a command's processes take, none is left; an independent judge looks into /proc."""

import contextlib
import errno
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_shapes import SHAPES

from xuen.events import Why
from xuen.proc.command import CannotStart, Listener, run
from xuen.proc.leftovers import end_leftovers
from xuen.proc.roll import ROLL
from xuen.proc.table import ProcTable, PsutilTable, Row, Snapshot, send
from xuen.proc.tree import adopt_orphans, spawn
from xuen.stop import Stop

PYTHON = sys.executable
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
    me = os.getpid()
    return {row.pid for row in ProcTable().snapshot().rows.values() if row.zombie and row.parent == me}


def descendants() -> set[int]:
    """All processes below this one: what earlier tests killed may end, and become ours, at any later time."""
    rows = ProcTable().snapshot().rows.values()
    found, known = {os.getpid()}, 0
    while len(found) > known:
        known = len(found)
        found |= {row.pid for row in rows if row.parent in found}
    return found


def descriptors() -> set[int]:
    """The descriptors that are open here; what earlier tests forgot to close may be collected at any time."""
    return {int(path.name) for path in Path("/proc/self/fd").iterdir()}


def reap_orphans() -> None:
    """This program adopts the orphans of what tests killed; in a run those of an old one are init's."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


@contextlib.contextmanager
def child_of_ours() -> Iterator[subprocess.Popen[bytes]]:
    """A program that somebody else in this process started and will reap."""
    child = subprocess.Popen(["sleep", "300"], start_new_session=True)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def marked(script: str, mark: Path) -> list[str]:
    return ["/bin/sh", "-c", f'exec 9<"$1"; shift; {script}', "sh", str(mark)]


@pytest.fixture(autouse=True)
def no_new_zombies() -> Iterator[None]:
    before = descendants()
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
    return run(
        argv,
        cwd=tmp_path,
        env=dict(os.environ),
        listener=listener or Heard(),
        stop=stop or Stop(),
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


def test_two_trees_at_once_do_not_touch_each_other(mark, tmp_path):
    adopt_orphans()
    env = dict(os.environ)
    script = "setsid sleep 300 & (setsid env -i sleep 300 &); sleep 300"
    first = spawn(marked(script, mark), cwd=tmp_path, env=env)
    second = spawn(["/bin/sh", "-c", "setsid sleep 0.8 & wait; exit 4"], cwd=tmp_path, env=env)
    time.sleep(0.2)
    first.end(grace=0.2)
    while not second.command_ended():
        time.sleep(0.02)
    second.end(grace=0.2)
    for tree in (first, second):
        tree.process.stdout.close()
        tree.process.stderr.close()
    assert second.returncode == 4
    assert holders(mark) == []


def ended(tree) -> None:
    while not tree.command_ended():
        time.sleep(0.02)
    tree.end(grace=0.2)


def closed(*trees) -> None:
    for tree in trees:
        tree.process.stdout.close()
        tree.process.stderr.close()


def children_among(pids: list[int]) -> int:
    rows = map(ProcTable().row, pids)
    return sum(row is not None and row.parent == os.getpid() for row in rows)


DAEMON = "setsid -f env -i sh -c 'trap \"\" TERM; while :; do sleep 0.05; done'"  # nothing tells whose it is


def test_an_orphan_of_a_command_ends_with_it_beside_trees_that_last(mark, tmp_path):
    adopt_orphans()
    env = dict(os.environ)
    theirs = tmp_path / "theirs"
    theirs.touch()
    # They have daemons of their own: one that says whose it is and one that does not but was there before.
    lasting = [
        spawn(marked(f"{DAEMON}; setsid -f sleep 300; sleep 300", theirs), cwd=tmp_path, env=env, lasting=True)
        for _ in range(2)
    ]
    until = time.monotonic() + 60
    while children_among(holders(theirs)) < 6 and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.2)
    for _ in range(2):
        command = spawn(marked(f"{DAEMON}; sleep 0.2", mark), cwd=tmp_path, env=env)
        while not command.command_ended():
            time.sleep(0.02)
        assert command.members()
        command.end(grace=0.2)
        closed(command)
        assert holders(mark) == []
        assert children_among(holders(theirs)) == 6
    for tree in lasting:
        tree.end(grace=0.2)
    closed(*lasting)
    assert holders(theirs) == []


def test_trees_that_end_at_the_same_moment_leave_no_orphan_between_them(mark, tmp_path):
    adopt_orphans()
    for lasting in (True, False):
        script = marked(f"{DAEMON}; sleep 0.3", mark)
        trees = [spawn(script, cwd=tmp_path, env=dict(os.environ), lasting=lasting) for _ in range(3)]
        threads = [threading.Thread(target=ended, args=(tree,)) for tree in trees]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        closed(*trees)
        assert holders(mark) == []


def test_a_child_of_the_host_that_was_there_before_is_no_member(mark, tmp_path):
    adopt_orphans()
    script = "(setsid env -i sh -c 'trap \"\" TERM; sleep 300' &); sleep 0.05"
    for _ in range(8):  # begun in the same tick of the clock as the tree, or in the one before
        mine = subprocess.Popen(["sleep", "300"], start_new_session=True)
        tree = spawn(marked(script, mark), cwd=tmp_path, env=dict(os.environ))
        while not tree.command_ended():
            time.sleep(0.005)
        tree.end(grace=0.1)
        tree.process.stdout.close()
        tree.process.stderr.close()
        ended = mine.poll()
        mine.kill()
        mine.wait()
        assert ended is None
        assert holders(mark) == []


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
def test_the_walk_of_other_systems_ends_trees_too(shape, mark, tmp_path):
    tree = spawn(marked(SHAPES[shape], mark), cwd=tmp_path, env=dict(os.environ), table=PsutilTable())
    time.sleep(0.3)
    assert tree.end(grace=0.5) == []
    tree.process.stdout.close()
    tree.process.stderr.close()
    assert holders(mark) == []


class Scarce:
    """Processes as they are, but the N-th look at them, and `width` looks from there on, find no descriptor free."""

    def __init__(self, first: int = 0, width: int = 0) -> None:
        self._proc = ProcTable()
        self.looks = 0
        self.fails = range(first, first + width)

    def _look(self) -> None:
        self.looks += 1
        if self.looks in self.fails:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    def snapshot(self) -> Snapshot:
        self._look()
        return self._proc.snapshot()

    def row(self, pid: int) -> Row | None:
        self._look()
        return self._proc.row(pid)

    def environ(self, pid: int) -> bytes:
        return self._proc.environ(pid)


@pytest.mark.parametrize("width", [1, 3])
def test_whichever_look_at_the_processes_fails_the_tree_ends_or_was_never_begun(width, mark, tmp_path):
    adopt_orphans()
    reap_orphans()
    never, last = 0, 1
    with child_of_ours() as other:  # which is looked at before the command starts, lest it is taken for an orphan
        for first in itertools.count(1):
            table = Scarce(first, width)
            try:
                tree = spawn(
                    marked("trap '' TERM; setsid sleep 300 & sleep 300 & while :; do wait; done", mark),
                    cwd=tmp_path,
                    env=dict(os.environ),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    table=table,
                )
            except OSError:
                never += 1
            else:
                assert tree.end(grace=0.05) == []
            assert holders(mark) == []
            assert other.poll() is None
            if table.looks < first:
                last = first
                break
    assert 1 <= never < last


def test_what_can_no_longer_be_looked_at_is_told_as_not_ended(mark, tmp_path):
    adopt_orphans()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    script = marked("setsid sleep 300 & sleep 300", mark)
    table = Scarce()
    tree = spawn(script, cwd=tmp_path, env=dict(os.environ), table=table, **streams)
    table.fails = range(table.looks + 2, 1_000_000)
    while len(holders(mark)) < 3:
        time.sleep(0.01)
    told = tree.end(grace=0.05)
    left = holders(mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert len(left) == 1
    assert set(left) <= set(told)  # what was killed blindly may be told too
    reap_orphans()


class Slow(Scarce):
    """As on a machine where much else runs: whoever looks in vain has to wait to hear so."""

    def _look(self) -> None:
        if self.looks + 1 in self.fails:
            time.sleep(0.5)
        super()._look()


def test_a_tree_that_could_not_be_looked_at_in_time_is_ended_all_the_same(mark, tmp_path):
    adopt_orphans()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    table = Slow()
    script = marked("trap '' TERM; setsid sleep 300 & sleep 300 & while :; do wait; done", mark)
    tree = spawn(script, cwd=tmp_path, env=dict(os.environ), table=table, **streams)
    while len(holders(mark)) < 3:
        time.sleep(0.01)
    table.fails = range(table.looks + 1, table.looks + 6)
    assert tree.end(grace=0.05) == []
    assert holders(mark) == []
    reap_orphans()


def test_both_sources_describe_a_process_alike():
    mine, theirs = ProcTable().row(os.getpid()), PsutilTable().row(os.getpid())
    assert mine is not None
    assert theirs is not None
    assert (mine.pid, mine.parent, mine.group, mine.session, mine.zombie) == (
        theirs.pid,
        theirs.parent,
        theirs.group,
        theirs.session,
        theirs.zombie,
    )


def test_a_pid_that_was_given_to_somebody_else_is_not_signalled():
    other = subprocess.Popen(["sleep", "30"])
    try:
        table = ProcTable()
        row = table.row(other.pid)
        assert row is not None
        stale = Row(row.pid, row.parent, row.group, row.session, row.start - 1, 0.0, False)
        send(table, stale, signal.SIGKILL)
        time.sleep(0.1)
        assert other.poll() is None
        send(table, row, signal.SIGKILL)
        assert other.wait(timeout=30) == -signal.SIGKILL
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
        reap_orphans()
    assert holders(mark) == []


def test_a_daemon_that_a_killed_run_left_is_found_though_nothing_marks_it(mark, tmp_path):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    script = "(setsid env -i /bin/sh -c 'sleep 300; sleep 300' &); sleep 300"
    (tmp_path / "agent.sh").write_text(f"#!/bin/sh\nexec 9< {mark}\n{script}\n")
    (tmp_path / "agent.sh").chmod(0o755)
    (tmp_path / "run.py").write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from xuen.agent.call import Call\n"
        "from xuen.agent.shell_agent import ShellAgent\n"
        "from xuen.agent.template import parse\n"
        "from xuen.events import Purpose\n"
        "from xuen.sink import FanOut\n"
        "from xuen.stop import Stop\n"
        "agent = ShellAgent(parse(': \"$prompt\"; exec ' + sys.argv[1]), name='a', workspace=Path(sys.argv[2]),\n"
        "                   token='old', sink=FanOut([]), stop=Stop())\n"
        "agent.call(Call(prompt='x', purpose=Purpose.RESEARCH, round=1))\n"
    )
    root = Path(__file__).resolve().parents[2]
    argv = [PYTHON, str(tmp_path / "run.py"), str(tmp_path / "agent.sh"), str(workspace)]
    killed = subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": str(root)})
    try:
        until = time.monotonic() + 60
        while not ((workspace / ROLL).exists() and len(holders(mark)) >= 4) and time.monotonic() < until:
            time.sleep(0.05)
        killed.kill()
        killed.wait()
        assert len(holders(mark)) >= 4
        assert end_leftovers(workspace, "new", grace=0.3) >= 4
        assert holders(mark) == []
        assert not (workspace / ROLL).exists()
    finally:
        for pid in holders(mark):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
        reap_orphans()


@pytest.mark.parametrize(
    "content", ["", "other boot\n{pid} {start}\n", "{boot}\n{pid} 1.0\n", "{boot}\nx y\n{pid}\n{pid} {start} 3\n"]
)
def test_a_roll_that_means_somebody_else_is_not_followed(content, tmp_path):
    other = subprocess.Popen(["sleep", "30"], start_new_session=True)
    try:
        row = ProcTable().row(other.pid)
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        (tmp_path / ROLL).write_text(content.format(pid=other.pid, start=row.start, boot=boot))
        assert end_leftovers(tmp_path, "new", grace=0.1) == 0
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
