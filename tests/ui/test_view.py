from __future__ import annotations

import pytest
import story

from xuen import events as ev
from xuen.texts import plain
from xuen.ui.view import MARKS_KEPT, Phase, View, fold, seconds_left, short_id


def view_of(events, *, view=None):
    view = view or View()
    for event in events:
        view = fold(view, event)
    return view


def test_a_run_that_started_shows_its_agent_and_no_best_yet():
    view = fold(View(), story.start("en")[0])
    assert (view.agent, view.left, view.best_id) == ("opencode", 4, None)
    assert view.phase is Phase.STARTING


def test_the_word_bank_counts_up_and_then_the_rounds_can_begin():
    view = view_of(story.start("en")[:-1])
    assert (view.phase, view.bank_have, view.bank_want) == (Phase.WORDS, 112, 200)
    assert view_of(story.start("en")).phase is Phase.BETWEEN


def test_an_adopted_candidate_is_the_best_with_its_score():
    view = view_of([*story.start("en"), *story.adopted_round("en")])
    assert (view.best_id, view.best_score, view.round, view.left) == (story.R1, 8.0, 1, 4)
    assert view.changed == {"idea", "artifact"}
    assert view.idea == story.IDEA["en"]


def test_a_pending_candidate_is_counted_and_the_best_stays():
    view = view_of([*story.start("en"), *story.adopted_round("en"), *story.pending_round("en")])
    assert view.pending == (story.R2,)
    assert (view.best_id, view.best_score) == (story.R1, 8.0)
    assert view.changed == frozenset()


@pytest.mark.parametrize("decided", ["adopted", "rejected"])
def test_a_verdict_takes_a_candidate_out_of_the_pending_ones(decided):
    view = view_of([*story.start("en"), *story.adopted_round("en"), *story.pending_round("en")])
    event = (
        ev.Adopted(round=3, id=story.R2, sha256=story.SHA, score=9.0, verify="user")
        if decided == "adopted"
        else ev.Rejected(round=3, id=story.R2, score=1.0, verify="user", reason=plain("low"))
    )
    view = fold(view, event)
    assert view.pending == ()
    assert view.best_id == (story.R2 if decided == "adopted" else story.R1)


def test_what_a_workspace_already_had_is_known_from_the_start():
    view = fold(View(), ev.SectionsShown(idea="i", artifact="a", best=story.R3, best_score=7.5, pending=(story.R1,)))
    assert (view.best_id, view.best_score, view.pending) == (story.R3, 7.5, (story.R1,))
    again = fold(view, ev.SectionsShown(idea="i2", artifact="a2"))
    assert (again.best_id, again.pending, again.idea) == (story.R3, (story.R1,), "i2")


def test_the_last_round_that_took_input_is_known():
    view = fold(View(), ev.InputTaken(round=5, texts=("a", "from elsewhere")))
    assert view.taken_round == 5


def test_changes_are_compared_with_what_the_round_began_with():
    view = view_of([*story.start("en"), *story.adopted_round("en")])
    assert (view.base_idea, view.base_id) == ("", story.BASE)
    view = fold(view, ev.RoundStarted(round=2, words=(), left=3))
    assert (view.base_idea, view.base_id) == (story.IDEA["en"], story.R1)


def test_the_outcomes_are_kept_in_order_and_a_verdict_replaces_one():
    view = view_of(story.whole_run("en"))
    assert [(mark.round, mark.kind, mark.score) for mark in view.marks] == [
        (1, "adopted", 8.0),
        (2, "pending", None),
        (3, "rejected", 3.5),
        (4, "failed", None),
    ]
    view = fold(view, ev.Adopted(round=4, id=story.R2, sha256=story.SHA, score=9.0, verify="user"))
    assert [mark.kind for mark in view.marks] == ["adopted", "adopted", "rejected", "failed"]
    assert view.marks[1].round == 2
    many = view_of((ev.Heartbeat(round=n, streak=n) for n in range(3 * MARKS_KEPT)), view=view)
    assert len(many.marks) == MARKS_KEPT


def test_a_round_that_the_user_stopped_is_no_failure():
    view = fold(View(), ev.AgentFailed(round=1, why=ev.Why.STOPPED, code=None, reason=plain("stopped")))
    assert (view.failures, view.marks[0].kind) == (0, "stopped")


def play_round(view, number, began, ended, *, left):
    view = fold(view, ev.RoundStarted(round=number, words=(), left=left), now=began)
    for event in story.research(number, "en", left=left)[1:]:
        view = fold(view, event, now=ended)
    return view


def test_the_time_left_is_guessed_from_the_rounds_so_far():
    view = play_round(View(), 1, 0.0, 100.0, left=3)
    assert seconds_left(view, 50.0) is None
    view = play_round(view, 2, 100.0, 300.0, left=2)
    view = fold(view, ev.RoundStarted(round=3, words=(), left=1), now=300.0)
    assert seconds_left(view, 350.0) == 100.0
    assert seconds_left(view, 900.0) == 0.0


def test_a_pause_is_no_part_of_the_time_that_a_round_takes():
    view = play_round(View(), 1, 0.0, 100.0, left=2)
    view = fold(view, ev.RoundStarted(round=2, words=(), left=1), now=5000.0)
    assert seconds_left(view, 5000.0) == 100.0


def test_the_clock_of_a_phase_starts_when_the_phase_does():
    research = story.research(1, "en", left=1)
    view = fold(fold(View(), research[0], now=10.0), research[1], now=12.0)
    assert (view.phase, view.since, view.heard) == (Phase.RESEARCH, 12.0, None)
    view = fold(view, research[2], now=15.5)
    assert (view.since, view.heard) == (12.0, 15.5)


def test_failures_are_counted_and_the_end_is_the_last_word():
    view = view_of(story.whole_run("en"))
    assert (view.failures, view.phase, view.left) == (1, Phase.FINISHED, 1)
    assert view.finished is not None
    assert view.finished.succeeded == 3


def test_a_guard_that_stands_aside_is_seen_until_it_is_back():
    view = fold(View(), ev.GuardOff(reason=plain("read-only")))
    assert view.guard_off == plain("read-only")
    assert fold(view, ev.GuardOn()).guard_off is None


def test_folding_changes_nothing_in_place():
    before = View()
    fold(before, story.start("en")[0])
    assert before == View()


def test_every_event_of_the_vocabulary_can_be_folded_and_told():
    from xuen.ui.telling import tell

    kinds = {type(event) for event in story.whole_run("zh")}
    view = View()
    for event in story.one_of_each():
        view = fold(view, event)
        assert isinstance(tell(event, view), tuple)
        kinds.add(type(event))
    assert kinds == set(ev.AnyEvent.__args__)


def test_a_short_id_names_the_round():
    assert [short_id(i) for i in (story.R3, "20261130-101200-r12-2", "x")] == ["r3", "r12-2", "x"]
