"""The same text is not judged twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from guard_play import Answers, Play

DECISIONS = ("adopted", "rejected", "pending")
TEXT, SPACED = ("the idea", "a = 1\nb = 2"), ("  the\nidea ", "a = 1\n\n\nb =  2\n")


def decisions(play: Play) -> list[tuple[str, str]]:
    return [(line["event"], line["verify"]) for line in play.lines(*DECISIONS)]


def last(play: Play) -> dict[str, Any]:
    return play.lines(*DECISIONS)[-1]


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("again", [TEXT, SPACED])
def test_a_rejected_text_is_rejected_again_without_a_call(play: Play, restart: bool, again: tuple[str, str]) -> None:
    play.start(answers=[2, 9])
    first = play.round(*TEXT)
    if restart:
        play.finish()
        play.start(answers=[9])
    judge = play.answers[0]
    calls = len(judge.asked)
    play.round(*again)
    assert len(judge.asked) == calls
    assert decisions(play) == [("rejected", "ai"), ("rejected", "repeat")]
    assert last(play)["reason"] == f"equal to {first}, which was rejected"
    assert play.idea == ""
    play.round("another idea")
    assert last(play)["event"] == "adopted"


def test_a_repeat_of_a_repeat_names_the_one_that_was_judged(play: Play) -> None:
    play.start(answers=[2])
    first = play.round(*TEXT)
    play.round(*SPACED)
    play.round(*TEXT)
    assert first in last(play)["reason"]


def test_a_text_that_differs_from_the_best_in_white_space_is_no_progress(play: Play) -> None:
    play.start(answers=[8, 10])
    first = play.round(*TEXT)
    play.round(*SPACED)
    assert decisions(play) == [("adopted", "ai"), ("rejected", "repeat")]
    assert last(play)["reason"] == f"equal to the best, {first}"
    assert play.sections().artifact == TEXT[1]


def test_a_surpassed_text_never_comes_back(play: Play) -> None:
    play.start(answers=[8, 8, 10, 10])
    first = play.round(*TEXT)
    play.round("better")
    play.round(*SPACED)
    assert (last(play)["event"], last(play)["verify"]) == ("rejected", "repeat")
    assert last(play)["reason"] == f"equal to {first}, which was adopted and then surpassed"
    play.round(" ")
    assert "which was adopted and then surpassed" in last(play)["reason"], "the baseline is one of them"
    assert play.idea == "better"


def test_no_judge_overrules_a_person_on_the_same_text(play: Play) -> None:
    play.start(answers=[6, 10, 10])
    first = play.round(*TEXT)
    play.verdict(f"{first} 3 no\n")
    play.round(None)
    play.round(*SPACED)
    assert (last(play)["event"], last(play)["score"]) == ("rejected", 3)
    assert last(play)["reason"] == f"equal to {first}, which you scored 3"
    play.verdict(f"{first} 9 yes\n")
    play.round(None)
    assert play.idea == TEXT[0], "the person can still say otherwise"


def test_a_copy_that_a_killed_run_left_undecided_does_not_undo_a_persons_verdict(play: Play) -> None:
    play.start(answers=[6, 10])
    first = play.round(*TEXT)
    play.verdict(f"{first} 3 no\n")
    play.finish()
    play.workspace.candidate("20261017-090000-r9").write_bytes(play.text(*TEXT))
    play.start(answers=[10])
    assert last(play)["verify"] == "recovery"
    play.round(*TEXT)
    assert last(play)["reason"] == f"equal to {first}, which you scored 3"


def test_a_text_that_the_judge_could_not_tell_about_is_judged_again(play: Play) -> None:
    play.start(answers=["unknown", 9])
    play.round(*TEXT)
    play.round(*TEXT)
    assert decisions(play) == [("pending", "ai"), ("adopted", "ai")]


def test_a_text_that_waits_for_the_person_waits_for_one_verdict(play: Play) -> None:
    play.start(verify="user")
    first = play.round(*TEXT)
    play.round(*SPACED)
    play.round(*TEXT)
    assert decisions(play) == [("pending", "user"), ("pending", "repeat"), ("pending", "repeat")]
    assert last(play)["reason"] == f"equal to {first}, which waits for your verdict"
    play.finish()
    play.start(verify="ai", answers=[9])
    play.round(*TEXT)
    assert decisions(play)[-1] == ("adopted", "ai"), "a run with a judge has it judged"


def test_a_suite_that_failed_runs_again(play: Play) -> None:
    suite, judge = Answers("tests", ["failed", "passed", "passed"]), Answers("ai", [9])
    play.start(verify="auto", verifiers=[suite, judge])
    play.round(*TEXT)
    play.round(*TEXT)
    assert decisions(play) == [("rejected", "tests"), ("adopted", "ai")]


def test_what_was_decided_for_another_task_does_not_count(play: Play) -> None:
    play.start(task="one", answers=[2])
    play.round(*TEXT)
    play.finish()
    play.start(task="two", answers=[9])
    play.round(*TEXT)
    assert decisions(play) == [("rejected", "ai"), ("adopted", "ai")]


def test_with_verify_off_the_newest_is_the_best_even_so(play: Play) -> None:
    play.start(verify="off")
    for idea in ("one", "two", "one"):
        play.round(idea)
    assert play.idea == "one"


@pytest.mark.parametrize(("again", "event"), [(TEXT, "rejected"), (SPACED, "adopted")])
def test_in_a_history_of_an_older_version_the_same_bytes_are_known(
    play: Play, again: tuple[str, str], event: str
) -> None:
    play.start(answers=[2])
    play.round(*TEXT)
    play.finish()
    lines = [{key: line[key] for key in line if key != "content_sha256"} for line in play.lines()]
    play.workspace.history.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    play.start(answers=[9])
    play.round(*again)
    assert last(play)["event"] == event
