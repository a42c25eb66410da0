"""Started from a hook of git, xuen and all that it starts work outside of the hook's repository.

Reported of other programs: 2389-research/tracker#399, evilmartians/lefthook#1264, wafflebase/wafflebase#592.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from xuen.proc.environment import GIT_LOCAL

ROOT = Path(__file__).resolve().parent.parent.parent
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b")


def git(folder: Path, *words: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(["git", *IDENTITY, *words], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit and a remote `origin`."""
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(tmp_path, "init", "-q", "-b", "main", "project")
    folder = tmp_path / "project"
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(folder, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(folder, "push", "-q", "origin", "main")
    return folder


def hooked(tmp_path: Path, hook: str, script: str) -> Path:
    """A bare repository with this hook."""
    git(tmp_path, "init", "-q", "--bare", "hooked.git")
    path = tmp_path / "hooked.git" / "hooks" / hook
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return tmp_path / "hooked.git"


def test_the_list_holds_all_that_this_git_calls_local(tmp_path: Path) -> None:
    assert set(git(tmp_path, "rev-parse", "--local-env-vars").split()) <= GIT_LOCAL


def configure(project: Path, script: str, **settings: object) -> None:
    """An agent that is a shell script."""
    program = project / "agent.sh"
    program.write_text(script)
    agent = {"command": f'sh {program} "$prompt"', "env": settings.pop("env", {})}
    (project / "config.yaml").write_text(json.dumps({"agent": agent, **settings}))


def test_agents_and_suites_find_their_own_repository(project: Path, tmp_path: Path, xuen: Callable) -> None:
    look = f'(env | grep "=/nonexistent/elsewhere"; git rev-parse --show-toplevel) >> {tmp_path}/$XUEN_PURPOSE.txt\n'
    write = 'echo an idea | python3 "$XUEN_WORKSPACE/write_section.py" idea\n'
    configure(project, look + write, rounds={"verify": "tests", "repo": "."})
    look = look.replace("$XUEN_PURPOSE", "suite").strip()
    (project / "test_it.py").write_text(f"import os\n\ndef test_it():\n    assert os.system({look!r}) == 0\n")
    local = dict.fromkeys(GIT_LOCAL, "/nonexistent/elsewhere")
    done = xuen("a task", "--iterations", "1", "--pick", "0", "--no-tui", cwd=project, **local)
    for program in ("research", "suite"):
        assert set((tmp_path / f"{program}.txt").read_text().splitlines()) == {str(project)}, done.stdout


def test_an_agents_own_setting_of_git_counts(project: Path, tmp_path: Path, xuen: Callable) -> None:
    own = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.nickname", "GIT_CONFIG_VALUE_0": "kept"}
    configure(project, f"git config user.nickname > {tmp_path}/said\n", env=own)
    xuen("a task", "--iterations", "1", "--pick", "0", "--no-tui", cwd=project, GIT_CONFIG_COUNT="0")
    assert (tmp_path / "said").read_text() == "kept\n"


def test_a_checkpoint_in_a_hook_of_another_repository_is_pushed(
    project: Path, tmp_path: Path, environment: Callable
) -> None:
    (project / "workspace").mkdir()
    (project / "workspace" / "words.txt").write_text("one\n")
    program = " ".join(map(shlex.quote, [sys.executable, str(ROOT / "main.py"), "ci", "checkpoint"]))
    remote = hooked(
        tmp_path,
        "pre-receive",
        f'test -n "$GIT_QUARANTINE_PATH" || exit 7\ncd {project} && GIT_COMMON_DIR=/nonexistent {program}',
    )
    subprocess.run(["git", "push", "-q", str(remote), "main"], cwd=project, env=environment(), check=True)
    assert git(tmp_path / "remote.git", "show", "xuen-loop:words.txt") == "one\n"
