"""Asking the verifiers about one candidate, in the order of the policy, until it can decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xuen.events import Judged, Verifying
from xuen.files.jsonl import number
from xuen.guard.candidates import Snapshot
from xuen.guard.kept_texts import KeptTexts
from xuen.guard.policy import Decision, Policy
from xuen.guard.verify import Judgement, Verifier
from xuen.sink import Sink
from xuen.stop import Stop
from xuen.texts import Language
from xuen.texts import guard as texts


@dataclass(frozen=True, slots=True)
class Findings:
    """The decision on a candidate and all judgements that led to it."""

    decision: Decision
    judgements: tuple[Judgement, ...] = ()

    def lines(self, language: Language) -> list[dict[str, Any]]:
        """The judgements as the history keeps them."""
        return [
            {
                "verifier": each.verifier,
                "outcome": each.outcome,
                "score": number(each.score),
                "reason": each.reason.in_language(language),
            }
            for each in self.judgements
        ]


@dataclass(frozen=True, slots=True)
class Judging:
    """Who judges in this run, by what rules."""

    policy: Policy
    verifiers: Mapping[str, Verifier]
    kept_texts: KeptTexts
    sink: Sink
    stop: Stop

    def judge(self, candidate: Snapshot, best: Snapshot) -> Findings:
        """Have `candidate` judged beside `best`. Raises nothing of its own; a stopped run asks nobody any more."""
        judgements: list[Judgement] = []
        while (name := self.policy.next_verifier(judgements)) is not None:
            if self.stop.is_set():
                return Findings(Decision("pending", name, None, texts.STOPPED_BEFORE_JUDGED), tuple(judgements))
            self.sink.emit(Verifying(round=candidate.round, id=candidate.id, verifier=name))
            found = self._ask(name, candidate, best)
            judgements.append(found)
            self.kept_texts.keep_raw(candidate.id, name, found.raw)
            self.sink.emit(
                Judged(
                    round=candidate.round,
                    id=candidate.id,
                    verifier=found.verifier,
                    outcome=found.outcome,
                    score=found.score,
                    reason=found.reason,
                )
            )
        return Findings(self.policy.decide(judgements), tuple(judgements))

    def _ask(self, name: str, candidate: Snapshot, best: Snapshot) -> Judgement:
        verifier = self.verifiers.get(name)
        if verifier is None:
            return Judgement(name, "unavailable", None, texts.NO_SUCH_VERIFIER.of(name=name))
        return verifier.verify(candidate, best)
