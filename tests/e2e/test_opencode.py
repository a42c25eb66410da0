"""A round on the real opencode, whose model is a scripted server on loopback."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Starts the scripted model server; its base URL."""
    started = []

    def start(*options: str) -> str:
        program = [
            sys.executable,
            str(ROOT / "tests" / "agents" / "openai_server.py"),
            str(tmp_path / "requests.jsonl"),
        ]
        process = subprocess.Popen([*program, *options], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout
        return process.stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.needs("opencode")
@pytest.mark.timeout(300)
def test_opencode_completes_a_round(xuen: Callable, tmp_path: Path, server: Callable[..., str]) -> None:
    writer = tmp_path / "workspace" / "work" / "write_section.py"
    write = f"printf 'an idea through opencode' | {shlex.quote(sys.executable)} {shlex.quote(str(writer))} idea"
    url = server("--command", write, "--text", "Here is my answer.\nSCORE NONCE: 8")
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": url, "apiKey": "none"},
        "models": {"scripted": {"limit": {"context": 100_000, "output": 4_000}}},
    }
    content = {
        "model": "local/scripted",
        "small_model": "local/scripted",
        "share": "disabled",
        "autoupdate": False,
        "provider": {"local": provider},
    }
    home = tmp_path / "home"
    home.mkdir()
    done = xuen(
        "a task",
        "--agent",
        "opencode",
        "--iterations",
        "1",
        "--no-tui",
        "--pick",
        "0",
        timeout=280,
        HOME=str(home),
        XDG_CONFIG_HOME=str(home / "config"),
        XDG_DATA_HOME=str(home / "data"),
        XDG_CACHE_HOME=str(home / "cache"),
        XDG_STATE_HOME=str(home / "state"),
        OPENCODE_CONFIG_CONTENT=json.dumps(content),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[idea updated]an idea through opencode" in done.stdout
    assert "an idea through opencode" in (tmp_path / "workspace" / "rounds" / "best.md").read_text("utf-8")
    asked = json.loads((tmp_path / "requests.jsonl").read_text("utf-8").splitlines()[0])
    text = json.dumps(asked["messages"], ensure_ascii=False)
    assert "[How to write]" in text
