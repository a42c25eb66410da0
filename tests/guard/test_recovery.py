"""What a start makes of whatever it finds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from guard_play import Play

from xuen.workspace.research import new_research, parse


def two_adopted(play: Play) -> list[str]:
    """Adopted: one, then two; rejected: three; pending: four. The run is over."""
    play.start(answers=[8, 9, 2, "unknown"])
    ids = [play.round(idea) for idea in ("one", "two", "three", "four")]
    play.finish()
    return ids


def zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def crlf(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def delete(path: Path) -> None:
    path.unlink()


DAMAGE = [zero, half, flip, delete]


def assert_quiet(play: Play) -> None:
    """A second start changes nothing but the run's own lines."""
    files, history = play.files(), play.workspace.history.read_bytes()
    assert play.restart() == ["RunStarted", "RunFinished"]
    assert play.files() == files
    now = play.workspace.history.read_bytes()
    assert now.startswith(history)
    assert len(now.splitlines()) == len(history.splitlines()) + 2


def test_a_restart_changes_nothing_but_the_runs_own_lines(play: Play) -> None:
    two_adopted(play)
    assert_quiet(play)
    assert_quiet(play)
    assert play.idea == play.best_idea() == "two"


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", ["best.json", "best.md", "history.jsonl", "research.md"])
def test_one_damaged_file_costs_nothing(play: Play, name: str, damage: Callable[[Path], None]) -> None:
    ids = two_adopted(play)
    path = play.workspace.research if name == "research.md" else play.workspace.rounds / name
    damage(path)
    play.restart()
    assert play.record()["id"] == ids[1]
    assert play.idea == play.best_idea() == "two"
    assert_quiet(play)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize(
    "names", [("best.json", "best.md"), ("best.json", "history.jsonl"), ("best.md", "history.jsonl")]
)
def test_two_damaged_files_cost_nothing_either(
    play: Play, names: tuple[str, str], damage: Callable[[Path], None]
) -> None:
    two_adopted(play)
    for name in names:
        damage(play.workspace.rounds / name)
    play.restart()
    assert play.idea == play.best_idea() == "two"
    assert_quiet(play)


@pytest.mark.parametrize("damage", DAMAGE)
def test_without_the_best_snapshot_the_one_before_is_the_best(play: Play, damage: Callable[[Path], None]) -> None:
    ids = two_adopted(play)
    path = play.workspace.candidate(ids[1])
    damage(path)
    left = path.read_bytes() if path.exists() else None
    names = play.restart()
    assert "Recovered" in names
    assert play.record()["id"] == ids[0]
    assert play.idea == play.best_idea() == "one"
    if left is not None:
        assert [each.read_bytes() for each in play.workspace.rounds.glob(f"{path.name}.damaged-*")] == [left]
    assert_quiet(play)
    rescued = play.lines("pending")[-1]["id"]
    assert parse(play.workspace.candidate(rescued).read_bytes()).sections.idea == "two", "best.md was its last copy"


def test_without_anything_but_best_md_it_is_the_best(play: Play) -> None:
    two_adopted(play)
    for path in [play.workspace.history, play.workspace.best_json, *play.workspace.rounds.glob("cand-*")]:
        path.unlink()
    play.workspace.research.write_bytes(new_research("a task"))
    play.restart()
    assert play.idea == play.best_idea() == "two"
    assert play.lines("recovered")
    assert_quiet(play)


def test_without_anything_research_is_a_new_baseline(play: Play) -> None:
    two_adopted(play)
    for path in [play.workspace.history, play.workspace.best_json, play.workspace.best]:
        path.unlink()
    for path in play.workspace.rounds.glob("cand-*"):
        path.unlink()
    play.restart()
    assert len(play.lines("baseline")) == 1
    assert play.idea == play.best_idea() == "two"
    assert_quiet(play)


def test_a_best_md_of_an_adoption_goes_before_the_baseline(play: Play) -> None:
    ids = two_adopted(play)
    lines = play.workspace.history.read_bytes().splitlines(keepends=True)
    play.workspace.history.write_bytes(b"".join(lines[:2]))
    play.workspace.best_json.unlink()
    play.restart()
    assert play.record()["id"] == ids[1]
    assert_quiet(play)


def test_the_last_copy_of_the_last_adoption_goes_before_the_baseline(play: Play) -> None:
    ids = two_adopted(play)
    lines = play.workspace.history.read_bytes().splitlines(keepends=True)
    left = [line for line in lines if ids[0].encode() not in line]  # nothing tells of the first adoption any more
    play.workspace.history.write_bytes(b"".join(left))
    half(play.workspace.candidate(ids[1]))
    play.restart()
    assert play.idea == play.best_idea() == "two"
    assert parse(play.workspace.candidate(ids[1]).read_bytes()).sections.idea == "two"
    assert_quiet(play)


def test_damaged_files_are_kept_aside_and_never_deleted(play: Play) -> None:
    two_adopted(play)
    play.workspace.best_json.write_bytes(b'{"id":')
    play.workspace.best.write_bytes(b"something else")
    play.workspace.research.write_bytes(b"no markers")
    play.restart()
    contents = list(play.files().values())
    for data in (b'{"id":', b"something else", b"no markers"):
        assert data in contents
    (line,) = play.lines("recovered")
    assert "best.json" in line["reason"]
    assert "research.md" in line["reason"]


def test_an_edited_research_is_kept_as_pending_and_the_best_put_back(play: Play) -> None:
    two_adopted(play)
    edited = play.text("my own idea", "my own code")
    play.workspace.research.write_bytes(edited)
    play.restart()
    candidate, pending = play.lines("candidate")[-1], play.lines("pending")[-1]
    assert candidate["id"] == pending["id"]
    assert play.workspace.candidate(candidate["id"]).read_bytes() == edited
    assert [notice for notice in play.told("Notice") if f"score {candidate['id']} 10" in notice.text.en]
    assert play.idea == "two"
    assert_quiet(play)
    play.verdict(f"{candidate['id']} 10\n")
    play.restart()
    assert play.idea == play.best_idea() == "my own idea"


def test_the_same_edit_is_kept_once(play: Play) -> None:
    two_adopted(play)
    edited = play.text("my own idea")
    for _ in range(3):
        play.workspace.research.write_bytes(edited)
        play.restart()
    assert len(list(play.workspace.rounds.glob("cand-*"))) == 6


def test_a_snapshot_without_a_record_is_not_lost(play: Play) -> None:
    two_adopted(play)
    identity = "20261017-040000-r5"
    play.workspace.candidate(identity).write_bytes(play.text("five"))
    play.restart()
    assert [line["event"] for line in play.lines() if line.get("id") == identity] == ["candidate", "pending"]
    assert play.guard is not None
    assert play.guard.last_round() == 5
    assert_quiet(play)
    play.verdict(f"{identity} 8\n")
    play.restart()
    assert play.best_idea() == "five"


def test_a_candidate_that_was_never_decided_on_waits_for_a_person(play: Play) -> None:
    play.start(answers=[9])
    identity = play.round("one")
    lines = play.workspace.history.read_bytes().splitlines(keepends=True)
    at = next(place for place, line in enumerate(lines) if b'"adopted"' in line)
    play.workspace.history.write_bytes(b"".join(lines[:at]))
    play.workspace.best_json.unlink()
    play.workspace.best.unlink()
    play.restart()
    assert [line["event"] for line in play.lines() if line.get("id") == identity] == ["candidate", "pending"]
    assert play.idea == ""
    assert_quiet(play)


def test_an_adoption_whose_line_is_there_is_followed(play: Play) -> None:
    play.start(answers=[8, 9])
    play.round("one")
    best, record = play.workspace.best.read_bytes(), play.workspace.best_json.read_bytes()
    research = play.workspace.research.read_bytes()
    identity = play.round("two")
    play.workspace.best.write_bytes(best)
    play.workspace.best_json.write_bytes(record)
    play.workspace.research.write_bytes(research)
    play.restart()
    assert play.record()["id"] == identity
    assert play.idea == play.best_idea() == "two"
    assert len(play.lines("candidate")) == 2, "the older best is no edit of a person"
    assert_quiet(play)


def test_best_json_may_know_more_than_the_history(play: Play) -> None:
    ids = two_adopted(play)
    last = play.record()["seq"]
    play.workspace.history.unlink()
    play.restart()
    assert play.record()["id"] == ids[1]
    assert play.record()["score"] == 9.0
    assert all(line["seq"] > last for line in play.lines())
    assert_quiet(play)


def test_old_verdicts_are_not_carried_out_again_when_the_history_is_lost(play: Play) -> None:
    play.start(answers=["unknown", 9])
    first = play.round("one")
    play.verdict(f"{first} 8\n")
    play.round(None)
    second = play.round("two")
    play.finish()
    play.workspace.history.unlink()
    play.restart()
    assert play.record()["id"] == second
    assert_quiet(play)
    play.verdict(f"{first} 8 again\n")
    play.restart()
    assert play.record()["id"] == first


def test_a_planted_link_is_never_followed(play: Play, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"precious")
    play.start(answers=[9, 9])
    play.round("one")
    for path in (play.workspace.best, play.workspace.best_json):
        path.unlink()
        path.symlink_to(outside)
    play.round("two")
    play.finish()
    play.restart()
    assert outside.read_bytes() == b"precious"
    assert play.best_idea() == "two"


def test_two_clones_brought_together_have_one_best_and_lose_nothing(play: Play, tmp_path: Path) -> None:
    two_adopted(play)
    other = Play(tmp_path / "clone")
    for name, data in [*play.files().items(), ("rounds/history.jsonl", play.workspace.history.read_bytes())]:
        path = other.workspace.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    shared = len(play.lines())
    for each, idea in ((play, "here"), (other, "there")):
        each.now = each.now.replace(hour=5 if each is play else 6)
        each.start(answers=[9])
        each.round(idea)
        each.finish()
    union = play.workspace.history.read_bytes() + b"".join(
        other.workspace.history.read_bytes().splitlines(keepends=True)[shared:]
    )
    play.workspace.history.write_bytes(union)
    for path in other.workspace.rounds.glob("cand-*"):
        play.workspace.rounds.joinpath(path.name).write_bytes(path.read_bytes())
    play.restart()
    assert play.idea == play.best_idea() in ("here", "there")
    assert len({line["id"] for line in play.lines("candidate")}) == 6
    assert_quiet(play)


def test_a_start_with_a_missing_research_writes_the_best(play: Play) -> None:
    two_adopted(play)
    play.workspace.research.unlink()
    play.restart()
    assert play.workspace.research.read_bytes() == play.workspace.best.read_bytes()


def test_another_history_than_expected_does_not_stop_a_start(play: Play) -> None:
    two_adopted(play)
    with play.workspace.history.open("ab") as file:
        for value in ([], 3, None, {"seq": "x"}, {"seq": True, "event": 1}, {"seq": 9**40, "event": "adopted"}):
            file.write(json.dumps(value).encode() + b"\n")
        file.write(b"\xff\x00\n[[[[\n")
    play.restart()
    assert play.best_idea() == "two"
    assert_quiet(play)
