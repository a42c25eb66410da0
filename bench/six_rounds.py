"""A story of six rounds, told by the real command line, and a judge of what is left when it breaks off.

Shared by crash.py and faults.py. The agent is tests/agents/six_rounds.sh. The judge knows nothing of xuen's code:
only what the broken run had told on its standard output (`--events -`), the verdict that a person had written, the
contents that the story makes the best one after the other, and the hashes of files.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
AGENT = ROOT / "tests" / "agents" / "six_rounds.sh"
BESTS = (b"", b"idea of round 1\n", b"idea of round 4\n")
"""The idea sections of the baseline, of what the judge adopts and of what the person's verdict adopts."""
DECISIONS = {"round_started": 6, "adopted": 2, "rejected": 2, "pending": 2, "agent_failed": 1, "verdict": 1}
"""What the story tells when nothing strikes it."""
OWN_LINES = ["run_started", "heartbeat", "run_finished"]
"""What a start whose agent changes nothing adds to the history."""
STILL = 1
"""Its exit code."""

_IDEA = re.compile(rb"(?:^|\n|\xef\xbb\xbf)<!-- XUEN:IDEA:BEGIN -->\s*?\n(.*?)<!-- XUEN:IDEA:END -->\s*?\n", re.DOTALL)


def environment() -> dict[str, str]:
    """What the programs under test get."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XUEN_", "XWORK_"))}
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def write_configs(folder: Path) -> None:
    """The settings of the story, and those of a start whose agent changes nothing."""
    rounds = {"verify": "ai", "judge_timeout": 0.3}
    story = f'sh {shlex.quote(str(AGENT))} {shlex.quote(sys.executable)} "$prompt"'
    for name, command in (("story.yaml", story), ("still.yaml", ': "$prompt"')):
        config = {"agent": {"command": command}, "rounds": rounds, "words": {"pick": 0}}
        (folder / name).write_text(json.dumps(config), "utf-8")


def command(folder: Path, config: str, rounds: int) -> list[str]:
    """The command line of a run in `folder`/w."""
    options = ["--no-tui", "--events", "-", "--workspace", str(folder / "w"), "--iterations", str(rounds)]
    return [sys.executable, str(ROOT / "main.py"), "a task", "-c", str(folder / config), *options]


@dataclass(frozen=True)
class Told:
    """How a run ended and what it said."""

    code: int
    events: list[dict[str, Any]]
    errors: str

    def of(self, *names: str) -> list[dict[str, Any]]:
        """Its events of these names."""
        return [event for event in self.events if event["event"] in names]


def run(folder: Path, config: str, rounds: int, before: Sequence[str] = ()) -> Told:
    """One real run to its end, whatever that is."""
    done = subprocess.run(
        [*before, *command(folder, config, rounds)],
        env=environment(),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Told(done.returncode, events_in(done.stdout), done.stderr.decode(errors="replace"))


def run_whole(folder: Path, before: Sequence[str] = ()) -> Told:
    """The six rounds to their end, nothing in their way; anything else means that nothing can be measured here.

    Three tries: the judge is given so little time that a busy machine may take it away.
    """
    for _ in range(3):
        shutil.rmtree(folder / "w", ignore_errors=True)
        told = run(folder, "story.yaml", 6, before)
        decided = {name: len(told.of(name)) for name in DECISIONS}
        if told.code == 0 and decided == DECISIONS:
            return told
    sys.exit(f"the six rounds do not come to their end: exit code {told.code}, {decided}: {told.errors}")


def events_in(output: bytes) -> list[dict[str, Any]]:
    """The whole lines of what a run printed."""
    return [json.loads(line) for line in output.split(b"\n")[:-1]]


def sha256(path: Path) -> str:
    """The digest of a file; empty when it is not there."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def idea(path: Path) -> bytes | None:
    """What stands between the first two markers."""
    found = _IDEA.search(path.read_bytes()) if path.is_file() else None
    return found[1] if found else None


def tree(root: Path) -> dict[str, bytes]:
    """All files but the history, and but the prompts and logs, of which each round has its own."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(("rounds/prompts/", "rounds/logs/", "rounds/history.jsonl")):
            found[name] = path.read_bytes()
    return found


def verdict_stands(root: Path) -> bool:
    """Whether the person's line is in the file, whole."""
    path = root / "rounds" / "verdicts.txt"
    return path.is_file() and b" 9 better than it looks\n" in path.read_bytes()


def history_lines(data: bytes) -> list[str]:
    """The names of the events of some whole lines."""
    return [json.loads(line)["event"] for line in data.split(b"\n") if line.strip()]


def complaints(root: Path, told: Sequence[dict[str, Any]], *, verdict: bool) -> list[str]:
    """What is wrong in a workspace that was started again after a run that had told this."""
    adopted = [event["sha256"] for event in told if event["event"] in ("baseline", "adopted")]
    best = root / "rounds" / "best.md"
    legal = BESTS[max(len(adopted) - 1, 0) : len(adopted) + 1]
    legal = BESTS[2:] if verdict else legal
    found = []
    if idea(best) not in legal:
        found.append(f"lost: the best is {idea(best)!r}, told were {len(adopted)} adoptions")
    if adopted and idea(best) == BESTS[len(adopted) - 1] and sha256(best) != adopted[-1]:
        found.append("lost: the best has not the bytes that were told")
    for event in told:
        snapshot = root / "rounds" / f"cand-{event.get('id')}.md"
        if "sha256" in event and sha256(snapshot) != event["sha256"]:
            found.append(f"lost: {snapshot.name} is not what was told")
    if idea(root / "research.md") != idea(best):
        found.append("research.md is not the best")
    if list(root.rglob("*.tmp")):
        found.append("a temporary file is left")
    return found
