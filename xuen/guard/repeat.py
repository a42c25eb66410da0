"""The same text is not judged twice: what a candidate inherits from an earlier one that differs in white space at most.

Pure. What always holds: nothing is adopted here, since what was adopted before is the best or was surpassed; a text
that a judge could not tell about is judged again; a person's verdict binds the text, whoever would judge it now.
"""

from __future__ import annotations

from xuen.guard.best import Best
from xuen.guard.candidates import Snapshot, content_digest
from xuen.guard.history import REPEAT, Index, Known
from xuen.guard.policy import Decision, Policy
from xuen.texts import guard as texts


def repeated(candidate: Snapshot, best: Best, index: Index, policy: Policy) -> Decision | None:
    """The decision on a well-formed candidate whose text was decided before; None where somebody has to judge it."""
    if policy.verify == "off":
        return None
    content = content_digest(candidate.data)
    if content == content_digest(best.snapshot.data):
        return Decision("rejected", REPEAT, None, texts.EQUAL_TO_BEST.of(id=best.anchor.id))
    known = index.same_text(content, candidate.sha256)
    return None if known is None else _inherited(known, policy)


def _inherited(known: Known, policy: Policy) -> Decision | None:
    if known.was_best:
        return Decision("rejected", REPEAT, None, texts.EQUAL_TO_SURPASSED.of(id=known.id))
    if known.status == "rejected" and known.verdict is not None:
        score = known.verdict[0]
        return Decision("rejected", REPEAT, score, texts.EQUAL_TO_SCORED.of(id=known.id, score=f"{score:g}"))
    # A suite judges a folder beside the candidate: the same text may stand for other code by now.
    if known.status == "rejected" and known.verify != "tests":
        return Decision("rejected", REPEAT, None, texts.EQUAL_TO_REJECTED.of(id=known.id))
    if known.status == "pending" and (known.verdict is not None or known.verify == policy.last_verifier == "user"):
        return Decision("pending", REPEAT, None, texts.EQUAL_TO_PENDING.of(id=known.id))
    return None
