"""A workspace of the layout before `work/`, written by the program as it was then, opens without a loss."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

WRITTEN = Path(__file__).parent.parent / "corpora" / "workspace-before-work-folder"
TASK = "Keep a promise"


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_an_earlier_workspace_goes_on_in_the_new_layout(xuen: Callable, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    shutil.copytree(WRITTEN, workspace)
    before = files(workspace)
    research = '"$XUEN_WORKSPACE"/write_section.py idea'
    command = (
        f'test "$XUEN_PURPOSE" = judge && echo "SCORE: 9" || echo "a better idea" | python3 {research}; : "$prompt"'
    )
    (tmp_path / "config.yaml").write_text(json.dumps({"agent": {"command": command}}), "utf-8")
    pending = json.loads(xuen("status", "--json").stdout)["pending"]

    done = xuen(TASK, "--iterations", "1", "--no-tui")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "shorter, please" in done.stdout, "the queued text arrives"
    assert "words: " in done.stdout, "the word bank is used"
    after = files(workspace)
    assert after["rounds/history.jsonl"].startswith(before["rounds/history.jsonl"])
    kept = [name for name in before if name.startswith(("rounds/cand-", "rounds/prompts/", "rounds/verdicts"))]
    assert len(kept) > 10
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}

    lines = [json.loads(line) for line in after["rounds/history.jsonl"].splitlines()]
    new = lines[len(before["rounds/history.jsonl"].splitlines()) :]
    assert [line["event"] for line in new] == ["run_started", "candidate", "adopted", "run_finished"]
    old_best = json.loads(before["rounds/best.json"])["id"]
    assert new[1]["parent"] == old_best
    assert new[1]["round"] == 7
    assert b"a better idea\n" in after["research.md"] == after["rounds/best.md"] == after["work/research.md"]
    assert json.loads(xuen("status", "--json").stdout)["pending"] == pending
