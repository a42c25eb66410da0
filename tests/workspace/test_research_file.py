"""research.md on the disk: changes under the lock, damage kept aside, nothing deleted."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from xuen.errors import DamagedResearch, LockTimeout
from xuen.files.lock import locked
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Sections, new_research, parse
from xuen.workspace.research_file import ResearchFile

NOON = datetime(2026, 3, 4, 12, 0, 5, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path)
    workspace.research.write_bytes(new_research("t"))
    return workspace


@pytest.fixture
def file(workspace: Workspace) -> ResearchFile:
    return ResearchFile(workspace, now=lambda: NOON, wait=0.2)


def test_sections_are_put_back_and_the_users_text_stays(workspace: Workspace, file: ResearchFile) -> None:
    workspace.research.write_bytes(b"my note\n" + new_research("t") + b"my end")
    file.put_sections(Sections("i", "a"))
    assert parse(file.read()).sections == Sections("i", "a")
    assert file.read().startswith(b"my note\n# t\n")
    assert file.read().endswith(b"\nmy end")


def test_what_is_there_already_is_not_written_again(workspace: Workspace, file: ResearchFile) -> None:
    before = workspace.research.stat().st_ino
    file.put_sections(Sections("", ""))
    assert workspace.research.stat().st_ino == before


def test_nothing_is_written_without_the_lock(workspace: Workspace, file: ResearchFile) -> None:
    before = file.read()
    with locked(workspace.research_lock, 0):
        for change in (
            lambda: file.put_sections(Sections("x", "y")),
            lambda: file.replace(b"x"),
            file.keep_aside,
        ):
            with pytest.raises(LockTimeout):
                change()
    assert file.read() == before
    assert sorted(each.name for each in workspace.root.iterdir()) == [".research.lock", "research.md"]


def test_a_damaged_file_is_kept_aside_each_time_under_a_new_name(workspace: Workspace, file: ResearchFile) -> None:
    for number, name in enumerate(["", "-2", "-3"]):
        damaged = b"\xff damaged %d" % number
        workspace.research.write_bytes(damaged)
        with pytest.raises(DamagedResearch):
            file.put_sections(Sections("x", "y"))
        kept = file.keep_aside()
        assert kept == workspace.root / f"research.damaged-20260304-120005{name}.md"
        assert kept.read_bytes() == damaged == workspace.research.read_bytes()
        file.replace(new_research("t"))
        assert kept.read_bytes() == damaged
    assert parse(file.read()).sections == Sections("", "")


def test_a_missing_file_is_damage_with_nothing_to_keep(workspace: Workspace, file: ResearchFile) -> None:
    workspace.research.unlink()
    with pytest.raises(DamagedResearch, match="missing"):
        file.read()
    assert file.keep_aside() is None
    file.replace(new_research("t"))
    assert file.read() == new_research("t")


@pytest.mark.parametrize("kind", ["folder", "pipe", "dangling link", "link to itself"])
def test_something_else_in_its_place_is_moved_aside(workspace: Workspace, file: ResearchFile, kind: str) -> None:
    workspace.research.unlink()
    if kind == "folder":
        workspace.research.mkdir()
        (workspace.research / "inside").write_text("kept")
    elif kind == "pipe":
        os.mkfifo(workspace.research)
    else:
        workspace.research.symlink_to("nowhere" if kind == "dangling link" else "research.md")
    with pytest.raises(DamagedResearch):
        file.read()
    kept = file.keep_aside()
    assert kept is not None
    assert os.path.lexists(kept)
    assert kind != "folder" or (kept / "inside").read_text() == "kept"
    file.replace(new_research("t"))
    assert file.read() == new_research("t")


def test_a_link_is_read_and_replaced_by_a_file_and_its_target_stays(workspace: Workspace, file: ResearchFile) -> None:
    target = workspace.root / "elsewhere.md"
    workspace.research.rename(target)
    workspace.research.symlink_to(target)
    for number in range(2):
        file.put_sections(Sections(f"i{number}", "a"))
        assert parse(file.read()).sections == Sections(f"i{number}", "a")
    assert not workspace.research.is_symlink()
    assert target.read_bytes() == new_research("t")


def test_sections_that_nobody_has_seen_are_copied_before_they_are_replaced(
    workspace: Workspace, file: ResearchFile
) -> None:
    assert file.put_sections(Sections("one", ""), seen=[Sections("", "")]) is None
    before = file.read()
    kept = file.put_sections(Sections("two", ""), seen=[Sections("", "")])
    assert kept is not None
    assert kept.name.startswith("research.edited-")
    assert kept.read_bytes() == before
    assert parse(file.read()).sections == Sections("two", "")
    assert file.put_sections(Sections("two", ""), seen=[]) is None
