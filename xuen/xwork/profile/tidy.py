"""What is done to the raw text of a small model before anybody relies on it; pure.

Only takes away: what was cut off in the middle, what was said before, what only repeats a worked example. Nothing
is added or put in other words, except that numbered points are numbered anew when one of them was dropped.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable

_END = re.compile(r"[.!?。！？…][\"'”’)\]]*(?=\s|$)|[。！？]")
_ENDED = re.compile(r"[.!?。！？…][\"'”’)\]]*(?=\s)|[。！？]")  # whatever comes after it
_NUMBERED = re.compile(r"^\s*(\d+)[.)]\s+(.*)$")
_PREFACE = re.compile(r"^This is the idea:\s*", re.IGNORECASE)  # the question's own words
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


def without_repeats(text: str, examples: frozenset[str] = frozenset()) -> str:
    """The text without sentences that stood in it before or hold one of the runs of words of `examples`."""
    said: set[str] = set()
    kept: list[str] = []
    for paragraph in text.split("\n"):
        fresh: list[str] = []
        for sentence in re.split(r"(?<=[.!?])\s+|(?<=[。！？])", paragraph):
            if _key(sentence) and _key(sentence) not in said and not runs([sentence]) & examples:
                said.add(_key(sentence))
                fresh.append(sentence.strip())
        if fresh:
            kept.append(" ".join(fresh))
    return "\n".join(kept)


def points(text: str, examples: frozenset[str] = frozenset()) -> str:
    """The numbered points of a text that are whole, differ, and hold no run of `examples`, numbered anew."""
    kept: list[str] = []
    for line in text.splitlines():
        found = _NUMBERED.match(line)
        body = _PREFACE.sub("", found.group(2)).strip() if found else ""
        whole = _END.search(body[-2:]) is not None  # else cut off by the limit
        if whole and not runs([body]) & examples and all(alike(_key(body), _key(one)) <= 0.85 for one in kept):
            kept.append(body)
    return "\n".join(f"{number}. {body}" for number, body in enumerate(kept, 1))


class Flow:
    """Raw text that comes in pieces, given on tidied: always the part that no further piece can change."""

    def __init__(self, settled: Callable[[str], int], tidied: Callable[[str], str]) -> None:
        self._settled = settled
        self._tidied = tidied
        self._raw = ""
        self.text = ""  # what was given on

    def add(self, piece: str) -> str:
        """Take a piece; what can be given on now."""
        self._raw += piece
        return self._more(self._raw[: self._settled(self._raw)])

    def end(self) -> str:
        """All pieces are there; the rest."""
        return self._more(self._raw)

    def _more(self, raw: str) -> str:
        tidied = self._tidied(raw) if raw else ""
        more = tidied[len(self.text) :] if tidied.startswith(self.text) else ""
        self.text += more
        return more


def sentences(examples: frozenset[str]) -> Flow:
    """Prose, sentence by sentence."""

    def settled(raw: str) -> int:
        ends = [found.end() for found in _ENDED.finditer(raw)]
        return ends[-1] if ends else 0

    return Flow(settled, lambda raw: without_repeats(to_sentence_end(raw), examples))


def numbered(examples: frozenset[str]) -> Flow:
    """Numbered points, line by line."""
    return Flow(lambda raw: raw.rfind("\n") + 1, lambda raw: points(raw, examples))


def runs(texts: Iterable[str]) -> frozenset[str]:
    """All runs of six words in the texts: what has one in common was copied, not found anew."""
    found: set[str] = set()
    for text in texts:
        words = _key(text).split()
        found.update(" ".join(words[at : at + 6]) for at in range(len(words) - 5))
    return frozenset(found)


def alike(one: str, other: str) -> float:
    """How much two texts have in common, from 0 to 1."""
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


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
