"""Two histories that grew from one, brought together.

Pure. Owns the rule: the lines of the branch stay byte for byte as they are, the lines that only this run has follow
in their order. A following line whose `seq` is taken gets the next free number and keeps its first one as `from_seq`;
so do ids that had to change (`from_id`, `from_parent`), which is how a line is known again in a later merge. Numbers
stay unique and increasing, and no line is ever lost, damaged ones included.

Which snapshot is the best afterwards (`leader`): where only one side moved, or one side's best came after the other's,
that side's newest. Where both adopted something new that was never compared, the branch's best stays, unless there is
evidence for the other one: a person's verdict goes before any other judgement, a baseline goes after everything, and
scores count against each other only if a person gave both, or if both were given in the same way against the same
parent. The one that does not win is pending (`verify` is `merge`) and waits for a person's verdict.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from xuen.events import Adopted, Baseline, Pending, to_dict
from xuen.files.jsonl import parse_line, to_line, whole
from xuen.guard.candidates import is_id, round_of
from xuen.guard.history import MERGE, Anchor, Index, anchor_of, fold
from xuen.texts import Language
from xuen.texts.ci import RIVAL

Side = Literal["ours", "theirs"]
_NAMES = ("id", "parent")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a history; `value` is None where it is damaged. `key` is what it was when it was first written."""

    raw: bytes
    value: dict[str, Any] | None
    key: bytes


@dataclass(slots=True)
class Ledgers:
    """Both histories line by line: `theirs` of the branch and which of them `ours` lacks, and the other way round."""

    theirs: list[Line]
    theirs_alone: list[Line] = field(default_factory=list)
    shared: list[Line] = field(default_factory=list)  # as ours has them
    ours_alone: list[Line] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)  # what ids of ours are called on the branch, where it knows them


@dataclass(frozen=True, slots=True)
class Joined:
    """The history after the merge. `rewritten`: some line of it is neither side's own; `best` is None without any."""

    data: bytes
    leader: Side
    best: Anchor | None
    rewritten: bool
    index: Index


def read(theirs: bytes, ours: bytes) -> Ledgers:
    """Compare two histories line by line."""
    both = Ledgers(_lines(theirs))
    twins: dict[bytes, deque[Line]] = {}
    for line in both.theirs:
        twins.setdefault(line.key, deque()).append(line)
    for line in _lines(ours):
        if not twins.get(line.key):
            both.ours_alone.append(line)
            continue
        both.shared.append(line)
        twin = twins[line.key].popleft()
        # Only a line with the snapshot's sha256 proves that both mean the same one by that id.
        if line.value is not None and twin.value is not None and is_id(line.value.get("id")) and "sha256" in line.value:
            both.ids[str(line.value["id"])] = str(twin.value["id"])
    left = {id(line) for each in twins.values() for line in each}
    both.theirs_alone = [line for line in both.theirs if id(line) in left]
    return both


def join(
    both: Ledgers,
    rename: Mapping[str, str],
    is_intact: Callable[[Anchor], bool],
    *,
    now: str,
    language: Language,
) -> Joined:
    """One history out of both.

    `rename` says what ids of ours are called from now on (`Ledgers.ids` among them), `is_intact` whether the snapshot
    of an anchor is there, `now` is ISO 8601 in UTC.
    """
    theirs = _values(both.theirs)
    top = fold(theirs).top_seq
    lines, added = [line.raw for line in both.theirs], []
    for line in both.ours_alone:
        value = None
        if line.value is not None:
            value, top = _numbered(_renamed(line.value, rename), top)
            added.append(value)
        lines.append(line.raw if value is None or value == line.value else to_line(value))
    rewritten = added != _values(both.ours_alone)
    index = fold([*theirs, *added])
    contest = _Contest(both, theirs, added, rename, is_intact)
    leader, winner, loser = contest.decide()
    extra = [] if winner is None or loser is None else _set_back(loser, winner, index, language)
    remade = winner is not None and contest.newest(index.anchors) != winner
    if winner is not None and remade:
        extra.append(_made_best(winner, index, language))
    values = [{"seq": top + place, "ts": now, **each} for place, each in enumerate(extra, start=1)]
    lines += [to_line(value) for value in values]
    for value in values:
        index.take(value)
    if remade:
        winner, rewritten = anchor_of(values[-1]), True
    return Joined(b"".join(line + b"\n" for line in lines), leader, winner, rewritten, index)


class _Contest:
    """Which of two bests it is."""

    def __init__(
        self,
        both: Ledgers,
        theirs: list[dict[str, Any]],
        added: list[dict[str, Any]],
        rename: Mapping[str, str],
        is_intact: Callable[[Anchor], bool],
    ) -> None:
        self._is_intact = is_intact
        self._theirs = fold(theirs).anchors
        shared = [_renamed(value, rename) for value in _values(both.shared)]
        self._ours = [*fold(shared).anchors, *fold(added).anchors]
        self._new_theirs = {_what(each) for each in fold(_values(both.theirs_alone)).anchors}
        self._new_ours = {_what(each) for each in fold(added).anchors}
        self._known = fold([*theirs, *added]).known

    def newest(self, anchors: Iterable[Anchor]) -> Anchor | None:
        """The one with the largest `seq` that is intact, as a start of xuen finds it."""
        ordered = sorted(anchors, key=lambda anchor: anchor.seq, reverse=True)
        return next((anchor for anchor in ordered if self._is_intact(anchor)), None)

    def decide(self) -> tuple[Side, Anchor | None, Anchor | None]:
        """Which side leads, with which best, and the rival that was set back without a comparison."""
        ours, theirs = self.newest(self._ours), self.newest(self._theirs)
        if ours is None or theirs is None:
            return ("theirs", theirs, None) if ours is None else ("ours", ours, None)
        if _what(ours) == _what(theirs) or _what(ours) not in self._new_ours or _what(ours) in self._new_theirs:
            return "theirs", theirs, None
        if _what(theirs) not in self._new_theirs or _what(theirs) in self._new_ours:
            return "ours", ours, None
        if self._goes_before(ours, theirs):
            return "ours", ours, theirs
        return "theirs", theirs, ours

    def _goes_before(self, ours: Anchor, theirs: Anchor) -> bool:
        if ours.is_baseline or theirs.is_baseline:
            return not ours.is_baseline
        by_person = ours.verify == "user", theirs.verify == "user"
        if any(by_person) and not all(by_person):
            return by_person[0]
        alike = ours.verify == theirs.verify and self._start_of(ours) == self._start_of(theirs) != ""
        if not (all(by_person) or alike):
            return False
        return ours.score is not None and theirs.score is not None and ours.score > theirs.score

    def _start_of(self, anchor: Anchor) -> str:
        """The sha256 of what a best was made from and judged against; empty where that is not known."""
        known = self._known.get(anchor.id)
        parent = self._known.get(known.parent) if known is not None else None
        return parent.sha256 if parent is not None else ""


def _set_back(loser: Anchor, winner: Anchor, index: Index, language: Language) -> list[dict[str, Any]]:
    if loser.is_baseline:
        return []
    event = Pending(round=_round(loser, index), id=loser.id, verify=MERGE, reason=RIVAL.of(best=winner.id))
    return [to_dict(event, language)]


def _made_best(winner: Anchor, index: Index, language: Language) -> dict[str, Any]:
    """The line that says once more which one is the best, after the lines that would say otherwise."""
    number = _round(winner, index)
    if winner.is_baseline:
        return to_dict(Baseline(round=number, id=winner.id, sha256=winner.sha256), language)
    event = Adopted(round=number, id=winner.id, sha256=winner.sha256, score=winner.score, verify=winner.verify)
    return to_dict(event, language)


def _round(anchor: Anchor, index: Index) -> int:
    known = index.known.get(anchor.id)
    return known.round if known is not None else round_of(anchor.id)


def _values(lines: Iterable[Line]) -> list[dict[str, Any]]:
    return [line.value for line in lines if line.value is not None]


def _what(anchor: Anchor) -> tuple[str, str]:
    return anchor.id, anchor.sha256


def _lines(data: bytes) -> list[Line]:
    found = []
    for raw in data.split(b"\n"):
        if raw.strip():
            value = parse_line(raw)
            found.append(Line(raw, value, raw if value is None else _key(value)))
    return found


def _key(value: dict[str, Any]) -> bytes:
    first = dict(value)
    for name in ("seq", *_NAMES):
        if f"from_{name}" in first:
            first[name] = first.pop(f"from_{name}")
    return json.dumps(first, sort_keys=True).encode()


def _renamed(value: dict[str, Any], rename: Mapping[str, str]) -> dict[str, Any]:
    changed = dict(value)
    for name in _NAMES:
        old = value.get(name)
        if isinstance(old, str) and rename.get(old, old) != old:
            changed |= {name: rename[old], f"from_{name}": value.get(f"from_{name}", old)}
    return changed


def _numbered(value: dict[str, Any], top: int) -> tuple[dict[str, Any], int]:
    seq = whole(value.get("seq"))
    if seq is None:  # a line that does not count
        return value, top
    if seq > top:
        return value, seq
    return {**value, "seq": top + 1, "from_seq": value.get("from_seq", seq)}, top + 1
