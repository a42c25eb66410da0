"""The verifiers' common ground: what one is given and what it answers. None knows another.

A verifier looks at two snapshots, never at the live research.md, and says what it found. What follows from that is
the policy's business alone (`xuen.guard.policy`). Its own troubles (no suite, a dead judge, a time limit) are
answers too, never exceptions, so that they can neither lose a candidate nor stop the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from xuen.events import JudgeOutcome
from xuen.guard.candidates import Snapshot
from xuen.texts import Text


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one verifier found out about one candidate.

    `passed` and `failed` are findings; `unknown` means that it could not tell, `unavailable` that it cannot work here
    at all, so that the policy may ask another one. `score` is 0 to 10, or None from a verifier that does not score;
    a scorer answers `passed` with its score, the comparison with `adopt_score` is the policy's. `raw` is what was
    read to come to this, bounded, for people. `is_failure`: it could not tell because it failed itself, by a crash, a
    time limit or an answer that cannot be read.
    """

    verifier: str
    outcome: JudgeOutcome
    score: float | None
    reason: Text
    raw: str = ""
    is_failure: bool = False


class Verifier(Protocol):
    """Whoever can judge a candidate."""

    @property
    def name(self) -> str:
        """`tests`, `ai` or `user`."""
        ...

    def verify(self, candidate: Snapshot, best: Snapshot) -> Judgement:
        """Judge `candidate` beside `best`. Raises nothing for its own troubles; when the run is stopped: `unknown`."""
        ...
