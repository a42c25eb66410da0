"""Agents and judges that delete or replace the guard's own files: nothing that was adopted is lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from guard_play import FAILED, Play

from xuen.guard.candidates import digest
from xuen.workspace.research import parse


def gone(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def folder(path: Path) -> None:
    gone(path)
    path.mkdir()
    (path / "mine").write_text("kept")


def pipe(path: Path) -> None:
    gone(path)
    os.mkfifo(path)


def link(path: Path) -> None:
    gone(path)
    path.symlink_to("nowhere")


def loop(path: Path) -> None:
    gone(path)
    path.symlink_to(path.name)


def other(path: Path) -> None:
    path.write_text("something else\n")


def huge(path: Path) -> None:
    os.truncate(path, 1 << 40)


HARMS: list[Callable[[Path], None]] = [gone, folder, pipe, link, other, huge]
PLACES = ["candidate", "best", "best_json", "history"]


def place(play: Play, name: str) -> Path:
    if name == "candidate":
        return play.workspace.candidate(str(play.record()["id"]))
    return Path(getattr(play.workspace, name))


def whole(play: Play) -> None:
    """Everything that a start needs is there, and a start finds nothing to do."""
    record = play.record()
    data = play.workspace.candidate(record["id"]).read_bytes()
    assert digest(data) == record["sha256"]
    assert play.workspace.best.read_bytes() == data
    seqs = [line["seq"] for line in play.lines()]
    assert sorted(seqs) == list(range(1, len(seqs) + 1)), "every line, once"
    assert [line["id"] for line in play.lines("adopted")][-1] == record["id"]
    files, lines = play.files(), len(play.lines())
    play.restart()
    assert play.files() == files
    assert [line["event"] for line in play.lines()[lines:]] == ["run_started", "run_finished"]


# --- what the agent of a round deletes -------------------------------------------------------------------------------


@pytest.mark.parametrize("then", ["rejected", "pending", "failed", "unchanged"])
def test_a_kill_in_the_round_after_the_folder_was_deleted_finds_the_best(play: Play, then: str) -> None:
    guard = play.start(answers=[9, 2 if then == "rejected" else "unknown"])
    first = play.round("one")
    kept = play.workspace.candidate(first).read_bytes()
    number = guard.last_round() + 1
    identity = guard.open_round(number)
    shutil.rmtree(play.workspace.rounds)
    if then != "unchanged":
        play.work_file.write_bytes(play.text("bad"))
    outcome = {"outcome": FAILED} if then == "failed" else {}
    guard.close_round(play.report(identity, number, **outcome))
    guard.open_round(number + 1)
    play.work_file.write_bytes(play.text("half written"))
    # killed here; what follows is another run
    later = Play(play.workspace.root)
    later.now = play.now.replace(hour=9)
    later.restart()
    assert later.idea == later.best_idea() == "one"
    assert later.workspace.candidate(first).read_bytes() == kept
    assert later.record()["id"] == first
    assert not [line for line in later.lines("baseline") if line["seq"] > 2]
    whole(later)


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("name", PLACES)
def test_whatever_happens_to_a_file_of_the_guard_within_a_call_is_mended_after_it(
    play: Play, name: str, harm: Callable[[Path], None]
) -> None:
    guard = play.start(answers=[9, 9])
    play.round("one")
    best = play.record()["id"]
    number = guard.last_round() + 1
    identity = guard.open_round(number)
    harm(place(play, name))
    seen: list[bytes] = []
    play.answers[0].during = lambda: seen.append(play.workspace.candidate(best).read_bytes())
    play.work_file.write_bytes(play.text("two"))
    guard.close_round(play.report(identity, number))
    assert seen, "before anybody judges, all is back"
    assert not play.told("GuardOff")
    (told,) = play.told("Recovered")
    assert place(play, name).name.replace(identity, best) in told.reason.en
    assert parse(play.workspace.candidate(best).read_bytes()).sections.idea == "one"
    assert play.idea == play.best_idea() == "two"
    asides = list(play.workspace.rounds.glob("*.damaged-*"))
    assert len(asides) == (0 if harm is gone or (harm is other and name == "history") else 1)
    assert harm is not folder or (asides[0] / "mine").read_text() == "kept"
    whole(play)


def test_nothing_is_said_or_written_where_nobody_touched_anything(play: Play) -> None:
    play.start(answers=[9, 2])
    play.round("one")
    best = (play.workspace.best.stat(), play.workspace.best_json.stat())
    play.round("two")
    play.round(None)
    assert best == (play.workspace.best.stat(), play.workspace.best_json.stat())
    assert not play.told("Recovered", "Notice")
    assert not list(play.workspace.rounds.glob("*.damaged-*"))


def test_what_is_deleted_between_the_rounds_is_back_before_the_next_call(play: Play) -> None:
    guard = play.start(answers=[9])
    first = play.round("one")
    shutil.rmtree(play.workspace.rounds)
    guard.open_round(guard.last_round() + 1)
    assert play.workspace.candidate(first).exists()
    assert play.best_idea() == "one"
    whole(play)


def test_an_old_verdict_is_not_carried_out_again_after_the_history_was_deleted(play: Play) -> None:
    play.start(answers=[2, 9.5])
    first = play.round("one")
    play.verdict(f"{first} 8\n")
    play.round(None)
    assert play.best_idea() == "one"
    second = play.round("two")
    play.workspace.history.unlink()
    play.round(None)
    play.finish()
    play.restart()
    assert play.record()["id"] == second
    assert play.idea == "two"


# --- what a judge deletes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "status"), [(9, "adopted"), ("unknown", "pending"), (2, "rejected")])
def test_a_judge_that_deletes_the_candidates_does_not_leave_a_line_without_one(
    play: Play, answer: float | str, status: str
) -> None:
    play.start(answers=[9, answer])
    play.round("one")

    def delete() -> None:
        for path in play.workspace.rounds.glob("cand-*"):
            path.unlink()

    play.answers[0].during = delete
    identity = play.round("two")
    (line,) = play.lines("candidate")[1:]
    assert digest(play.workspace.candidate(identity).read_bytes()) == line["sha256"]
    assert [each["id"] for each in play.lines(status)][-1] == identity
    whole(play)


# --- what a start finds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("harm", [folder, pipe, loop, huge])
@pytest.mark.parametrize("name", PLACES)
def test_a_start_keeps_aside_what_is_no_file_and_guards(play: Play, name: str, harm: Callable[[Path], None]) -> None:
    play.start(answers=[8, 9])
    play.round("one")
    play.round("two")
    play.finish()
    harm(place(play, name))
    play.now = play.now.replace(hour=9)
    play.start(answers=[9.5])
    assert play.idea == play.best_idea() == ("one" if name == "candidate" else "two")
    play.round("three")
    play.finish()
    assert not play.told("GuardOff")
    assert play.idea == play.best_idea() == "three"
    assert len(list(play.workspace.rounds.glob("*.damaged-*"))) == 1
    play.restart()
    assert play.idea == "three"


@pytest.mark.parametrize("harm", [folder, pipe, loop, huge])
def test_verdicts_that_are_no_file_are_told_once_and_stay(play: Play, harm: Callable[[Path], None]) -> None:
    play.start(answers=[9, 9])
    play.workspace.verdicts.touch()
    harm(play.workspace.verdicts)
    play.round("one")
    play.round("two")
    assert len(play.told("Notice")) == 1
    assert play.best_idea() == "two"
    assert not play.told("GuardOff")
    assert os.path.lexists(play.workspace.verdicts)


# --- numbers that nobody can mean ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["prompts/20260101-000000-r999999999.txt", "cand-20260101-000000-r999999999.md"])
def test_a_stray_file_with_a_huge_round_makes_no_adoption_vanish(play: Play, name: str) -> None:
    play.prepare()
    stray = play.workspace.rounds / name
    stray.parent.mkdir(parents=True)
    stray.write_bytes(play.text("stray"))
    guard = play.start(answers=[9])
    assert guard.last_round() == 0
    play.round("one")
    play.finish()
    play.restart()
    assert play.idea == play.best_idea() == "one"


@pytest.mark.parametrize("seq", [2**53 - 2, 2**53 - 1, 2**53, 10**400, -1, 1.5, "7", True])
@pytest.mark.parametrize("where", ["history", "best_json"])
def test_a_number_at_the_end_of_all_numbers_makes_no_adoption_vanish(play: Play, seq: object, where: str) -> None:
    play.start(answers=[9])
    first = play.round("one")
    play.finish()
    if where == "history":
        line = {"seq": seq, "ts": "", "event": "heartbeat", "round": 1}
        with play.workspace.history.open("a") as file:
            file.write(json.dumps(line) + "\n")
    else:
        play.workspace.best_json.write_text(json.dumps(play.record() | {"seq": seq}))
    for idea in ("two", "three"):
        play.now = play.now.replace(hour=play.now.hour + 1)
        play.start(answers=[9])
        play.round(idea)
        play.finish()
    play.restart()
    assert play.idea == play.best_idea() == "three"
    assert play.workspace.candidate(first).exists()


@pytest.mark.parametrize("score", ["1" + "0" * 400, "NaN", "Infinity", "-Infinity", "1e999", '"9"', "true", "[]"])
@pytest.mark.parametrize("where", ["best_json", "adopted", "verdict"])
def test_a_score_that_is_none_is_none_and_costs_nothing_else(play: Play, score: str, where: str) -> None:
    play.start(answers=[9, "unknown"])
    first = play.round("one")
    second = play.round("two")
    play.finish()
    if where == "best_json":
        text = play.workspace.best_json.read_text().replace('"score": 9.0', f'"score": {score}')
        play.workspace.best_json.write_text(text)
    elif where == "adopted":
        text = play.workspace.history.read_text().replace('"score":9.0,"verify"', f'"score":{score},"verify"')
        play.workspace.history.write_text(text)
    else:
        seq = len(play.lines()) + 1
        with play.workspace.history.open("a") as file:
            file.write(f'{{"seq":{seq},"ts":"","event":"verdict","round":2,"id":"{second}","score":{score}}}\n')
    if where != "verdict":
        assert score in text
    play.restart()
    assert play.record()["id"] == first
    assert play.idea == play.best_idea() == "one"
    assert not play.told("GuardOff")
    files = play.files()
    play.restart()
    assert play.files() == files


@pytest.mark.parametrize("word", ["1" + "0" * 400, "NaN", "Infinity", "inf", "1e1", "11", "-1", "٩"])
def test_a_verdict_that_is_no_score_changes_nothing(play: Play, word: str) -> None:
    play.start(answers=["unknown"])
    identity = play.round("one")
    play.verdict(f"{identity} {word}\n")
    play.round(None)
    assert not play.lines("verdict", "adopted", "rejected")
    assert len(play.told("Notice")) == 1
