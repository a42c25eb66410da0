"""The person as a verifier: a round never waits for one, so the answer is always "later".

What the person thinks comes in through `verdicts.txt` (`xuen.guard.verdicts`), in this run or any later one.
"""

from __future__ import annotations

from xuen.guard.candidates import Snapshot
from xuen.guard.verify import Judgement
from xuen.texts.guard import WAITS_FOR_PERSON


class UserVerifier:
    """Leaves every candidate to the person."""

    name = "user"

    def verify(self, candidate: Snapshot, best: Snapshot) -> Judgement:  # noqa: ARG002 - a person needs no snapshot
        """Always `unknown`, with how to answer as the reason."""
        return Judgement(self.name, "unknown", None, WAITS_FOR_PERSON)
