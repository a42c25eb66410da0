"""One word that is close to a command starts nothing by itself: it is asked about, or refused without a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from xuen.cli.near import LATER, edits, near_command

MAIN = Path(__file__).parents[2] / "main.py"
RUN = ("--no-tui", "--iterations", "1", "--pick", "0")


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """A configuration with an agent that writes; the folder that a run would make."""
    writes = 'test -n "$prompt"; echo better | python3 "$XUEN_WORKSPACE/write_section.py" idea'
    config = {"agent": {"command": writes}, "rounds": {"verify": "off"}}
    (tmp_path / "config.yaml").write_text(json.dumps(config), "utf-8")
    return tmp_path / "workspace"


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("statsu", "status"),
        ("Status", "status"),
        ("sttus", "status"),
        ("doctors", "doctor"),
        ("hlep", "help"),
        ("vers", None),
        ("results", "status"),
        ("log", "history"),
        ("resume", "run"),
        ("dif", "diff"),
        ("demo", "demo"),
        ("t", None),
        ("优化", None),
        ("熵", None),
        ("state of the art", None),
        ("", None),
    ],
)
def test_what_counts_as_near(word: str, near: str | None) -> None:
    assert near_command(word) == near


def test_edits_are_counted_as_a_user_makes_them() -> None:
    assert [edits(*pair) for pair in [("show", "show"), ("sho", "show"), ("xhow", "show"), ("ab", "ci")]] == [
        0,
        1,
        1,
        2,
    ]
    assert edits("a" * 10_000, "show") > 2


@pytest.mark.parametrize(
    "word", ["statsu", "results", "list", "start", "stop", "resume", "config", "log", "run", *sorted(LATER)]
)
def test_without_a_terminal_it_is_refused_and_nothing_is_made(xuen: Callable, agent: Path, word: str) -> None:
    done = xuen(word, *RUN)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert f'"{word}"' in done.stderr
    assert ("is not available in this version" in done.stderr) is (word in LATER)
    assert done.stderr.rstrip().endswith(f"To make it the research task: {sys.executable} {MAIN} -- {word}")
    assert not agent.exists()


def test_two_dashes_or_standard_input_make_any_word_a_task(xuen: Callable, agent: Path, tmp_path: Path) -> None:
    assert xuen(*RUN, "--", "doctor").returncode == 0
    assert (agent / "research.md").read_text("utf-8").startswith("# doctor\n")
    piped = subprocess.run(
        [sys.executable, str(MAIN), "-", *RUN, "--workspace", "piped"],
        cwd=tmp_path,
        input="status\n\nin three lines\n",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert piped.returncode == 0, piped.stderr
    assert (tmp_path / "piped" / "research.md").read_text("utf-8").startswith("# status\n")


@pytest.mark.parametrize(
    ("content", "said"), [(b"\xff", "-: the task file is not UTF-8"), (b" \n", "-: the task is empty")]
)
def test_standard_input_that_is_no_task_is_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    done = subprocess.run(
        [sys.executable, str(MAIN), "-"], cwd=tmp_path, input=content, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert said in done.stderr.decode()


@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 2), (b"\n", 2), (b"\x04", 2), (b"y\n", 0)])
def test_on_a_terminal_it_asks(on_a_terminal: Callable, agent: Path, answer: bytes, code: int) -> None:
    shown, ended = on_a_terminal(["statsu", *RUN], [answer])
    assert "Run it as the research task? [y/N]" in shown
    assert "did you mean " in shown
    assert (ended, agent.exists()) == (code, code == 0)


def test_what_is_typed_as_the_task_is_asked_about_too(on_a_terminal: Callable, agent: Path) -> None:
    shown, ended = on_a_terminal([*RUN], [b"help\n", b"n\n"])
    assert "nothing was started" in shown
    assert (ended, agent.exists()) == (2, False)


def test_a_word_that_may_be_no_task_is_met_in_the_language_of_the_locale(xuen: Callable, agent: Path) -> None:
    assert "“statsu” 不是命令" in xuen("statsu", LANG="zh_CN.UTF-8").stderr
    assert '"statsu" is no command' in xuen("statsu").stderr
