"""What a start finds: which snapshot is the best, and what is not as it should be. Reads only; the guard mends.

The way to the best, by `seq` and never by clock: of best.json and the `adopted` and `baseline` lines the one with
the largest `seq` whose snapshot is intact, then the next lower ones, then best.md, then nothing (a new baseline is
due). One case takes precedence: a best.md that is byte for byte a later snapshot which no line calls the best. Only an
adoption whose line was lost can have written it. A best.md that holds the last copy of a lost snapshot is rescued.

A finding is a fact about the disk, so a second look after the mending finds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from xuen.files.regular import NotAFile, read_regular
from xuen.guard.best import parse_record
from xuen.guard.candidates import digest, kept_ids, load, round_of
from xuen.guard.history import Anchor, Index
from xuen.texts import Text
from xuen.texts import guard as texts
from xuen.workspace.paths import Workspace
from xuen.workspace.research import parse_or_none


@dataclass(slots=True)
class Found:
    """The best (`anchor` and its `data`), what has to be done about it, and each thing that was wrong, for people."""

    anchor: Anchor | None = None
    data: bytes = b""
    unrecorded: bool = False  # the history has no line that makes this one the best
    remake: bool = False  # its snapshot is gone; `data` comes from best.md
    damaged: list[Path] = field(default_factory=list)  # to be kept aside
    orphans: dict[str, bytes] = field(default_factory=dict)  # intact snapshots that the history does not know
    rescued: bytes | None = None  # best.md, where it is the last copy of a snapshot that is not the best
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
    mirror = _read_mirror(workspace.best, found)
    _look_for_orphans(workspace, index, found)
    # Of two with one seq the later line counts, and a line before best.json.
    anchors = sorted([*([record] if record else []), *index.anchors], key=lambda anchor: anchor.seq)[::-1]
    lost = _walk(anchors, workspace, index, found)
    if found.anchor is None or found.anchor.is_baseline:
        _walk(_implied(anchors, index, found), workspace, index, found)
    _note_lost(lost, record, workspace, index, found)
    if mirror is not None and parse_or_none(mirror):
        _try_mirror(mirror, record, index, found, workspace)
    if found.anchor is not None:
        _compare(found, record, mirror, workspace, index)
    return found


def _walk(anchors: list[Anchor], workspace: Workspace, index: Index, found: Found) -> list[Anchor]:
    """Take the first anchor that is intact; those before it, which are not."""
    for place, anchor in enumerate(anchors):
        held = _held(anchor, workspace, index, found)
        if held is not None:
            found.anchor, found.data = held
            return anchors[:place]
    return anchors


def _implied(anchors: list[Anchor], index: Index, found: Found) -> list[Anchor]:
    """Snapshots that were the best once, because rounds started from them, but whose own line is lost; newest first."""
    named = {anchor.id for anchor in anchors}
    shas = {known.id: known.sha256 for known in index.known.values() if known.status == "open"}
    shas |= {identity: digest(data) for identity, data in found.orphans.items()}
    return [
        Anchor(seq, identity, shas[identity], None, "recovered", "")
        for identity, seq in sorted(index.parents().items(), key=lambda each: each[1], reverse=True)
        if identity not in named and identity in shas and round_of(identity) > 0
    ]


def _held(anchor: Anchor, workspace: Workspace, index: Index, found: Found) -> tuple[Anchor, bytes] | None:
    """What an anchor stands for, where that is intact.

    The id and the sha256 in a line may contradict each other after damage to the line itself. Then the bytes decide:
    another snapshot that has this sha256 is meant; or, if no other line knows the sha256, the snapshot of this id as
    its own `candidate` line describes it.
    """
    known = index.known.get(anchor.id)
    meant = [(anchor.id, anchor.sha256)]
    if known is not None and known.sha256 != anchor.sha256:
        orphan = next((identity for identity, data in found.orphans.items() if digest(data) == anchor.sha256), None)
        twin = index.kept_as(anchor.sha256) or orphan
        meant.append((anchor.id, known.sha256) if twin is None else (twin, anchor.sha256))
    for identity, sha256 in meant:
        data = load(workspace.candidate(identity), sha256)
        if data is not None and parse_or_none(data):
            return _as_recorded(replace(anchor, id=identity, sha256=sha256), index), data
    return None


def _as_recorded(anchor: Anchor, index: Index) -> Anchor:
    """The history's own words about an anchor, where it has any."""
    for each in reversed(index.anchors):
        if (each.id, each.sha256) == (anchor.id, anchor.sha256):
            return each
    return anchor


def _read(path: Path) -> bytes | None:
    """A file's content; nothing (and so nothing that makes sense) for what is there and no file."""
    try:
        return read_regular(path)
    except FileNotFoundError:
        return None
    except NotAFile:
        return b""


def _read_mirror(path: Path, found: Found) -> bytes | None:
    try:
        return read_regular(path)
    except FileNotFoundError:
        return None
    except NotAFile:
        found.damaged.append(path)
        found.findings.append(texts.BEST_MD_DAMAGED)
        return None


def _read_record(path: Path, found: Found) -> Anchor | None:
    data = _read(path)
    if data is None:
        return None
    record = parse_record(data)
    if record is None:
        found.damaged.append(path)
        found.findings.append(texts.BEST_JSON_DAMAGED)
    return record


def _look_for_orphans(workspace: Workspace, index: Index, found: Found) -> None:
    for identity in kept_ids(workspace.rounds):
        if identity in index.known:
            continue
        path = workspace.candidate(identity)
        data = _read(path)
        if data is not None and parse_or_none(data):
            found.orphans[identity] = data
        elif data is not None:
            found.damaged.append(path)
            found.findings.append(texts.SNAPSHOT_DAMAGED.of(id=identity))


def _note_lost(lost: list[Anchor], record: Anchor | None, workspace: Workspace, index: Index, found: Found) -> None:
    """Of anchors that led nowhere: which snapshots are missing, and which are damaged rather than wrongly described."""
    claims = index.claims() if lost else {}
    if record is not None:
        claims.setdefault(record.id, set()).add(record.sha256)
    for identity in dict.fromkeys(anchor.id for anchor in lost):
        path = workspace.candidate(identity)
        data = _read(path)
        if data is None:
            found.findings.append(texts.SNAPSHOT_MISSING.of(id=identity))
        elif digest(data) not in claims.get(identity, ()) and path not in found.damaged:
            found.orphans.pop(identity, None)
            found.damaged.append(path)
            found.findings.append(texts.SNAPSHOT_DAMAGED.of(id=identity))


def _try_mirror(mirror: bytes, record: Anchor | None, index: Index, found: Found, workspace: Workspace) -> None:
    """Take best.md where no anchor led to a snapshot, or where it proves that the last adoption lost its line."""
    sha256 = digest(mirror)
    of_record = record if record is not None and record.sha256 == sha256 else None
    orphan = next((identity for identity, data in found.orphans.items() if data == mirror), None)
    identity = orphan or index.kept_as(sha256) or (of_record.id if of_record else None)
    if found.anchor is not None:
        stale = _is_stale(sha256, found.anchor, index)
        if identity is None or stale or not _is_later(identity, sha256, found.anchor, index, workspace):
            return
    found.anchor = Anchor(
        seq=0,
        id=identity or "",
        sha256=sha256,
        score=of_record.score if of_record else None,
        verify=of_record.verify if of_record else "recovered",
        adopted_at="",
    )
    found.data = mirror
    found.unrecorded = True
    found.findings.append(texts.FROM_MIRROR)


def _is_stale(sha256: str, anchor: Anchor, index: Index) -> bool:
    """Whether best.md is explained by an adoption on record, and so proves no other one.

    Before a mere baseline it is taken all the same, where that adoption came later: its snapshot is lost, its bytes
    are not.
    """
    seqs = [each.seq for each in index.anchors if each.sha256 == sha256]
    return bool(seqs) and not (anchor.is_baseline and max(seqs) > anchor.seq)


def _is_later(identity: str, sha256: str, anchor: Anchor, index: Index, workspace: Workspace) -> bool:
    """Whether a snapshot is intact and came after an anchor; any comes after a baseline."""
    if anchor.is_baseline:
        return anchor.sha256 != sha256
    if load(workspace.candidate(identity), sha256) is None:
        return False
    known = index.known.get(identity)
    return known.seq > anchor.seq if known is not None else round_of(identity) > round_of(anchor.id)


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
        _note_mirror(mirror, record, workspace, index, found)


def _note_mirror(mirror: bytes | None, record: Anchor | None, workspace: Workspace, index: Index, found: Found) -> None:
    if mirror is None:
        if workspace.best not in found.damaged:
            found.findings.append(texts.BEST_MD_MISSING)
        return
    sha256 = digest(mirror)
    identity = index.kept_as(sha256) or (record.id if record is not None and record.sha256 == sha256 else None)
    if identity is None:
        found.damaged.append(workspace.best)
        found.findings.append(texts.BEST_MD_DAMAGED)
        return
    found.findings.append(texts.BEST_MD_STALE)
    if load(workspace.candidate(identity), sha256) is None and parse_or_none(mirror):
        found.rescued = mirror
