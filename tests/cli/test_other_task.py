"""On a terminal a run asks before another task goes on in a workspace that has rounds; `serve` does too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

RUN = ("--no-tui", "--iterations", "1", "--pick", "0")


@pytest.fixture
def history(xuen: Callable, tmp_path: Path) -> Path:
    """The history of a workspace with one round of a first task."""
    writes = 'test -n "$prompt"; echo "idea $XUEN_ROUND" | python3 "$XUEN_WORKSPACE/write_section.py" idea'
    config = {"agent": {"command": writes}, "rounds": {"verify": "off"}}
    (tmp_path / "config.yaml").write_text(json.dumps(config), "utf-8")
    assert xuen("a first task", *RUN).returncode == 0
    return tmp_path / "workspace" / "rounds" / "history.jsonl"


@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 2), (b"\x04", 2), (b"y\n", 0)])
def test_on_a_terminal_it_asks(on_a_terminal: Callable, history: Path, answer: bytes, code: int) -> None:
    before = history.read_bytes()
    shown, ended = on_a_terminal(["a second task", *RUN], [answer])
    assert "has rounds of another task (a first task)" in shown
    assert ended == code
    assert history.read_bytes().startswith(before)
    assert (history.read_bytes() == before) is (code == 2)


def test_the_same_task_is_not_asked_about(on_a_terminal: Callable, history: Path) -> None:
    shown, _ = on_a_terminal(["  a first task\n", *RUN], [])
    assert "Round 2" in shown
    assert "another task" not in shown


def test_serve_refuses_before_it_listens(xuen: Callable, history: Path) -> None:
    done = xuen("serve", "a second task", "--port", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--workspace OTHER" in done.stderr
