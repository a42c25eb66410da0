"""What the commands learn about a workspace, without touching it."""

from __future__ import annotations

import pytest
from guard_play import FAILED, Play

from xuen.errors import UsageError
from xuen.guard import report


def played(play: Play) -> list[str]:
    play.start(answers=[8, 2, "unknown"])
    ids = [play.round(idea) for idea in ("one", "two", "three")]
    play.round("half", outcome=FAILED)
    play.raw_round(b"damaged")
    play.round(None)
    play.finish()
    return ids


def test_the_overview_names_the_best_what_waits_and_what_failed(play: Play) -> None:
    ids = played(play)
    seen = report.overview(play.workspace)
    assert seen.best is not None
    assert (seen.best.id, seen.best.score, seen.best.verify) == (ids[0], 8.0, "ai")
    assert [(each.id, each.round, each.parent, each.words) for each in seen.pending] == [(ids[2], 3, ids[0], ("w",))]
    assert seen.pending[0].reason
    assert seen.pending[0].ts
    assert seen.rounds == 6
    assert [(each.event, each.round) for each in seen.failures] == [("agent_failed", 4), ("damaged", 5)]
    assert [seen.counts[state] for state in ("adopted", "rejected", "pending")] == [1, 1, 1]
    assert seen.counts["heartbeat"] == 1


def test_the_story_of_a_candidate_is_whole(play: Play) -> None:
    ids = played(play)
    told = report.story(play.workspace, ids[1])
    assert (told.status, told.round, told.parent, told.words) == ("rejected", 2, ids[0], ("w",))
    assert told.data == play.workspace.candidate(ids[1]).read_bytes()
    assert told.parent_data == play.workspace.candidate(ids[0]).read_bytes()
    assert told.prompt == "prompt of round 2"
    assert told.raw == {"ai": "Score: 2"}
    assert [line["event"] for line in told.lines] == ["candidate", "rejected"]
    assert told.lines[1]["judgements"][0]["score"] == 2.0


def test_looking_changes_nothing(play: Play) -> None:
    ids = played(play)
    play.workspace.best_json.write_bytes(b"{")
    play.workspace.candidate(ids[1]).unlink()
    files, history = play.files(), play.workspace.history.read_bytes()
    report.overview(play.workspace)
    report.history(play.workspace)
    assert report.story(play.workspace, ids[1]).data is None
    with pytest.raises(UsageError):
        report.story(play.workspace, "20990101-000000-r1")
    assert (play.files(), play.workspace.history.read_bytes()) == (files, history)


def test_a_workspace_without_a_guard_has_an_empty_overview(play: Play) -> None:
    seen = report.overview(play.workspace)
    assert (seen.best, seen.pending, seen.rounds, seen.failures) == (None, [], 0, [])
    assert not play.workspace.rounds.exists()
