"""The queue of user input: from any process, at any time, each text taken once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from xuen.workspace import inbox
from xuen.workspace.inbox import Entry
from xuen.workspace.paths import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def texts(workspace: Workspace) -> list[str]:
    return [entry.text for entry in inbox.peek(workspace)]


def test_texts_wait_in_order_until_they_are_taken(workspace: Workspace) -> None:
    assert inbox.peek(workspace) == []
    for text in ("qwen 请求", "two\nlines", "half \ud83d", "`x` $(y)"):
        inbox.put(workspace, text)
    assert texts(workspace) == ["qwen 请求", "two\nlines", "half \ufffd", "`x` $(y)"]
    assert all(entry.ts.endswith("+00:00") for entry in inbox.peek(workspace))
    inbox.consume(workspace, inbox.peek(workspace)[:2])
    assert texts(workspace) == ["half \ufffd", "`x` $(y)"]
    inbox.consume(workspace, inbox.peek(workspace))
    assert texts(workspace) == []
    inbox.consume(workspace, [])


def test_what_came_after_the_look_stays_and_twins_are_taken_one_by_one(workspace: Workspace) -> None:
    workspace.inbox.write_bytes(b'{"ts":"t","text":"same"}\n' * 3)
    seen = inbox.peek(workspace)[:2]
    inbox.put(workspace, "later")
    inbox.consume(workspace, seen)
    assert inbox.peek(workspace)[0] == Entry("t", "same")
    assert texts(workspace) == ["same", "later"]
    inbox.consume(workspace, [*seen, *seen])
    assert texts(workspace) == ["later"]


def test_damaged_lines_cost_nothing_and_stay(workspace: Workspace) -> None:
    workspace.inbox.write_bytes(b'{"text":"by hand"}\n{"ts":\n{"ts":"t"}\n[]\n{"ts":"t","text":"last"}')
    assert inbox.peek(workspace) == [Entry("", "by hand"), Entry("t", "last")]
    inbox.put(workspace, "next")
    assert texts(workspace) == ["by hand", "last", "next"]
    inbox.consume(workspace, inbox.peek(workspace))
    assert texts(workspace) == []
    assert workspace.inbox.read_bytes() == b'{"ts":\n{"ts":"t"}\n[]\n'


def test_nothing_is_lost_or_doubled_while_others_add(workspace: Workspace) -> None:
    code = (
        "import sys; from pathlib import Path; from xuen.workspace import inbox\n"
        "from xuen.workspace.paths import Workspace\n"
        "for n in range(80): inbox.put(Workspace(Path(sys.argv[1])), sys.argv[2] + str(n))"
    )
    adders = [subprocess.Popen([sys.executable, "-c", code, str(workspace.root), who]) for who in "ab"]
    taken: list[str] = []
    while True:
        over = all(adder.poll() is not None for adder in adders)
        entries = inbox.peek(workspace)
        inbox.consume(workspace, entries)
        taken += [entry.text for entry in entries]
        if over and not entries:
            break
    assert [adder.returncode for adder in adders] == [0, 0]
    assert [text for text in taken if text[0] == "a"] == [f"a{n}" for n in range(80)]
    assert [text for text in taken if text[0] == "b"] == [f"b{n}" for n in range(80)]
    assert len(taken) == 160


def test_a_waiting_text_can_be_changed_in_its_place_or_removed(workspace: Workspace) -> None:
    for text in ("one", "two", "three"):
        inbox.put(workspace, text)
    one, two, three = inbox.peek(workspace)
    assert inbox.change(workspace, two, "zwei\nlines")
    assert inbox.change(workspace, one, None)
    assert texts(workspace) == ["zwei\nlines", "three"]
    assert not inbox.change(workspace, two, "again")  # there is no such entry any more
    inbox.consume(workspace, [three])
    assert not inbox.change(workspace, three, None)
    assert texts(workspace) == ["zwei\nlines"]


def test_what_a_call_is_being_given_cannot_be_changed_and_new_texts_wait_for_the_next(workspace: Workspace) -> None:
    inbox.put(workspace, "given")
    with inbox.Handover(workspace) as handover:
        (given,) = handover.entries
        assert not inbox.change(workspace, given, "too late")
        assert not inbox.change(workspace, given, None)
        inbox.put(workspace, "later")
        assert handover.take()
        assert texts(workspace) == ["later"]
        assert inbox.change(workspace, inbox.peek(workspace)[0], "changed")
    assert texts(workspace) == ["changed"]


def test_a_call_that_never_starts_takes_nothing_and_lets_go(workspace: Workspace) -> None:
    inbox.put(workspace, "stays")
    with pytest.raises(ValueError), inbox.Handover(workspace):
        raise ValueError
    (entry,) = inbox.peek(workspace)
    assert inbox.change(workspace, entry, "edited")
    with inbox.Handover(Workspace(workspace.root / "elsewhere")) as nothing:
        assert not nothing.take()


def test_an_inbox_that_cannot_be_read_gives_nothing_and_says_why(workspace: Workspace) -> None:
    workspace.inbox.mkdir()
    with inbox.Handover(workspace) as handover:
        assert handover.entries == []
        assert isinstance(handover.trouble, OSError)
