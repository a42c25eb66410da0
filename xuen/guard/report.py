"""What the commands ask about a workspace: `status`, `history`, `show`; and `score`, the one that adds a line.

Everything but `add_verdict` only reads, also beside a running loop: no file is made, mended or moved. Times are the
history's own (ISO 8601, UTC).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from xuen.errors import UsageError
from xuen.events import Why
from xuen.files.durable import append_lines, make_folder
from xuen.files.jsonl import number, parse_line, read_objects, whole
from xuen.files.regular import read_regular
from xuen.guard.candidates import is_id, kept_ids, load
from xuen.guard.history import Anchor, Index, Known, Status, fold
from xuen.guard.recovery import survey
from xuen.guard.verdicts import due
from xuen.guard.verdicts import parse as parse_verdicts
from xuen.texts import guard as texts
from xuen.texts import plain
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Sections, parse_or_none


@dataclass(frozen=True, slots=True)
class Waiting:
    """A candidate that waits for a person."""

    id: str
    round: int
    parent: str
    words: tuple[str, ...]
    ts: str
    verify: str
    reason: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A round that brought nothing: the agent failed, or research.md was damaged."""

    round: int
    ts: str
    event: str  # agent_failed or damaged
    reason: str


@dataclass(frozen=True, slots=True)
class Overview:
    """A workspace at a glance; `rounds` is the highest round number.

    `task` is that of the latest run. `judging` are the candidates that a run is deciding on right now, `noted` the
    verdicts that the next reading will carry out, by id. `counts` says how many candidates are what they are now, and
    how often each other event happened.
    """

    task: str | None
    best: Anchor | None
    pending: list[Waiting]
    judging: list[str]
    noted: Mapping[str, float]
    rounds: int
    counts: Mapping[str, int]
    failures: list[Failure]


@dataclass(frozen=True, slots=True)
class Listed:
    """A candidate in one line: what became of it, by whose judgement; `score` is None where nobody gave one."""

    id: str
    round: int
    status: Status
    parent: str
    score: float | None
    verify: str
    reason: str
    sha256: str
    words: tuple[str, ...]
    is_best: bool


@dataclass(frozen=True, slots=True)
class Story:
    """All that is known of one candidate. `data` and `parent_data` are None where the snapshot is missing or damaged.

    `lines` are its lines of the history in order; decisions carry `judgements`. `raw` are the verifiers' own words.
    """

    id: str
    round: int
    status: Status
    parent: str
    words: tuple[str, ...]
    data: bytes | None
    parent_data: bytes | None
    prompt: str | None
    log: Path | None
    raw: Mapping[str, str]
    lines: list[dict[str, Any]]


def history(workspace: Workspace) -> list[dict[str, Any]]:
    """All readable lines of the history, in the order of the file. Raises OSError."""
    return read_objects(workspace.history)


def overview(workspace: Workspace, *, running: bool = False) -> Overview:
    """The workspace as its files tell it. Raises OSError.

    A candidate without a decision waits for a person too, unless a run is at work there (`running`) and judges it.
    """
    lines = history(workspace)
    index = fold(lines)
    judging = [known.id for known in index.known.values() if known.status == "open"] if running else []
    last_pending = {str(line.get("id")): line for line in lines if line.get("event") == "pending"}
    tasks = [line["task"] for line in lines if line.get("event") == "run_started" and isinstance(line.get("task"), str)]
    return Overview(
        task=tasks[-1] if tasks else None,
        best=survey(workspace, index).anchor,
        pending=[_waiting(index.known[id], last_pending.get(id, {})) for id in index.pending() if id not in judging],
        judging=judging,
        noted=_noted(workspace, index),
        rounds=index.last_round,
        counts=_counts(lines, index, judging),
        failures=[
            Failure(
                round=whole(line.get("round")) or 0,
                ts=str(line.get("ts", "")),
                event=str(line["event"]),
                reason=str(line.get("reason", "")),
            )
            for line in lines
            if line.get("event") in ("agent_failed", "damaged") and line.get("why") != Why.STOPPED
        ],
    )


def _waiting(known: Known, line: Mapping[str, Any]) -> Waiting:
    """A candidate that waits; `line` is its `pending` line, if it has one."""
    return Waiting(
        id=known.id,
        round=known.round,
        parent=known.parent,
        words=known.words,
        ts=str(line.get("ts", "")),
        verify=str(line.get("verify", "")),
        reason=str(line.get("reason", "")),
    )


def _noted(workspace: Workspace, index: Index) -> dict[str, float]:
    """The verdicts that are still to be carried out."""
    try:
        written = parse_verdicts(read_regular(workspace.verdicts))
    except OSError:  # no file, or one of which the next run will tell
        return {}
    found, _ = due(written, index, lambda known: not known.was_best, lambda _score: False)
    return {each.known.id: each.score for each in found}


def _counts(lines: list[dict[str, Any]], index: Index, judging: list[str]) -> Counter[str]:
    """Candidates by their state, where one that was overturned counts once; events without one by their number."""
    of_candidates = ("baseline", "candidate", "adopted", "rejected", "pending")
    counts = Counter(str(line.get("event")) for line in lines if line.get("event") not in of_candidates)
    counts.update("pending" if known.status == "open" else known.status for known in index.known.values())
    counts["pending"] -= len(judging)
    counts["stopped"] = sum(line.get("why") == Why.STOPPED for line in lines)
    counts["agent_failed"] -= counts["stopped"]
    return counts


def listed(workspace: Workspace) -> list[Listed]:
    """All candidates that the history knows, newest first. Raises OSError."""
    lines = history(workspace)
    decided = {line.get("id"): line for line in lines if line.get("event") in ("adopted", "rejected", "pending")}
    index = fold(lines)
    best = survey(workspace, index).anchor
    found = []
    for known in index.known.values():
        line = decided.get(known.id, {})
        found.append(
            Listed(
                id=known.id,
                round=known.round,
                status=known.status,
                parent=known.parent,
                score=number(line.get("score")),
                verify=str(line.get("verify", "")),
                reason=str(line.get("reason", "")),
                sha256=known.sha256,
                words=known.words,
                is_best=best is not None and known.id == best.id,
            )
        )
    return found[::-1]


def sections_of(workspace: Workspace, candidate: Listed) -> Sections | None:
    """The two sections of a candidate; None where its snapshot is missing or damaged. Raises OSError."""
    found = parse_or_none(load(workspace.candidate(candidate.id), candidate.sha256))
    return None if found is None else found.sections


def story(workspace: Workspace, id: str) -> Story:
    """Everything about one candidate.

    Raises:
        UsageError: there is none of that id.
        OSError: a file is there and cannot be read.
    """
    lines = history(workspace)
    index = fold(lines)
    known = index.known.get(id)
    if known is None:
        raise _unknown(id)
    return Story(
        id=id,
        round=known.round,
        status=known.status,
        parent=known.parent,
        words=known.words,
        data=load(workspace.candidate(id), known.sha256),
        parent_data=_parent_data(workspace, index, known.parent),
        prompt=_text(workspace.prompt(id)),
        log=log if (log := workspace.log(id)).exists() else None,
        raw={
            path.name.removeprefix(f"{id}.").removesuffix(".txt"): _text(path) or ""
            for path in sorted(workspace.logs.glob(workspace.raw(id, "*").name))
        },
        lines=[line for line in lines if line.get("id") == id],
    )


def add_verdict(workspace: Workspace, id: str, score: float, comment: str = "") -> bool:
    """Append a line to verdicts.txt; it is on the disk when this returns, and honoured at the next reading.

    Whether that will change anything: what was adopted once stays decided.

    Raises:
        UsageError: no such candidate, or a score that is not 0 to 10.
        OSError: it could not be written.
    """
    if not 0 <= score <= 10:  # NaN too
        raise UsageError(texts.SCORE_OUT_OF_RANGE.of(score=score))
    known = fold(history(workspace)).known.get(id)
    if not is_id(id) or (known is None and id not in kept_ids(workspace.rounds)):
        raise _unknown(id)
    number = format(Decimal(repr(float(score))).normalize(), "f")  # never with an exponent
    line = " ".join(f"{id} {number} {comment}".split())
    make_folder(workspace.rounds)
    append_lines(workspace.verdicts, [line.encode(errors="replace")])
    return known is None or not known.was_best


def _parent_data(workspace: Workspace, index: Index, parent: str) -> bytes | None:
    known = index.known.get(parent)
    return None if known is None else load(workspace.candidate(parent), known.sha256)


def _text(path: Path) -> str | None:
    with suppress(FileNotFoundError):
        return read_regular(path).decode(errors="replace")
    return None


def _unknown(id: str) -> UsageError:
    return UsageError(texts.NO_SUCH_CANDIDATE.of(id=plain(id[:80])), mend=texts.SEE_STATUS)


def last_run(workspace: Workspace) -> dict[str, Any] | None:
    """The `run_started` line of the latest run; None where no history tells. Parses only the line that it needs."""
    try:
        data = read_regular(workspace.history)
    except OSError:
        return None
    found = len(data)
    while (found := data.rfind(b'"event":"run_started"', 0, found)) >= 0:
        line = parse_line(data[data.rfind(b"\n", 0, found) + 1 :].split(b"\n", 1)[0])
        if line is not None:  # else a damaged one
            return line
    return None


def last_task(workspace: Workspace) -> str | None:
    """The whole task of the latest run; None where no history tells."""
    task = (last_run(workspace) or {}).get("task")
    return task if isinstance(task, str) and task.strip() else None
