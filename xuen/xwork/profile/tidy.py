"""What is done to the raw text of a small model before anybody relies on it; pure.

Only takes away: what was cut off in the middle, what was said before, what only repeats a worked example. Nothing
is added or put in other words, except that numbered points are numbered anew when one of them was dropped.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_END = re.compile(r"[.!?。！？…][\"'”’)\]]*(?=\s|$)|[。！？]")
_NUMBERED = re.compile(r"^\s*(\d+)[.)]\s+(.*)$")
_DANGLING = re.compile(
    r"a|an|and|as|at|by|for|from|in|into|no|not|of|on|or|that|the|their|this|to|with|without|your|more|than",
    re.IGNORECASE,
)


def to_sentence_end(text: str) -> str:
    """The text up to its last whole sentence; all of it where no sentence ends."""
    ends = [found.end() for found in _END.finditer(text)]
    # A list's "2." is no end of a sentence.
    while ends and re.search(r"(?:^|\n)\s*\d+\.$", text[: ends[-1]]):
        ends.pop()
    return text[: ends[-1]].strip() if ends else text.strip()


def without_repeats(text: str) -> str:
    """The text without sentences that stood in it before."""
    said: set[str] = set()
    kept: list[str] = []
    for paragraph in text.split("\n"):
        sentences = re.split(r"(?<=[.!?])\s+|(?<=[。！？])", paragraph)
        fresh: list[str] = []
        for sentence in sentences:
            if _key(sentence) and _key(sentence) not in said:
                said.add(_key(sentence))
                fresh.append(sentence.strip())
        if fresh:
            kept.append(" ".join(fresh))
    return "\n".join(kept)


def points(text: str) -> str:
    """Numbered points, each once and whole, numbered anew; other lines stay where they are."""
    kept: list[str] = []
    keys: list[str] = []
    for line in text.splitlines():
        found = _NUMBERED.match(line)
        body = found.group(2).strip() if found else line.strip()
        if not body or any(alike(_key(body), earlier) > 0.85 for earlier in keys):
            continue
        if found and not _END.search(body[-2:]):  # cut off by the limit
            continue
        keys.append(_key(body))
        kept.append(f"{sum(1 for one in kept if _NUMBERED.match(one)) + 1}. {body}" if found else body)
    return "\n".join(kept)


def alike(one: str, other: str) -> float:
    """How much two texts have in common, from 0 to 1."""
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def is_echo(text: str, examples: Iterable[str]) -> bool:
    """Whether the text mostly repeats one of the worked examples."""
    return any(alike(_key(text), _key(example)) > 0.7 for example in examples)


def term(line: str) -> str:
    """A line of a word list as a term; empty if it is none: nothing in it, a sentence, or cut off at `of the`."""
    cleaned = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s*", "", line).strip(" \t.,;:\"'")
    words = cleaned.split()
    if not words or len(words) > 4 or len(cleaned) > 40 or _DANGLING.fullmatch(words[-1]):
        return ""
    return cleaned if len(cleaned) > 1 else ""


def clip(text: str, tokens: int) -> str:
    """The beginning of a text within about so many tokens, cut between words; a `…` stands for the rest.

    Counted carefully: a token is three ASCII characters, and any other character is three tokens.
    """
    spent = 0.0
    for at, character in enumerate(text):
        spent += 1 / 3 if character.isascii() else 3
        if spent > tokens:
            head = text[:at]
            return (head.rsplit(None, 1)[0] if " " in head else head) + " …"
    return text


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
