"""What each call of an agent gets, and what stays of it: the whole program with a small agent."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_run import ROOT, agent, configure, recorded


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def killed_when(sign: Path, folder: Path, env: dict[str, str]) -> None:
    """A run that is killed as soon as `sign` is there."""
    words = [sys.executable, str(ROOT / "main.py"), "a task", "--no-tui", "--pick", "0"]
    with subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.DEVNULL) as run:
        while not sign.exists():
            assert run.poll() is None
            time.sleep(0.05)
        run.kill()


def test_each_purpose_gets_its_request_as_data(xuen: Callable, tmp_path: Path, temporary: Path) -> None:
    record = tmp_path / "record.jsonl"
    command = agent("--idea", "idea {round}", "--words", "a,b,c", "--score", "8", "--record", str(record))
    configure(tmp_path, command, words={"count": 3, "batch": 3, "pick": 2}, extra_notes="be short")
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "inbox.jsonl").write_text(json.dumps({"ts": "", "text": "look at\nthis"}) + "\n")
    done = xuen("为什么？", "--iterations", "2", "--no-tui", TMPDIR=str(temporary))
    assert done.returncode == 0, done.stderr
    shared = {"task": "为什么？", "language": "zh", "notes": "be short"}
    nothing = {"words": [], "idea": "", "artifact": "", "inputs": []}
    words, first, judged, second = (line["request"] for line in recorded(record)[:4])
    asked = {"count": 3, "known": [], "nonce": words["nonce"]}
    assert words == {**shared, **nothing, "purpose": "words", "round": 0, **asked}
    drawn = first["words"]
    assert first == {
        **{**shared, **nothing, "purpose": "research", "round": 1},
        **{"words": drawn, "inputs": ["look at\nthis"]},
    }
    assert set(drawn) < {"a", "b", "c"}
    assert len(drawn) == 2
    texts = {"candidate": {"idea": "idea 1", "artifact": ""}, "best": {"idea": "", "artifact": ""}}
    texts |= {"nonce": judged["nonce"]}
    assert judged == {**shared, **nothing, "purpose": "judge", "round": 1, **texts}
    assert (second["round"], second["idea"], second["inputs"]) == (2, "idea 1", [])
    assert list(temporary.iterdir()) == []


def test_temporary_files_of_a_killed_run_are_gone_at_the_next_start(
    xuen: Callable, tmp_path: Path, temporary: Path, environment: Callable
) -> None:
    configure(tmp_path, ': "$prompt"; echo left > "$TMPDIR/left"; touch "$XUEN_WORKSPACE/there"; sleep 300')
    killed_when(tmp_path / "workspace" / "there", tmp_path, environment(TMPDIR=str(temporary)))
    assert [path.read_text() for path in temporary.rglob("left")] == ["left\n"]
    configure(tmp_path, agent("--idea", "after the kill"))
    done = xuen("a task", "--iterations", "1", "--pick", "0", "--no-tui", TMPDIR=str(temporary))
    assert done.returncode == 0, done.stderr
    assert list(temporary.iterdir()) == []


def test_a_judge_of_ones_own_finds_nothing_to_change(xuen: Callable, tmp_path: Path) -> None:
    seen = shlex.quote(str(tmp_path / "seen"))
    judge = f': "$prompt"; ls -A > {seen}; touch research.md; echo "SCORE: 9"'
    configure(tmp_path, agent("--idea", "new"), rounds={"judge_command": judge})
    done = xuen("a task", "--iterations", "1", "--pick", "0", "--no-tui")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "seen").read_text() == ""
    best = json.loads((tmp_path / "workspace" / "rounds" / "best.json").read_text("utf-8"))
    assert best["score"] == 9


def test_the_temporary_files_of_a_killed_runs_suite_go_too(
    xuen: Callable, tmp_path: Path, temporary: Path, environment: Callable
) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "Makefile").write_text('test:\n\ttouch "$$TMPDIR/left" ../there; sleep 300\n')
    configure(tmp_path, agent("--idea", "{round}"), rounds={"repo": str(repo), "verify": "tests"})
    killed_when(tmp_path / "there", tmp_path, environment(TMPDIR=str(temporary)))
    assert list(temporary.rglob("left"))
    (repo / "Makefile").write_text("test:\n\ttrue\n")
    done = xuen("a task", "--iterations", "1", "--pick", "0", "--no-tui", TMPDIR=str(temporary))
    assert done.returncode == 0, done.stderr
    assert list(temporary.iterdir()) == []
