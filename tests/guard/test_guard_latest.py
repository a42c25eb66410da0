"""Snapshots that are not the best, and rounds/ itself: an agent may do with them what it likes, they come back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from guard_play import Play
from test_guard_deletions import HARMS, gone, huge, whole

from xuen.guard.best import LATEST, LATEST_BYTES
from xuen.workspace.research import parse

Harm = Callable[[Path], None]


def three(play: Play) -> list[str]:
    """A best, a rejected and a pending candidate, with the next round's judge bribed."""
    play.start(answers=[9, 2, "unknown", 9])
    return [play.round(idea) for idea in ("one", "two", "three")]


def ideas(play: Play, ids: list[str]) -> list[str]:
    return [parse(play.workspace.candidate(each).read_bytes()).sections.idea for each in ids]


def call(play: Play, harm: Callable[[], None], idea: str | None = "four") -> str:
    """A round in whose call the agent does this."""
    assert play.guard is not None
    number = play.guard.last_round() + 1
    identity = play.guard.open_round(number)
    harm()
    if idea is not None:
        play.work_file.write_bytes(play.text(idea))
    play.guard.close_round(play.report(identity, number))
    return identity


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("idea", ["four", None])
def test_pending_and_rejected_candidates_are_back_after_the_call(play: Play, harm: Harm, idea: str | None) -> None:
    ids = three(play)
    call(play, lambda: [harm(play.workspace.candidate(each)) for each in ids[1:]] and None, idea)
    assert ideas(play, ids) == ["one", "two", "three"]
    (told,) = play.told("Recovered")
    assert all(each in told.reason.en for each in ids[1:])
    play.verdict(f"{ids[1]} 10\n")
    play.round(None)
    assert play.idea == play.best_idea() == "two", "and a person can still decide on them"
    whole(play)


def test_what_a_judge_deletes_is_back_too(play: Play) -> None:
    ids = three(play)
    play.answers[0].during = lambda: [gone(play.workspace.candidate(each)) for each in ids] and None
    play.round("four")
    assert ideas(play, ids) == ["one", "two", "three"]
    whole(play)


def test_candidates_of_an_earlier_run_are_back_too_and_a_lost_one_troubles_nobody(play: Play) -> None:
    ids = three(play)
    play.finish()
    gone(play.workspace.candidate(ids[1]))
    play.start(answers=[9])
    assert not play.told("Recovered", "Notice", "GuardOff"), "what is deleted between runs is the person's business"
    call(play, lambda: shutil.rmtree(play.workspace.rounds))
    assert ideas(play, [ids[0], ids[2]]) == ["one", "three"]
    assert not play.workspace.candidate(ids[1]).exists()
    whole(play)


def test_only_the_latest_are_remembered_so_that_no_round_costs_more_than_another(memory: Path) -> None:
    play = Play(memory / "workspace")
    play.start(verify="user", verifiers=[])
    ids = [play.round(f"idea {count}") for count in range(LATEST + 3)]
    call(play, lambda: [gone(play.workspace.candidate(each)) for each in ids] and None)
    assert [play.workspace.candidate(each).exists() for each in ids] == [False] * 3 + [True] * LATEST
    (told,) = play.told("Recovered")
    assert len(told.reason.en) < 400, "names for a person to read, not sixty of them"


def test_large_candidates_do_not_fill_the_memory(play: Play) -> None:
    play.start(verify="user", verifiers=[])
    large = "x" * (LATEST_BYTES // 2 - 1000)
    ids = [play.round(large + str(count)) for count in range(4)]
    call(play, lambda: [gone(play.workspace.candidate(each)) for each in ids] and None, None)
    assert [play.workspace.candidate(each).exists() for each in ids] == [False, False, True, True]


# --- rounds/ itself --------------------------------------------------------------------------------------------------


def as_file(rounds: Path) -> None:
    shutil.rmtree(rounds)
    rounds.write_text("mine")


def as_pipe(rounds: Path) -> None:
    shutil.rmtree(rounds)
    os.mkfifo(rounds)


def as_link(rounds: Path) -> None:
    shutil.rmtree(rounds)
    rounds.symlink_to("nowhere")


@pytest.mark.parametrize("harm", [as_file, as_pipe, as_link])
@pytest.mark.parametrize("who", ["agent", "judge"])
def test_what_stands_in_the_place_of_the_folder_is_renamed_and_all_is_back(play: Play, harm: Harm, who: str) -> None:
    ids = three(play)
    rounds = play.workspace.rounds
    if who == "agent":
        call(play, lambda: harm(rounds))
    else:
        play.answers[0].during = lambda: harm(rounds)
        play.round("four")
        play.answers[0].during = None
    assert ideas(play, ids) == ["one", "two", "three"]
    assert play.idea == play.best_idea() == "four"
    assert not play.told("GuardOff")
    (aside,) = play.workspace.root.glob("rounds.damaged-*")
    assert harm is not as_file or aside.read_text() == "mine"
    whole(play)


@pytest.mark.parametrize("name", ["prompts", "logs"])
def test_what_stands_in_the_place_of_a_folder_for_people_is_renamed(play: Play, name: str) -> None:
    three(play)
    place = play.workspace.rounds / name
    call(play, lambda: as_file(place), "four")
    identity = play.round("five")
    assert place.is_dir()
    assert play.workspace.prompt(identity).read_text() == f"prompt of round {play.guard.last_round()}"  # type: ignore[union-attr]
    (aside,) = play.workspace.rounds.glob(f"{name}.damaged-*")
    assert aside.read_text() == "mine"
    assert not play.told("Notice")


def test_what_an_agent_was_asked_is_kept_though_it_deletes_it(play: Play) -> None:
    three(play)
    assert play.guard is not None
    identity = play.guard.open_round(4)
    play.guard.keep_prompt(identity, "the question")
    shutil.rmtree(play.workspace.rounds)
    play.work_file.write_bytes(play.text("four"))
    play.guard.close_round(play.report(identity, 4))
    assert play.workspace.prompt(identity).read_text() == "the question"


# --- files that fit into no memory -----------------------------------------------------------------------------------


def test_a_research_file_without_end_is_damaged_and_kept_aside(play: Play) -> None:
    play.start(answers=[9])
    play.round("one")
    assert play.guard is not None
    identity = play.guard.open_round(2)
    huge(play.work_file)
    report = play.report(identity, 2, unread=True)
    play.guard.close_round(report)
    assert play.told("Damaged")
    assert play.idea == "one"
    play.prepare_work()
    (aside,) = play.workspace.work.root.glob("research.md.damaged-*")
    assert aside.stat().st_size == 1 << 40
    whole(play)
