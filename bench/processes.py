"""What is left of an agent's processes. `python bench/processes.py [--runs N] [--jobs N]`

Calls a ShellAgent with 14 shapes of process trees, each N times, ended in turn by a timeout, a stop, a double stop
(where the command does not end by itself) and kill -9 of the program that made the call. The judge knows nothing of
xuen: each call runs in a cgroup of its own, and the kernel says whether anything is left in it. Without a writable
cgroup it is a marker descriptor, which all descendants inherit, looked for in /proc; that one cannot see a chain of
forks, so that shape is left out then. Prints for each shape: survivors, zombies, the worst time from the moment at
which the call should end to its end, and the worst time from the kill to the end of the last process.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "agents")]

from tree_shapes import SHAPES  # noqa: E402

from xuen.agent.call import Call  # noqa: E402
from xuen.agent.shell_agent import ShellAgent  # noqa: E402
from xuen.agent.template import parse  # noqa: E402
from xuen.events import Event, Purpose  # noqa: E402
from xuen.stop import Stop  # noqa: E402

LIMIT = 5.0  # seconds from the moment at which a call should end
KILL_LIMIT = 2.0  # seconds from the kill of the calling program
AFTER = 0.4  # seconds after which a call is ended
WAYS = 4


class Nobody:
    """A sink for events that nobody reads."""

    def emit(self, event: Event) -> None:
        """Take one event."""


class Cgroup:
    """The kernel's own account of who is left."""

    def __init__(self, mount: Path) -> None:
        self._place = mount / f"xuen-bench-{os.getpid()}"
        self._place.mkdir()

    def join(self) -> str:
        """Shell source with which a script joins it."""
        return f"echo $$ > {self._place}/cgroup.procs"

    def left(self) -> bool:
        """Whether any process is left."""
        return "populated 1" in (self._place / "cgroup.events").read_text()

    def clear(self) -> None:
        """End whatever is left."""
        (self._place / "cgroup.kill").write_text("1")
        time.sleep(0.2)

    def close(self) -> None:
        """Remove it."""
        self._place.rmdir()


class Marker:
    """Where there are no cgroups: who holds a file open that only this call can have opened."""

    def __init__(self) -> None:
        handle, name = tempfile.mkstemp(prefix="xuen-bench-")
        os.close(handle)
        self._path = Path(name)

    def join(self) -> str:
        """Shell source with which a script takes the marker."""
        return f"exec 9< {self._path}"

    def _holders(self) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                with contextlib.suppress(OSError):
                    if any(fd.readlink() == self._path for fd in (entry / "fd").iterdir()):
                        found.append(int(entry.name))
        return found

    def left(self) -> bool:
        """Whether any process is left."""
        return bool(self._holders())

    def clear(self) -> None:
        """End whatever is left."""
        for pid in self._holders():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)
        time.sleep(0.2)

    def close(self) -> None:
        """Remove it."""
        self._path.unlink()


def cgroup_mount() -> Path | None:
    """Where a cgroup of version 2 can be made."""
    for mount in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified")):
        if (mount / "cgroup.procs").exists() and not (mount / "tasks").exists() and os.access(mount, os.W_OK):
            return mount
    return None


@contextlib.contextmanager
def judge() -> Iterator[Cgroup | Marker]:
    """The best judge that this system has."""
    mount = cgroup_mount()
    one = Cgroup(mount) if mount else Marker()
    try:
        yield one
    finally:
        one.close()


def zombies() -> int:
    """Ended children of this process that nobody reaped."""
    count = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                state, parent = (entry / "stat").read_text().rpartition(") ")[2].split()[:2]
                count += state == "Z" and int(parent) == os.getpid()
    return count


def shell_agent(script: Path, stop: Stop, timeout: float = 0.0) -> ShellAgent:
    """An agent that runs the script."""
    return ShellAgent(
        parse(f': "$prompt"; exec {script}'),
        name="shape",
        workspace=script.parent,
        token="bench",
        sink=Nobody(),
        stop=stop,
        timeout=timeout,
    )


CALL = Call(prompt="go", purpose=Purpose.RESEARCH, round=1)


def one_run(number: int, script: Path) -> float:
    """One call; seconds between the moment at which it should have ended and its end."""
    stop, timers = Stop(), []
    by_timeout = number % WAYS == 0
    if not by_timeout:
        delays = [AFTER] if number % WAYS == 1 else [AFTER, AFTER + 0.05]
        timers = [threading.Timer(delay, stop.request, [130]) for delay in delays]
    agent = shell_agent(script, stop, AFTER if by_timeout else 0.0)
    began = time.monotonic()
    for timer in timers:
        timer.start()
    outcome = agent.call(CALL)
    spent = time.monotonic() - began
    for timer in timers:
        timer.cancel()
        timer.join()
    return spent if outcome.code is not None else spent - AFTER


def killed_run(script: Path, kernel: Cgroup | Marker) -> float:
    """A call of a program that is killed; seconds between the kill and the end of the last process."""
    source = script.read_text()
    script.write_text(f"{source}sleep 300\n")  # for the shapes that end by themselves
    with subprocess.Popen([sys.executable, __file__, "--call", script]) as program:
        while program.poll() is None and not (script.parent / "began").exists():
            time.sleep(0.01)
        time.sleep(AFTER)
        program.kill()
        began = time.monotonic()
        while kernel.left() and time.monotonic() - began < KILL_LIMIT:
            time.sleep(0.01)
        spent = time.monotonic() - began
    (script.parent / "began").unlink()
    script.write_text(source)
    return spent


def work(shape: str, runs: int) -> dict[str, float]:
    """All runs of one shape."""
    survivors = undead = 0
    worst = killed = 0.0
    with tempfile.TemporaryDirectory(prefix="xuen-bench-") as folder, judge() as kernel:
        script = Path(folder) / "shape.sh"
        script.write_text(f"#!/bin/sh\n{kernel.join()}\n: > {folder}/began\n{SHAPES[shape]}\n")
        script.chmod(0o755)
        for number in range(runs):
            if number % WAYS == WAYS - 1:
                killed = max(killed, killed_run(script, kernel))
            else:
                worst = max(worst, one_run(number, script))
                (Path(folder) / "began").unlink()
            undead += zombies()
            if kernel.left():
                survivors += 1
                kernel.clear()
        threads, handles = threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))
    times = {"worst": worst, "killed": killed}
    return {"survivors": survivors, "zombies": undead, **times, "threads": threads, "handles": handles}


def main(arguments: Sequence[str]) -> int:
    """Measure every shape; 0 when nothing was left and nothing took too long."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=50, help="calls of each shape")
    parser.add_argument("--jobs", type=int, default=4, help="shapes at once")
    parser.add_argument("--shape", help=argparse.SUPPRESS)
    parser.add_argument("--call", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.call:
        shell_agent(asked.call, Stop()).call(CALL)
        return 0
    if asked.shape:
        print(json.dumps(work(asked.shape, asked.runs)))
        return 0
    by_kernel = cgroup_mount() is not None
    print(f"{len(SHAPES)} shapes x {asked.runs} runs, judged by {'a cgroup' if by_kernel else 'a marker descriptor'}")
    shapes = [shape for shape in SHAPES if by_kernel or "chain" not in shape]
    met = True
    for start in range(0, len(shapes), asked.jobs):
        group = shapes[start : start + asked.jobs]
        argv = [sys.executable, __file__, "--runs", str(asked.runs), "--shape"]
        jobs = [subprocess.Popen([*argv, shape], stdout=subprocess.PIPE, text=True) for shape in group]
        for shape, job in zip(group, jobs, strict=True):
            said, _ = job.communicate()
            found = json.loads(said)
            met = met and not found["survivors"] and not found["zombies"] and found["worst"] <= LIMIT
            met = met and found["killed"] <= KILL_LIMIT
            print(
                f"{shape:44} survivors {found['survivors']}   zombies {found['zombies']}   "
                f"worst overrun {found['worst']:.2f} s   "
                f"after kill -9 {found['killed']:.2f} s   threads {found['threads']}   descriptors {found['handles']}",
                flush=True,
            )
    print(
        f"goals met: 0 survivors, 0 zombies, over within {LIMIT:.0f} s, {KILL_LIMIT:.0f} s after kill -9"
        if met
        else "a goal was missed"
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
