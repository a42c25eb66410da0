"""The best state and the files that follow from it: `best.md`, `best.json` and the sections in research.md.

Owns bringing these three in line with the history, in that order and only after its line is durable. Also owns that
snapshots stay, since agents and judges can delete whatever they like: the best's is always restored, and so are the
latest others (`LATEST`, `LATEST_BYTES`; bounded, so that the cost of a round does not grow with their number). Each
file is compared first and written only when it differs. Text that the user wrote around the sections of research.md
stays.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from xuen.errors import DamagedResearch
from xuen.files.aside import keep_aside, make_room_for_folder
from xuen.files.durable import make_folder, write_bytes
from xuen.files.jsonl import number, parse_line, whole
from xuen.files.regular import Mark, NotAFile, mark_of, read_regular
from xuen.guard.candidates import Snapshot, is_id, round_of, save
from xuen.guard.history import Anchor
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Research, Sections, parse
from xuen.workspace.research_file import ResearchFile

LATEST = 64
"""How many of the latest snapshots come back when somebody deletes or changes them while a run is going on."""
LATEST_BYTES = 16 << 20
"""How many bytes of them are held in memory for that, not counting the best's."""


@dataclass(frozen=True, slots=True)
class Best:
    """The state that every round starts from, with the record of how it became that."""

    anchor: Anchor
    snapshot: Snapshot
    sections: Sections

    @classmethod
    def of(cls, anchor: Anchor, data: bytes) -> Best:
        """The best of an intact snapshot's bytes."""
        snapshot = Snapshot(anchor.id, round_of(anchor.id), data, anchor.sha256)
        return cls(anchor, snapshot, parse(data).sections)


def record_bytes(anchor: Anchor) -> bytes:
    """The content of best.json: the fields of the anchor, by their names."""
    return (json.dumps(asdict(anchor), ensure_ascii=False) + "\n").encode()


def read_record(path: Path) -> Anchor | None:
    """best.json as an anchor; None where it is missing, no file, or makes no sense.

    Raises:
        OSError: it is there and cannot be read.
    """
    try:
        return parse_record(read_regular(path))
    except (FileNotFoundError, NotAFile):
        return None


def parse_record(data: bytes) -> Anchor | None:
    """The anchor that the content of a best.json is; None where it makes no sense."""
    value = parse_line(data) or {}
    seq, identity, sha256 = whole(value.get("seq")), value.get("id"), value.get("sha256")
    if not (seq and is_id(identity) and isinstance(sha256, str)):
        return None
    verify, adopted_at = str(value.get("verify", "")), str(value.get("adopted_at", ""))
    return Anchor(seq, str(identity), sha256, number(value.get("score")), verify, adopted_at)


@dataclass(frozen=True, slots=True)
class Published:
    """What publishing met: an `edit` of the user's to keep first, or a copy that was `kept` (`edited`: a late edit)."""

    edit: Research | None = None
    kept: Path | None = None
    edited: bool = False


class Followers:
    """Brings the files in line with the best, and restores what somebody removed or changed meanwhile.

    As long as nobody touches a file, checking its mark is the only cost.
    """

    def __init__(self, workspace: Workspace, research: ResearchFile, clock: Callable[[], datetime]) -> None:
        self._workspace = workspace
        self._research = research
        self._clock = clock
        self._held: dict[Path, tuple[bytes, Mark]] = {}  # what each file was seen to hold, and its mark then
        self._latest: dict[str, Snapshot] = {}  # by id, the latest last

    def bring_record(self, best: Best) -> list[str]:
        """Make the best's snapshot, best.md and best.json agree, and see that the latest snapshots are kept.

        The names of the files that somebody else had changed; what they made of a file is kept aside.

        Raises:
            OSError: they may not agree yet.
        """
        snapshot, mirror, record = best.snapshot, self._workspace.best, self._workspace.best_json
        make_folder(self._workspace.rounds)
        changed = [self._workspace.candidate(snapshot.id).name] if self._bring(snapshot) else []
        changed += self._bring_latest(snapshot.id)
        for path, data in ((mirror, snapshot.data), (record, record_bytes(best.anchor))):
            if not self._holds(path, data):
                if self._make_room(path):
                    changed.append(path.name)
                write_bytes(path, data)
                self._holds(path, data)
        living = {mirror, record, *map(self._workspace.candidate, [*self._latest, snapshot.id])}
        self._held = {path: held for path, held in self._held.items() if path in living}
        return changed

    def keep(self, snapshot: Snapshot) -> None:
        """Keep a snapshot, or see that it is kept; from now on it is one of the latest.

        Raises:
            OSError: it may not be kept.
        """
        self._bring(snapshot)
        self._latest.pop(snapshot.id, None)
        self._latest[snapshot.id] = snapshot
        size = sum(len(each.data) for each in self._latest.values())
        while len(self._latest) > LATEST or size > LATEST_BYTES:
            size -= len(self._latest.pop(next(iter(self._latest))).data)

    def make_room(self) -> None:
        """Rename what somebody put in the place of rounds/ itself, so that the folder can be made again.

        Raises:
            OSError: it is still there.
        """
        make_room_for_folder(self._workspace.rounds, self._clock)

    def _bring_latest(self, best: str) -> list[str]:
        """See that the other latest snapshots are kept; the names of those that were not any more."""
        changed = []
        for each in self._latest.values():
            with suppress(OSError):  # one that is out of reach is no trouble of the best's; the next look tries again
                if each.id != best and self._bring(each):
                    changed.append(self._workspace.candidate(each.id).name)
        return changed

    def _bring(self, snapshot: Snapshot) -> bool:
        """Keep a snapshot, or see that it is kept; whether it had been and was not any more."""
        path = self._workspace.candidate(snapshot.id)
        if self._holds(path, snapshot.data):
            return False
        changed = self._make_room(path)
        if os.path.lexists(path):  # a snapshot is never replaced
            keep_aside(path, self._clock())
        save(path, snapshot)
        self._holds(path, snapshot.data)
        return changed

    def _holds(self, path: Path, data: bytes) -> bool:
        """Whether the file holds exactly this. It is read only where it was touched since the last look."""
        mark = mark_of(path)
        if mark is None:
            return False
        if self._held.get(path) == (data, mark):
            return True
        try:
            if read_regular(path) != data:
                return False
        except (FileNotFoundError, NotAFile, PermissionError):
            return False
        self._held[path] = (data, mark)
        return True

    def _make_room(self, path: Path) -> bool:
        """Keep aside what somebody else put there; whether they changed or removed what was there."""
        held = self._held.get(path)
        changed = held is not None and not self._holds(path, held[0])
        if os.path.lexists(path) and (changed or mark_of(path) is None):
            keep_aside(path, self._clock())
        return changed

    def publish(self, best: Best, published: Sections | None) -> Published:
        """Make the sections of research.md agree with the best.

        Sections other than the best's and those that were `published` last are the user's: `edit` hands them back, and
        the file is not touched until the caller has kept them and calls again with them.

        Raises:
            OSError, LockTimeout: research.md is as it was.
        """
        try:
            now = parse(self._research.read())
            if now.sections == best.sections:
                return Published()
            if now.sections != published:
                return Published(edit=now)
            return Published(kept=self._research.put_sections(best.sections, seen=(now.sections,)), edited=True)
        except DamagedResearch:
            kept = self._research.keep_aside()
            self._research.replace(best.snapshot.data)
            return Published(kept=kept)
