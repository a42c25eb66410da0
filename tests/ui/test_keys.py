"""The keys: what the footer shows stands whole and works, all of it is in the palette, and every state has a key."""

from __future__ import annotations

import subprocess
import sys

import pytest
import story
from screens import Stage, kept_workspace
from textual.widgets._footer import FooterKey

from xuen import events as ev
from xuen.events import Purpose
from xuen.ui.tui.help import HelpScreen
from xuen.ui.tui.keys import COMMANDS, bindings
from xuen.ui.tui.widgets.input_box import InputBox
from xuen.workspace import inbox


def screen(stage):
    return "\n".join(stage.drawn())


def shown(stage):
    """The keys in the footer that a person can see, with the actions that they do."""
    return {key.action: key for key in stage.app.screen.query(FooterKey) if key.display}


def running(language="en"):
    return [*story.start(language), *story.adopted_round(language), *story.research(2, language, left=3)[:4]]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(40, 10), (80, 24), (200, 60)])
def test_no_key_in_the_footer_is_cut_and_those_of_the_run_are_there(tmp_path, language, size):
    async def steps(stage):
        # The input box, the log, the line to find something, the list of candidates, the line for a score.
        for keys_pressed in ((), ("escape",), ("slash",), ("escape", "v"), ("s",)):
            await stage.pilot.press(*keys_pressed)
            await stage.settle()
            keys = shown(stage)
            row = stage.drawn()[-1]
            assert all(f"{key.key_display} {key.description}" in row.replace("\0", "") for key in keys.values())
            assert all(key.region.right <= size[0] for key in keys.values())
            assert "quit_run(0)" in keys
            if len(stage.app.screen_stack) == 1:
                assert {"pause", "skip_call", "command_palette"} <= keys.keys()

    Stage(running(language), language=language, workspace=kept_workspace(tmp_path)).run(steps, size=size)


def test_more_room_brings_keys_back():
    async def steps(stage):
        await stage.pilot.press("escape")
        await stage.settle()
        few = set(shown(stage))
        await stage.pilot.resize_terminal(120, 30)
        await stage.settle()
        assert few < set(shown(stage))

    Stage(running()).run(steps, size=(40, 10))


def test_a_pause_and_its_end_have_the_same_place_in_the_footer():
    async def steps(stage):
        assert "pause" in shown(stage)
        await stage.pilot.press("f5")
        await stage.settle()
        assert "go_on" in shown(stage)
        assert "pause" not in shown(stage)

    Stage(running()).run(steps, size=(40, 10))


def test_when_the_run_is_over_there_is_nothing_to_pause_or_to_stop():
    async def steps(stage):
        await stage.settle()
        assert not {"pause", "go_on", "skip_call"} & shown(stage).keys()
        assert "quit_run(0)" in shown(stage)
        titles = [command.title for command in stage.app.get_system_commands(stage.app.screen)]
        assert "Pause" not in titles
        assert "Quit" in titles

    Stage(story.whole_run("en"), endless=False).run(steps)


def test_whatever_a_key_does_the_palette_does_as_well():
    by_key = {each.action.partition("(")[0] for each in bindings("en") if hasattr(each, "action")}
    assert by_key - {"command_palette"} == {command.action for command in COMMANDS}


def test_every_command_of_the_palette_can_be_carried_out(tmp_path):
    async def steps(stage):
        for title in (command.title.en for command in COMMANDS):
            offered = {each.title: each for each in stage.app.get_system_commands(stage.app.screen)}
            if title != "Quit":
                stage.app.call_later(offered[title].callback)  # as the palette does
                await stage.settle()
            while len(stage.app.screen_stack) > 1:
                stage.app.pop_screen()
        assert stage.app.is_running
        offered["Quit"].callback()
        await stage.closed()

    Stage(running(), workspace=kept_workspace(tmp_path)).run(steps)


@pytest.mark.parametrize("over", ["f9", "f4", "ctrl+p", "f1"])
def test_a_screen_that_is_left_twice_at_once_is_left_once(tmp_path, over):
    async def steps(stage):
        for leave in (lambda: stage.pilot.click(offset=(0, 0), times=2), stage.pilot.pause):
            await stage.pilot.press(over)
            await stage.until(lambda: len(stage.app.screen_stack) == 2)
            await leave()
            opened = stage.app.screen
            for _ in range(2 * (len(stage.app.screen_stack) - 1)):
                opened.dismiss()
            await stage.settle()
            assert len(stage.app.screen_stack) == 1
        assert stage.app.is_running

    Stage(running(), workspace=kept_workspace(tmp_path)).run(steps, size=(80, 24))


def test_what_is_typed_just_before_the_palette_is_left_ends_nothing(tmp_path):
    async def steps(stage):
        await stage.pilot.press("ctrl+p")
        await stage.until(lambda: len(stage.app.screen_stack) == 2)
        palette = stage.app.screen
        palette.dismiss()
        await stage.settle()
        palette._gather_commands("x")  # as for a key that was still on its way
        await stage.settle()
        assert stage.app.is_running

    Stage(running(), workspace=kept_workspace(tmp_path)).run(steps, size=(80, 24))


@pytest.mark.parametrize("size", [(1, 1), (80, 3), (80, 24)])
@pytest.mark.parametrize("over", ["f9", "f4", "ctrl+p", "f1"])
def test_a_list_without_room_has_no_pages_and_ends_nothing(tmp_path, over, size):
    async def steps(stage):
        inbox.put(stage.workspace, "waits")
        for key in (over, "pagedown", "pageup"):  # at once, before what opens has been drawn
            stage.app.simulate_key(key)
        await stage.pilot.press("pagedown", "pageup", "end", "home")
        await stage.settle()
        assert stage.app.is_running

    Stage(running(), workspace=kept_workspace(tmp_path)).run(steps, size=size)


@pytest.mark.parametrize(("language", "size"), [("en", (40, 10)), ("zh", (80, 24))])
def test_the_help_lists_all_keys_and_signs_and_goes_away_again(language, size):
    async def steps(stage):
        await stage.pilot.press("f1")
        await stage.until(lambda: isinstance(stage.app.screen, HelpScreen))
        await stage.settle()
        page = stage.app.screen.query_one("#help")
        assert page.region.height > 1
        text = "\n".join(page.lines)
        assert all(command.keys in text and command.title.in_language(language) in text for command in COMMANDS)
        assert "▁▂▃▄▅▆▇█" in text
        await stage.pilot.press("end")
        await stage.until(lambda: page.scroll_y == page.max_scroll_y)
        await stage.pilot.press("question_mark")
        await stage.until(lambda: len(stage.app.screen_stack) == 1)

    Stage(running(language), language=language).run(steps, size=size)


@pytest.mark.parametrize(
    ("over", "key", "code"),
    [
        (("f4",), "ctrl+q", 0),
        (("f9",), "ctrl+c", 130),
        (("f1",), "ctrl+c", 130),
        (("ctrl+p",), "ctrl+q", 0),
        (("escape", "slash"), "ctrl+c", 130),
    ],
)
def test_the_keys_that_always_quit_do_so_over_every_other_screen(tmp_path, over, key, code):
    async def steps(stage):
        await stage.pilot.press(*over)
        await stage.settle()
        await stage.pilot.press(key)
        await stage.closed()

    stage = Stage(running(), workspace=kept_workspace(tmp_path)).run(steps)
    assert stage.stop.exit_code == code
    assert stage.ended.is_set()


@pytest.mark.parametrize("size", [(40, 10), (80, 24)])
def test_tab_goes_round_all_panels_and_the_box_also_where_only_one_panel_is_seen(size):
    async def steps(stage):
        seen = []
        for key in ("tab",) * 4 + ("shift+tab",) * 4:
            await stage.pilot.press(key)
            await stage.settle()
            seen.append(stage.app.focused.id)
            assert stage.app.focused.region.height > 0
        assert seen == ["idea", "artifact", "log", "input", "log", "artifact", "idea", "input"]

    Stage(running()).run(steps, size=size)


def test_on_a_low_terminal_the_changes_come_into_sight_when_they_are_asked_for():
    async def steps(stage):
        await stage.pilot.press("escape", "d")
        await stage.settle()
        assert "Idea" in screen(stage)
        assert "against" in screen(stage)

    Stage([*story.start("en"), *story.adopted_round("en")]).run(steps, size=(40, 10))


@pytest.mark.parametrize("size", [(40, 10), (80, 24)])
def test_the_box_for_a_waiting_text_is_whole_and_its_keys_are_named(size):
    async def steps(stage):
        inbox.put(stage.workspace, "one\ntwo")
        await stage.pilot.press("f4", "enter")
        await stage.until(lambda: isinstance(stage.app.focused, InputBox))
        await stage.settle()
        drawn = screen(stage)
        assert "one" in drawn
        assert "two" in drawn
        box = stage.app.focused.region
        assert box.height == 4  # both lines in their border
        assert box.bottom < size[1]
        assert [key.description for key in shown(stage).values()][:2] == ["Save", "Cancel"]

    Stage(running()).run(steps, size=size)


def test_a_call_of_the_test_suite_can_be_ended_too():
    async def steps(stage):
        stage.tell(
            *story.research(3, "en", left=2), ev.Verifying(round=3, id=story.R3, verifier="tests")
        )  # no agent runs
        await stage.settle()
        await stage.pilot.press("f8")
        await stage.settle()
        assert stage.stop.ends_call()

    Stage(story.start("en")).run(steps)


# --- the status lines ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "opencode lists words: 112 of 200 0:00 · call 2, lines so far: 3"),
        ("zh", "opencode 正在列词：112/200 0:00 · 第 2 次调用，已输出 3 行"),
    ],
)
def test_while_the_bank_is_made_the_status_says_how_far_the_call_is(language, said):
    words = Purpose.WORDS
    call = ev.CallStarted(round=0, purpose=words, agent="opencode", pid=7)
    lines = [ev.Output(round=0, purpose=words, stream="stdout", line=f"word {n}") for n in range(3)]
    head, bank = story.start(language)[:4], ev.WordsProgress(have=112, want=200)
    over = ev.CallEnded(round=0, purpose=words, why=ev.Why.OK, code=0, seconds=1.0)

    async def steps(stage):
        assert said in screen(stage).replace("\0", "")

    Stage([*head, call, *lines, over, bank, call, *lines], language=language).run(steps)


def test_a_narrow_status_keeps_the_phase_and_says_the_rest_in_signs():
    async def steps(stage):
        await stage.settle()
        row = next(row for row in stage.drawn() if "Finished" in row)
        assert row.rstrip().endswith("★ r1 8 ?1 ×1")

    Stage(story.whole_run("en"), endless=False).run(steps, size=(40, 10))


def test_a_finished_run_says_how_to_leave_in_full():
    async def steps(stage):
        await stage.settle()
        assert "Finished: all rounds are done" in screen(stage)
        assert "q or Ctrl+Q leaves · workspace/research.md" in screen(stage)

    Stage(story.whole_run("en"), endless=False).run(steps, size=(80, 24))


def test_without_colours_a_rejected_round_does_not_look_like_an_adopted_one(monkeypatch):
    from xuen.ui.tui.widgets.chart import bar
    from xuen.ui.view import Mark

    assert bar(Mark(1, "rejected", 8.0)) == bar(Mark(1, "adopted", 8.0))
    assert bar(Mark(1, "rejected", 8.0), colour=False) != bar(Mark(1, "adopted", 8.0), colour=False)
    monkeypatch.setenv("NO_COLOR", "1")

    async def steps(stage):
        await stage.settle()
        assert "█?-×" in screen(stage).replace("▇", "█")

    Stage(story.whole_run("en"), endless=False).run(steps)


@pytest.mark.parametrize(
    ("program", "idle"), [("import time; time.sleep(600)", True), ("while True: pass", False)], ids=["sleeps", "works"]
)
def test_an_agent_that_says_nothing_is_seen_to_work_or_not(program, idle):
    argv = [sys.executable, "-uc", f"print('up')\n{program}"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE)
    process.stdout.readline()  # its start is work

    async def steps(stage):
        stage.tell(
            ev.RoundStarted(round=1, words=(), left=2),
            ev.CallStarted(round=1, purpose=Purpose.RESEARCH, agent="agent", pid=process.pid),
        )
        await stage.settle()
        for now in (12.0, 14.1, 16.2):  # by the clock of the screen, which looks every two seconds
            stage.now = now
            await stage.settle()
            await stage.pilot.pause(1)
        assert "no word yet" in screen(stage)
        assert ("no CPU use" in screen(stage)) is idle

    try:
        Stage(story.start("en")).run(steps, size=(120, 30))
    finally:
        process.kill()
        process.communicate()
