"""The score in a judge's answer; pure.

The judge is asked for a last line `SCORE <nonce>: <number>`. No candidate can know the nonce of the call, so the last
line in this form counts wherever it stands. A judge without a model may print the one line `SCORE: 7` and nothing
else; it counts unless the judged text holds that line. Anything else is no answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from xuen.texts import Text
from xuen.texts.verify import ANSWER_EMPTY, SCORE_MISSING, SCORE_READ

_NUMBER: Final = r"(10(?:\.0{1,6})?|\d(?:\.\d{1,6})?)(?:[ \t]*/[ \t]*10(?:\.0)?)?(?:[ \t]*分)?[ \t*_`.。|]*$"
_FIXED: Final = r"(?<![^\s|>*_`])SCORE[ \t]+NONCE[*_`]*[ \t]*:[ \t*_`]*" + _NUMBER
_ALONE: Final = re.compile(r"[*_`]*(?:score|评分)[*_`]*[ \t]*[:=：][ \t*_`]*" + _NUMBER, re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """`score` is 0 to 10, or None when there is none; `reason` says what was read, or why nothing was."""

    score: float | None
    reason: Text


def read_score(answer: str, nonce: str, material: str = "") -> ScoreReading:
    """The judge's score from its whole answer; `material` is the text that it judged."""
    found = list(re.finditer(_FIXED.replace("NONCE", re.escape(nonce)), answer, re.MULTILINE | re.ASCII))
    line = answer.strip()
    match = found[-1] if found else _ALONE.fullmatch(line)
    if match is None:
        return ScoreReading(None, SCORE_MISSING if line else ANSWER_EMPTY)
    if not found and line in map(str.strip, material.splitlines()):
        return ScoreReading(None, SCORE_MISSING)
    score = float(match[1])
    return ScoreReading(score, SCORE_READ.of(score=f"{score:g}"))
