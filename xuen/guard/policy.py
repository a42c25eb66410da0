"""From judgements to a decision: whom to ask next, and whether the candidate becomes the best.

Pure. What always holds: a candidate is adopted only on positive evidence; "could not be judged" is never bad and
never good, it leaves the candidate pending. With `auto` each verifier can reject, and only the last one can adopt: a
suite that passes says "not broken", never "better". A verifier that cannot work here at all is skipped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xuen.config.model import Fallback, RoundsSettings, Verify
from xuen.guard.verify import Judgement
from xuen.texts import Text
from xuen.texts.guard import NEWEST_IS_BEST, NOBODY_JUDGED, SCORE_BELOW, SCORE_REACHED, STRANGE_SCORE


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to happen to a candidate, by whom it was decided, and why."""

    what: Literal["adopted", "rejected", "pending"]
    verify: str
    score: float | None
    reason: Text


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one run; `adopt_score` is 0 to 10 and the score that is just enough.

    `has_suite` says whether there is a repository: tests that lie in the agent's own folder prove nothing.
    """

    verify: Verify
    fallback: Fallback
    adopt_score: float
    has_suite: bool = True

    @classmethod
    def of(cls, settings: RoundsSettings) -> Policy:
        """The policy that the settings ask for."""
        return cls(settings.verify, settings.fallback, settings.adopt_score, settings.repo is not None)

    @property
    def last_verifier(self) -> str:
        """Who alone can adopt."""
        return self.fallback if self.verify == "auto" else self.verify

    def next_verifier(self, judgements: Sequence[Judgement]) -> str | None:
        """Whom to ask after these judgements; None when it is time to decide."""
        if self.verify == "off" or (judgements and judgements[-1].outcome not in ("passed", "unavailable")):
            return None
        order = ("tests", self.last_verifier) if self.verify == "auto" and self.has_suite else (self.last_verifier,)
        return order[len(judgements)] if len(judgements) < len(order) else None

    def decide(self, judgements: Sequence[Judgement]) -> Decision:
        """The decision from all judgements of a candidate, the last of which speaks."""
        if self.verify == "off":
            return Decision("adopted", "off", None, NEWEST_IS_BEST)
        if (missing := self.next_verifier(judgements)) is not None:
            return Decision("pending", missing, None, NOBODY_JUDGED)
        last = judgements[-1]
        if last.outcome in ("unknown", "unavailable"):
            return Decision("pending", last.verifier, None, last.reason)
        if last.score is None:
            return Decision("adopted" if last.outcome == "passed" else "rejected", last.verifier, None, last.reason)
        return self._by_score(last, last.score)

    def reaches(self, score: float) -> bool:
        """Whether a score is enough to be adopted."""
        return score >= self.adopt_score

    def _by_score(self, last: Judgement, score: float) -> Decision:
        if not (math.isfinite(score) and 0 <= score <= 10):
            return Decision("pending", last.verifier, None, STRANGE_SCORE.of(score=score))
        fields = {"score": f"{score:g}", "needed": f"{self.adopt_score:g}"}
        if not self.reaches(score):
            return Decision("rejected", last.verifier, score, SCORE_BELOW.of(**fields))
        if last.outcome == "failed":  # a verifier that contradicts itself has not judged
            return Decision("pending", last.verifier, score, last.reason)
        return Decision("adopted", last.verifier, score, SCORE_REACHED.of(**fields))
