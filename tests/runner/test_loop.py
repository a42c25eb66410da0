"""The promise of the loop: whatever ends it, the guard finishes and `RunFinished` is the last thing that is told."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from xuen.agent.call import Call, Outcome
from xuen.agent.shell_agent import ShellAgent
from xuen.agent.template import parse as template
from xuen.config.model import LoopSettings, RoundsSettings, WordsSettings
from xuen.events import (
    Adopted,
    CallStarted,
    Event,
    Notice,
    Pending,
    RoundStarted,
    RunFinished,
    RunStarted,
    SectionsShown,
)
from xuen.guard.guard import RoundGuard, utc_now
from xuen.guard.verify.user import UserVerifier
from xuen.prompt import Setting
from xuen.runner.kit import Kit
from xuen.runner.loop import Loop
from xuen.sink import Sink
from xuen.stop import Stop
from xuen.ui.view import View, fold
from xuen.workspace.research_file import ResearchFile
from xuen.workspace.setup import furnish, make_workspace
from xuen.workspace.work import WorkFolder


class Seen:
    """Keeps every event."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)


def fold_all(events: Sequence[Event]) -> View:
    view = View()
    for event in events:
        view = fold(view, event)
    return view


class Breaking(ShellAgent):
    """An agent with a fault of its own: it breaks as soon as its command has begun."""

    def call(self, call: Call, *, on_started: Callable[[], None] | None = None) -> Outcome:
        def fault() -> None:
            assert on_started is not None
            on_started()
            raise ZeroDivisionError("the fault")

        return super().call(call, on_started=fault)


def kit_of(folder: Path, command: str, sink: Sink, *, verify: str = "auto", kind: type[ShellAgent] = ShellAgent) -> Kit:
    workspace = make_workspace(folder / "workspace")
    furnish(workspace, "a task")
    stop, research = Stop(), ResearchFile(workspace)
    agent = kind(
        template(command),
        name="agent",
        workspace=workspace.root,
        work=workspace.work.root,
        token="token",
        sink=sink,
        stop=stop,
    )
    settings = RoundsSettings(verify=verify)  # type: ignore[arg-type]
    return Kit(
        setting=Setting(
            task="a task",
            language="en",
            extra_notes="",
            interpreter="python3",
            section_writer=str(workspace.section_writer),
            workspace=str(workspace.root),
            max_state_chars=0,
        ),
        workspace=workspace,
        work=WorkFolder(workspace, utc_now),
        agent=agent,
        guard=RoundGuard(
            workspace,
            settings=settings,
            language="en",
            verifiers={"user": UserVerifier()},
            sink=sink,
            stop=stop,
            research=research,
        ),
        sink=sink,
        stop=stop,
    )


def run(kit: Kit, iterations: int) -> int:
    started = RunStarted(
        round=0,
        task="a task",
        workspace=str(kit.workspace.root),
        language="en",
        agent="x",
        verify="off",
        iterations=iterations,
    )
    return Loop(kit, loop=LoopSettings(iterations=iterations), words=WordsSettings(pick=0)).run(started)


def test_an_unexpected_exception_surfaces_after_everything_was_ended_and_told(tmp_path: Path) -> None:
    seen = Seen()
    kit = kit_of(tmp_path, 'echo begun; sleep 1000; : "$prompt"', seen, kind=Breaking)
    with pytest.raises(ZeroDivisionError):
        run(kit, 1)

    (pid,) = [event.pid for event in seen.events if isinstance(event, CallStarted)]
    for _ in range(100):
        if not psutil.pid_exists(pid):
            break
        time.sleep(0.05)
    assert not psutil.pid_exists(pid)
    finished = seen.events[-1]
    assert isinstance(finished, RunFinished)
    assert finished.exit_code == 70
    assert finished.round == 1
    assert '"event":"run_finished"' in kit.workspace.history.read_text("utf-8").splitlines()[-1]
    assert not [event for event in seen.events if isinstance(event, Notice) and event.level == "error"]


class Judging(Seen):
    """Keeps every event, and scores the first candidate as soon as its round is over, as a person does in a pause."""

    def __init__(self, verdicts: Path) -> None:
        super().__init__()
        self.verdicts = verdicts

    def emit(self, event: Event) -> None:
        super().emit(event)
        waiting = [each.id for each in self.events if isinstance(each, Pending)]
        if isinstance(event, SectionsShown) and waiting and not self.verdicts.exists():
            self.verdicts.write_text(f"{waiting[0]} 9\n", "utf-8")


def test_a_verdict_given_between_two_rounds_is_shown_before_the_next_one(tmp_path: Path) -> None:
    seen = Judging(tmp_path / "workspace" / "rounds" / "verdicts.txt")
    writes = f'unset XUEN_RUN; echo "idea $XUEN_ROUND" | {sys.executable} write_section.py idea; : "$prompt"'
    assert run(kit_of(tmp_path, writes, seen, verify="user"), 2) == 0

    second = next(n for n, each in enumerate(seen.events) if isinstance(each, RoundStarted) and each.round == 2)
    shown = [each for each in seen.events[:second] if isinstance(each, SectionsShown)][-1]
    (adopted,) = [each for each in seen.events if isinstance(each, Adopted)]
    assert (shown.idea, shown.best, shown.best_score) == ("idea 1", adopted.id, 9.0)
    assert fold_all(seen.events[: second + 1]).base_idea == "idea 1"
    assert not [each for each in seen.events if isinstance(each, Notice)]
    assert not list((tmp_path / "workspace").glob("research.edited-*"))
