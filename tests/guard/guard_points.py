"""A program: runs one scenario of the guard over and over, and at the N-th file operation kills it or lets it fail.

`guard_points.py kill|fail ROOT STEP [LASTING [ORDER]]` does so for N = 1, 1 + STEP, … until nothing happens any more,
and prints how many points there were and each broken promise. The operations are seen through the interpreter's
audit events; each run is a forked process of its own. The judge knows only what the run had told before it died, and
hashes of files.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from guard_play import FAILED, FINE, Play

from xuen.events import Adopted, Candidate, Event

OPERATIONS = {"open", "os.rename", "os.link", "os.remove", "os.mkdir"}
ROUNDS: list[tuple[str, float | str]] = [
    ("one", 8),
    ("two", 2),
    ("three", "unknown"),
    ("four", 9),
    ("five", "failed"),
    ("six", "unknown"),
]
"""The rounds of the scenario: what the agent writes, and what the judge answers or that the agent fails."""
DECISIONS = {"Candidate": 5, "Adopted": 3, "Rejected": 1, "Pending": 2, "AgentFailed": 1, "RunFinished": 1}
"""What the scenario tells in any order when nothing strikes it: three is pending first and adopted by the person."""
ERRNOS = [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES, errno.EMFILE]


class Operations:
    """Counts the file operations of the guard below `root`, and strikes at the N-th."""

    def __init__(self, root: Path, mode: str, at: int, lasting: int) -> None:
        self.root, self.mode, self.at, self.lasting = str(root), mode, at, lasting
        self.count = 0
        self.armed = False
        sys.addaudithook(self.hook)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.armed or event not in OPERATIONS or not str(arguments[0]).startswith(self.root):
            return
        self.count += 1
        if self.mode == "kill" and self.count == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.mode == "fail" and self.at <= self.count < self.at + self.lasting:
            number = ERRNOS[self.at % len(ERRNOS)]
            raise OSError(number, os.strerror(number), str(arguments[0]))


class Acknowledged:
    """A sink that writes down what was told, where no kill can take it back."""

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def emit(self, event: Event) -> None:
        told: dict[str, Any] = {"event": type(event).__name__}
        if isinstance(event, (Adopted, Candidate)):
            told |= {"id": event.id, "sha256": event.sha256}
        os.write(self.descriptor, json.dumps(told).encode() + b"\n")


def rounds_in(order: int) -> list[tuple[str, float | str]]:
    """The rounds in one of their orders; 0 is that of `ROUNDS`."""
    return ROUNDS if order == 0 else random.Random(order).sample(ROUNDS, len(ROUNDS))


def bests_in(order: int) -> list[str]:
    """What is the best one after the other; the last is the person's choice."""
    judged = [idea for idea, answer in rounds_in(order) if isinstance(answer, int) and answer >= 7]
    return ["", *judged, "three"]


def scenario(play: Play, operations: Operations, order: int) -> None:
    """Adopt, reject, pending, adopt, a failed agent, a judge that cannot tell, and a verdict on the pending one."""

    def armed(call: Any, *arguments: Any, **named: Any) -> Any:
        operations.armed = True
        try:
            return call(*arguments, **named)
        finally:
            operations.armed = False

    def round(idea: str | None, **named: Any) -> str:
        guard = play.guard
        assert guard is not None
        number = guard.last_round() + 1
        identity = armed(guard.open_round, number)
        armed(guard.keep_prompt, identity, "x")
        armed(play.prepare_work)
        if idea is not None:
            play.work_file.write_bytes(play.text(idea))
        report = play.report(identity, number, **named)
        armed(guard.close_round, report)
        armed(play.prepare_work)
        return str(identity)

    play.prepare()
    steps = rounds_in(order)
    armed(play.start, answers=[answer for _, answer in steps if answer != "failed"])
    ids = {idea: round(idea, outcome=FAILED if answer == "failed" else FINE) for idea, answer in steps}
    play.workspace.rounds.mkdir(exist_ok=True)  # where a lasting failure has left none
    play.verdict(f"{ids['three']} 8\n")
    round(None)
    armed(play.finish)


def child(root: Path, acknowledged: Path, mode: str, at: int, lasting: int, order: int = 0) -> int:
    """Run the scenario in a fork; how many operations there were, or -1 when it was killed, -2 when it raised."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 2
        try:
            play = Play(root)
            play.ears = Acknowledged(acknowledged)  # type: ignore[assignment]
            operations = Operations(root, mode, at, lasting)
            scenario(play, operations, order)
            os.write(write, str(operations.count).encode())
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(write)
    said = os.read(read, 100)
    os.close(read)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return -1
    return int(said) if os.WEXITSTATUS(status) == 0 and said else -2


def unlike_itself(acknowledged: Path) -> list[str]:
    """How a scenario that nothing struck differs from what it should be; then its points prove nothing."""
    told = [json.loads(line)["event"] for line in acknowledged.read_bytes().splitlines()]
    found = {name: told.count(name) for name in DECISIONS}
    return [
        f"the scenario itself told {name} {found[name]} times" for name in DECISIONS if found[name] != DECISIONS[name]
    ]


def broken_promises(root: Path, acknowledged: Path, mode: str, order: int = 0) -> list[str]:
    """Start again, twice, and look."""
    told = [json.loads(line) for line in acknowledged.read_bytes().splitlines()] if acknowledged.exists() else []
    play = Play(root)
    play.now = play.now.replace(hour=9)
    before = play.workspace.history.read_bytes() if play.workspace.history.exists() else b""
    play.restart()
    best = play.best_idea()
    checks = {
        "the history did not only grow": play.workspace.history.read_bytes().startswith(before),
        f"the best is {best!r}, which was not the last adoption": is_legal(play, told, mode, order),
        "research.md is not the best": play.idea == best,
        "a snapshot that was told is lost": all(is_kept(play, each) for each in told if "sha256" in each),
        "a temporary file is left": not list(root.rglob("*.tmp")),
        "trouble was told again before it was over": mode == "kill" or takes_turns(told),
    }
    files, lines = play.files(), len(play.lines())
    play.restart()
    added = [line["event"] for line in play.lines()[lines:]]
    checks["a second start changed something"] = play.files() == files and added == ["run_started", "run_finished"]
    return [broken for broken, kept in checks.items() if not kept]


def takes_turns(told: list[dict[str, Any]]) -> bool:
    """Whether each trouble was told once: GuardOff and GuardOn take turns."""
    states = [each["event"] for each in told if each["event"] in ("GuardOff", "GuardOn")]
    return states == ["GuardOff", "GuardOn"] * (len(states) // 2) + ["GuardOff"] * (len(states) % 2)


def is_legal(play: Play, told: list[dict[str, Any]], mode: str, order: int) -> bool:
    """Whether the best is the last adoption that was told, or the one that was just being made."""
    adopted = [each["sha256"] for each in told if each["event"] == "Adopted"]
    if not adopted:
        return True
    if mode == "kill":
        return play.best_idea() in bests_in(order)[len(adopted) : len(adopted) + 2]
    return sha256(play.workspace.best) in {adopted[-1], play.lines("adopted")[-1]["sha256"]}


def is_kept(play: Play, told: dict[str, Any]) -> bool:
    """Whether the snapshot of an event is there with the bytes that were told."""
    path = play.workspace.candidate(told["id"])
    return path.exists() and sha256(path) == told["sha256"]


def sha256(path: Path) -> str:
    """The digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> int:
    """Go through all points."""
    mode, base, step = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    lasting = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    order = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    points, broken = 0, []
    at = 1
    while True:
        root, acknowledged = base / "w", base / "acknowledged"
        shutil.rmtree(root, ignore_errors=True)
        acknowledged.unlink(missing_ok=True)
        count = child(root, acknowledged, mode, at, lasting, order)
        if count == -2:
            broken.append(f"{at}: the run raised")
        broken += [f"{at}: {promise}" for promise in broken_promises(root, acknowledged, mode, order)]
        if 0 <= count < at:
            broken += unlike_itself(acknowledged)
            break
        points += 1
        at += step
    print(json.dumps({"points": points, "broken": broken}))  # noqa: T201 - its answer
    return 0


if __name__ == "__main__":
    sys.exit(main())
