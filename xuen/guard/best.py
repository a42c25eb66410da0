"""The best state and the files that follow from it: `best.md`, `best.json` and the sections in research.md.

Owns making these three agree with the history, in that order and only after its line is durable. Each is compared
first and written only when it differs. Text that the user wrote around the sections of research.md stays.
"""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from xuen.errors import DamagedResearch
from xuen.files.durable import make_folder, write_bytes
from xuen.files.jsonl import number, parse_line, whole
from xuen.guard.candidates import Snapshot, is_id, round_of
from xuen.guard.history import Anchor
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Sections, parse
from xuen.workspace.research_file import ResearchFile


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
    """The content of best.json."""
    value = {
        "seq": anchor.seq,
        "id": anchor.id,
        "sha256": anchor.sha256,
        "score": anchor.score,
        "verify": anchor.verify,
        "adopted_at": anchor.adopted_at,
    }
    return (json.dumps(value, ensure_ascii=False) + "\n").encode()


def read_record(path: Path) -> Anchor | None:
    """best.json as an anchor; None where it is missing or makes no sense.

    Raises:
        OSError: it is there and cannot be read.
    """
    try:
        return parse_record(path.read_bytes())
    except FileNotFoundError:
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
class Change:
    """research.md was changed; `kept` is the copy of what was there, where that was damaged or (`edited`) unseen."""

    kept: Path | None
    edited: bool = False


class Followers:
    """Brings the three files after the best."""

    def __init__(self, workspace: Workspace, research: ResearchFile) -> None:
        self._workspace = workspace
        self._research = research
        self._written: Anchor | None = None

    def bring_record(self, best: Best) -> None:
        """Make best.md and best.json agree.

        Raises:
            OSError: they may not agree yet.
        """
        if self._written == best.anchor:
            return
        make_folder(self._workspace.rounds)
        write_bytes(self._workspace.best, best.snapshot.data)
        write_bytes(self._workspace.best_json, record_bytes(best.anchor))
        self._written = best.anchor

    def is_written(self, best: Best) -> None:
        """Note that both agree already."""
        self._written = best.anchor

    def bring_research(self, best: Best, seen: Container[Sections | None]) -> Change | None:
        """Make the sections of research.md agree; None when they do already.

        What somebody wrote since the guard last looked, and so is not among `seen`, is kept in a file of its own.

        Raises:
            OSError, LockTimeout: research.md is as it was.
        """
        try:
            if parse(self._research.read()).sections == best.sections:
                return None
            kept = self._research.put_sections(best.sections, seen=seen)
        except DamagedResearch:
            return self.replace_damaged(best)
        return Change(kept, edited=kept is not None)

    def replace_damaged(self, best: Best) -> Change:
        """Keep a damaged research.md aside and put the whole best in its place.

        Raises:
            OSError, LockTimeout: research.md is as it was.
        """
        kept = self._research.keep_aside()
        self._research.replace(best.snapshot.data)
        return Change(kept)
