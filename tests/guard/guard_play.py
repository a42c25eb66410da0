"""Plays rounds against the real guard on real files; the agent is whoever writes research.md."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from xuen.agent.call import Outcome
from xuen.config.model import RoundsSettings
from xuen.errors import LockTimeout
from xuen.events import Event, RunFinished, RunStarted, Why
from xuen.guard.candidates import Snapshot
from xuen.guard.guard import RoundGuard
from xuen.guard.no_guard import NoGuard
from xuen.guard.round import RoundReport
from xuen.guard.verify import Judgement
from xuen.guard.verify.user import UserVerifier
from xuen.stop import Stop
from xuen.texts import plain
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Sections, new_research, parse
from xuen.workspace.research_file import ResearchFile
from xuen.workspace.setup import remove_half_written
from xuen.workspace.work import WorkFolder

FINE = Outcome(Why.OK, 0, 1.0, "thinking\n", "")
FAILED = Outcome(Why.FAILED, 3, 1.0, "", "boom\n")


@dataclass
class Answers:
    """A verifier that gives prepared answers: a score, an outcome, or both."""

    name: str
    answers: list[float | str | tuple[str, float | None]]
    asked: list[tuple[str, str]] = field(default_factory=list)
    during: Callable[[], None] | None = None

    def verify(self, candidate: Snapshot, best: Snapshot) -> Judgement:
        self.asked.append((candidate.id, best.id))
        if self.during is not None:
            self.during()
        answer = self.answers.pop(0) if self.answers else "unknown"
        if isinstance(answer, tuple):
            return Judgement(self.name, answer[0], answer[1], plain("said so"), "raw words")  # type: ignore[arg-type]
        if isinstance(answer, str):
            return Judgement(self.name, answer, None, plain("said so"), "raw words")  # type: ignore[arg-type]
        return Judgement(self.name, "passed", float(answer), plain("said so"), f"Score: {answer}")


class Ears:
    """A sink that keeps everything."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)


class Play:
    """One workspace over several runs. Its clock goes one second a look, unless it is set."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.workspace = Workspace(root)
        self.ears = Ears()
        self.now = datetime(2026, 10, 17, 3, 10, 37, tzinfo=UTC)
        self.stop = Stop()
        self.guard: RoundGuard | NoGuard | None = None
        self.outcome: Outcome = FINE

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    # --- a run

    def start(
        self,
        *,
        verify: str = "ai",
        answers: Sequence[Any] = (),
        task: str = "a task",
        fallback: str = "ai",
        score: float = 7,
        guarded: bool = True,
        verifiers: Sequence[Answers] | None = None,
        agent: str = "x",
    ) -> RoundGuard | NoGuard:
        self.prepare(task)
        research = ResearchFile(self.workspace, wait=1.0)
        given = [Answers(verify if verify == "tests" else "ai", list(answers))] if verifiers is None else verifiers
        self.answers = list(given)
        repo = "." if any(each.name == "tests" for each in given) else None
        if guarded:
            self.guard = RoundGuard(
                self.workspace,
                settings=RoundsSettings(verify=verify, fallback=fallback, adopt_score=score, repo=repo),  # type: ignore[arg-type]
                language="en",
                verifiers={"user": UserVerifier(), **{each.name: each for each in given}},
                sink=self.ears,
                stop=self.stop,
                research=research,
                clock=self.clock,
            )
        else:
            self.guard = NoGuard(research, root=self.workspace.root, sink=self.ears, clock=self.clock)
        started = RunStarted(
            round=0,
            task=task,
            workspace=str(self.workspace.root),
            language="en",
            agent=agent,
            verify=verify,
            iterations=1,
        )
        self.work = WorkFolder(self.workspace, self.clock)
        self.guard.start(started, self.work.capture())
        self.prepare_work()
        return self.guard

    def prepare_work(self) -> None:
        """What the loop does before and after a round."""
        assert self.guard is not None
        with suppress(OSError, LockTimeout):
            self.work.materialise(self.guard.document())

    @property
    def work_file(self) -> Path:
        """What an agent writes to."""
        return self.workspace.work.research

    def prepare(self, task: str = "a task") -> None:
        """What the set-up of a workspace does before a guard starts."""
        with suppress(OSError):  # on a disk that fails, the set-up would end the run; here the guard is tried on it
            remove_half_written(self.workspace)
        with suppress(OSError):
            self.workspace.work.root.mkdir(exist_ok=True)
            if not self.workspace.research.exists() and not self.workspace.rounds.exists():
                self.workspace.research.write_bytes(new_research(task))

    def report(self, identity: str, number: int, *, outcome: Outcome = FINE, unread: bool = False) -> RoundReport:
        """What the loop tells the guard after a call; `unread` where it could not read research.md."""
        now = None if unread else self.work.capture()
        return RoundReport(id=identity, round=number, words=("w",), outcome=outcome, data=now)

    def round(self, idea: str | None = None, artifact: str = "", *, outcome: Outcome = FINE) -> str:
        """A round in which the agent writes these sections (None: changes nothing); its id."""
        return self.raw_round(None if idea is None else self.text(idea, artifact), outcome=outcome)

    def raw_round(self, data: bytes | None, *, outcome: Outcome = FINE, gone: bool = False) -> str:
        """A round in which the agent writes these bytes (None: nothing), or deletes the file."""
        assert self.guard is not None
        number = self.guard.last_round() + 1
        identity = self.guard.open_round(number)
        self.guard.keep_prompt(identity, f"prompt of round {number}")
        self.prepare_work()
        if data is not None:
            self.work_file.write_bytes(data)
        if gone:
            self.work_file.unlink()
        self.guard.close_round(self.report(identity, number, outcome=outcome))
        self.prepare_work()
        return identity

    def finish(self) -> None:
        assert self.guard is not None
        self.guard.finish(RunFinished(round=1, reason=plain("done"), exit_code=0, succeeded=1, failed=0))

    def restart(self, **settings: Any) -> list[str]:
        """A run without rounds; the names of what it told."""
        before = len(self.ears.events)
        self.start(**settings)
        self.finish()
        return [type(event).__name__ for event in self.ears.events[before:]]

    # --- looking

    def text(self, idea: str, artifact: str = "") -> bytes:
        try:
            now = parse(self.work_file.read_bytes())
        except Exception:  # noqa: BLE001 - a damaged file: any form will do
            now = parse(new_research("a task"))
        return now.with_sections(Sections(idea, artifact))

    def sections(self) -> Sections:
        """The published ones."""
        return parse(self.workspace.research.read_bytes()).sections

    @property
    def idea(self) -> str:
        return self.sections().idea

    def best_idea(self) -> str:
        return parse(self.workspace.best.read_bytes()).sections.idea

    def record(self) -> dict[str, Any]:
        return json.loads(self.workspace.best_json.read_bytes())

    def lines(self, *events: str) -> list[dict[str, Any]]:
        if not self.workspace.history.exists():
            return []
        found = []
        for line in self.workspace.history.read_bytes().split(b"\n"):
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return [line for line in found if not events or line["event"] in events]

    def told(self, *names: str) -> list[Any]:
        return [event for event in self.ears.events if not names or type(event).__name__ in names]

    def verdict(self, text: str) -> None:
        with self.workspace.verdicts.open("ab") as file:
            file.write(text.encode())

    def files(self) -> dict[str, bytes]:
        """Every file below the workspace but the history; of one that fits into no memory, no content."""
        root = self.workspace.root
        return {
            path.relative_to(root).as_posix(): path.read_bytes() if path.stat().st_size < 1 << 30 else b""
            for path in root.rglob("*")
            if path.is_file() and path != self.workspace.history
        }
