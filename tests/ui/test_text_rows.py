"""The panels of text: what is searched, marked and read in them, however long the lines are."""

from __future__ import annotations

import time

import pytest
import story
from rich.segment import Segment
from rich.style import Style
from screens import Stage
from textual.geometry import Offset
from textual.selection import Selection

from xuen import events as ev
from xuen.events import Purpose
from xuen.ui.tui.widgets.log import MAX_ROWS, Log
from xuen.ui.tui.widgets.rows import PanelLine, restyle

BRIEF = 20.0  # seconds; far above what is needed, far below what a search by rows times lines takes


def output(line):
    return ev.Output(round=1, purpose=Purpose.RESEARCH, stream="stdout", line=line)


def row_of(panel, y):
    return [(segment.text, segment.style) for segment in panel.render_line(y)]


def test_spans_do_not_multiply_the_pieces_of_a_row():
    segments = [Segment("ab" * 40)]
    for place in range(0, 80, 2):
        segments = restyle(segments, (place, place + 1), Style(bold=True))
    assert len(segments) == 80
    assert "".join(segment.text for segment in segments) == "ab" * 40
    assert [bool(segment.style and segment.style.bold) for segment in segments] == [True, False] * 40


def test_a_letter_that_stands_everywhere_is_found_and_marked_at_once():
    async def steps(stage):
        log = stage.app.query_one(Log)
        began = time.monotonic()
        await stage.pilot.press("escape", "slash", "e")
        await stage.settle()
        marked = [
            text for y in range(log.size.height) for text, style in row_of(log, y) if text == "e" and style.bgcolor
        ]
        assert len(marked) > 100
        await stage.pilot.press("enter", "enter")
        assert time.monotonic() - began < BRIEF

    Stage([output("e " * 500), *(output("e " * 30_000) for _ in range(5))]).run(steps)


def test_a_text_is_marked_over_the_break_of_a_row_and_only_there():
    async def steps(stage):
        log = stage.app.query_one(Log)
        log.look_for("needle")
        assert log.find(backwards=False)
        await stage.settle()
        marked = [
            text for y in range(log.size.height) for text, style in row_of(log, y) if style.bgcolor and "n" in text
        ]
        found = [text for y in range(log.size.height) for text, style in row_of(log, y) if style.reverse]
        assert "".join(found) == "needle"
        assert len(found) == 2
        assert marked.count("needle") == 1

    width = 74
    Stage([output("x" * (width - 3) + "needle and needle")]).run(steps)


def test_a_line_with_many_changed_words_is_compared_at_once():
    old = " ".join(f"old{n} kept{n} kept" for n in range(40))
    new = old.replace("old", "new")

    async def steps(stage):
        began = time.monotonic()
        await stage.pilot.press("escape", "d")
        await stage.settle()
        assert "+ new0 kept0" in "\n".join(stage.drawn())
        assert time.monotonic() - began < BRIEF

    events = [
        *story.start("en"),
        ev.SectionsShown(idea=old, artifact=""),
        ev.RoundStarted(round=1, words=(), left=1),
        ev.SectionChanged(round=1, section="idea", content=new),
    ]
    Stage(events).run(steps, size=(200, 40))


def colours(panel):
    """What is drawn in the first rows, and in which colour."""
    return [(text, style.color) for y in range(3) for text, style in row_of(panel, y) if text.strip()]


def test_another_theme_colours_the_formatted_sections_too():
    async def steps(stage):
        panel = stage.app._panels["artifact"]
        dark = colours(panel)
        await stage.pilot.press("escape", "t")
        await stage.settle()
        light = colours(panel)
        assert [text for text, _ in light] == [text for text, _ in dark]
        assert all(before != after for (_, before), (_, after) in zip(dark, light, strict=True))
        panel.rewrap()
        assert colours(panel) == light

    Stage([*story.start("en"), *story.research(1, "en", left=1)]).run(steps)


@pytest.mark.parametrize("text", ["a paragraph\n\n", "a line\n"], ids=["formatted", "plain"])
def test_who_reads_a_section_stays_there_as_long_as_it_is_the_same(text):
    many = text * 3000 if text == "a line\n" else text * 200

    async def steps(stage):
        panel = stage.app._panels["artifact"]
        panel.scroll_to(y=90, animate=False, immediate=True)
        stage.tell(ev.RoundStarted(round=2, words=(), left=1), ev.SectionsShown(idea="other", artifact=many))
        await stage.settle()
        assert panel.scroll_y == 90
        stage.tell(ev.SectionChanged(round=2, section="artifact", content="new " + many))
        await stage.settle()
        assert panel.scroll_y == 0

    events = [*story.start("en"), ev.SectionChanged(round=1, section="artifact", content=many)]
    Stage(events).run(steps)


def test_what_is_selected_stays_selected_when_the_oldest_rows_of_the_log_go():
    async def steps(stage):
        log, chosen = stage.app.query_one(Log), "line 900\nline 901"
        log.append(PanelLine("plain", f"line {n}") for n in range(MAX_ROWS))
        stage.app.screen.selections = {log: Selection.from_offsets(Offset(0, 900), Offset(8, 901))}
        assert stage.app.screen.get_selected_text() == chosen
        log.append(PanelLine("plain", f"more {n}") for n in range(600))
        assert log.lines[0] == "line 600"
        assert stage.app.screen.get_selected_text() == chosen
        log.append(PanelLine("plain", f"more {n}") for n in range(600))
        assert not stage.app.screen.get_selected_text()

    Stage().run(steps)
