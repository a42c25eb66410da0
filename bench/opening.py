"""A start within this process: everything that a run does before its first round and after its last, by the real parts.

For measurements that need thousands of starts; crash.py has starts by the real command line beside these.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from xuen.config.model import RoundsSettings
from xuen.events import Event, RunFinished, RunStarted
from xuen.guard.guard import RoundGuard, utc_now
from xuen.stop import Stop
from xuen.texts import plain
from xuen.words import read_bank
from xuen.workspace import inbox
from xuen.workspace.run_lock import RunLock
from xuen.workspace.setup import furnish, make_workspace
from xuen.workspace.work import WorkFolder

OWN_LINES = ["run_started", "run_finished"]
"""What such a start adds to the history."""


@dataclass
class Ears:
    """A sink that keeps everything."""

    events: list[Event] = field(default_factory=list)

    def emit(self, event: Event) -> None:
        """Take one event."""
        self.events.append(event)

    def names(self) -> list[str]:
        """What kinds they were."""
        return [type(event).__name__ for event in self.events]


def start(root: Path, *, verify: str = "user") -> Ears:
    """Open the workspace, own it, furnish it, let the guard recover and finish; what was told."""
    ears = Ears()
    workspace = make_workspace(root)
    with RunLock(workspace, secrets.token_hex(16)):
        furnish(workspace, "a task")
        settings = RoundsSettings(verify=verify)  # type: ignore[arg-type]
        guard = RoundGuard(workspace, settings=settings, language="en", verifiers={}, sink=ears, stop=Stop())
        work = WorkFolder(workspace, utc_now)
        guard.start(
            RunStarted(
                round=0,
                task="a task",
                workspace=str(root),
                language="en",
                agent="x",
                verify=verify,
                iterations=1,
            ),
            work.capture(),
        )
        work.materialise(guard.document())
        read_bank(workspace.words)
        inbox.peek(workspace)
        guard.finish(RunFinished(round=0, reason=plain("done"), exit_code=0, succeeded=0, failed=0))
    return ears
