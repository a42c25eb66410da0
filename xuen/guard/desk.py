"""What the guard's parts share: the workspace, its files, and the one way to record what happened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from xuen.events import Event, Notice
from xuen.guard.best import Followers
from xuen.guard.candidates import load, new_id
from xuen.guard.history import Index, Known, Ledger
from xuen.sink import Sink
from xuen.texts import Text
from xuen.workspace.paths import Workspace
from xuen.workspace.research import parse_or_none
from xuen.workspace.research_file import ResearchFile


@dataclass(frozen=True, slots=True)
class Desk:
    """Handed to every part of one guard; `clock` answers in UTC."""

    workspace: Workspace
    research: ResearchFile
    ledger: Ledger
    followers: Followers
    sink: Sink
    clock: Callable[[], datetime]

    @property
    def index(self) -> Index:
        """What the history says. Raises OSError when it cannot be read."""
        return self.ledger.index

    def record(self, *events: Event, **extra: Any) -> list[dict[str, Any]]:
        """Make events durable in the history, then tell them; their lines.

        Raises:
            OSError: none was told.
        """
        lines = self.ledger.append(*events, **extra)
        for event in events:
            self.sink.emit(event)
        return lines

    def notice(self, text: Text) -> None:
        """Tell a warning."""
        self.sink.emit(Notice(level="warning", text=text))

    def is_intact(self, known: Known) -> bool:
        """Whether a known snapshot is there as it was kept; one that cannot be read counts as if it were not."""
        try:
            return parse_or_none(self.snapshot(known)) is not None
        except OSError:
            return False

    def snapshot(self, known: Known) -> bytes | None:
        """The bytes of a known snapshot, if it is intact. Raises OSError when it cannot be read."""
        return load(self.workspace.candidate(known.id), known.sha256)

    def free_id(self, number: int) -> str:
        """An id that no snapshot, prompt or log has yet."""
        return new_id(self.clock(), number, self._is_taken)

    def _is_taken(self, identity: str) -> bool:
        """Whether something of that id is on the disk, dangling links included."""
        workspace = self.workspace
        places = (workspace.candidate(identity), workspace.prompt(identity), workspace.log(identity))
        return any(place.exists() or place.is_symlink() for place in places)
