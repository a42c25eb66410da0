"""Every labelled answer to the question for words, read: as it is, and with the array that the prompt asks for.

python bench/word_lists.py [-v]
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from xuen.proc.output import clean_text  # noqa: E402 - needs the line above
from xuen.words import parse_words, unique  # noqa: E402

NONCE = "c0ffee42"
ARRAY = ["entropy", "晶格", "C++"]
CORPUS = ROOT / "tests" / "corpora" / "word_lists.jsonl"


def read(answer: dict[str, Any]) -> list[str]:
    """What a bank would get of this answer: cleaned as an agent's output is, without the words it has already."""
    text = clean_text(answer["answer"].encode())
    return unique(parse_words(text, NONCE), answer.get("known", ()))


def prose(answer: dict[str, Any], got: list[str]) -> list[str]:
    """The words that were taken from lines in which a reader sees none."""
    labels = [label.casefold() for label in [*answer["words"], *answer.get("known", ())]]
    lines = [line for line in answer["answer"].casefold().splitlines() if not any(label in line for label in labels)]
    known = {label for label in labels}
    return [word for word in got if word.casefold() not in known and any(word.casefold() in line for line in lines)]


def main(arguments: list[str]) -> int:
    answers = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    began = time.monotonic()
    plain = taken = exact = 0
    for answer in answers:
        got = read(answer)
        plain += bool(got)
        if wrong := prose(answer, got):
            taken += 1
            print(f"NO WORD {answer['id']}: {wrong}")
        if "-v" in arguments and got != answer["words"]:
            print(answer["answer"])
        asked_for = f"{answer['answer']}\nWORDS {NONCE}\n{json.dumps(ARRAY)}\n"
        exact += parse_words(clean_text(asked_for.encode()), NONCE) == ARRAY
    chinese = sum(answer["lang"] == "zh" for answer in answers)
    print(
        f"{len(answers)} answers ({chinese / len(answers):.0%} Chinese): without the nonce {plain} read as a "
        f"plain list, {taken} with prose taken for a word; with the array that was asked for {exact} exact; "
        f"{time.monotonic() - began:.2f} s"
    )
    return 1 if taken or exact < len(answers) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
