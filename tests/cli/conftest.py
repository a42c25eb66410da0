"""A workspace as a run leaves it, written with the guard's own parts, and a way to call a command in it."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest

from xuen.cli.output import Output
from xuen.cli.parser import parse
from xuen.cli.settings import read_settings
from xuen.events import (
    Adopted,
    AgentFailed,
    Baseline,
    Candidate,
    Event,
    Heartbeat,
    Pending,
    Rejected,
    RunStarted,
    Why,
)
from xuen.guard.candidates import Snapshot, digest, save
from xuen.guard.history import Ledger
from xuen.texts import Language, plain
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Sections, new_research
from xuen.workspace.research import parse as parse_research

BASE, BETTER, WORSE, OPEN = (f"20261130-10111{n}-r{n}" for n in range(4))

MAIN = Path(__file__).parents[2] / "main.py"

Call = Callable[..., str]


def content(idea: str, artifact: str) -> bytes:
    return parse_research(new_research("a task")).with_sections(Sections(idea, artifact))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Baseline, one adopted, one rejected and one pending candidate, a failed round and a heartbeat."""
    made = Workspace(tmp_path / "workspace")
    for folder in (made.prompts, made.logs):
        folder.mkdir(parents=True)
    states = {
        BASE: content("", ""),
        BETTER: content("sort\nthen merge", "step 1"),
        WORSE: content("sort\nthen \x1b[31mguess", "step 1"),
        OPEN: content("sort\nthen merge\nthen rest", "step 2"),
    }
    for identity, data in states.items():
        save(made.candidate(identity), Snapshot(identity, 0, data, digest(data)))
    made.research.write_bytes(states[BETTER])
    clock = iter(datetime(2026, 11, 30, 10, 11, second, tzinfo=UTC) for second in range(60))
    ledger = Ledger(made.history, language="en", clock=lambda: next(clock))

    def candidate(number: int, identity: str, parent: str) -> Candidate:
        sha256 = digest(states[identity])
        return Candidate(round=number, id=identity, sha256=sha256, parent=parent, words=("entropy", "swarm"))

    def judged(verifier: str, outcome: str, score: float | None, reason: str) -> dict[str, object]:
        return {"verifier": verifier, "outcome": outcome, "score": score, "reason": reason}

    def add(event: Event, **extra: object) -> None:
        ledger.append(event, **extra)

    add(RunStarted(round=0, task="a task", workspace="w", language="en", agent="fake", verify="auto", iterations=3))
    add(Baseline(round=0, id=BASE, sha256=digest(states[BASE])))
    add(candidate(1, BETTER, BASE))
    add(
        Adopted(round=1, id=BETTER, sha256=digest(states[BETTER]), score=8.5, verify="ai"),
        reason="score 8.5, 7 was needed",
        judgements=[judged("tests", "unavailable", None, "no suite"), judged("ai", "passed", 8.5, "clearer")],
    )
    add(candidate(2, WORSE, BETTER))
    add(
        Rejected(round=2, id=WORSE, score=3.0, verify="ai", reason=plain("score 3 is below 7")),
        judgements=[judged("ai", "passed", 3.0, "a guess")],
    )
    (made.logs / f"{WORSE}.ai.txt").write_text("It guesses.\nSCORE: 3\n")
    (made.logs / f"{WORSE}.log").write_text("thinking\n")
    (made.prompts / f"{WORSE}.txt").write_text("You are a researcher")
    add(candidate(3, OPEN, BETTER))
    add(Pending(round=3, id=OPEN, verify="ai", reason=plain("the judge timed out")), judgements=[])
    add(AgentFailed(round=4, why=Why.FAILED, code=3, reason=plain("the agent ended with code 3")))
    add(Heartbeat(round=5, streak=1))
    return made


@pytest.fixture
def call(workspace: Workspace) -> Call:
    """Call a command in the workspace; what it prints."""

    def called(*argv: str, language: Language = "en", code: int = 0) -> str:
        options = parse([*argv, "--workspace", str(workspace.root)], {})
        stream = io.StringIO()
        settings = read_settings(options, workspace.root)
        command = import_module(f"xuen.cli.{options.command}")
        assert command.run(options, settings, Output(stream, language, colour=False)) == code
        return stream.getvalue()

    return called


_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


@pytest.fixture
def on_a_terminal(tmp_path: Path) -> Callable[..., tuple[str, int]]:
    """Runs the program on a terminal of its own; what it shows, and its exit code.

    Each text of `typed` is typed when the next question stands at the end of what is shown.
    """

    def run(argv: list[str], typed: list[bytes], **environ: str) -> tuple[str, int]:
        controller, terminal = pty.openpty()
        command = [sys.executable, "-c", _TAKE_TERMINAL, sys.executable, str(MAIN), *argv]
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "dumb", "LANG": "C.UTF-8", **environ}
        shown, answers = b"", list(typed)
        with os.fdopen(controller, "r+b", buffering=0) as screen:
            with os.fdopen(terminal, "r+b", buffering=0) as own:
                child = subprocess.Popen(
                    command, cwd=tmp_path, env=env, stdin=own, stdout=own, stderr=own, start_new_session=True
                )
            with suppress(OSError):  # what a terminal says at its end
                while part := screen.read(65536):
                    shown += part
                    if answers and shown.rstrip().endswith((b"[y/N]", b"task:")):
                        screen.write(answers.pop(0))
            return shown.decode(errors="replace"), child.wait(60)

    return run
