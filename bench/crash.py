"""Kills and power losses at every step of a run. `python bench/crash.py [cli|points|power] [--jobs N] [--every N]`

cli     The six rounds of six_rounds.py by the real command line, once for each call that changes a file or a name in
        the workspace, and killed (SIGKILL, by strace) as it enters that call; then started twice. An `open` that
        makes a file is struck at the lock that always follows it: between the two nothing changes.
points  The same with the guard alone in forked processes, the rounds in many orders, killed at every operation.
power   The story is recorded once; from its calls come states in which what was not synced is lost: names, data,
        both, a part; data empty, zeros or torn. Each is started twice, some of them by the command line.

Goals: no adopted result lost, every state starts, a second start adds nothing but its own lines to the history.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench"), str(ROOT / "tests" / "guard")]

import disk  # noqa: E402
import opening  # noqa: E402
import recorded  # noqa: E402
import six_rounds  # noqa: E402

STRUCK = ["write", "fsync", "rename", "link", "unlink", "mkdir", "ftruncate", "fchmod", "flock"]
ORDERS = 12


def folder() -> tempfile.TemporaryDirectory[str]:
    """A place in memory where there is one: a kill loses no written data, so the disk's time is saved."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="xuen-crash-", dir=memory if memory.is_dir() else None)


def report(title: str, counts: str, broken: Sequence[str], began: float) -> bool:
    """Print the figures of one part; whether its goals were met."""
    lost = sum("lost" in each for each in broken)
    dead = sum("did not start" in each for each in broken)
    print(f"{title}: {counts}; {lost} lost, {dead} not starting, {len(broken) - lost - dead} other faults", end="")
    print(f" ({time.monotonic() - began:.0f} s)")
    for each in broken[:20]:
        print(f"  {each}")
    sys.stdout.flush()
    return not broken


# --- the command line, killed ----------------------------------------------------------------------------------------


def kill_points() -> list[tuple[str, int]]:
    """Which calls of the story's own process touch the workspace: the name, and the how-many-eth of that name."""
    with folder() as place:
        here = Path(place)
        six_rounds.write_configs(here)
        six_rounds.run_whole(here, recorded.strace(here / "log"))
        seen: Counter[str] = Counter()
        points = []
        # Failed calls count for strace too, so the lines are counted here and not the calls that `read` returns.
        inside = str(here / "w").encode()
        hidden = b"".join(b"\\x%02x" % byte for byte in inside)
        for line in (here / "log").read_bytes().split(b"\n"):
            name = line.partition(b"(")[0].decode(errors="replace")
            if name in STRUCK:
                seen[name] += 1
                if hidden in line.partition(b" = ")[0][:2000]:
                    points.append((name, seen[name]))
    return points


def killed_run(point: tuple[str, int]) -> tuple[bool, list[str]]:
    """One run, killed at `point`, and two starts after it: whether it died there, and the broken promises."""
    name, number = point
    with folder() as place:
        here, root = Path(place), Path(place) / "w"
        six_rounds.write_configs(here)
        inject = ["-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}"]
        told = six_rounds.run(here, "story.yaml", 6, ["strace", "-o", str(here / "log"), *inject])
        return told.code != 0, [f"{name} {number}: {each}" for each in started_twice(here, root, told.events)]


def started_twice(here: Path, root: Path, told: list[dict[str, object]]) -> list[str]:
    """Start the command line twice in what a broken run left, and look."""
    ledger = root / "rounds" / "history.jsonl"
    verdict, before = six_rounds.verdict_stands(root), ledger.read_bytes() if ledger.is_file() else b""
    first = six_rounds.run(here, "still.yaml", 1)
    if first.code != six_rounds.STILL:
        return [f"did not start: {first.errors[-300:]}"]
    found = six_rounds.complaints(root, told, verdict=verdict)
    after = ledger.read_bytes()
    if not after.startswith(before):
        found.append("the history did not only grow")
    files = six_rounds.tree(root)
    second = six_rounds.run(here, "still.yaml", 1)
    if second.code != six_rounds.STILL:
        return [*found, f"did not start again: {second.errors[-300:]}"]
    if six_rounds.tree(root) != files:
        found.append("a second start changed a file")
    more = ledger.read_bytes()
    if not more.startswith(after) or six_rounds.history_lines(more[len(after) :]) != six_rounds.OWN_LINES:
        found.append("a second start added other lines than its own")
    return found


def cli(jobs: int, every: int) -> bool:
    """All points, or every so many-eth."""
    began = time.monotonic()
    points = kill_points()
    chosen = points[::every]
    with ProcessPoolExecutor(jobs) as pool:
        results = list(pool.map(killed_run, chosen))
    died = sum(each for each, _ in results)
    broken = [each for _, found in results for each in found]
    starts = len(chosen) * 3
    counts = f"{len(chosen)} of {len(points)} calls, {died} runs killed, {starts} runs of the command line"
    return report("cli", counts, broken, began) and died >= 0.9 * len(chosen)


# --- the guard alone, killed -----------------------------------------------------------------------------------------


def orders(order: int, every: int) -> dict[str, object]:
    """All points of one order of the rounds."""
    with folder() as place:
        program = str(ROOT / "tests" / "guard" / "guard_points.py")
        done = subprocess.run(
            [sys.executable, program, "kill", place, str(every), "1", str(order)],
            env=six_rounds.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
    found: dict[str, object] = json.loads(done.stdout)
    return found | {"order": order}


def points(jobs: int, every: int) -> bool:
    """Twelve orders of the rounds, every operation."""
    began = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(orders, range(ORDERS), [every] * ORDERS))
    count = sum(int(str(each["points"])) for each in results)
    broken = [f"order {each['order']}, {text}" for each in results for text in each["broken"]]  # type: ignore[attr-defined]
    return report("points", f"{count} points in {ORDERS} orders of the rounds", broken, began)


# --- the power goes --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Loss:
    """One state after a power loss, and what the run had told before it."""

    call: int
    files: disk.Files
    told: tuple[dict[str, object], ...]


def losses() -> Iterator[Loss]:
    """All different states of the six rounds."""
    with folder() as place:
        here = Path(place)
        six_rounds.write_configs(here)
        six_rounds.run_whole(here, recorded.strace(here / "log", "-f"))
        calls = list(recorded.read(here / "log"))
    model, said, seen = disk.Disk(str(here / "w")), b"", set()
    for number, done in enumerate(calls):
        if done.pid == calls[0].pid and done.descriptor == 1 and done.name == "write":
            said += done.data
        if not model.play(done):
            continue
        told = tuple(six_rounds.events_in(said))
        for files in model.states():
            key = (repr(sorted(files.items())), len(told))
            if key not in seen:
                seen.add(key)
                yield Loss(number, files, told)


def lost_power(loss: Loss, by_command: bool) -> list[str]:
    """Start a state twice; the broken promises."""
    with folder() as place:
        here, root = Path(place), Path(place) / "w"
        disk.put(loss.files, root)
        if by_command:
            six_rounds.write_configs(here)
            found = started_twice(here, root, list(loss.told))
        else:
            found = opened_twice(root, list(loss.told))
    return [f"call {loss.call}: {each}" for each in found]


def opened_twice(root: Path, told: list[dict[str, object]]) -> list[str]:
    """The same as `started_twice`, within this process."""
    ledger = root / "rounds" / "history.jsonl"
    verdict, before = six_rounds.verdict_stands(root), ledger.read_bytes() if ledger.is_file() else b""
    try:
        first = opening.start(root).names()
        found = six_rounds.complaints(root, told, verdict=verdict)
        files, after = six_rounds.tree(root), ledger.read_bytes()
        second = opening.start(root).names()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is being looked for
        return [f"did not start: {error!r}"]
    if "GuardOff" in first + second:
        found.append("did not start: the guard is off")
    if not after.startswith(before):
        found.append("the history did not only grow")
    if six_rounds.tree(root) != files:
        found.append("a second start changed a file")
    more = ledger.read_bytes()
    if not more.startswith(after) or six_rounds.history_lines(more[len(after) :]) != opening.OWN_LINES:
        found.append("a second start added other lines than its own")
    return found


def power(jobs: int, every: int) -> bool:
    """All states; one of forty is started by the command line."""
    began = time.monotonic()
    found = list(losses())
    chosen = found[::every]
    by_command = [number % 40 == 0 for number in range(len(chosen))]
    with ProcessPoolExecutor(jobs) as pool:
        broken = [each for some in pool.map(lost_power, chosen, by_command, chunksize=20) for each in some]
    counts = f"{len(chosen)} of {len(found)} states, each started twice, {sum(by_command)} by the command line"
    return report("power", counts, broken, began)


PARTS = {"cli": cli, "points": points, "power": power}


def run_parts(parts: Mapping[str, Callable[[int, int], bool]], about: str | None, arguments: Sequence[str]) -> int:
    """The command line of a program of several parts; 0 when all goals were met."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("part", nargs="?", choices=parts, help="what to run; everything without it")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--every", type=int, default=1, help="take only every so many-eth case")
    asked = parser.parse_args(arguments)
    met = [parts[part](asked.jobs, asked.every) for part in ([asked.part] if asked.part else parts)]
    print("goals met" if all(met) else "a goal was missed")
    return 0 if all(met) else 1


def main(arguments: Sequence[str]) -> int:
    """Run the parts; 0 when all goals were met."""
    return run_parts(PARTS, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
