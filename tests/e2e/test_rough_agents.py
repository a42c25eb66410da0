"""Agents that clean up too much, seen from the outside: the real program, real shells, a real kill."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
RESEARCHER = ROOT / "tests" / "agents" / "researcher.py"

SCRIPT = """
at() {{ [ "$XUEN_PURPOSE:$XUEN_ROUND" = "research:$1" ]; }}
if at 2; then cd "$XUEN_WORKSPACE/.."; {within}; cd "$XUEN_WORKSPACE"; fi
{python} {researcher} --idea 'idea {{round}}' --score 9,2 "$1" || exit
if at {hang}; then touch ../../here; while ! test -e ../../go; do sleep 0.05; done; fi
"""


def configure(folder: Path, *, within: str, hang: int, **sections: object) -> Path:
    """An agent that does `within` in round 2 before its work, and waits at the end of round `hang`."""
    script = SCRIPT.format(
        within=within, hang=hang, python=shlex.quote(sys.executable), researcher=shlex.quote(str(RESEARCHER))
    )
    (folder / "agent.sh").write_text(script, "utf-8")
    command = f'/bin/sh {shlex.quote(str(folder / "agent.sh"))} "$prompt"'
    (folder / "config.yaml").write_text(json.dumps({"agent": {"command": command}, **sections}), "utf-8")
    return folder / "workspace"


@contextmanager
def running(folder: Path, env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A run of three rounds, given to the body when its agent waits."""
    run = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "a task", "--iterations", "3", "--no-tui", "--pick", "0"],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        while not (folder / "here").exists():
            assert run.poll() is None, run.communicate()[0]
            time.sleep(0.02)
        yield run
    finally:
        (folder / "go").touch()
        if run.poll() is None:
            run.kill()
        run.communicate()


def lines(workspace: Path, event: str) -> list[dict]:
    every = (workspace / "rounds" / "history.jsonl").read_text("utf-8").splitlines()
    return [line for line in map(json.loads, every) if line["event"] == event]


def test_an_agent_that_deletes_everything_and_a_kill_one_round_later_lose_nothing_adopted(
    xuen: Callable, environment: Callable, tmp_path: Path
) -> None:
    workspace = configure(tmp_path, within="rm -rf rounds .xuen.lock", hang=3)
    with running(tmp_path, environment()) as run:
        (adopted,) = lines(workspace, "adopted")
        (rejected,) = lines(workspace, "rejected")
        assert (adopted["round"], rejected["round"]) == (1, 2), "write_section.py worked without the lock file"
        os.kill(run.pid, signal.SIGKILL)
    candidate = workspace / "rounds" / f"cand-{adopted['id']}.md"
    assert hashlib.sha256(candidate.read_bytes()).hexdigest() == adopted["sha256"]
    (tmp_path / "here").unlink()
    done = xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0")
    assert done.returncode == 0, done.stderr
    assert len(lines(workspace, "baseline")) == 1
    assert lines(workspace, "candidate")[-1]["parent"] == adopted["id"], "round 4 began with the best"


def test_without_its_lock_file_a_living_run_still_keeps_the_second_one_out(
    xuen: Callable, environment: Callable, tmp_path: Path
) -> None:
    workspace = configure(tmp_path, within="rm -f .xuen.lock", hang=2)
    with running(tmp_path, environment()) as run:
        assert not (workspace / ".xuen.lock").exists()
        second = xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0")
        assert second.returncode == 2
        assert "another run" in second.stderr
        (tmp_path / "go").touch()
        told, _ = run.communicate(timeout=60)
        assert run.returncode == 0, told
    assert len(lines(workspace, "run_started")) == 1
    assert len(lines(workspace, "candidate")) == 3, "nobody ended the first run's agent"


def test_pipes_and_folders_in_the_places_of_all_files_stop_nothing(xuen: Callable, tmp_path: Path) -> None:
    workspace = configure(tmp_path, within=":", hang=0)
    (workspace / "rounds").mkdir(parents=True)
    for name in ("words.txt", "inbox.jsonl", "research.md", ".xuen-processes"):
        os.mkfifo(workspace / name)
    for name in ("verdicts.txt", "best.md", "best.json", "history.jsonl", "cand-20260304-120005-r0.md"):
        os.mkfifo(workspace / "rounds" / name)
    (workspace / "write_section.py").mkdir()
    done = xuen("a task", "--iterations", "2", "--no-tui")
    assert done.returncode == 0, done.stdout + done.stderr
    (adopted,) = lines(workspace, "adopted")
    best = json.loads((workspace / "rounds" / "best.json").read_text("utf-8"))
    assert best["id"] == adopted["id"]
    assert "idea 1\n" in (workspace / "research.md").read_text("utf-8")
    assert (workspace / "words.txt").is_file()
    assert "inbox.jsonl: cannot be used" in xuen("status").stderr
    (workspace / "inbox.jsonl").unlink()
    for command in (["status"], ["history"], ["show", adopted["id"]], ["doctor"]):
        assert xuen(*command).returncode == 0, command


def test_a_nul_that_somebody_typed_is_in_no_kept_prompt_either(xuen: Callable, tmp_path: Path) -> None:
    workspace = configure(tmp_path, within=":", hang=0)
    workspace.mkdir()
    (workspace / "inbox.jsonl").write_text('{"ts":"","text":"a\\u0000wish"}\n', "utf-8")
    assert xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0").returncode == 0
    (prompt,) = (workspace / "rounds" / "prompts").iterdir()
    assert "awish" in prompt.read_text("utf-8")
    assert b"\0" not in prompt.read_bytes()


WITHIN = {
    "everything": "rm -rf ./* .research.lock .xuen.lock",
    "the writer": "rm work/write_section.py && mkdir work/write_section.py",
    "its lock": "rm work/.research.lock && mkdir work/.research.lock",
    "a file in the place of rounds": "rm -rf rounds && echo mine >rounds",
    "files without end": "truncate -s 1T rounds/history.jsonl rounds/best.md rounds/cand-*.md",
}


@pytest.mark.parametrize("within", WITHIN)
def test_whatever_an_agent_does_to_the_workspace_the_next_round_has_all_that_it_needs(
    xuen: Callable, tmp_path: Path, within: str
) -> None:
    """Round 2 is lost or not; in round 3 an agent can write again, and what the first rounds made is there."""
    workspace = configure(tmp_path, within=f"{WITHIN[within]}; {{ exit 0; }}", hang=0)
    done = xuen("a task", "--iterations", "4", "--no-tui", "--pick", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line["round"] for line in lines(workspace, "candidate")] == [1, 3, 4]
    assert [line["round"] for line in lines(workspace, "adopted")] == [1]
    for line in lines(workspace, "candidate"):
        data = (workspace / "rounds" / f"cand-{line['id']}.md").read_bytes()
        assert hashlib.sha256(data).hexdigest() == line["sha256"]
    assert "idea 1" in (workspace / "research.md").read_text("utf-8")
    assert not lines(workspace, "agent_failed")


WITHOUT_ROOTS_RIGHTS = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner"]


@pytest.mark.parametrize("name", ["cand-*-r0.md", "cand-*-r1.md", "best.md", "best.json"])
def test_a_file_that_an_agent_made_unreadable_is_written_again(
    environment: Callable, tmp_path: Path, name: str
) -> None:
    workspace = configure(tmp_path, within=f"chmod 0 rounds/{name}", hang=0)
    bare = WITHOUT_ROOTS_RIGHTS if os.geteuid() == 0 else []  # root reads everything
    done = subprocess.run(
        [*bare, sys.executable, str(ROOT / "main.py"), "a task", "--iterations", "3", "--no-tui", "--pick", "0"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Guard off" not in done.stdout
    assert [line["round"] for line in lines(workspace, "candidate")] == [1, 2, 3]
    assert len(lines(workspace, "recovered")) == 1
    assert len(list((workspace / "rounds").glob("*.damaged-*"))) == 1
    assert "idea 1" in (workspace / "rounds" / "best.md").read_text("utf-8")
