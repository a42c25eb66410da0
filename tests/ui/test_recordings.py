"""Recordings of real runs (`--events`), replayed into the screen; `record.py` makes them, and makes them again.

After a wanted change: `pytest tests/ui/test_recordings.py --snapshot-update`, then look.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import record
from screens import Stage

from xuen.events import RunFinished, from_json
from xuen.ui.view import Phase

RECORDINGS = Path(__file__).with_name("recordings")
END_OF_FIRST_RUN = "run_finished"


def recorded(language):
    return [from_json(line) for line in (RECORDINGS / f"{language}.jsonl").read_bytes().splitlines()]


def first_run(events):
    end = next(number for number, event in enumerate(events) if isinstance(event, RunFinished))
    return events[: end + 1]


def kinds(lines):
    """What happened, without how many lines an agent printed: those may come in one event or in two."""
    found = [json.loads(line)["event"] for line in lines]
    return [kind for kind in found if kind != "output"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 10)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_replayed_run_looks_like_this(snap_compare, language, size):
    stage = Stage(first_run(recorded(language)), language=language, endless=False)

    async def before(pilot):
        stage.pilot = pilot
        await stage.settle()

    assert snap_compare(stage.app, terminal_size=size, run_before=before)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_replayed_run_ends_with_is_what_the_run_said(language):
    events = recorded(language)
    finished = [event for event in events if isinstance(event, RunFinished)]

    async def steps(stage):
        view = stage.app.view
        assert view.phase is Phase.FINISHED
        assert [mark.kind for mark in view.marks] == [
            *("adopted", "rejected", "adopted", "still", "failed", "failed"),  # the third waited and was overturned
            *("adopted", "pending"),
        ]
        assert view.best_score == 9
        assert len(view.pending) == 1
        log = stage.text_of("#log")
        assert log.count("── ") == len(events_of(events, "round_started")) + len(finished)
        assert record.SAID[language] in log
        drawn = "\n".join(stage.drawn())
        assert not any(ord(character) < 32 and character != "\n" for character in drawn)
        assert "[/bold] [red]x[/red] [@click=app.quit]x a [node_modules] b" in stage.text_of("#idea")

    Stage(events, language=language, endless=False).run(steps, size=(120, 40))


def events_of(events, name):
    return [event for event in events if event.__struct_config__.tag == name]


def test_the_program_still_tells_what_was_recorded(tmp_path):
    lines = record.record("en", tmp_path)
    assert kinds(lines) == kinds((RECORDINGS / "en.jsonl").read_text("utf-8").splitlines())
    fresh = [from_json(line) for line in lines]

    async def steps(stage):
        assert [mark.kind for mark in stage.app.view.marks][:4] == ["adopted", "rejected", "adopted", "still"]

    Stage(fresh, endless=False).run(steps)
