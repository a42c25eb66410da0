"""What a start finds: which snapshot is the best, and what is not as it should be. Reads only; the guard mends.

The way to the best, by `seq` and never by clock: of best.json and the `adopted` and `baseline` lines the one with
the largest `seq` whose snapshot is intact, then the next lower ones, then best.md, then nothing (a new baseline is
due). Before a baseline is believed, a best.md that is byte for byte a known state goes first: only an adoption whose
record was lost can have written it.

A finding is a fact about the disk, so a second look after the mending finds nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xuen.errors import DamagedResearch
from xuen.guard.candidates import digest, is_id, kept_ids, load
from xuen.guard.history import Anchor, Index
from xuen.texts import Text
from xuen.texts import guard as texts
from xuen.workspace.paths import Workspace
from xuen.workspace.research import parse


@dataclass(slots=True)
class Found:
    """The best (`anchor` and its `data`), what has to be done about it, and each thing that was wrong, for people."""

    anchor: Anchor | None = None
    data: bytes = b""
    unrecorded: bool = False  # the history has no line that makes this one the best
    remake: bool = False  # its snapshot is gone; `data` comes from best.md
    damaged: list[Path] = field(default_factory=list)  # to be kept aside
    orphans: dict[str, bytes] = field(default_factory=dict)  # intact snapshots that the history does not know
    stale_json: bool = False
    stale_mirror: bool = False
    findings: list[Text] = field(default_factory=list)

    @property
    def needs_mending(self) -> bool:
        """Whether anything but orphans has to be written."""
        return bool(self.damaged) or self.unrecorded or self.remake or self.stale_json or self.stale_mirror


def survey(workspace: Workspace, index: Index) -> Found:
    """Look at everything that a best can be found in.

    Raises:
        OSError: something is there and cannot be read, so nothing can be concluded.
    """
    found = Found()
    record = _read_record(workspace.best_json, found)
    mirror = _read(workspace.best)
    _look_for_orphans(workspace, index, found)
    anchors = sorted([*index.anchors, *([record] if record else [])], key=lambda anchor: anchor.seq, reverse=True)
    visited: set[tuple[str, str]] = set()
    for anchor in anchors:
        if (anchor.id, anchor.sha256) in visited:
            continue
        visited.add((anchor.id, anchor.sha256))
        data = load(workspace.candidate(anchor.id), anchor.sha256)
        if data is None or not well_formed(data):
            _note_lost(workspace, anchor, found)
        else:
            found.anchor, found.data = _as_recorded(anchor, index), data
            break
    if found.anchor is None or found.anchor.is_baseline:
        _try_mirror(mirror, record, index, found)
    if found.anchor is not None:
        _compare(found, record, mirror, workspace, index)
    return found


def _as_recorded(anchor: Anchor, index: Index) -> Anchor:
    """The history's own words about an anchor, where it has any."""
    for each in reversed(index.anchors):
        if (each.id, each.sha256) == (anchor.id, anchor.sha256):
            return each
    return anchor


def read_record(path: Path) -> Anchor | None:
    """best.json as an anchor; None when it is missing or makes no sense.

    Raises:
        OSError: it is there and cannot be read.
    """
    data = _read(path)
    return None if data is None else _record_of(data)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _read_record(path: Path, found: Found) -> Anchor | None:
    data = _read(path)
    if data is None:
        return None
    record = _record_of(data)
    if record is None:
        found.damaged.append(path)
        found.findings.append(texts.BEST_JSON_DAMAGED)
    return record


def _record_of(data: bytes) -> Anchor | None:
    try:
        value: Any = json.loads(data.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, Mapping):
        return None
    seq, identity, sha256, score = (value.get(key) for key in ("seq", "id", "sha256", "score"))
    if not (isinstance(seq, int) and not isinstance(seq, bool) and 0 < seq < 2**53):
        return None
    if not (is_id(identity) and isinstance(sha256, str)):
        return None
    number = float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None
    verify, adopted_at = str(value.get("verify", "")), str(value.get("adopted_at", ""))
    return Anchor(seq, str(identity), sha256, number, verify, adopted_at)


def _look_for_orphans(workspace: Workspace, index: Index, found: Found) -> None:
    for identity in kept_ids(workspace.rounds):
        if identity in index.known:
            continue
        path = workspace.candidate(identity)
        data = _read(path)
        if data is not None and well_formed(data):
            found.orphans[identity] = data
        elif data is not None:
            found.damaged.append(path)
            found.findings.append(texts.SNAPSHOT_DAMAGED.of(id=identity))


def _note_lost(workspace: Workspace, anchor: Anchor, found: Found) -> None:
    path = workspace.candidate(anchor.id)
    if not path.exists():
        found.findings.append(texts.SNAPSHOT_MISSING.of(id=anchor.id))
    elif path not in found.damaged:
        found.orphans.pop(anchor.id, None)
        found.damaged.append(path)
        found.findings.append(texts.SNAPSHOT_DAMAGED.of(id=anchor.id))


def _try_mirror(mirror: bytes | None, record: Anchor | None, index: Index, found: Found) -> None:
    """Take best.md where the anchors gave out, or where they only lead to a baseline that it proves to be overtaken."""
    if mirror is None or not well_formed(mirror):
        return
    sha256 = digest(mirror)
    by_sha = {digest(data): identity for identity, data in found.orphans.items()} | index.by_sha
    identity = by_sha.get(sha256) or (record.id if record is not None and record.sha256 == sha256 else None)
    if found.anchor is not None and (identity is None or sha256 == found.anchor.sha256):
        return
    of_record = record is not None and record.sha256 == sha256
    score = record.score if record is not None and of_record else None
    verify = record.verify if record is not None and of_record else "recovered"
    found.anchor = Anchor(0, identity or "", sha256, score, verify, "")
    found.data = mirror
    found.unrecorded = True
    found.findings.append(texts.FROM_MIRROR)


def _compare(found: Found, record: Anchor | None, mirror: bytes | None, workspace: Workspace, index: Index) -> None:
    """Hold what follows from the best (its record, its mirror, its line in the history) against it."""
    anchor = found.anchor
    assert anchor is not None
    found.orphans.pop(anchor.id, None)
    if not found.unrecorded and anchor not in index.anchors:
        found.unrecorded = True
        found.findings.append(texts.RECORD_MISSING)
    found.remake = not anchor.id or load(workspace.candidate(anchor.id), anchor.sha256) is None
    if record is None or found.unrecorded or record != anchor:
        found.stale_json = True
        if workspace.best_json not in found.damaged:
            found.findings.append(texts.BEST_JSON_MISSING if record is None else texts.BEST_JSON_STALE)
    if mirror != found.data:
        found.stale_mirror = True
        _note_mirror(mirror, workspace, index, found)


def _note_mirror(mirror: bytes | None, workspace: Workspace, index: Index, found: Found) -> None:
    if mirror is None:
        found.findings.append(texts.BEST_MD_MISSING)
    elif digest(mirror) in index.by_sha:
        found.findings.append(texts.BEST_MD_STALE)
    else:
        found.damaged.append(workspace.best)
        found.findings.append(texts.BEST_MD_DAMAGED)


def well_formed(data: bytes) -> bool:
    """Whether these bytes are a research.md that a round can start from."""
    try:
        parse(data)
    except DamagedResearch:
        return False
    return True
