"""What the verifiers say: the test suites and the judge."""

from __future__ import annotations

from xuen.texts import Text

# --- the judge's answer --------------------------------------------------------------------------------------------

SCORE_READ = Text("the judge gives {score}", "评审员给出 {score} 分")
SCORE_MISSING = Text("the judge's answer holds no score", "评审员的回答里没有评分")
ANSWER_EMPTY = Text("the judge gave no answer", "评审员没有给出回答")
SCORES_DISAGREE = Text("the judge's answer holds several scores that differ", "评审员的回答里有多个互相矛盾的评分")
SCORE_UNCERTAIN = Text(
    "the judge's score cannot be read with certainty: {line}",
    "无法确定评审员的评分：{line}",
)
