"""Where everything of a workspace lies. Names only: nothing here touches the disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with a research.md and the program that overwrites its sections; `root` is its absolute path."""

    root: Path

    @property
    def research(self) -> Path:
        """The state: both sections, and what the user wrote around them."""
        return self.root / "research.md"

    @property
    def section_writer(self) -> Path:
        """The program with which agents overwrite a section."""
        return self.root / "write_section.py"

    @property
    def research_lock(self) -> Path:
        """Held by every process that changes research.md."""
        return self.root / ".research.lock"


class Workspace(Folder):
    """One workspace: the published research.md, the record, and the folder in which agents work."""

    @property
    def work(self) -> Folder:
        """Where the agent of a research call works, on a copy of research.md; nothing else of xuen's lies there."""
        return Folder(self.root / "work")

    @property
    def run_lock(self) -> Path:
        """Held by the one run that owns the workspace."""
        return self.root / ".xuen.lock"

    @property
    def words(self) -> Path:
        """The word bank."""
        return self.root / "words.txt"

    @property
    def inbox(self) -> Path:
        """What the user typed and no agent has taken yet."""
        return self.root / "inbox.jsonl"

    @property
    def inbox_lock(self) -> Path:
        """Held while a call is being given what waits in the inbox, so that nobody changes it meanwhile."""
        return self.root / ".inbox.lock"

    @property
    def rounds(self) -> Path:
        """The guard's folder."""
        return self.root / "rounds"

    @property
    def best(self) -> Path:
        """A copy of the best candidate."""
        return self.rounds / "best.md"

    @property
    def best_json(self) -> Path:
        """Which candidate is the best."""
        return self.rounds / "best.json"

    @property
    def history(self) -> Path:
        """The ledger: one line for everything that happened."""
        return self.rounds / "history.jsonl"

    @property
    def verdicts(self) -> Path:
        """Where the user writes scores."""
        return self.rounds / "verdicts.txt"

    @property
    def prompts(self) -> Path:
        """What agents were asked, one file a round."""
        return self.rounds / "prompts"

    @property
    def logs(self) -> Path:
        """What agents printed, one file a round."""
        return self.rounds / "logs"

    def candidate(self, id: str) -> Path:
        """The snapshot of one candidate."""
        return self.rounds / f"cand-{id}.md"

    def prompt(self, id: str) -> Path:
        """What the agent of that round was asked."""
        return self.prompts / f"{id}.txt"

    def log(self, id: str) -> Path:
        """What the agent of that round printed."""
        return self.logs / f"{id}.log"

    def raw(self, id: str, verifier: str) -> Path:
        """What a verifier read to come to its judgement of that candidate."""
        return self.logs / f"{id}.{verifier}.txt"
