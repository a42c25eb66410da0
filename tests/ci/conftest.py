"""A real git remote, machines that clone it, and the real guard at work in their workspaces."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from guard_play import Play

from xuen.ci.branch import Kept, checkpoint, restore
from xuen.ci.git import LATE, Remote
from xuen.texts import Text

BRANCH = "xuen-loop"
QUIET = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_"))},
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "a person",
    "GIT_AUTHOR_EMAIL": "person@localhost",
    "GIT_COMMITTER_NAME": "a person",
    "GIT_COMMITTER_EMAIL": "person@localhost",
}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, env=QUIET, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@dataclass
class Machine:
    """A runner: a checkout that is one commit deep, with a workspace in it."""

    checkout: Path
    said: list[str] = field(default_factory=list)
    play: Play = field(init=False)

    def __post_init__(self) -> None:
        self.play = Play(self.workspace)

    @property
    def workspace(self) -> Path:
        return self.checkout / "workspace"

    def say(self, text: Text) -> None:
        self.said.append(text.en)

    def remote(self, branch: str = BRANCH, *, late: float = LATE) -> Remote:
        return Remote(self.checkout, "origin", branch, QUIET, late=late)

    def restore(self, branch: str = BRANCH) -> None:
        with self.remote(branch) as remote:
            restore(self.workspace, remote, self.say)

    def checkpoint(self, *, attempts: int = 5, branch: str = BRANCH) -> Kept | None:
        with self.remote(branch) as remote:
            return checkpoint(self.workspace, remote, self.say, attempts=attempts, pause=lambda _: None)

    def run(self, *ideas: tuple[str, float], task: str = "a task", **settings: Any) -> list[str]:
        """A whole run with a round for each idea and its score; the ids of its candidates."""
        self.play.start(answers=[score for _, score in ideas], task=task, **settings)
        ids = [self.play.round(idea) for idea, _ in ideas]
        self.play.finish()
        return ids


@dataclass
class Hub:
    """The bare repository that everyone pushes to."""

    path: Path
    folder: Path

    def machine(self, name: str, *, hour: int | None = None) -> Machine:
        checkout = self.folder / name
        git(self.folder, "clone", "-q", "--depth=1", self.path.as_uri(), name)
        made = Machine(checkout)
        if hour is not None:
            made.play.now = made.play.now.replace(hour=hour)
        return made

    def git(self, *words: str) -> str:
        return git(self.path, *words)

    def tip(self, branch: str = BRANCH) -> str:
        return self.git("rev-parse", f"refs/heads/{branch}").strip()

    def files(self, branch: str = BRANCH) -> dict[str, bytes]:
        names = self.git("ls-tree", "-r", "--name-only", branch).splitlines()
        return {name: self.read(name, branch) for name in names}

    def read(self, path: str, branch: str = BRANCH) -> bytes:
        return subprocess.run(
            ["git", "show", f"{branch}:{path}"], cwd=self.path, env=QUIET, capture_output=True, check=True
        ).stdout

    def history(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.read("rounds/history.jsonl").splitlines()]

    def best(self) -> dict[str, Any]:
        return json.loads(self.read("rounds/best.json"))

    def edit(self, path: str, data: bytes, branch: str = BRANCH) -> None:
        """What the pencil on GitHub's page does: a commit that changes one file of the branch."""
        place = self.folder / "web"
        git(self.folder, "clone", "-q", "-b", branch, self.path.as_uri(), "web")
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(data)
        git(place, "add", path)
        git(place, "commit", "-q", "-m", f"Update {path}")
        git(place, "push", "-q", "origin", branch)
        subprocess.run(["rm", "-rf", str(place)], check=True)


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    """A remote with a default branch, main, of two commits."""
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(tmp_path, "init", "-q", "-b", "main", "seed")
    seed = tmp_path / "seed"
    for content in ("first", "second"):
        (seed / "code.txt").write_text(content)
        (seed / ".gitignore").write_text("/workspace/\n")
        git(seed, "add", ".")
        git(seed, "commit", "-q", "-m", content)
    git(seed, "push", "-q", str(tmp_path / "remote.git"), "main")
    return Hub(tmp_path / "remote.git", tmp_path)
