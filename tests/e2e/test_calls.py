"""What each call of an agent gets, and what stays of it: the whole program with a small agent."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_rough_agents import WITHOUT_ROOTS_RIGHTS
from test_run import ROOT, agent, configure, history, recorded


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
    killed_when(tmp_path / "workspace" / "work" / "there", tmp_path, environment(TMPDIR=str(temporary)))
    assert [path.read_text() for path in temporary.rglob("left")] == ["left\n"]
    configure(tmp_path, agent("--idea", "after the kill"))
    done = xuen("a task", "--iterations", "1", "--pick", "0", "--no-tui", TMPDIR=str(temporary))
    assert done.returncode == 0, done.stderr
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("folder", ["", "/..", "/a", "/a/b"])
def test_folders_that_may_not_be_changed_go_too(
    tmp_path: Path, temporary: Path, environment: Callable, folder: str
) -> None:
    configure(
        tmp_path, f': "$prompt"; mkdir -p "$TMPDIR/a/b/c"; ln -s {tmp_path} "$TMPDIR/a/l"; chmod 500 "$TMPDIR{folder}"'
    )
    mode = tmp_path.stat().st_mode
    bare = WITHOUT_ROOTS_RIGHTS if os.geteuid() == 0 else []
    words = [sys.executable, str(ROOT / "main.py"), "a task", "--iterations", "1", "--no-tui", "--pick", "0"]
    env = environment(TMPDIR=str(temporary))
    done = subprocess.run([*bare, *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert list(temporary.iterdir()) == []
    assert tmp_path.stat().st_mode == mode


def test_a_judge_of_ones_own_finds_nothing_to_change(xuen: Callable, tmp_path: Path) -> None:
    seen = shlex.quote(str(tmp_path / "seen"))
    judge = f': "$prompt"; ls -A > {seen}; touch research.md; echo "SCORE: 9"'
    configure(tmp_path, agent("--idea", "new"), rounds={"judge_command": judge})
    done = xuen("a task", "--iterations", "1", "--pick", "0", "--no-tui")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "seen").read_text() == ""
    best = json.loads((tmp_path / "workspace" / "rounds" / "best.json").read_text("utf-8"))
    assert best["score"] == 9


@pytest.mark.needs("make")
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


RG = "Ripgrep is not available: spawn /opt/rg EACCES. Falling back to built-in grep."


def stand_in(tmp_path: Path, name: str, script: str) -> str:
    """A program of this name; the PATH with it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_a_warning_that_also_stood_in_a_good_call_is_not_the_cause_of_a_failure(xuen: Callable, tmp_path: Path) -> None:
    write = 'echo idea | python3 "$XUEN_WORKSPACE/write_section.py" idea'
    fail = "echo 'Error: out of paper' >&2; exit 1"
    command = f': "$prompt"; echo "{RG}" >&2; if test "$XUEN_ROUND" = 1; then {write}; else {fail}; fi'
    configure(tmp_path, command, rounds={"verify": "user"})
    done = xuen("a task", "--iterations", "2", "--pick", "0", "--no-tui")
    told = history(tmp_path)[-2]
    assert (told["event"], told["reason"]) == ("agent_failed", "exit code 1; it said: Error: out of paper")
    assert "not permitted" not in done.stdout


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (
            "codex",
            "ERROR: Reconnecting... 1/1\nERROR: We’re currently experiencing high demand, which may cause errors.",
        ),
        ("pi", '500: {"message":"The server had an error while processing your request."}'),
    ],
)
def test_a_server_that_fails_is_not_called_out_of_reach(xuen: Callable, tmp_path: Path, agent: str, said: str) -> None:
    path = stand_in(tmp_path, agent, f"cat >/dev/null; echo {shlex.quote(said)} >&2; exit 1")
    done = xuen("a task", "--agent", agent, "--iterations", "1", "--pick", "0", "--no-tui", PATH=path)
    assert done.returncode == 1
    assert "fails or is overloaded (5xx)" in done.stdout
    assert "does not reach" not in done.stdout
    assert said.splitlines()[-1] in done.stdout
