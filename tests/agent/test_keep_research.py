"""Calls for words and for judging leave research.md byte for byte as it was."""

from pathlib import Path

import pytest

from xuen.agent.call import Call
from xuen.agent.keep_research import KeepResearch
from xuen.agent.shell_agent import ShellAgent
from xuen.agent.template import parse
from xuen.errors import PromptTooLong
from xuen.events import Notice, Purpose, Why
from xuen.stop import Stop
from xuen.workspace.paths import Workspace
from xuen.workspace.research_file import ResearchFile

CONTENT = b"# task\r\n\n<!-- XUEN:IDEA:BEGIN -->\nidea\n<!-- XUEN:IDEA:END -->\n\nmy own \xff bytes"


class Notices:
    def __init__(self) -> None:
        self.all: list[Notice] = []

    def emit(self, event) -> None:
        if isinstance(event, Notice):
            self.all.append(event)


def ask(folder: Path, command: str, prompt: str = "words?"):
    sink = Notices()
    inner = ShellAgent(parse(command), name="a", workspace=folder, token="t", sink=sink, stop=Stop(), timeout=30)
    agent = KeepResearch(inner, ResearchFile(Workspace(folder)), sink)
    assert agent.name == "a"
    try:
        outcome = agent.call(Call(prompt=prompt, purpose=Purpose.WORDS, round=0))
    except PromptTooLong:
        outcome = None
    return outcome, sink.all


@pytest.mark.parametrize(
    "harm",
    [
        "echo more >> research.md",
        ": > research.md",
        "rm research.md",
        "rm research.md; mkdir research.md",
        "rm research.md; mkfifo research.md",
        "mv research.md moved.md; ln -s /etc/hostname research.md",
        "echo x > research.md; exit 3",
        "echo x > research.md; sleep 0.1; kill -9 $$",
    ],
)
def test_what_such_a_call_does_to_the_file_is_undone_and_said(harm, tmp_path):
    path = tmp_path / "research.md"
    path.write_bytes(CONTENT)
    outcome, notices = ask(tmp_path, f': "$prompt"; cd "$XUEN_WORKSPACE"; {harm}')
    assert outcome is not None
    assert path.is_file()
    assert not path.is_symlink()
    assert path.read_bytes() == CONTENT
    assert len(notices) == 1
    assert "words" in notices[0].text.en


def test_a_call_that_leaves_it_alone_changes_nothing_and_says_nothing(tmp_path):
    path = tmp_path / "research.md"
    path.write_bytes(CONTENT)
    before = path.stat()
    outcome, notices = ask(tmp_path, 'printf a; : "$prompt"')
    assert (outcome.why, outcome.stdout) == (Why.OK, "a\n")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert notices == []


def test_a_missing_file_and_a_prompt_too_long_are_left_to_others(tmp_path):
    outcome, notices = ask(tmp_path, ': "$prompt"')
    assert outcome.worked
    outcome, notices = ask(tmp_path, ': "$prompt"', "x" * 200_000)
    assert outcome is None
    assert notices == []
    assert not (tmp_path / "research.md").exists()
