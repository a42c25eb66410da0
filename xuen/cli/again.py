"""How to call the program again for the same workspace, so that a command which it suggests works as it stands."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from xuen.cli.parser import Options


def again(options: Options, words: Sequence[str] | None = None) -> tuple[str, str]:
    """What to type before and after another command and its arguments, quoted for a shell.

    `words` is how this process was called, from the interpreter on (default: `sys.orig_argv`).
    """
    own: list[str] = []
    if options.config is not None:
        own += ["-c", str(options.config)]
    for each in options.overrides:
        if each.key == "workspace":
            own += [each.option, str(each.value)]
    return shlex.join(_program(sys.orig_argv if words is None else words)), "".join(f" {shlex.quote(w)}" for w in own)


def _program(words: Sequence[str]) -> list[str]:
    for place, word in enumerate(words):
        if Path(word).name == "main.py":
            return list(words[: place + 1])
        if words[place : place + 2] == ["-m", "xuen"]:
            return list(words[: place + 2])
    return ["xuen"]
