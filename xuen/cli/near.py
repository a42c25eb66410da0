"""Words that a user may have meant as a command: a task of one such word would change the workspace and cost money.

Pure. Owns what counts as near: a command by name whatever its case, a usual word of command lines, or at most
`MAX_EDITS` edits from a command. A word that has nothing in common with a command is not near to it, so that a task of
one or two characters, usual in Chinese, is not taken for `ci`.
"""

from __future__ import annotations

from typing import Final

from xuen.cli.commands import COMMANDS

MAX_EDITS: Final = 2
LATER: Final = frozenset({"report", "diff", "adopt", "fork", "apply", "calibrate", "demo", "completion"}) - set(
    COMMANDS
)
"""Commands that a later version has."""

_USUAL: Final = {
    "results": "status",
    "list": "history",
    "log": "history",
    "config": "init",
    "stop": "help",
    "start": "run",
    "resume": "run",
    "run": "run",
}
_NAMES: Final = sorted({name.split()[0] for name in COMMANDS if name != "run"} | LATER)


def near_command(word: str) -> str | None:
    """The command, of this or a later version, that a single word may have been meant for; `run` stands for a task."""
    folded = word.strip().lower()
    if folded in _USUAL:
        return _USUAL[folded]
    if not folded or any(char.isspace() for char in folded):
        return None
    apart, nearest = min((edits(folded, name), name) for name in _NAMES)
    return nearest if apart <= MAX_EDITS and apart < max(len(folded), len(nearest)) else None


def edits(one: str, other: str) -> int:
    """How many characters must be added, removed or replaced to make one word of the other (Levenshtein)."""
    if abs(len(one) - len(other)) > MAX_EDITS:
        return MAX_EDITS + 1  # enough to know, and a long word costs nothing
    row = list(range(len(other) + 1))
    for index, char in enumerate(one, 1):
        before, row = row, [index]
        for place, its in enumerate(other):
            row.append(min(before[place] + (char != its), before[place + 1] + 1, row[-1] + 1))
    return row[-1]
