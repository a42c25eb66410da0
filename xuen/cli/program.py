"""The words by which this program was called, so that a command which it names can be typed as it stands."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path


def called_as(words: Sequence[str] | None = None) -> str:
    """What to type before a task or a command, quoted for a shell.

    `words` is how this process was called, from the interpreter on (default: `sys.orig_argv`).
    """
    words = sys.orig_argv if words is None else words
    for place, word in enumerate(words):
        if Path(word).name == "main.py":
            return shlex.join(words[: place + 1])
        if list(words[place : place + 2]) == ["-m", "xuen"]:
            return shlex.join(words[: place + 2])
        if Path(word).name == "xuen":  # what follows is its own, be it called main.py
            break
    return "xuen"


def call_of(command: str) -> str:
    """What to type before the arguments of a command; `run` is the one that has no name."""
    return called_as() if command == "run" else f"{called_as()} {command}"


def typed(command: str) -> str:
    """What a user types for a command; for `run` with a task, which is what makes it one."""
    return f'{called_as()} "…"' if command == "run" else call_of(command)
