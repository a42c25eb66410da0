"""The ledger `rounds/history.jsonl` and what follows from its lines.

Owns the numbering (`seq`) and the form of a line: `{"seq", "ts", **event}` of the very event that is told, so the
history and the screen cannot disagree. Lines are only ever added, and added again where the file lost them. `Index`
is the fold of all lines in the order of `seq` (never of a clock); it is kept up to date line by line, so a round
costs the same however many came before.

Damaged lines cost themselves only. Two lines with one `seq` (two clones of a workspace brought together) both count,
in the order of their places in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from xuen.events import Event, to_dict
from xuen.files.jsonl import LARGEST_SEQ, number, whole
from xuen.files.kept_lines import KeptLines
from xuen.guard.candidates import LARGEST_ROUND, is_id
from xuen.texts import Language

Status = Literal["open", "baseline", "adopted", "rejected", "pending"]

MERGE = "merge"
"""`verify` of a `pending` line that sets an adopted candidate back to waiting: two clones of a workspace were brought
together, another one stayed the best, and nobody ever compared them."""

REPEAT = "repeat"
"""`verify` of a decision that only repeats an earlier one, because the text is the same."""

_BREAKS_STREAK = {"candidate", "agent_failed", "damaged"}
_AFTER_VERDICTS = {"adopted", "verdict", "heartbeat", "agent_failed", "damaged"}


@dataclass(frozen=True, slots=True)
class Anchor:
    """A moment at which a snapshot became the best: an `adopted` or `baseline` line, or best.json."""

    seq: int
    id: str
    sha256: str
    score: float | None
    verify: str
    adopted_at: str

    @property
    def is_baseline(self) -> bool:
        """Whether nobody ever judged it."""
        return self.verify == "baseline"


@dataclass(slots=True)
class Known:
    """What the history says about one snapshot."""

    id: str
    round: int
    sha256: str
    seq: int  # of the line that introduced it
    parent: str = ""
    words: tuple[str, ...] = ()
    content: str = ""  # the digest of its sections; empty where an older version kept it
    status: Status = "open"
    verify: str = ""  # who decided last
    verdict: tuple[float, str] | None = None

    @property
    def was_best(self) -> bool:
        """Whether it is or once was the best, which no verdict changes."""
        return self.status in ("adopted", "baseline")

    @property
    def weight(self) -> int:
        """Which decision on one text counts: that a state was the best, then a person's verdict, then a rejection."""
        if self.was_best:
            return 3
        return 2 if self.verdict is not None else int(self.status == "rejected")


@dataclass(slots=True)
class Index:
    """All that later decisions need from the history."""

    top_seq: int = 0
    last_round: int = 0
    streak: int = 0  # heartbeats in a row at the end
    known: dict[str, Known] = field(default_factory=dict)
    anchors: list[Anchor] = field(default_factory=list)
    waiting: Known | None = None  # has a verdict whose effect is missing: the run was killed between the two
    task: str = ""  # of the latest run
    decided: dict[str, str] = field(default_factory=dict)  # under this task: from a text's digest to an id

    def kept_as(self, sha256: str) -> str | None:
        """The id under which these bytes were kept, the latest if there are several."""
        return next((known.id for known in reversed(self.known.values()) if known.sha256 == sha256), None)

    def same_text(self, content: str, sha256: str) -> Known | None:
        """The decided or pending candidate with this text whose decision counts; the bytes where it has no digest."""
        return self.known.get(self.decided.get(content) or self.decided.get(sha256, ""))

    def claims(self) -> dict[str, set[str]]:
        """Every sha256 that the history gives for an id."""
        found = {known.id: {known.sha256} for known in self.known.values()}
        for anchor in self.anchors:
            found.setdefault(anchor.id, set()).add(anchor.sha256)
        return found

    def parents(self) -> dict[str, int]:
        """What rounds started from, which was the best then, and the seq that first shows it."""
        found: dict[str, int] = {}
        for known in self.known.values():
            if is_id(known.parent):
                found.setdefault(known.parent, known.seq)
        return found

    def pending(self) -> tuple[str, ...]:
        """The ids of the candidates that wait for a person, in the order in which they came."""
        return tuple(known.id for known in self.known.values() if known.status in ("pending", "open"))

    def take(self, line: Mapping[str, Any]) -> None:
        """Fold in one line; one that makes no sense is passed over."""
        seq, event = whole(line.get("seq")), line.get("event")
        if seq is None or not isinstance(event, str):
            return
        self.top_seq = max(self.top_seq, seq)
        round = whole(line.get("round"))
        if round is not None and round < LARGEST_ROUND:
            self.last_round = max(self.last_round, round)
        if event == "heartbeat":
            self.streak += 1
        elif event in _BREAKS_STREAK:
            self.streak = 0
        if event == "run_started":
            self._begin_task(str(line.get("task", "")).strip())
        if is_id(line.get("id")):
            self._take_snapshot(event, line)
        if event in _AFTER_VERDICTS and self.waiting is not None and self.waiting.id != line.get("id"):
            # Verdicts are carried out one by one: if life went on after this one, its effect was there and its line
            # was damaged later. To carry it out now could put it over a better one.
            self.waiting = None

    def _begin_task(self, task: str) -> None:
        """What was decided under another task says nothing about this one."""
        if task != self.task:
            self.task = task
            self.decided.clear()

    def _take_snapshot(self, event: str, line: Mapping[str, Any]) -> None:
        if event in ("baseline", "candidate", "adopted"):
            self._introduce(event, line)
        known = self.known.get(str(line["id"]))
        if known is None:
            return
        if event == "verdict":
            score = number(line.get("score"))
            if score is not None:
                known.verdict = (score, str(line.get("comment", "")))
                self.waiting = None if known.was_best else known
            return
        undone = known.was_best and event == "pending" and line.get("verify") == MERGE
        if event in ("adopted", "baseline") or (event in ("rejected", "pending") and not known.was_best) or undone:
            known.status = event  # type: ignore[assignment]  # one of four, as just seen
            known.verify = str(line.get("verify", ""))
            if known.verify != REPEAT:
                self._note_text(known)
            if self.waiting is known:
                self.waiting = None

    def _note_text(self, known: Known) -> None:
        text = known.content or known.sha256
        earlier = self.known.get(self.decided.get(text, ""))
        if earlier is None or known.weight >= earlier.weight:
            self.decided[text] = known.id

    def _introduce(self, event: str, line: Mapping[str, Any]) -> None:
        identity, sha256 = str(line["id"]), line.get("sha256")
        if not isinstance(sha256, str):
            return
        known = self.known.get(identity)
        if known is None or event == "candidate":
            words = line.get("words")
            fresh = Known(
                id=identity,
                round=whole(line.get("round")) or 0,
                sha256=sha256,
                seq=int(line["seq"]),
                parent=str(line.get("parent", "")),
                words=tuple(str(word) for word in words) if isinstance(words, list) else (),
                content=str(line.get("content_sha256", "")),
            )
            if known is not None:  # a line written twice, after a failure that left the first one in doubt
                fresh.status, fresh.verify, fresh.verdict = known.status, known.verify, known.verdict
                self.waiting = fresh if self.waiting is known else self.waiting
            self.known[identity] = fresh
        if event != "candidate":
            self.anchors.append(anchor_of(line))


def anchor_of(line: Mapping[str, Any]) -> Anchor:
    """The anchor that an `adopted` or `baseline` line is."""
    return Anchor(
        seq=int(line["seq"]),
        id=str(line["id"]),
        sha256=str(line["sha256"]),
        score=number(line.get("score")),
        verify="baseline" if line["event"] == "baseline" else str(line.get("verify", "")),
        adopted_at=str(line.get("ts", "")),
    )


def fold(lines: Iterable[Mapping[str, Any]]) -> Index:
    """The index of a whole history."""
    index = Index()
    for line in sorted(lines, key=lambda line: whole(line.get("seq")) or 0):
        index.take(line)
    return index


def timestamp(now: datetime) -> str:
    """ISO 8601 in UTC, to the millisecond."""
    return f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"


class Ledger:
    """The one writer of a workspace's history.

    A file that lost lines gets them back: the history says which snapshots were the best, and which verdicts were
    carried out. After a failed append nobody knows what is on the disk, so the next one reads the file again first.
    """

    def __init__(self, path: Path, *, language: Language, clock: Callable[[], datetime]) -> None:
        self._file = KeptLines(path, clock)
        self._language = language
        self._clock = clock
        self._index: Index | None = None
        self._floor = 0

    @property
    def index(self) -> Index:
        """What the history says, read when first needed.

        Raises:
            OSError: the file is there and cannot be read.
        """
        return self._index if self._index is not None else self._read()

    def start_above(self, seq: int) -> None:
        """Use no number up to `seq`, because best.json has seen it."""
        self._floor = max(self._floor, seq)
        self.index.top_seq = max(self.index.top_seq, seq)

    def append(self, *events: Event, **extra: Any) -> list[dict[str, Any]]:
        """Add one durable line for each event, all in one write; `extra` fields go into each of them.

        Raises:
            OSError: some or all lines may be missing.
        """
        index = self._read() if self._index is None or self._file.was_touched() else self._index
        stamp = timestamp(self._clock())
        lines = [
            # No reader accepts a number beyond the largest; lines with the same number count in file order.
            {
                "seq": min(index.top_seq + place, LARGEST_SEQ),
                "ts": stamp,
                **to_dict(event, self._language),
                **extra,
            }
            for place, event in enumerate(events, start=1)
        ]
        self._add(index, lines)
        for line in lines:
            index.take(line)
        return lines

    def mend(self) -> bool:
        """Give the file back what it lost; whether that was anything.

        Raises:
            OSError: it may still lack it.
        """
        if self._index is not None and not self._file.was_touched():
            return False
        index = self._read()
        if not self._file.has_lost:
            return False
        self._add(index, [])
        return True

    def _read(self) -> Index:
        self._index = fold(self._file.read())
        self._index.top_seq = max(self._index.top_seq, self._floor)
        return self._index

    def _add(self, index: Index, lines: list[dict[str, Any]]) -> None:
        try:
            self._file.add(lines)
        except OSError:
            self._floor = max(self._floor, index.top_seq)
            self._index = None
            raise
