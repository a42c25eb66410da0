"""Pictures of the screen. After a wanted change: `pytest tests/ui/test_snapshots.py --snapshot-update`, then look."""

from __future__ import annotations

import pytest
import story
from screens import Stage, kept_workspace

from xuen.ui.tui.app import LoopApp


def picture(snap_compare, stage: Stage, *, size, theme="textual-dark", keys=()):
    async def before(pilot):
        stage.pilot = pilot
        stage.app.theme = theme
        await stage.settle()
        for key in keys:
            await pilot.press(key)
        await stage.settle()

    try:
        return snap_compare(stage.app, terminal_size=size, run_before=before)
    finally:
        stage.let_go.set()


def judging(language):
    """In round 2: the agent has overwritten both sections, the judge is at it, a text waits."""
    events = [*story.start(language), *story.adopted_round(language), *story.pending_round(language)[:-6]]
    return Stage(events, language=language)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 10)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_while_the_judge_is_at_it(snap_compare, language, size):
    typed = {"en": "try width 2", "zh": "试试树宽 2"}[language]
    assert picture(snap_compare, judging(language), size=size, keys=[*typed, "enter"])


def test_finished_in_light(snap_compare):
    stage = Stage(story.whole_run("en"), endless=False)
    assert picture(snap_compare, stage, size=(100, 30), theme="textual-light")


def test_without_colour(snap_compare, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    stage = judging("zh")
    assert isinstance(stage.app, LoopApp)
    assert picture(snap_compare, stage, size=(80, 24))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 10)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_candidates(snap_compare, tmp_path, language, size):
    stage = Stage(story.start(language), language=language, workspace=kept_workspace(tmp_path))
    assert picture(snap_compare, stage, size=size, keys=["escape", "v"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_changes_of_a_round(snap_compare, language):
    stage = Stage([*story.start(language), *story.adopted_round(language)], language=language)
    assert picture(snap_compare, stage, size=(100, 30), keys=["escape", "d"])
