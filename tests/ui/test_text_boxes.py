"""What stands in a text box may be anybody's: a line of the inbox, a text from the clipboard. No terminal obeys it."""

from __future__ import annotations

import pytest
import story
from screens import Stage, kept_workspace
from textual import events

from xuen.workspace import inbox

HOSTILE = "begin \x1b]52;c;aGk=\x07 \x1b[2J \x00 \x9b2J \u202egnirts \ud83d [/x] 汉 end"


def obeyed(stage):
    """What a terminal would act upon, of all that is drawn."""
    text = "".join(stage.drawn())
    return [c for c in text if not c.isprintable() or c in "\u202e\ud83d"]


def is_whole(stage):
    return all(row.endswith(("│", "╮", "╯")) for row in stage.drawn() if row.startswith(("│", "╭", "╰")))


def test_a_waiting_text_of_somebody_else_is_edited_without_being_obeyed():
    async def steps(stage):
        inbox.put(stage.workspace, HOSTILE)
        await stage.pilot.press("f4")
        await stage.until(lambda: stage.app.screen.query_one("#waiting").option_count == 1)
        await stage.pilot.press("enter")
        await stage.settle()
        assert "end" in stage.app.focused.text
        assert obeyed(stage) == []
        assert is_whole(stage)

    Stage(story.start("en")).run(steps, size=(100, 30))


@pytest.mark.parametrize("keys", [(), ("escape", "slash"), ("f9", "s")], ids=["input", "find", "score"])
def test_a_pasted_text_is_shown_without_being_obeyed(tmp_path, keys):
    async def steps(stage):
        await stage.pilot.press(*keys)
        stage.app.focused.post_message(events.Paste(HOSTILE))
        await stage.settle()
        assert "end" in "".join(stage.drawn())
        assert obeyed(stage) == []
        assert is_whole(stage)

    Stage(story.start("en"), workspace=kept_workspace(tmp_path)).run(steps, size=(100, 30))


def test_waiting_texts_of_any_length_cost_a_draw_nothing():
    async def steps(stage):
        for _ in range(3):
            inbox.put(stage.workspace, "a line of text\n" * 20_000)
        stage.app._look_at_inbox()
        shown = str(stage.app.query_one("#queue").content)
        assert len(shown) < 2000
        assert shown.endswith("…")
        await stage.pilot.press("f4")
        await stage.settle()
        assert "a line of text a line of text" in "\n".join(stage.drawn())

    Stage(story.start("en")).run(steps)
