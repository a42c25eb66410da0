"""A small agent: answers each purpose as its options say, and keeps what it was given.

Usage as a template: python researcher.py [options] "$prompt"   (or --prompt-file $prompt_file)

  --words a,b,c     what a `words` call prints, a line each
  --score 8,4,-     what the judge answers, call by call (the last one goes on; `-` babbles twice, `!` fails)
  --idea TEXT       what a `research` call writes; {round} is filled in. Repeatable: round by round, the last goes on
  --artifact TEXT   the same for the artifact
  --exit 0,1,1      exit codes of the research calls, one by one
  --damage 2,3      rounds in which a marker of research.md is deleted
  --sleep SECONDS   how long a research call takes before it ends
  --record FILE     append {"purpose", "round", "prompt", "request"} as a JSON line
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

WORKSPACE = Path(os.environ["XUEN_WORKSPACE"])
PURPOSE = os.environ["XUEN_PURPOSE"]
ROUND = int(os.environ["XUEN_ROUND"])


def turn(values: list[str], index: int) -> str:
    return values[min(index, len(values) - 1)]


def count(name: str) -> int:
    """How often this was called before in this workspace; kept in a file beside it."""
    file = WORKSPACE.parent / f".{WORKSPACE.name}-{name}"
    seen = int(file.read_text()) if file.exists() else 0
    file.write_text(str(seen + 1))
    return seen


def write(section: str, text: str) -> None:
    subprocess.run(
        [sys.executable, str(WORKSPACE / "write_section.py"), section],
        input=text.replace("{round}", str(ROUND)).encode(),
        check=True,
    )


def research(options: argparse.Namespace) -> int:
    index = count("research")
    print(f"thinking in round {ROUND}", flush=True)
    if options.idea:
        write("idea", turn(options.idea, index))
    if options.artifact:
        write("artifact", turn(options.artifact, index))
    if str(ROUND) in options.damage.split(","):
        file = WORKSPACE / "research.md"
        file.write_text(file.read_text("utf-8").replace("<!-- XUEN:IDEA:END -->\n", ""), "utf-8")
    time.sleep(options.sleep)
    return int(turn(options.exit.split(","), index))


def judge(options: argparse.Namespace, prompt: str) -> int:
    is_retry = "could not be read" in prompt or "无法读取" in prompt
    answer = "-" if is_retry else turn(options.score.split(","), count("judge"))
    nonce = "".join(re.findall(r"SCORE( [0-9a-f]+):", prompt)[-1:])
    if answer == "!":
        print("the judge is out", file=sys.stderr)
        return 1
    print("I cannot say." if answer == "-" else f"It is what it is.\nSCORE{nonce}: {answer}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("prompt", nargs="?", default="")
    parser.add_argument("--prompt-file", type=Path)
    parser.add_argument("--words", default="entropy,lattice,feedback loop,annealing")
    parser.add_argument("--score", default="8")
    parser.add_argument("--idea", action="append", default=[])
    parser.add_argument("--artifact", action="append", default=[])
    parser.add_argument("--exit", default="0")
    parser.add_argument("--damage", default="")
    parser.add_argument("--sleep", type=float, default=0)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    prompt = options.prompt_file.read_text("utf-8") if options.prompt_file else options.prompt
    if options.record:
        with options.record.open("a", encoding="utf-8") as record:
            request = json.loads(Path(os.environ["XUEN_REQUEST"]).read_text("utf-8"))
            record.write(json.dumps({"purpose": PURPOSE, "round": ROUND, "prompt": prompt, "request": request}) + "\n")
    if PURPOSE == "words":
        print("\n".join(options.words.split(",")))
        return 0
    return research(options) if PURPOSE == "research" else judge(options, prompt)


if __name__ == "__main__":
    sys.exit(main())
