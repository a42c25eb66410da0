"""A program that is called like opencode: it lists models, and what a model does is in its name.

  opencode models                       the names in FAKE_MODELS, a line each; fails when there are none
  opencode run … -m PROVIDER/MODEL      the prompt comes on standard input

A model with `hang` in its name never answers, `fail` ends with 1 and an error, `empty` answers nothing, `wrong` says
that its key is wrong and ends with 0. All others are the researcher of researcher.py with the options in FAKE_OPTIONS;
one with `deaf` in its name hears no SIGINT and no SIGTERM meanwhile.
"""

from __future__ import annotations

import os
import runpy
import shlex
import signal
import sys
import time
from pathlib import Path


def main() -> int:
    if sys.argv[1] == "models":
        names = os.environ.get("FAKE_MODELS", "").split()
        print("\n".join(names) if names else "no provider is connected", file=sys.stdout if names else sys.stderr)
        return 0 if names else 1
    model = sys.argv[sys.argv.index("-m") + 1]
    if os.environ.get("FAKE_TRACE"):
        with Path(os.environ["FAKE_TRACE"]).open("a", encoding="utf-8") as trace:
            trace.write(f"{os.environ['XUEN_PURPOSE']} {model}\n")
    if "deaf" in model:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
    if "hang" in model:
        time.sleep(600)
    if "fail" in model:
        print("Error: 429 Too Many Requests", file=sys.stderr)
        return 1
    if "empty" in model:
        return 0
    if "wrong" in model:
        print("Error: 401 Unauthorized: invalid api key")
        return 0
    sys.argv[1:] = [*shlex.split(os.environ.get("FAKE_OPTIONS", "")), sys.stdin.read()]
    runpy.run_path(str(Path(__file__).with_name("researcher.py")), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
