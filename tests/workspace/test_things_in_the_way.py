"""An agent put something else in the place of a file of the workspace, or took the file away."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from xuen.errors import LockTimeout, WorkspaceBusy
from xuen.files.lock import holder, is_held, locked
from xuen.files.regular import NotAFile
from xuen.workspace import inbox, section_writer
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Sections, new_research, parse
from xuen.workspace.research_file import ResearchFile
from xuen.workspace.run_lock import RunLock, is_owned
from xuen.workspace.setup import furnish, make_workspace

Write = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = make_workspace(tmp_path / "workspace")
    furnish(workspace, "a task")
    return workspace


def write(workspace: Workspace, token: str, *, closed: str = "") -> subprocess.CompletedProcess[bytes]:
    """What an agent of the run with this token does."""
    command = f'printf new | "$0" -I "$1" idea {closed}'
    return subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, str(workspace.section_writer)],
        env={"PATH": os.environ["PATH"], "XUEN_RUN": token},
        capture_output=True,
        timeout=60,
        check=False,
    )


# --- the lock of a run -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made_anew", [False, True])
def test_a_deleted_lock_file_lets_no_second_run_in_and_the_agent_goes_on_writing(
    workspace: Workspace, made_anew: bool
) -> None:
    with RunLock(workspace, "living") as lock:
        workspace.run_lock.unlink()
        if made_anew:
            workspace.run_lock.touch()
        with pytest.raises(WorkspaceBusy):
            RunLock(workspace, "second", patience=0.1).acquire()
        assert is_owned(workspace)
        if not made_anew:
            assert write(workspace, "living").returncode == 0
        lock.renew()
        assert (holder(workspace.run_lock) or {})["run"] == "living"
        assert is_held(workspace.run_lock)
        assert write(workspace, "living").returncode == 0
        assert write(workspace, "another").returncode == 4
    assert parse(workspace.research.read_bytes()).sections.idea == "new"
    assert not is_owned(workspace)
    assert workspace.run_lock.read_bytes() == b""
    workspace.run_lock.unlink()
    assert write(workspace, "living").returncode == 4, "without a run no token is good"


def test_a_lock_file_that_is_as_it_was_is_left_alone(workspace: Workspace) -> None:
    with RunLock(workspace, "living") as lock:
        before = workspace.run_lock.stat()
        lock.renew()
        after = workspace.run_lock.stat()
        assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "emptied"])
def test_whatever_stands_in_the_place_of_the_lock_file_makes_room(
    workspace: Workspace, kind: str, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    with RunLock(workspace, "living", patience=0.1) as lock:
        if kind == "emptied":
            workspace.run_lock.write_bytes(b"")
        else:
            workspace.run_lock.unlink()
        if kind == "folder":
            workspace.run_lock.mkdir()
        elif kind == "pipe":
            os.mkfifo(workspace.run_lock)
            assert write(workspace, "living").returncode == 2, "and it is not waited for"
        elif kind == "link":
            workspace.run_lock.symlink_to(victim)
        lock.renew()
        assert (holder(workspace.run_lock) or {})["run"] == "living"
        assert write(workspace, "living").returncode == 0
    assert not victim.exists()


def test_a_folder_that_was_replaced_under_a_run_belongs_to_whoever_came_next(workspace: Workspace) -> None:
    with RunLock(workspace, "first", patience=0.1) as first:
        workspace.root.rename(workspace.root.with_name("moved"))
        make_workspace(workspace.root)
        with RunLock(workspace, "second", patience=0.1), pytest.raises(WorkspaceBusy):
            first.renew()


# --- pipes and folders -----------------------------------------------------------------------------------------------


def test_a_pipe_as_state_file_is_damaged_for_xuen_and_for_the_writer(workspace: Workspace) -> None:
    workspace.research.unlink()
    os.mkfifo(workspace.research)
    done = write(workspace, "")
    assert done.returncode == 2
    assert b"not a regular file" in done.stderr
    with locked(workspace.research_lock, 0):
        pass
    kept = ResearchFile(workspace).keep_aside()
    assert kept is not None
    assert kept.is_fifo()


def test_a_folder_as_program_is_renamed_and_a_pipe_replaced(workspace: Workspace) -> None:
    workspace.section_writer.unlink()
    workspace.section_writer.mkdir()
    (workspace.section_writer / "mine").write_text("kept")
    furnish(workspace, "a task")
    assert workspace.section_writer.read_bytes() == section_writer.script()
    (aside,) = workspace.root.glob("write_section.py.damaged-*")
    assert (aside / "mine").read_text() == "kept"
    workspace.section_writer.unlink()
    os.mkfifo(workspace.section_writer)
    furnish(workspace, "a task")
    assert workspace.section_writer.read_bytes() == section_writer.script()


def test_a_pipe_as_the_best_does_not_stop_a_start(workspace: Workspace) -> None:
    workspace.research.unlink()
    workspace.rounds.mkdir()
    os.mkfifo(workspace.best)
    assert furnish(workspace, "a task")
    assert workspace.research.read_bytes() == new_research("a task")


def test_the_writer_refuses_with_its_code_where_nobody_can_be_told_why(workspace: Workspace) -> None:
    workspace.research.write_bytes(b"damaged")
    assert write(workspace, "", closed="2>&-").returncode == 2
    assert write(workspace, "", closed="2>/dev/full").returncode == 2
    assert write(workspace, "gone", closed="2>&-").returncode == 4


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_whatever_stands_in_the_place_of_the_writers_lock_makes_room(
    workspace: Workspace, kind: str, tmp_path: Path
) -> None:
    def put() -> None:
        workspace.research_lock.unlink(missing_ok=True)
        if kind == "folder":
            workspace.research_lock.mkdir()
        elif kind == "pipe":
            os.mkfifo(workspace.research_lock)
        else:
            workspace.research_lock.symlink_to(tmp_path / "victim")

    put()
    research = ResearchFile(workspace)
    research.put_sections(Sections("by xuen", ""))
    put()
    with RunLock(workspace, "living", patience=0.1):
        assert write(workspace, "living").returncode == 0
        put()
        section_writer.renew(workspace)
        assert write(workspace, "living").returncode == 0
    assert not (tmp_path / "victim").exists()
    assert len(list(workspace.root.glob(".research.lock.damaged-*"))) == 3


@pytest.mark.parametrize("kind", ["gone", "folder", "link", "changed"])
def test_a_writer_that_an_agent_took_away_is_there_again_before_the_next_round(
    workspace: Workspace, kind: str, tmp_path: Path
) -> None:
    before = workspace.section_writer.stat()
    section_writer.renew(workspace)
    assert workspace.section_writer.stat() == before, "what is as it was is not written"
    workspace.section_writer.unlink()
    (tmp_path / "mine").write_text("mine")
    if kind == "folder":
        workspace.section_writer.mkdir()
    elif kind == "link":
        workspace.section_writer.symlink_to(tmp_path / "mine")
    elif kind == "changed":
        workspace.section_writer.write_text("exit(0)")
    section_writer.renew(workspace)
    assert write(workspace, "").returncode == 0
    assert parse(workspace.research.read_bytes()).sections.idea == "new"
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_program_that_may_not_be_read_is_written_again(workspace: Workspace) -> None:
    workspace.section_writer.chmod(0)
    bare = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    program = (
        "import sys; from pathlib import Path; from xuen.workspace import paths, section_writer;"
        "section_writer.renew(paths.Workspace(Path(sys.argv[1])))"
    )
    here = Path(__file__).parents[2]
    subprocess.run([*bare, sys.executable, "-c", program, str(workspace.root)], cwd=here, timeout=60, check=True)
    assert workspace.section_writer.stat().st_mode & 0o777 == 0o755
    assert write(workspace, "").returncode == 0


def test_who_keeps_the_lock_for_long_is_waited_for_once(workspace: Workspace) -> None:
    research = ResearchFile(workspace, wait=2)
    with locked(workspace.research_lock):
        began = time.monotonic()
        with pytest.raises(LockTimeout):
            research.put_sections(Sections("late", ""))
        first = time.monotonic() - began
        for _ in range(3):
            with pytest.raises(LockTimeout):
                research.put_sections(Sections("late", ""))
        assert first >= 2
        assert time.monotonic() - began - first < 3 * 2, "not three waits more"
    research.put_sections(Sections("late", ""))
    with locked(workspace.research_lock):
        began = time.monotonic()
        with pytest.raises(LockTimeout):
            research.put_sections(Sections("later", ""))
        assert time.monotonic() - began >= 2, "who had it again waits again"


# --- the inbox -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_what_is_no_inbox_gives_nothing_takes_nothing_and_stays(
    workspace: Workspace, kind: str, tmp_path: Path
) -> None:
    target = tmp_path / "elsewhere"
    target.write_bytes(b'{"ts":"","text":"not mine"}\n')
    if kind == "pipe":
        os.mkfifo(workspace.inbox)
    elif kind == "link":
        workspace.inbox.symlink_to(target)
    else:
        workspace.inbox.mkdir()
    with inbox.Handover(workspace) as handover:
        assert handover.entries == []
        assert isinstance(handover.trouble, NotAFile)
    with pytest.raises(OSError):
        inbox.put(workspace, "a text")
    with pytest.raises(OSError):
        inbox.consume(workspace, [inbox.Entry("", "not mine")])
    assert target.read_bytes() == b'{"ts":"","text":"not mine"}\n'
    assert not workspace.inbox.is_file() or workspace.inbox.is_symlink()


def test_no_text_goes_to_two_calls_and_no_call_waits_for_somebody_elses_lock(workspace: Workspace) -> None:
    sent = inbox.Sent()
    inbox.put(workspace, "first")
    with inbox.Handover(workspace, sent) as handover, locked(workspace.inbox):
        began = time.monotonic()
        with pytest.raises(LockTimeout):
            handover.take()
        assert time.monotonic() - began < inbox.LOCK_SECONDS / 2
    workspace.inbox.write_bytes(workspace.inbox.read_bytes() * 2)  # a twin is a text of its own
    with locked(workspace.inbox), inbox.Handover(workspace, sent) as handover:
        assert [entry.text for entry in handover.entries] == ["first"]
    with inbox.Handover(workspace, sent) as handover:
        assert [entry.text for entry in handover.entries] == ["first"]
        assert len(inbox.peek(workspace)) == 1, "what the first call got is out of the file"
        handover.take()
    assert inbox.peek(workspace) == []
    sent.take_out(workspace)
