"""Earlier rounds in the chart: read from the end of the history, whatever stands there."""

from __future__ import annotations

import json
import os
from pathlib import Path

import story
from screens import Stage, kept_workspace

from xuen.ui.past import TAIL, past_marks
from xuen.ui.view import MARKS_KEPT
from xuen.workspace.paths import Workspace


def lines_of(*events):
    return "".join(json.dumps({"seq": n, "ts": "t", **event}) + "\n" for n, event in enumerate(events, start=1))


def heartbeat(number):
    return {"event": "heartbeat", "round": number, "streak": 1, "cause": None}


def test_a_workspace_that_has_had_rounds_begins_with_them_in_the_chart(tmp_path):
    workspace = Workspace(kept_workspace(tmp_path))
    assert [(mark.round, mark.kind, mark.score) for mark in past_marks(workspace)] == [
        (1, "adopted", 8.0),
        (2, "pending", None),
    ]

    async def steps(stage):
        await stage.settle()
        assert "▇?" in "\n".join(stage.drawn())

    Stage(story.start("en"), workspace=tmp_path).run(steps, size=(80, 24))


def test_a_verdict_of_this_run_changes_the_sign_of_its_round_and_adds_none(tmp_path):
    from xuen import events as ev

    kept_workspace(tmp_path)

    async def steps(stage):
        stage.tell(ev.Adopted(round=3, id=story.R2, sha256=story.SHA, score=9.0, verify="user"))
        await stage.settle()
        assert [(mark.round, mark.kind) for mark in stage.app.view.marks] == [(1, "adopted"), (2, "adopted")]

    Stage(story.start("en"), workspace=tmp_path).run(steps)


def test_of_a_long_history_only_the_end_is_read(tmp_path):
    workspace = Workspace(tmp_path)
    workspace.rounds.mkdir()
    many = lines_of(*(heartbeat(number) for number in range(1, 20_001)))
    assert len(many) > 2 * TAIL
    workspace.history.write_text(many)
    before = read_bytes()
    marks = past_marks(workspace)
    assert read_bytes() - before < 2 * TAIL
    assert [mark.round for mark in marks] == list(range(20_001 - MARKS_KEPT, 20_001))


def read_bytes():
    """What this process has read from files so far."""
    return int(Path("/proc/self/io").read_text().split()[1])


def test_damage_in_the_history_costs_its_line_only_and_a_pipe_is_not_waited_for(tmp_path):
    workspace = Workspace(tmp_path)
    assert past_marks(workspace) == ()
    workspace.rounds.mkdir()
    torn = '{"event":"heartbeat"}\nno json\n{"seq":9,"event":"of a later version"}\n{"seq":10,"ev'
    workspace.history.write_text(lines_of(heartbeat(1)) + torn)
    assert [mark.round for mark in past_marks(workspace)] == [1]
    workspace.history.unlink()
    os.mkfifo(workspace.history)
    assert past_marks(workspace) == ()
