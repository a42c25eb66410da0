"""What xuen's prompt asks, read back out of its text; pure.

The headings stand alone on a line, in English or Chinese. What stands under them is anybody's text and may hold
the same lines again, so a heading counts only once and only in the order of a prompt of its kind. A prompt without
headings is a plain question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Purpose = Literal["words", "research", "judge", "plain"]

_HEADINGS = {
    "[Task]": "task",
    "【任务】": "task",
    "[Round]": "round",
    "【轮次】": "round",
    "[Inspiration words]": "words",
    "【灵感词】": "words",
    "[Current idea]": "idea",
    "【当前想法区】": "idea",
    "[Current artifact]": "artifact",
    "【当前产物区】": "artifact",
    "[User input]": "input",
    "【用户输入】": "input",
    "[How to write]": "end",
    "【写入方法】": "end",
    "[Already there]": "known",
    "【已有词】": "known",
    "[Word list]": "list",
    "【词表】": "list",
    "[Current best]": "best",
    "【当前最佳】": "best",
    "[Candidate]": "candidate",
    "【候选】": "candidate",
    "[How to answer]": "end",
    "【回答方式】": "end",
}
_ORDER = {
    "research": ("task", "round", "words", "idea", "artifact", "input", "end"),
    "words": ("task", "known", "list"),
    "judge": ("task", "best", "candidate", "end"),
}
_EMPTY = ("(empty)", "（空）")
_SEPARATORS = re.compile(r"[,，、;；\n]+")
_DEFAULT_COUNT = 20
_NONCE = re.compile(r"SCORE ([0-9a-f]+):")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; what a prompt does not say is empty."""

    purpose: Purpose
    task: str
    notes: str = ""  # what the user wants said in every prompt
    round: int | None = None
    words: tuple[str, ...] = ()
    idea: str = ""
    artifact: str = ""
    user_input: str = ""
    known: tuple[str, ...] = ()
    count: int = _DEFAULT_COUNT
    best: tuple[str, str] = ("", "")  # idea, artifact
    candidate: tuple[str, str] = ("", "")
    nonce: str = ""  # what the line with a judge's score has to carry


def read_question(prompt: str, purpose: str = "") -> Question:
    """The question of a prompt; `purpose` is what `XUEN_PURPOSE` says and goes before what the headings suggest."""
    lines = prompt.splitlines()
    seen = {_HEADINGS[line.strip()] for line in lines if line.strip() in _HEADINGS}
    kind = _kind(purpose, seen)
    if kind == "plain" or "task" not in seen:
        return Question(purpose=kind, task=prompt.strip())
    opening, parts = _cut(lines, _ORDER[kind])
    return Question(
        purpose=kind,
        task=parts.get("task", ""),
        notes="\n".join(opening[1:]).strip(),  # the first line is xuen's own opening sentence
        round=_first_number(parts.get("round", "")),
        words=_drawn(parts.get("words", "")),
        idea=_content(parts.get("idea", "")),
        artifact=_content(parts.get("artifact", "")),
        user_input=parts.get("input", ""),
        known=_terms(parts.get("known", "")),
        count=_first_number(parts.get("list", "")) or _DEFAULT_COUNT,
        best=_both(parts.get("best", "")),
        candidate=_both(parts.get("candidate", "")),
        nonce=found[1] if (found := _NONCE.search(parts.get("end", ""))) else "",
    )


def _kind(purpose: str, seen: set[str]) -> Purpose:
    match purpose:
        case "words" | "research" | "judge":
            return purpose
    if "candidate" in seen:
        return "judge"
    if "list" in seen:
        return "words"
    return "research" if {"task", "end"} <= seen else "plain"


def _cut(lines: Sequence[str], order: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The lines before the first heading, and the text under each heading.

    Headings are taken in their order; of several places for the closing one, which stands behind all foreign
    text, the last counts, of all others the first.
    """
    places: dict[str, int] = {}
    start = 0
    for name in order:
        found = [at for at in range(start, len(lines)) if _HEADINGS.get(lines[at].strip()) == name]
        if found:
            places[name] = found[-1] if name in ("end", "list") else found[0]
            start = places[name] + 1
    stops = [*sorted(places.values()), len(lines)]
    parts = {
        name: "\n".join(lines[at + 1 : next(stop for stop in stops if stop > at)]).strip()
        for name, at in places.items()
    }
    return list(lines[: stops[0]]), parts


def _both(text: str) -> tuple[str, str]:
    lines = [line.removeprefix("|").removeprefix(" ") for line in text.splitlines() if line.startswith("|")]
    _, parts = _cut(lines, ("idea", "artifact"))
    if not parts:
        return "", ""
    return _content(parts.get("idea", "")), _content(parts.get("artifact", ""))


def _content(text: str) -> str:
    return "" if text in _EMPTY else text


def _drawn(text: str) -> tuple[str, ...]:
    """The words of the first line, which says that they were drawn and names them after a colon."""
    first = text.split("\n", 1)[0]
    return _terms(re.split(r"[:：]", first, maxsplit=1)[-1])


def _terms(text: str) -> tuple[str, ...]:
    return tuple(term.strip() for term in _SEPARATORS.split(text) if term.strip())


def _first_number(text: str) -> int | None:
    found = re.search(r"\d+", text)
    return int(found.group()) if found else None
