"""What safety costs. `python bench/speed.py [--disk DIR]`

One durable adoption of the guard, from the changed research.md to the best in all its places (the verifier answers at
once); a start with 10,000 lines of history; and a round after 10 and after 10,000 earlier ones, compared in turn so
that a busy machine slows both. Goals: under 50 ms at the median, under 1 s, and no dearer than half as much again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench"), str(ROOT / "tests" / "guard")]

import six_rounds  # noqa: E402
from guard_play import Answers, Play  # noqa: E402

ADOPTION, START, GROWTH = 0.050, 1.0, 1.5
"""Seconds, seconds, and how many times a round early on a late one may cost."""


@dataclass
class Times:
    """How long something took each time, in seconds: by the clock, and of the processor."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def take(self, call: Callable[[], object]) -> None:
        """Measure one call."""
        began, used = time.perf_counter(), time.process_time()
        call()
        self.processor.append(time.process_time() - used)
        self.clock.append(time.perf_counter() - began)

    def tell(self, label: str, goal: str) -> None:
        """Print the medians."""
        clock, processor = statistics.median(self.clock), statistics.median(self.processor)
        print(
            f"{label:44} median {clock * 1000:7.1f} ms   worst {max(self.clock) * 1000:7.1f} ms   "
            f"processor {processor * 1000:6.1f} ms   {goal}",
            flush=True,
        )


def adoptions(folder: Path, count: int) -> Times:
    """How long each of so many adoptions took."""
    play, times = Play(folder), Times()
    play.start(answers=[9] * count)
    for number in range(count):
        one_round(play, f"idea {number}", times)
    return times


def one_round(play: Play, idea: str, times: Times) -> None:
    """Measure the guard's part of a round in which the agent changes something."""
    assert play.guard is not None
    number = play.guard.last_round() + 1
    identity = play.guard.open_round(number)
    play.prepare_work()
    play.work_file.write_bytes(play.text(idea))
    times.take(partial(play.guard.close_round, play.report(identity, number)))


def lengthen(play: Play, rounds: int) -> None:
    """Give the history so many more rounds, as a long life would: candidates that were adopted or rejected."""
    data = play.workspace.history.read_bytes()
    seq = max(json.loads(line)["seq"] for line in data.splitlines())
    lines = []
    for number in range(1, rounds // 2 + 1):
        identity, ts = f"20200101-000000-r{number}", "2020-01-01T00:00:00.000Z"
        digest = f"{number:064x}"
        common = {"ts": ts, "round": number, "id": identity}
        candidate = {"event": "candidate", "sha256": digest, "parent": "", "words": ["a", "b", "c"]}
        rejected = {
            "event": "rejected",
            "score": 3.0,
            "verify": "ai",
            "reason": "score 3 is below the 7 that was needed",
        }
        for event in (candidate, rejected):
            seq += 1
            lines.append(json.dumps({"seq": seq, **common, **event}).encode() + b"\n")
    with play.workspace.history.open("ab") as file:
        file.writelines(lines)


def a_life(folder: Path, lines: int) -> Play:
    """A workspace with a history of so many lines and a run that has begun."""
    play = Play(folder)
    play.start(answers=[9])
    play.round("the best")
    play.finish()
    lengthen(play, lines)
    judge = Answers("ai", [])
    judge.answers = list(itertools.repeat(2, 1000))
    play.start(verifiers=[judge])
    return play


def starts(place: Path, count: int) -> tuple[Times, Times]:
    """Starts of the guard with 10,000 lines, and whole runs of one empty round by the command line with them."""
    a_life(place / "w", 10_000).finish()
    six_rounds.write_configs(place)
    alone, whole = Times(), Times()
    for _ in range(count):
        alone.take(Play(place / "w").start)
    for _ in range(count):
        whole.take(partial(six_rounds.run, place, "still.yaml", 1))
    return alone, whole


def growth(place: Path, count: int) -> tuple[Times, Times]:
    """Rounds after few and after many others, in turn."""
    plays = a_life(place / "few", 10), a_life(place / "many", 10_000)
    times = Times(), Times()
    for number in range(count):
        for play, found in zip(plays, times, strict=True):
            one_round(play, f"idea {number}", found)
    return times


def main(arguments: Sequence[str]) -> int:
    """Measure; 0 when all goals were met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--disk", type=Path, help="a folder on the disk to measure; the current one without it")
    parser.add_argument("--count", type=int, default=100, help="adoptions and rounds to measure")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="xuen-speed-", dir=asked.disk or Path.cwd()) as folder:
        place = Path(folder)
        adoption = adoptions(place / "a", asked.count)
        adoption.tell("one durable adoption", "goal: < 50 ms")
        (place / "s").mkdir()
        alone, whole = starts(place / "s", max(asked.count // 10, 3))
        alone.tell("the guard's start, 10,000 lines of history", "goal: < 1000 ms")
        whole.tell("a whole run of one empty round with them", "its own processes not counted")
        early, late = growth(place / "g", asked.count)
        early.tell("a round after 10 lines of history", "")
        late.tell("a round after 10,000 lines of history", f"goal: processor < {GROWTH} times the one above")
    met = (
        statistics.median(adoption.clock) < ADOPTION
        and statistics.median(alone.clock) < START
        and statistics.median(late.processor) < GROWTH * statistics.median(early.processor)
    )
    print("goals met" if met else "a goal was missed")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
