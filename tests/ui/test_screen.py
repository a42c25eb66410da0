from __future__ import annotations

import pytest
import story
from screens import Stage

from xuen import events as ev
from xuen.events import Purpose
from xuen.texts import plain
from xuen.ui.tui.widgets.input_box import InputBox
from xuen.ui.tui.widgets.log import MAX_ROWS, Log
from xuen.workspace import inbox


def output(line):
    return ev.Output(round=1, purpose=Purpose.RESEARCH, stream="stdout", line=line)


@pytest.mark.parametrize(("language", "mark"), [("zh", "[修改想法区]"), ("en", "[idea updated]")])
def test_an_overwritten_section_stands_in_its_panel_directly_after_its_mark(language, mark):
    stage = Stage([*story.start(language), *story.adopted_round(language)], language=language)

    async def steps(stage):
        assert stage.text_of("#idea") == mark + story.IDEA[language]
        stage.tell(*story.pending_round(language))
        await stage.settle()
        assert stage.text_of("#idea") == story.IDEA[language]  # put back: the best, not an overwriting

    stage.run(steps)


def test_the_three_panels_have_the_names_of_the_seed():
    async def steps(stage):
        titles = [str(stage.app.query_one(panel).border_title) for panel in ("#idea", "#artifact", "#log", "#input")]
        assert titles == ["修改想法区", "修改产物区", "输出日志", "输入"]

    Stage(story.start("zh"), language="zh").run(steps)


def test_hostile_text_is_literal_in_every_panel_and_the_run_goes_on():
    events = [
        ev.RunStarted(
            round=0, task=story.HOSTILE, workspace="w", language="en", agent="[/x]", verify="ai", iterations=None
        ),
        ev.RoundStarted(round=1, words=(story.HOSTILE,), left=None),
        ev.CallStarted(round=1, purpose=Purpose.RESEARCH, agent=story.HOSTILE, pid=1),
        output(story.HOSTILE),
        ev.SectionChanged(round=1, section="idea", content=story.HOSTILE),
        ev.SectionChanged(round=1, section="artifact", content=story.HOSTILE),
        ev.AgentFailed(round=1, why=ev.Why.FAILED, code=1, reason=plain(story.HOSTILE)),
        ev.GuardOff(reason=plain("[/x]")),
    ]

    async def steps(stage):
        await stage.pilot.press(*"[/bold]", "enter")
        await stage.settle()
        assert stage.text_of("#idea") == "[idea updated]" + story.HARMLESS
        assert stage.text_of("#artifact") == "[artifact updated]" + story.HARMLESS
        assert stage.text_of("#log").count(story.HARMLESS) == 5
        screen = "\n".join(stage.drawn())
        assert "[/bold] [red]x[/red]" in screen
        assert "queued 1  (F4 edits)  [/bold]" in screen
        assert not any(ord(character) < 32 and character != "\n" for character in screen)
        assert stage.queued == ["[/bold]"]

    Stage(events).run(steps, size=(110, 40))


def test_typed_text_is_queued_exactly_and_q_is_a_letter_there():
    async def steps(stage):
        await stage.pilot.press(*"qwen 请求", "enter")
        await stage.settle()
        assert stage.queued == ["qwen 请求"]
        assert not stage.stop.is_set()
        assert stage.app.query_one(InputBox).text == ""
        assert "queued 1  (F4 edits)  qwen 请求" in "\n".join(stage.drawn())
        with inbox.Handover(stage.workspace) as handover:
            handover.take()
        stage.tell(ev.RoundStarted(round=2, words=(), left=1), ev.InputTaken(round=2, texts=("qwen 请求",)))
        await stage.settle()
        screen = "\n".join(stage.drawn())
        assert "your input went into round 2" in screen
        assert "queued" not in screen

    Stage(story.start("en")).run(steps)


def test_pasted_lines_stay_lines_and_blank_input_is_not_queued():
    from textual.events import Paste

    async def steps(stage):
        await stage.pilot.press("enter", "space", "enter")
        stage.app.post_message(Paste("one\ntwo\nthree"))
        await stage.settle()
        await stage.pilot.press("enter")
        await stage.settle()
        assert stage.queued == ["one\ntwo\nthree"]

    Stage().run(steps)


def test_a_text_that_could_not_be_queued_stays_in_the_box_and_says_why(tmp_path):
    (tmp_path / "inbox.jsonl").mkdir()

    async def steps(stage):
        await stage.pilot.press(*"hello", "enter")
        await stage.settle()
        assert stage.app.query_one(InputBox).text == "hello"
        assert "not queued:" in "\n".join(stage.drawn())

    Stage(workspace=tmp_path).run(steps)


@pytest.mark.parametrize(
    ("keys", "exit_code"), [(("ctrl+q",), 0), (("ctrl+c",), 130), (("escape", "q"), 0), (("tab", "q"), 0)]
)
def test_the_keys_that_quit_end_the_loop_first(keys, exit_code):
    async def steps(stage):
        await stage.pilot.press(*keys)
        await stage.closed()

    stage = Stage(story.start("en")).run(steps)
    assert stage.stop.exit_code == exit_code
    assert stage.ended.is_set()
    assert stage.app.return_code == 0
    assert stage.app.running.result() == exit_code


def test_quitting_says_that_the_agent_is_being_ended_and_a_second_time_hurries():
    import time

    def slow_to_end(stage, sink):
        code = stage.loop(sink)
        while not stage.stop.is_hurried():
            time.sleep(0.01)
        return code

    async def steps(stage):
        await stage.pilot.press("ctrl+c")
        await stage.settle()
        assert "ending the agent" in "\n".join(stage.drawn())
        assert not stage.app.running.done()
        await stage.pilot.press("ctrl+c")
        await stage.closed()
        assert stage.app.running.done()

    stage = Stage(story.start("en"), work=slow_to_end).run(steps)
    assert stage.stop.exit_code == 130


def test_a_stop_from_outside_ends_the_screen_as_well():
    async def steps(stage):
        stage.stop.request(143)
        await stage.closed()

    assert Stage(story.start("en")).run(steps).app.running.result() == 143


def test_a_run_that_is_over_stays_to_be_read_and_says_how_to_leave():
    async def steps(stage):
        assert stage.app.is_running
        screen = "\n".join(stage.drawn())
        assert "Finished: all rounds are done" in screen
        assert "q or Ctrl+Q leaves" in screen
        await stage.pilot.press("q")
        await stage.closed()

    stage = Stage(story.whole_run("en"), endless=False).run(steps, size=(100, 30))
    assert stage.app.running.result() == 0


def test_work_that_raises_closes_the_screen_and_keeps_its_error():
    def broken(_stage, _sink):
        raise ValueError("no")

    stage = Stage(work=broken)

    async def started():
        async with stage.app.run_test() as pilot:
            stage.pilot = pilot
            await stage.closed()

    import asyncio

    asyncio.run(started())
    assert isinstance(stage.app.running.exception(), ValueError)


SIZES = [(1, 1), (2, 1), (1, 40), (20, 5), (40, 10), (80, 24), (200, 60), (120, 40), (3, 3), (99, 17), (100, 18)]


@pytest.mark.parametrize("colour", [True, False])
def test_no_size_breaks_the_screen_or_loses_a_line(colour, monkeypatch):
    if not colour:
        monkeypatch.setenv("NO_COLOR", "1")

    async def steps(stage):
        before = stage.text_of("#log")
        for size in SIZES * 2:
            await stage.pilot.resize_terminal(*size)
        await stage.pilot.press("ctrl+p")
        for size in SIZES:
            await stage.pilot.resize_terminal(*size)
        await stage.pilot.press("escape")
        await stage.pilot.resize_terminal(80, 24)
        await stage.settle()
        assert stage.text_of("#log") == before
        rows = stage.drawn()
        assert rows[0].startswith("╭─ Idea ")
        assert rows[0].endswith("─╮")

    Stage(story.whole_run("en"), endless=False).run(steps)


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (120, 40)])
def test_long_and_wide_text_leaves_the_borders_whole(size):
    from rich.cells import cell_len

    events = [
        *story.start("zh"),
        ev.RoundStarted(round=1, words=("词" * 300,), left=None),
        ev.SectionChanged(round=1, section="idea", content="汉" * 500 + " 👍🏽 é ️☕"),
        ev.SectionChanged(round=1, section="artifact", content="w" * 10_000),
        output("\t" + "汉☕" * 300),
        output("x" * 65_536),
        output("\x1b[2J\x1b]0;title\x07\x1bc\x9b31m visible \x1b]open text"),
    ]

    async def steps(stage):
        rows = stage.drawn()
        assert all(cell_len(row) == size[0] for row in rows)
        framed = [row for row in rows if row.startswith(("│", "╭", "╰"))]
        assert framed
        assert all(row.endswith(("│", "╮", "╯")) for row in framed)

    Stage(events, language="zh").run(steps, size=size)


def test_the_log_follows_until_someone_scrolls_up_and_follows_again_at_its_end():
    async def steps(stage):
        log = stage.app.query_one(Log)
        await stage.pilot.press("escape")
        assert log.scroll_y == log.max_scroll_y > 0
        await stage.pilot.press("pageup")
        await stage.until(lambda: not log.following)
        await stage.until(lambda: not stage.app.animator.is_being_animated(log, "scroll_y"))
        at = log.scroll_y
        stage.tell(*(output(f"more {n}") for n in range(50)))
        await stage.settle()
        assert log.scroll_y == at
        await stage.pilot.press("f")
        await stage.settle()
        assert log.following
        assert log.scroll_y == log.max_scroll_y

    Stage([output(f"line {n}") for n in range(200)]).run(steps)


def test_the_end_of_the_log_stays_in_sight_when_the_log_gets_lower():
    async def steps(stage):
        await stage.pilot.press(*"a text", "enter")  # the row of queued texts takes one from the log
        await stage.settle()
        assert "line 199" in "\n".join(stage.drawn())
        for size in ((80, 20), (120, 35), (60, 24)):
            await stage.pilot.resize_terminal(*size)
            await stage.settle()
            assert "line 199" in "\n".join(stage.drawn())

    Stage([output(f"line {n}") for n in range(200)]).run(steps)


def test_the_log_is_bounded_and_what_is_read_stays_in_place():
    async def steps(stage):
        log = stage.app.query_one(Log)
        for start in range(0, 4 * MAX_ROWS, 2000):
            stage.tell(*(output(f"line {n}") for n in range(start, start + 2000)))
            await stage.pilot.pause(0.05)
        await stage.settle()
        assert len(log.lines) <= MAX_ROWS + 500
        assert log.lines[-1] == f"line {4 * MAX_ROWS - 1}"
        assert log.scroll_y == log.max_scroll_y

    Stage().run(steps)


def test_selected_text_is_what_was_said_without_the_breaks_of_wrapping():
    from textual.geometry import Offset
    from textual.selection import SELECT_ALL, Selection

    long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"

    async def steps(stage):
        log = stage.app.query_one(Log)
        assert log.get_selection(SELECT_ALL) == (f"first\n{long}\n中文", "\n")
        part = Selection.from_offsets(Offset(2, 0), Offset(3, 1))
        assert log.get_selection(part) == ("rst\none", "\n")

    Stage([output("first"), output(long), output("中文")]).run(steps, size=(50, 24))


def test_an_agent_that_says_nothing_is_named_as_silent():
    async def steps(stage):
        stage.now = 100.0
        stage.tell(*story.research(1, "en", left=3)[:2])
        await stage.settle()
        assert "opencode at work 0:00" in "\n".join(stage.drawn())
        stage.now = 175.0
        await stage.settle()
        assert "opencode at work 1:15 · no word yet" in "\n".join(stage.drawn())
        stage.tell(output("hello"))
        await stage.settle()
        stage.now = 195.0
        await stage.settle()
        assert "silent for 20 s" in "\n".join(stage.drawn())

    Stage(story.start("en")).run(steps)


def test_low_terminals_show_the_panel_in_use():
    async def steps(stage):
        assert any("Log" in row for row in stage.drawn())
        assert not any("Idea" in row for row in stage.drawn())
        await stage.pilot.press("escape", "1")
        await stage.settle()
        assert any("Idea" in row for row in stage.drawn())
        assert not any("Log" in row for row in stage.drawn())

    Stage(story.start("en")).run(steps, size=(40, 10))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_palette_speaks_the_language_and_can_quit(language):
    quit_ = {"en": "Quit", "zh": "退出"}[language]

    async def steps(stage):
        await stage.pilot.press("ctrl+p")
        await stage.until(lambda: len(stage.app.screen_stack) == 2)
        await stage.settle()
        screen = "\n".join(stage.drawn())
        assert {"en": "Search for a command", "zh": "搜索命令"}[language] in screen
        await stage.pilot.press(*"zzz")
        await stage.until(lambda: {"en": "no such command", "zh": "没有这个命令"}[language] in "\n".join(stage.drawn()))
        await stage.pilot.press(*["backspace"] * 3)
        await stage.pilot.press(*quit_)
        found = stage.app.screen.query_one("CommandList")
        await stage.until(lambda: found.option_count and quit_ in str(found.get_option_at_index(0).prompt))
        await stage.pilot.press("enter")
        await stage.until(stage.stop.is_set)

    Stage(story.start(language), language=language).run(steps)


def test_what_is_remembered_of_drawn_lines_does_not_grow_with_the_night():
    from textual.strip import Strip

    async def steps(stage):
        log = stage.app.query_one(Log)
        rows = log.size.height
        for start in range(0, 6000, rows):  # each line is drawn before the next ones come
            stage.tell(*(output(f"line {n}") for n in range(start, start + rows)))
            stage.app._tick()
            for y in range(rows):
                log.render_line(y).render(stage.app.console)
        assert len(log.lines) >= MAX_ROWS
        assert Strip.render_ansi.cache_info().currsize < 3000

    Strip.render_ansi.cache_clear()
    Stage().run(steps, size=(80, 100))
