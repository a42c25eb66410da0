"""What a run is made of: handed in once, the same in every round."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from xuen.agent.call import Agent
from xuen.guard.round import Guard
from xuen.prompt import Setting
from xuen.sink import Sink
from xuen.stop import Stop
from xuen.workspace.inbox import Sent
from xuen.workspace.paths import Workspace
from xuen.workspace.run_lock import RunLock


class Readable(Protocol):
    """research.md, on the disk or not."""

    def read(self) -> bytes:
        """Its content now.

        Raises:
            DamagedResearch: it is gone or no file.
            OSError: it cannot be read.
        """
        ...


@dataclass(frozen=True, slots=True)
class Kit:
    """The parts of one run. `quiet_agent` is the agent for questions that must leave research.md as it is.

    `lock` is the run's hold of the workspace, looked after between rounds; `sent` what calls took out of the inbox.
    """

    setting: Setting
    workspace: Workspace
    research: Readable
    agent: Agent
    quiet_agent: Agent
    guard: Guard
    sink: Sink
    stop: Stop
    lock: RunLock | None = None
    seed: int | None = None
    sent: Sent = field(default_factory=Sent)

    def random(self, round: int) -> Random:
        """The source of a round's draw; with a seed it depends on the round alone, so a resumed run draws on."""
        return Random() if self.seed is None else Random(f"{self.seed}:{round}")
