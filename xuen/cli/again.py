"""How to call the program again for the same workspace, so that a command which it suggests works as it stands."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from xuen.cli.parser import Options
from xuen.cli.program import called_as


def again(options: Options, words: Sequence[str] | None = None) -> tuple[str, str]:
    """What to type before and after another command and its arguments, quoted for a shell; `words` as `called_as`."""
    own: list[str] = []
    if options.config is not None:
        own += ["-c", str(options.config)]
    for each in options.overrides:
        if each.key == "workspace":
            own += [each.option, str(each.value)]
    return called_as(words), "".join(f" {shlex.quote(word)}" for word in own)
