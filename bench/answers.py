"""Every labelled answer of a judge, read: how many scores are exact, how many too good.

python bench/answers.py
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from xuen.guard.score import read_score  # noqa: E402 - needs the line above


def main() -> int:
    corpus = (ROOT / "tests" / "corpora" / "judge_answers.jsonl").read_text(encoding="utf-8")
    answers = [json.loads(line) for line in corpus.splitlines()]
    began = time.monotonic()
    exact = too_good = 0
    for answer in answers:
        got, label = read_score(answer["answer"], asked=answer.get("asked", "")).score, answer["score"]
        exact += got == label
        if got is not None and (label is None or got > label):
            too_good += 1
            print(f"TOO GOOD {answer['id']}: {got}, label {label}")
        elif got != label:
            print(f"missed   {answer['id']}: {got}, label {label}")
    chinese = sum(answer["lang"] == "zh" for answer in answers)
    print(
        f"{len(answers)} answers ({chinese / len(answers):.0%} Chinese), {exact} exact ({exact / len(answers):.1%}), "
        f"{too_good} read as better than they are, {time.monotonic() - began:.2f} s"
    )
    return 1 if too_good or exact < 0.98 * len(answers) else 0


if __name__ == "__main__":
    raise SystemExit(main())
