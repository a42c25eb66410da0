"""What is kept for people beside the candidates: prompts, agents' logs, verifiers' own words.

Nothing depends on these files. When one cannot be kept, that is told once in a run and changes nothing else.
"""

from __future__ import annotations

from pathlib import Path

from xuen.files.durable import make_folder, write_bytes
from xuen.guard.desk import Desk
from xuen.texts import Text, plain
from xuen.texts.guard import PROMPT_NOT_KEPT, RAW_NOT_KEPT


class KeptTexts:
    """Writes `rounds/prompts/<id>.txt` and `rounds/logs/<id>.<verifier>.txt`. No method raises."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._told: set[Text] = set()

    def keep_prompt(self, identity: str, text: str) -> None:
        """Keep what the agent of a round was asked."""
        self._keep(self._desk.workspace.prompt(identity), text, PROMPT_NOT_KEPT)

    def keep_raw(self, identity: str, verifier: str, text: str) -> None:
        """Keep what a verifier read to come to its judgement, if that is anything."""
        if text:
            self._keep(self._desk.workspace.raw(identity, verifier), text, RAW_NOT_KEPT)

    def log_path(self, identity: str) -> Path | None:
        """Where the agent's output of a round goes; None where the folder cannot be made."""
        log = self._desk.workspace.log(identity)
        try:
            make_folder(log.parent)
        except OSError:
            return None
        return log

    def _keep(self, path: Path, text: str, trouble: Text) -> None:
        try:
            make_folder(path.parent)
            write_bytes(path, text.encode(errors="replace"))
        except OSError as error:
            if trouble not in self._told:
                self._told.add(trouble)
                self._desk.notice(trouble.of(error=plain(str(error))))
