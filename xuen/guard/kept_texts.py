"""What is kept for people beside the candidates: prompts, agents' logs, verifiers' own words.

Nothing depends on these files. When one cannot be kept, that is told once in a run and changes nothing else. What the
agent of a round was asked is kept even if that agent deletes it; what stands in the place of a folder is renamed.
"""

from __future__ import annotations

import os
from pathlib import Path

from xuen.files.aside import make_room_for_folder
from xuen.files.durable import make_folder, write_bytes
from xuen.guard.desk import Desk
from xuen.texts import Text, plain
from xuen.texts.guard import PROMPT_NOT_KEPT, RAW_NOT_KEPT


class KeptTexts:
    """Writes `rounds/prompts/<id>.txt` and `rounds/logs/<id>.<verifier>.txt`. No method raises."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._told: set[Text] = set()
        self._asked: tuple[str, str] | None = None  # the last prompt, and whose it is

    def keep_prompt(self, identity: str, text: str) -> None:
        """Keep what the agent of a round was asked."""
        self._asked = (identity, text)
        self._keep(self._desk.workspace.prompt(identity), text, PROMPT_NOT_KEPT)

    def keep_prompt_again(self) -> None:
        """Keep the last prompt where its file is gone."""
        if self._asked is not None and not os.path.lexists(self._desk.workspace.prompt(self._asked[0])):
            self.keep_prompt(*self._asked)

    def keep_raw(self, identity: str, verifier: str, text: str) -> None:
        """Keep what a verifier read to come to its judgement, if that is anything."""
        if text:
            self._keep(self._desk.workspace.raw(identity, verifier), text, RAW_NOT_KEPT)

    def log_path(self, identity: str) -> Path | None:
        """Where the agent's output of a round goes; None where the folder cannot be made."""
        log = self._desk.workspace.log(identity)
        try:
            self._make_folder(log.parent)
        except OSError:
            return None
        return log

    def _make_folder(self, folder: Path) -> None:
        make_room_for_folder(folder, self._desk.clock)
        make_folder(folder)

    def _keep(self, path: Path, text: str, trouble: Text) -> None:
        try:
            self._make_folder(path.parent)
            write_bytes(path, text.encode(errors="replace"))
        except OSError as error:
            if trouble not in self._told:
                self._told.add(trouble)
                self._desk.notice(trouble.of(error=plain(str(error))))
