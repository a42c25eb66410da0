"""What a person does to a run from the screen: pause it, end a call, change the queue, score candidates, find text."""

from __future__ import annotations

import pytest
import story
from screens import Stage, kept_workspace
from textual.widgets import Input, OptionList

from xuen import events as ev
from xuen.events import Purpose, Why
from xuen.guard import report
from xuen.ui.tui.candidates import read_score
from xuen.ui.tui.widgets.input_box import InputBox
from xuen.ui.tui.widgets.log import Log
from xuen.workspace import inbox
from xuen.workspace.paths import Workspace


def output(line):
    return ev.Output(round=1, purpose=Purpose.RESEARCH, stream="stdout", line=line)


def screen(stage):
    return "\n".join(stage.drawn())


# --- the run --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [("escape", "p"), ("f5",)])
def test_a_pause_is_asked_for_and_taken_back_by_the_same_key(keys):
    async def steps(stage):
        await stage.pilot.press(*keys)
        await stage.settle()
        assert stage.stop.is_paused()
        assert "pauses after this round" in screen(stage)
        assert "Go on" in screen(stage)
        await stage.pilot.press(keys[-1])
        await stage.settle()
        assert not stage.stop.is_paused()
        assert "Pause" in screen(stage)

    Stage([*story.start("en"), *story.research(1, "en", left=2)[:3]]).run(steps, size=(120, 40))


def test_a_loop_that_stands_still_is_named_as_paused():
    async def steps(stage):
        await stage.pilot.press("escape", "p")
        await stage.until(stage.stop.is_waiting)
        await stage.settle()
        assert "paused: F5 goes on" in screen(stage)
        await stage.pilot.press("p")
        await stage.until(lambda: not stage.stop.is_waiting())

    def with_pause(stage, sink):
        stage.sink = sink
        while not stage.stop.is_paused():
            pass
        stage.stop.wait_while_paused()
        return stage.loop(sink)

    Stage([*story.start("en"), *story.adopted_round("en")], work=with_pause).run(steps)


def test_only_the_call_that_runs_is_ended():
    async def steps(stage):
        await stage.pilot.press("escape", "x")
        await stage.settle()
        assert "no agent runs now" in screen(stage)
        assert not stage.stop.ends_call()
        stage.tell(*story.research(1, "en", left=2)[:2])
        await stage.settle()
        await stage.pilot.press("x")
        await stage.settle()
        assert stage.stop.ends_call()
        assert not stage.stop.is_set()
        assert "ending this call" in screen(stage)
        stopped = Why.STOPPED
        stage.tell(
            ev.CallEnded(round=1, purpose=Purpose.RESEARCH, why=stopped, code=None, seconds=1.0),
            ev.AgentFailed(round=1, why=stopped, code=None, reason=story.Text("stopped", "被停止")),
        )
        await stage.settle()
        assert "Stopped: round 1 was ended before its time" in screen(stage)
        assert "failed" not in screen(stage)

    Stage(story.start("en")).run(steps, size=(120, 40))


# --- the queue ------------------------------------------------------------------------------------------------------


def test_texts_from_elsewhere_are_seen_and_can_be_changed_and_removed():
    async def steps(stage):
        for text in ("from elsewhere", "two\nlines", "three"):
            inbox.put(stage.workspace, text)
        await stage.until(lambda: "queued 3" in screen(stage))
        assert "from elsewhere · two lines · three" in screen(stage)
        await stage.pilot.press("escape", "e")
        await stage.until(lambda: len(stage.app.screen_stack) == 2)
        await stage.pilot.press("down", "enter")
        await stage.until(lambda: isinstance(stage.app.focused, InputBox))
        assert stage.app.focused.text == "two\nlines"
        await stage.pilot.press(*"!", "enter")
        await stage.until(lambda: stage.queued[1] == "two\nlines!")
        await stage.pilot.press("up", "delete")
        await stage.until(lambda: stage.queued == ["two\nlines!", "three"])
        await stage.pilot.press("escape")
        await stage.until(lambda: "queued 2" in screen(stage))

    Stage(story.start("en")).run(steps, size=(100, 30))


def test_the_chosen_text_stays_chosen_when_others_before_it_go():
    async def steps(stage):
        for text in ("first", "second", "third"):
            inbox.put(stage.workspace, text)
        await stage.pilot.press("f4")
        await stage.until(lambda: stage.app.screen.query_one("#waiting", OptionList).option_count == 3)
        await stage.pilot.press("down")
        inbox.change(stage.workspace, inbox.peek(stage.workspace)[0], None)
        await stage.until(lambda: stage.app.screen.query_one("#waiting", OptionList).option_count == 2)
        await stage.pilot.press("delete")
        await stage.until(lambda: stage.queued == ["third"])

    Stage(story.start("en")).run(steps, size=(100, 30))


def test_what_a_call_is_being_given_is_not_changed_and_that_is_said():
    async def steps(stage):
        inbox.put(stage.workspace, "given")
        await stage.pilot.press("escape", "e")
        await stage.until(lambda: len(stage.app.screen_stack) == 2)
        with inbox.Handover(stage.workspace):
            await stage.pilot.press("delete")
            await stage.settle()
            assert "too late: a call has it already" in screen(stage)
        assert stage.queued == ["given"]

    Stage(story.start("en")).run(steps, size=(100, 30))


async def edit_the_first_that_waits(stage):
    await stage.pilot.press("escape", "e")
    await stage.until(lambda: len(stage.app.screen_stack) == 2)
    await stage.pilot.press("enter")
    await stage.until(lambda: isinstance(stage.app.focused, InputBox))


def test_what_was_written_too_late_waits_for_the_next_call():
    async def steps(stage):
        inbox.put(stage.workspace, "given")
        await edit_the_first_that_waits(stage)
        with inbox.Handover(stage.workspace) as handover:
            handover.take()
        await stage.pilot.press(*" more", "enter")
        await stage.settle()
        assert "too late: a call has it already; what you" in screen(stage)
        assert stage.queued == ["given more"]

    Stage(story.start("en")).run(steps, size=(120, 30))


def test_what_could_not_be_saved_stays_in_the_box(tmp_path):
    async def steps(stage):
        inbox.put(stage.workspace, "waits")
        await edit_the_first_that_waits(stage)
        stage.workspace.inbox.unlink()
        stage.workspace.inbox.mkdir()
        await stage.pilot.press(*" on", "enter")
        await stage.settle()
        assert "not queued" in screen(stage)
        assert stage.app.focused.text == "waits on"

    Stage(story.start("en"), workspace=tmp_path).run(steps, size=(120, 30))


# --- candidates -----------------------------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path):
    """A workspace with a baseline, a best and a pending candidate, as the guard would have left it."""
    return kept_workspace(tmp_path)


def test_a_candidate_is_opened_compared_with_the_best_and_scored(kept):
    async def steps(stage):
        await stage.pilot.press("escape", "v")
        await stage.until(lambda: len(stage.app.screen_stack) == 2)
        await stage.settle()
        assert stage.app.screen.query_one("#candidates", OptionList).option_count == 3
        detail = "\n".join(stage.app.screen.query_one("#detail").lines)
        assert "pending by the judge: no score" in detail
        assert "- old idea\n+ new idea\n  same" in detail
        assert "+ a [/b]" in detail
        await stage.pilot.press("d")
        await stage.settle()
        assert "new idea\nsame" in "\n".join(stage.app.screen.query_one("#detail").lines)
        await stage.pilot.press("s", *"8.5 nice  one", "enter")
        await stage.until(Workspace(kept).verdicts.exists)
        assert Workspace(kept).verdicts.read_text() == f"{story.R2} 8.5 nice one\n"
        await stage.until(lambda: "noted: counts from the next round on" in screen(stage))
        assert "→ scored 8.5" in screen(stage)
        stage.tell(ev.Adopted(round=3, id=story.R2, sha256=story.SHA, score=8.5, verify="user"))
        await stage.settle()
        assert "your verdict: r2 is the new best" in screen(stage)

    Stage(story.start("en"), workspace=kept).run(steps, size=(120, 40))


@pytest.mark.parametrize("size", [(1, 1), (40, 10), (80, 24), (200, 60)])
def test_the_candidates_fit_every_size_and_a_bad_score_is_refused(kept, size):
    async def steps(stage):
        await stage.pilot.press("escape", "v", "s", *"eleven", "enter")
        await stage.settle()
        assert isinstance(stage.app.focused, Input)
        await stage.pilot.press("escape", "escape")
        await stage.until(lambda: len(stage.app.screen_stack) == 1)

    Stage(story.start("zh"), language="zh", workspace=kept).run(steps, size=size)
    assert not Workspace(kept).verdicts.exists()


def test_a_score_is_for_the_candidate_it_was_asked_for_wherever_the_list_stands_by_then(kept):
    async def steps(stage):
        await stage.pilot.press("f9", "s", "9")
        stage.app.screen.query_one("#candidates", OptionList).highlighted = 1  # as a click would
        await stage.settle()
        await stage.pilot.press("enter")
        await stage.settle()
        assert Workspace(kept).verdicts.read_text() == f"{story.R2} 9\n"

    Stage([*story.start("en"), *story.adopted_round("en")], workspace=kept).run(steps)


@pytest.mark.parametrize(
    ("text", "score"),
    [("8", (8, "")), (" 7.5  why not\n", (7.5, "why not")), ("10 [x]", (10, "[x]")), ("0 no", (0, "no"))],
)
def test_a_score_and_its_comment_are_read(text, score):
    assert read_score(text) == score


@pytest.mark.parametrize("text", ["", "11", "8x", "-1", "1e1", "nice 8", "10.5", "８分"])
def test_what_does_not_begin_with_a_score_is_none(text):
    assert read_score(text) is None


def test_all_candidates_are_listed_newest_first(kept):
    listed = report.listed(Workspace(kept))
    assert [(each.id, each.status, each.score) for each in listed] == [
        (story.R2, "pending", None),
        (story.R1, "adopted", 8.0),
        (story.BASE, "baseline", None),
    ]
    assert report.sections_of(Workspace(kept), listed[1]).idea == "old idea\nsame"
    Workspace(kept).candidate(story.R1).write_bytes(b"damaged")
    assert report.sections_of(Workspace(kept), listed[1]) is None


# --- reading --------------------------------------------------------------------------------------------------------


def test_the_sections_are_formatted_and_plain_text_and_the_diff_are_one_key_away():
    async def steps(stage):
        await stage.pilot.press("escape")
        assert "Tree drafting" in screen(stage)
        assert "# Tree drafting" not in screen(stage)
        await stage.pilot.press("m")
        await stage.settle()
        assert "[artifact updated]# Tree drafting" in screen(stage)
        await stage.pilot.press("d")
        await stage.settle()
        assert "+ # Tree drafting" in screen(stage)
        assert "against r0" in screen(stage)
        await stage.pilot.press("d")
        await stage.settle()
        assert "# Tree drafting" not in screen(stage)

    Stage([*story.start("en"), *story.adopted_round("en")]).run(steps, size=(120, 40))


def test_text_is_found_upwards_from_the_end_and_following_stops():
    async def steps(stage):
        log = stage.app.query_one(Log)
        await stage.pilot.press("escape", "slash", *"NEEDLE")
        await stage.settle()
        assert "needle 150" in screen(stage)
        assert not log.following
        await stage.pilot.press("enter")
        await stage.settle()
        assert "needle 50" in screen(stage)
        await stage.pilot.press("down")
        await stage.settle()
        assert "needle 150" in screen(stage)
        await stage.pilot.press("escape", "n")
        await stage.settle()
        assert "needle 50" in screen(stage)
        await stage.pilot.press("slash", *"[/x", "enter")
        await stage.settle()
        assert "not found" in screen(stage)

    lines = [output(f"needle {n}" if n in (50, 150) else f"line {n}") for n in range(200)]
    Stage(lines).run(steps)


def test_without_a_selection_the_whole_panel_is_copied():
    async def steps(stage):
        await stage.pilot.press("escape", "2", "c")
        await stage.settle()
        assert stage.app.clipboard == story.ARTIFACT["en"]
        assert "copied the whole panel" in screen(stage)

    Stage([*story.start("en"), *story.adopted_round("en")]).run(steps)
