"""Every labelled answer of a judge, read: as it is, without the call's nonce, and with the line that was asked for.

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

NONCE = "c0ffee42"
ASKED_FOR = f"\nSCORE {NONCE}: 4\n"


def main() -> int:
    corpus = (ROOT / "tests" / "corpora" / "judge_answers.jsonl").read_text(encoding="utf-8")
    answers = [json.loads(line) for line in corpus.splitlines()]
    began = time.monotonic()
    exact = bare = too_good = 0
    for answer in answers:
        got, label = read_score(answer["answer"], NONCE, answer.get("asked", "")).score, answer["score"]
        bare += got is not None
        if got is not None and (label is None or got > label):
            too_good += 1
            print(f"TOO GOOD {answer['id']}: {got}, label {label}")
        if read_score(answer["answer"] + ASKED_FOR, NONCE).score == 4:
            exact += 1
        else:
            print(f"missed   {answer['id']}")
    chinese = sum(answer["lang"] == "zh" for answer in answers)
    print(
        f"{len(answers)} answers ({chinese / len(answers):.0%} Chinese): without the nonce {bare} read, {too_good} as "
        f"better than they are; with the line that was asked for {exact} exact; {time.monotonic() - began:.2f} s"
    )
    return 1 if too_good or exact < len(answers) else 0


if __name__ == "__main__":
    raise SystemExit(main())
