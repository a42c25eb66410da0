"""What a run is made of: handed in once, the same in every round."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from xuen.agent.call import Agent
from xuen.guard.round import Guard
from xuen.prompt import Setting
from xuen.sink import Sink
from xuen.stop import Stop
from xuen.workspace.inbox import Sent
from xuen.workspace.paths import Workspace
from xuen.workspace.run_lock import RunLock
from xuen.workspace.work import StateStore


@dataclass(frozen=True, slots=True)
class Kit:
    """The parts of one run. `work` is where the agent of a research call finds the state and leaves its own.

    `lock` is the run's hold of the workspace, looked after between rounds; `sent` what calls took out of the inbox.
    """

    setting: Setting
    workspace: Workspace
    work: StateStore
    agent: Agent
    guard: Guard
    sink: Sink
    stop: Stop
    lock: RunLock | None = None
    seed: int | None = None
    sent: Sent = field(default_factory=Sent)

    def random(self, round: int) -> Random:
        """The source of a round's draw; with a seed it depends on the round alone, so a resumed run draws on."""
        return Random() if self.seed is None else Random(f"{self.seed}:{round}")
