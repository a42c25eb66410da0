"""A guard that cannot write stands aside, loses nothing, and comes back."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from guard_play import Play

from xuen.events import Event, Verdict
from xuen.workspace.research import parse

PROGRAM = Path(__file__).with_name("guard_points.py")


def offs(play: Play) -> list[str]:
    return [type(event).__name__ for event in play.told("GuardOff", "GuardOn")]


def test_without_a_place_to_write_the_loop_goes_on_and_says_so_once(play: Play) -> None:
    play.workspace.root.joinpath("rounds").write_text("in the way")
    play.prepare()
    play.workspace.research.write_bytes(play.text(""))
    guard = play.start(answers=[9, 9])
    play.round("one")
    play.round("two")
    play.round(None)
    play.finish()
    assert offs(play) == ["GuardOff"]
    assert play.idea == guard.sections().idea == "two", "the newest state is the only copy"
    assert not play.told("Adopted", "Candidate")
    assert play.workspace.rounds.read_text() == "in the way"


def test_when_it_can_work_again_it_does(play: Play) -> None:
    rounds = play.workspace.root / "rounds"
    rounds.write_text("in the way")
    play.workspace.research.write_bytes(play.text(""))
    play.start(answers=[9])
    play.round("one")
    rounds.unlink()
    play.round("two")
    play.finish()
    assert offs(play) == ["GuardOff", "GuardOn"]
    (baseline,) = play.lines("baseline")
    assert parse(play.workspace.candidate(baseline["id"]).read_bytes()).sections.idea == "one"
    assert play.best_idea() == play.idea == "two"


@pytest.fixture
def disk() -> Iterator[Callable[[bool], None]]:
    """A disk that takes nothing, from the call with False to the one with True: no file may grow."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def takes(anything: bool) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft if anything else 0, hard))

    yield takes
    takes(True)
    signal.signal(signal.SIGXFSZ, before)


def test_an_adoption_that_cannot_be_recorded_is_not_told_and_made_good_later(
    play: Play, disk: Callable[[bool], None]
) -> None:
    guard = play.start(answers=[9, 9])
    judge = play.answers[0]
    judge.during = lambda: disk(False)
    first = play.round("one")
    judge.during = None
    assert offs(play) == ["GuardOff"]
    assert not play.told("Adopted")
    assert guard.sections().idea == "one", "the next round starts from it"
    assert play.idea == "", "what is not adopted yet is not published"
    disk(True)
    second = play.round("two")
    assert offs(play) == ["GuardOff", "GuardOn"]
    assert [line["id"] for line in play.lines("adopted")] == [first, second]
    assert [event.id for event in play.told("Adopted")] == [first, second]
    assert play.lines("candidate")[1]["parent"] == first
    assert [line["seq"] for line in play.lines()] == list(range(1, len(play.lines()) + 1))


def test_a_state_that_could_not_be_kept_in_time_is_kept_later_and_waits(
    play: Play, disk: Callable[[bool], None]
) -> None:
    guard = play.start(answers=[9, 9])
    number = guard.last_round() + 1
    identity = guard.open_round(number)
    play.work_file.write_bytes(play.text("one"))
    disk(False)
    guard.close_round(play.report(identity, number))
    disk(True)
    assert offs(play) == ["GuardOff"]
    assert guard.sections().idea == "one", "the next round starts from the only copy"
    play.round("two")
    assert offs(play) == ["GuardOff", "GuardOn"]
    assert parse(play.workspace.candidate(identity).read_bytes()).sections.idea == "one"
    assert [line["event"] for line in play.lines() if line.get("id") == identity] == ["candidate", "pending"]
    assert play.best_idea() == play.idea == "two"


def test_prompts_that_cannot_be_kept_are_told_once_and_cost_nothing_else(play: Play) -> None:
    play.start(answers=[9, 9])
    play.workspace.prompts.symlink_to("/proc/self")  # a folder that takes no files
    play.round("one")
    play.round("two")
    assert len([notice for notice in play.told("Notice") if "prompts" in notice.text.en]) == 1
    assert offs(play) == []
    assert play.best_idea() == "two"


def test_a_lock_that_somebody_keeps_is_waited_for_and_then_told(play: Play) -> None:
    from xuen.files.lock import locked

    play.start(answers=[2, 9])
    with locked(play.workspace.research_lock):
        play.round("bad")
        assert offs(play) == [], "nothing is published"
        play.round("good")
        assert offs(play) == ["GuardOff"]
        assert play.idea == ""
        assert play.best_idea() == "good"
    play.round(None)
    assert play.idea == "good"
    assert offs(play) == ["GuardOff", "GuardOn"]


def test_a_start_that_loses_the_disk_half_way_still_says_what_it_knows(play: Play) -> None:
    play.start(verify="user")
    first, second = play.round("one"), play.round("two")
    play.finish()
    play.verdict(f"{first} 2\n{second} 3\n")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)

    class Ears(type(play.ears)):  # type: ignore[misc]
        def emit(self, event: Event) -> None:
            super().emit(event)
            if isinstance(event, Verdict) and event.id == first:
                resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))  # nothing can be opened any more

    play.ears = Ears()
    try:
        shown = play.start(verify="user").shown()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert (shown.idea, shown.pending) == ("", None)
    assert offs(play) == ["GuardOff"]
    play.round(None)
    assert offs(play) == ["GuardOff", "GuardOn"]
    assert [line["id"] for line in play.lines("rejected")] == [first, second]


@pytest.mark.parametrize("lost", [b"no line at all", b'"event":"adopted"'])
def test_one_snapshot_that_cannot_be_read_is_no_trouble_of_the_start(play: Play, lost: bytes) -> None:
    """Neither where research.md was edited, nor where the history lost lines and a verdict may be an old one."""
    play.start(answers=[9, "unknown"])
    best, waiting = play.round("one"), play.round("two")
    play.finish()
    play.workspace.candidate(waiting).unlink()
    play.workspace.candidate(waiting).symlink_to("/proc/self/mem")  # reading that is an error of the disk
    play.verdict(f"{waiting} 9\n")
    lines = play.workspace.history.read_bytes().splitlines(keepends=True)
    play.workspace.history.write_bytes(b"".join(line for line in lines if lost not in line))
    play.workspace.research.write_bytes(play.text("edited"))
    play.restart()
    assert offs(play) == []
    assert play.idea == "one"
    assert play.record()["id"] == best


Environment = Callable[..., dict[str, str]]


def points(environment: Environment, *arguments: object) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, arguments)],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=110,
        check=True,
    )
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_anywhere_no_adoption_is_lost_and_the_next_start_is_clean(
    memory: Path, environment: Environment
) -> None:
    found = points(environment, "kill", memory, 2)
    assert found["broken"] == []
    assert int(str(found["points"])) > 50


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("lasting", [1, 20])
def test_an_operation_that_fails_anywhere_stops_nothing_and_loses_nothing(
    memory: Path, environment: Environment, lasting: int
) -> None:
    found = points(environment, "fail", memory, 4, lasting)
    assert found["broken"] == []
    assert int(str(found["points"])) > 25
