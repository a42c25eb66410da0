"""Opening a workspace: made, found, furnished, or one clear error."""

from __future__ import annotations

from pathlib import Path

import pytest

from xuen.errors import WorkspaceError
from xuen.workspace.paths import Workspace
from xuen.workspace.research import new_research
from xuen.workspace.section_writer import script
from xuen.workspace.setup import find_workspace, furnish, make_workspace


def test_a_new_workspace_has_its_file_and_its_program(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "a" / "b")
    assert list(workspace.root.iterdir()) == []
    assert furnish(workspace, "设计\nmore")
    assert workspace.research.read_bytes() == new_research("设计")
    assert workspace.section_writer.read_bytes() == script()
    assert find_workspace(tmp_path / "a" / "b") == workspace


def test_an_old_workspace_keeps_its_file_and_gets_a_new_program(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    workspace.research.write_bytes(b"\xff mine, damaged")
    workspace.section_writer.write_bytes(b"raise SystemExit('edited')")
    (tmp_path / ".xuen-0.tmp").write_bytes(b"half")
    workspace.rounds.mkdir()
    (workspace.rounds / ".xuen-0.tmp").write_bytes(b"half")
    assert not furnish(workspace, "other")
    assert workspace.research.read_bytes() == b"\xff mine, damaged"
    assert workspace.section_writer.read_bytes() == script()
    assert not list(tmp_path.rglob(".xuen-*.tmp"))


def test_a_lost_file_comes_back_from_the_best(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    workspace.rounds.mkdir()
    workspace.best.write_bytes(b"note\n" + new_research("t"))
    assert furnish(workspace, "t")
    assert workspace.research.read_bytes() == b"note\n" + new_research("t")
    workspace.research.unlink()
    workspace.best.write_bytes(b"damaged")
    assert furnish(workspace, "t")
    assert workspace.research.read_bytes() == new_research("t")


def test_a_folder_that_cannot_be_used_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for root in (tmp_path / "file", tmp_path / "file" / "x", Path("/proc/xuen")):
        with pytest.raises(WorkspaceError) as caught:
            make_workspace(root)
        for language in ("en", "zh"):
            line = caught.value.line(language)
            assert line.startswith(f"{root}: ")
            assert "--workspace" in line
            assert "\n" not in line


def test_a_program_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "workspace")
    workspace.root.rmdir()
    with pytest.raises(WorkspaceError, match="cannot be used"):
        furnish(workspace, "t")


def test_a_folder_without_a_workspace_is_not_taken_for_one(tmp_path: Path) -> None:
    for root in (tmp_path, tmp_path / "missing"):
        with pytest.raises(WorkspaceError, match="no workspace"):
            find_workspace(root)
    assert list(tmp_path.iterdir()) == []


def test_every_path_lies_in_the_workspace() -> None:
    workspace = Workspace(Path("/w"))
    assert workspace.candidate("20260304-120005-r1") == Path("/w/rounds/cand-20260304-120005-r1.md")
    names = {
        "research": "research.md", "section_writer": "write_section.py", "research_lock": ".research.lock",
        "run_lock": ".xuen.lock", "words": "words.txt", "inbox": "inbox.jsonl", "rounds": "rounds",
        "best": "rounds/best.md", "best_json": "rounds/best.json", "history": "rounds/history.jsonl",
        "verdicts": "rounds/verdicts.txt", "prompts": "rounds/prompts", "logs": "rounds/logs",
    }  # fmt: skip
    assert {name: str(getattr(workspace, name).relative_to("/w")) for name in names} == names
