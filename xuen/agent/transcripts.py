"""What an agent answered, without what its program prints around it.

Owns the two known programs that print a whole transcript on standard output, question included, where the others
print only the answer; else a list of words or a score would be looked for in their banners. Pure. Always: output that
does not look like such a transcript is returned as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

_AIDER_HEAD: Final = re.compile(
    r"(?:Aider v|(?:Main m|Weak m|Editor m|M)odel: |Git repo: |Repo-map: |Added .+ to the chat\.$|$)"
)
_AIDER_TOKENS: Final = re.compile(r"Tokens: [\d.,]+[kM]? sent, ")

_MINI_STEP: Final = re.compile(r"^mini-swe-agent \(step \d+, \$[\d.,]+\):$", re.MULTILINE)
_MINI_NEXT: Final = re.compile(r"^(?:Tool|User|Exit|System):$", re.MULTILINE)
_MINI_TOOL: Final = re.compile(r"^Tool:$", re.MULTILINE)
_FENCE: Final = "```"
_MINI_OUTPUT: Final = re.compile(r"^<output>\n(.*?)(?=^</?\w+>$|^Exit:$|\Z)", re.MULTILINE | re.DOTALL)


def answer_of(agent: str, stdout: str) -> str:
    """The answer in what the agent of this name printed on standard output."""
    reader = _READERS.get(agent)
    return stdout if reader is None else reader(stdout)


def _aider(stdout: str) -> str:
    """Between the banner and the count of tokens; nothing where no model answered."""
    lines = stdout.splitlines()
    begin = next((number for number, line in enumerate(lines) if line.startswith("Aider v")), None)
    if begin is None:
        return stdout
    while begin < len(lines) and _AIDER_HEAD.match(lines[begin].rstrip()):
        begin += 1
    counts = [number for number, line in enumerate(lines) if _AIDER_TOKENS.match(line)]
    answered = counts and not lines[counts[-1]].rstrip(".").endswith(" sent, 0 received")
    answer = lines[begin : counts[-1]] if answered else []
    return _text(line for line in answer if not _AIDER_TOKENS.match(line))


def _mini(stdout: str) -> str:
    """What the model said beside its commands; what these printed where it said nothing."""
    steps = _MINI_STEP.split(stdout)[1:]
    if not steps:
        return stdout
    words = [_mini_words(step) for step in steps]
    printed = [output.strip() for step in steps for output in _MINI_OUTPUT.findall(step)]
    return _text([word for word in words if word] or [output for output in printed if output])


def _mini_words(step: str) -> str:
    """The text of one step; after it stand its commands, as many as tools answered."""
    end = _MINI_NEXT.search(step)
    text = step[: end.start()] if end else step
    lines = text.rstrip().split("\n")
    for _ in _MINI_TOOL.findall(step):
        lines = _without_last_block(lines)
    return "\n".join(lines).strip()


def _without_last_block(lines: list[str]) -> list[str]:
    """The lines before the fenced block that they end with; all of them where they do not end with one."""
    if len(lines) < 2 or lines[-1] != _FENCE:
        return lines
    opening = next((number for number in range(len(lines) - 2, -1, -1) if lines[number] == _FENCE), None)
    if opening is None:
        return lines
    while opening and not lines[opening - 1].strip():
        opening -= 1
    return lines[:opening]


def _text(parts: Iterable[str]) -> str:
    return "".join(f"{part}\n" for part in parts)


_READERS: Final[dict[str, Callable[[str], str]]] = {"aider": _aider, "mini": _mini}
