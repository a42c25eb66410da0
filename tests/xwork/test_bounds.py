"""What the runtime keeps in a workspace does not grow with the number of calls."""

import os
import re

import pytest

from xuen.xwork.bounds import ARTIFACTS, BOUNDS, CALLS, Bound, tidy
from xuen.xwork.messages import User
from xuen.xwork.policy.paths import Workspace
from xuen.xwork.session.journal import Session
from xuen.xwork.session.records import Prompted


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "work").mkdir()
    opened = Workspace(tmp_path / "work")
    yield opened
    opened.close()


def put(folder, names, size=1, suffix=".jsonl"):
    folder.mkdir(parents=True, exist_ok=True)
    for age, name in enumerate(names):
        path = folder / (name + suffix)
        path.write_bytes(b"x" * size)
        os.utime(path, (1_000_000 + age, 1_000_000 + age))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_two_thousand_calls_leave_the_newest_ones_and_no_locks_of_the_others(workspace):
    folder = workspace.root / CALLS
    calls = [f"run-{number:04}" for number in range(2000)]
    put(folder, calls)
    put(folder, calls, suffix=".jsonl.lock", size=0)
    kept = BOUNDS[0].count
    assert tidy(workspace) == 2000 - kept
    assert names(folder) == sorted(f"{call}{end}" for call in calls[-kept:] for end in (".jsonl", ".jsonl.lock"))
    assert tidy(workspace) == 0


def test_locks_of_calls_that_never_began_are_bounded_too(workspace):
    folder = workspace.root / CALLS
    put(folder, [f"{number:04}" for number in range(300)], suffix=".jsonl.lock", size=0)
    tidy(workspace)
    assert len(names(folder)) == BOUNDS[0].count


def test_what_is_large_leaves_earlier_and_the_newest_always_stays(workspace):
    bound = Bound(ARTIFACTS, re.compile(r"output-.+\.txt"), 10, 250)
    folder = workspace.root / ARTIFACTS
    put(folder, [f"output-{number}" for number in range(5)], size=100, suffix=".txt")
    put(folder, ["notes"], suffix=".txt")
    assert tidy(workspace, (bound,)) == 3
    assert names(folder) == ["notes.txt", "output-3.txt", "output-4.txt"]
    put(folder, ["output-9"], size=1000, suffix=".txt")
    os.utime(folder / "output-9.txt", (2_000_000, 2_000_000))
    tidy(workspace, (bound,))
    assert names(folder) == ["notes.txt", "output-9.txt"]


def test_a_session_that_somebody_works_on_stays(workspace):
    folder = workspace.root / CALLS
    with Session(folder / "old.jsonl") as session:
        session.append(Prompted(User("x")))
        os.utime(folder / "old.jsonl", (1, 1))
        os.utime(folder / "old.jsonl.lock", (1, 1))
        put(folder, [f"{number:03}" for number in range(150)])
        assert tidy(workspace) == 50
        assert (folder / "old.jsonl").exists()
        session.append(Prompted(User("y")))
    tidy(workspace)
    assert len(list(folder.glob("*.jsonl"))) == 100


@pytest.mark.parametrize("linked", [".xwork", "calls"])
def test_nothing_outside_is_deleted_where_a_folder_is_a_link(workspace, tmp_path, linked):
    outside = tmp_path / "outside"
    put(outside if linked == "calls" else outside / "calls", [f"{number:03}" for number in range(150)])
    link = workspace.root / (".xwork" if linked == ".xwork" else CALLS)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside)
    assert tidy(workspace) == 0
    assert len(list(outside.rglob("*.jsonl"))) == 150


def test_links_and_folders_in_it_are_left_alone(workspace, tmp_path):
    folder = workspace.root / CALLS
    put(folder, [f"{number:03}" for number in range(101)])
    (tmp_path / "kept").write_text("x")
    (folder / "a.jsonl").symlink_to(tmp_path / "kept")
    (folder / "b.jsonl").mkdir()
    assert tidy(workspace) == 1
    assert (tmp_path / "kept").exists() and (folder / "b.jsonl").is_dir() and (folder / "a.jsonl").is_symlink()


def test_every_agent_tidies_up_when_it_begins(play, work):
    put(work / CALLS, [f"{number:03}" for number in range(150)])
    play("done").agent.run("go")
    assert len(names(work / CALLS)) == BOUNDS[0].count
