"""The agent behind the README's pictures: a program that plays five scripted rounds of research, nothing more.

    xuen "Make decoding of a language model faster without losing quality" --iterations 5 --pick 3 --seed 7 \
        --no-tui --events run.jsonl -c demo.yaml  # agent: {command: 'python bench/demo_agent.py "$prompt"'}
    PYTHONPATH=. python bench/picture.py run.jsonl docs/session.svg --size 120x36 --until 111

Everything around it is real: the loop, the guard, write_section.py, the judging. What it says is in demo_script.json,
in English and Chinese; the language is that of the prompt.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

SCRIPT = json.loads(Path(__file__).with_name("demo_script.json").read_text("utf-8"))


def main() -> int:
    language = "zh" if "【任务】" in sys.argv[1] else "en"
    script = SCRIPT[language]
    purpose, number = os.environ["XUEN_PURPOSE"], int(os.environ["XUEN_ROUND"])
    if purpose == "words":
        print("\n".join(script["words"]))
        return 0
    turn = script["rounds"][(number - 1) % len(script["rounds"])]
    for line in turn["said" if purpose == "research" else "judged"]:
        print(line, flush=True)
        time.sleep(0.4)
    if purpose == "research":
        for section in ("idea", "artifact"):
            writer = [sys.executable, str(Path(os.environ["XUEN_WORKSPACE"]) / "write_section.py"), section]
            subprocess.run(writer, input="\n".join(turn[section]).encode(), check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
