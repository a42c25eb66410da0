"""What `doctor` calls a failure ends a run before its first call, with the same words, their place and the fix."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RUN = ("a task", "--no-tui", "--iterations", "1", "--pick", "0")
FINE = "agent: {command: 'cat $prompt_file'}\n"


@pytest.mark.parametrize(
    ("config", "parts"),
    [
        (
            "agent:\n  command: 'no-such-agent \"$prompt\"'\n",
            ("config.yaml:2: agent.command: no-such-agent is not on",),
        ),
        ("agent:\n  command: './my-agent \"$prompt\"'\n", ("config.yaml:2: agent.command: ./my-agent is a relative",)),
        ("agent:\n  command: '~/gone \"$prompt\"'\n", ("config.yaml:2: agent.command: there is no file ", "/gone")),
        ("agent:\n  command: '~/my-agent \"$prompt\"'\n", ("config.yaml:2: agent.command: ", "run chmod +x")),
        ("agent:\n  preset: codex\n", ("config.yaml:2: agent.preset: codex is not on PATH", "npm install -g")),
        (f"{FINE}rounds:\n  repo: gone\n", ("config.yaml:3: rounds.repo: ", "gone is not a folder")),
        (
            f"{FINE}rounds:\n  judge_command: no-such-judge $prompt\n",
            ("config.yaml:3: rounds.judge_command: no-such-",),
        ),
        (f"{FINE}workspace: my-agent\n", ("my-agent is not a folder",)),
        ("agent:\n  preset: xwork\n", ("needs the package xllamacpp", "pip install xllamacpp")),
        ("xwork:\n  model: gpt\n", ("config.yaml:2: xwork.model: a model is named and no server", "--base-url")),
        ("agent:\n  preset: xwork\n", ("XWORK_MODEL_FILE names a file that is not there: /nowhere.gguf",)),
    ],
)
def test_a_run_ends_with_2_where_doctor_has_a_failing_row(
    xuen: Callable, tmp_path: Path, config: str, parts: tuple[str, ...]
) -> None:
    (tmp_path / "config.yaml").write_text(config, "utf-8")
    (tmp_path / "my-agent").write_text("#!/bin/sh\n", "utf-8")
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text("import sys\nsys.modules['xllamacpp'] = None\n", "utf-8")
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    environ |= {"XWORK_MODEL_FILE": "/nowhere.gguf"} if "/nowhere" in parts[0] else {"PYTHONPATH": f"{hidden}:{ROOT}"}
    before = sorted(tmp_path.rglob("*"))
    done, asked = xuen(*RUN, **environ), xuen("doctor", **environ)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
    assert all(part in done.stderr for part in parts), done.stderr
    assert asked.returncode == 1
    [row] = [line for line in asked.stdout.splitlines() if line.startswith("!!")]
    assert row[19:59].strip() in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_server_that_takes_no_connection_fails_in_doctor_and_stops_no_run(xuen: Callable) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    options = ("--base-url", url, "--model", "m")
    asked, done = xuen("doctor", *options), xuen(*RUN, *options, "--rounds-verify", "off")
    assert asked.returncode == 1
    assert "a run starts all the same" in asked.stdout
    assert done.returncode == 1, "its calls fail, and the loop counts them"
    assert "Round 1" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        'true; cat "$prompt_file"',
        '{ cat "$prompt_file"; }',
        "if true; then cat $prompt_file; fi",
        'PATH=$HOME/bin:$PATH; my-agent "$prompt"',
        'PATH="$HOME/bin:$PATH" my-agent "$prompt"',
        '"$HOME/bin/my-agent" "$prompt"',
        "exec ~/bin/my-agent < $prompt_file",
        "XUEN_NOTE=1 cat<$prompt_file",
    ],
)
def test_a_command_that_a_shell_can_run_is_never_refused(xuen: Callable, tmp_path: Path, command: str) -> None:
    program = tmp_path / "bin" / "my-agent"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho here I am\n", "utf-8")
    program.chmod(0o755)
    (tmp_path / "config.yaml").write_text(f"agent:\n  command: |\n    {command}\n", "utf-8")
    environ = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done, asked = xuen(*RUN, "--rounds-verify", "off", **environ), xuen("doctor", **environ)
    assert "Round 1" in done.stdout, done.stderr
    assert asked.returncode == 0, asked.stdout


@pytest.mark.parametrize("place", ["", "rounds", "rounds/history.jsonl"])
def test_a_workspace_of_another_user_is_refused(environment: Callable, tmp_path: Path, place: str) -> None:
    (tmp_path / "config.yaml").write_text(FINE, "utf-8")
    rounds = tmp_path / "workspace" / "rounds"
    rounds.mkdir(parents=True)
    (rounds / "history.jsonl").touch()
    path = tmp_path / "workspace" / place
    mode = path.stat().st_mode
    path.chmod(0o500 if path.is_dir() else 0o400)

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        bare = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
        argv = [*bare, sys.executable, str(ROOT / "main.py"), *words]
        return subprocess.run(
            argv, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False
        )

    done, asked = call(*RUN), call("doctor")
    path.chmod(mode)
    assert (done.returncode, asked.returncode) == (2, 1), done.stderr
    assert f"{path} cannot be written to" in done.stderr
