"""The promise of the loop: whatever ends it, the guard finishes and `RunFinished` is the last thing that is told."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from xuen.agent.call import Call, Outcome
from xuen.agent.shell_agent import ShellAgent
from xuen.agent.template import parse as template
from xuen.config.model import LoopSettings, RoundsSettings, WordsSettings
from xuen.events import CallStarted, Event, Notice, RunFinished, RunStarted
from xuen.guard.guard import RoundGuard
from xuen.prompt import Setting
from xuen.runner.kit import Kit
from xuen.runner.loop import Loop
from xuen.stop import Stop
from xuen.workspace.research_file import ResearchFile
from xuen.workspace.setup import furnish, make_workspace


class Seen:
    """Keeps every event."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        self.events.append(event)


class Breaking(ShellAgent):
    """An agent with a fault of its own: it breaks as soon as its command has begun."""

    def call(self, call: Call, *, on_started: Callable[[], None] | None = None) -> Outcome:
        def fault() -> None:
            assert on_started is not None
            on_started()
            raise ZeroDivisionError("the fault")

        return super().call(call, on_started=fault)


def test_an_unexpected_exception_surfaces_after_everything_was_ended_and_told(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "workspace")
    furnish(workspace, "a task")
    seen, stop, research = Seen(), Stop(), ResearchFile(workspace)
    agent = Breaking(
        template('echo begun; sleep 1000; : "$prompt"'),
        name="breaking",
        workspace=workspace.root,
        token="token",
        sink=seen,
        stop=stop,
    )
    kit = Kit(
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
        research=research,
        agent=agent,
        quiet_agent=agent,
        guard=RoundGuard(
            workspace, settings=RoundsSettings(), language="en", verifiers={}, sink=seen, stop=stop, research=research
        ),
        sink=seen,
        stop=stop,
    )
    started = RunStarted(
        round=0, task="a task", workspace=str(workspace.root), language="en", agent="x", verify="off", iterations=1
    )
    with pytest.raises(ZeroDivisionError):
        Loop(kit, loop=LoopSettings(iterations=1), words=WordsSettings(pick=0)).run(started)

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
    assert '"event":"run_finished"' in workspace.history.read_text("utf-8").splitlines()[-1]
    assert not [event for event in seen.events if isinstance(event, Notice) and event.level == "error"]
