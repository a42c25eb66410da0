"""Keys that arrive in one burst act in their order: a slow connection, a macro, a text expander, an unmarked paste."""

from __future__ import annotations

import json
import sys
import time

import pytest
from terminal import LIMIT, ROOT, Terminal

from xuen.workspace import inbox
from xuen.workspace.paths import Workspace

BACKSPACE, LINE, CTRL_U, CTRL_P, ENTER = b"\x7f", b"\n", b"\x15", b"\x10", b"\r"
LEFT, DOWN, F4, F9 = b"\x1b[D", b"\x1b[B", b"\x1bOS", b"\x1b[20~"


def run(tmp_path, *options, seconds):
    """The real program with an agent that works for so long."""
    agent = f'{sys.executable} {ROOT}/tests/agents/researcher.py --idea "idea {{round}}" --sleep {seconds} "$prompt"'
    config = {"agent": {"command": agent}, "words": {"pick": 0}, "rounds": {"verify": "user"}}
    (tmp_path / "config.yaml").write_text(json.dumps(config))
    return Terminal(ROOT / "main.py", "a question", "--language", "en", *options, cwd=tmp_path)


def until(value, expected):
    deadline = time.monotonic() + LIMIT
    while (seen := value()) != expected:
        assert time.monotonic() < deadline, seen
        time.sleep(0.05)


def kept(file):
    return file.read_text() if file.exists() else ""


@pytest.mark.parametrize(
    ("keys", "queued"),
    [
        (b"one" + 3 * BACKSPACE + b"two" + ENTER, ["two"]),
        (b"abc" + 2 * BACKSPACE + b"xyz" + ENTER, ["axyz"]),
        (b"hello" + CTRL_U + b"world" + ENTER, ["world"]),
        (b"foo" + ENTER + b"bar" + ENTER, ["foo", "bar"]),
        (b"ac" + LEFT + b"b" + ENTER, ["abc"]),
        (b"one" + LINE + b"two" + ENTER, ["one\ntwo"]),
        (b"foo" + ENTER + b"bar" + ENTER + F4 + ENTER + BACKSPACE + b"x" + ENTER, ["fox", "bar"]),
    ],
    ids=["correct", "correct a part", "begin anew", "two texts", "go back", "two lines", "edit what waits"],
)
def test_a_burst_in_the_input_box(tmp_path, keys, queued):
    workspace = Workspace(tmp_path / "workspace")
    with run(tmp_path, seconds=300) as terminal:
        terminal.read(until=b"thinking in round 1")
        terminal.type(keys)
        until(lambda: [entry.text for entry in inbox.peek(workspace)], queued)
        terminal.type(b"\x11")
        assert terminal.end() == 0


@pytest.mark.parametrize(
    "opening", [b"v", F9, CTRL_P + b"cost" + 3 * BACKSPACE + b"and" + ENTER], ids=["v", "F9", "palette"]
)
def test_a_burst_from_the_run_to_the_list_and_two_scores(tmp_path, opening):
    workspace = Workspace(tmp_path / "workspace")
    with run(tmp_path, "--iterations", "2", seconds=0) as terminal:
        terminal.read(until=b"leaves")  # the run is over
        terminal.type(opening + b"s10" + 2 * BACKSPACE + b"9 good" + ENTER + DOWN + b"s3 bad" + ENTER)
        told = [json.loads(line) for line in workspace.history.read_text().splitlines()]
        older, newest = [line["id"] for line in told if line["event"] == "pending"]
        until(lambda: kept(workspace.verdicts), f"{newest} 9 good\n{older} 3 bad\n")
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_a_burst_in_the_line_to_find_something(tmp_path):
    with run(tmp_path, "--iterations", "2", seconds=0) as terminal:
        terminal.read(until=b"leaves")
        terminal.read_what_is_there()
        terminal.type(b"/nothing" + 6 * BACKSPACE + b"o such place" + ENTER)
        terminal.read(until=b"no such place")
        terminal.type(b"\x11")
        assert terminal.end() == 0
