"""What becomes of a round."""

from __future__ import annotations

import hashlib
import json

import pytest
from guard_play import FAILED, FINE, Answers, Play

from xuen.agent.call import Outcome
from xuen.events import Why, to_dict
from xuen.workspace.research import parse

DECISIONS = ("adopted", "rejected", "pending")


def test_a_new_workspace_gets_a_baseline_with_a_snapshot(play: Play) -> None:
    play.start()
    (line,) = play.lines("baseline")
    snapshot = play.workspace.candidate(line["id"]).read_bytes()
    assert line["round"] == 0
    assert line["id"].endswith("-r0")
    assert line["sha256"] == hashlib.sha256(snapshot).hexdigest()
    assert snapshot == play.workspace.research.read_bytes() == play.workspace.best.read_bytes()
    assert play.record() == {
        "seq": line["seq"],
        "id": line["id"],
        "sha256": line["sha256"],
        "score": None,
        "verify": "baseline",
        "adopted_at": line["ts"],
    }


def test_a_good_score_is_adopted_and_the_next_round_starts_from_it(play: Play) -> None:
    play.start(answers=[8, 3])
    first = play.round("better", "code")
    adopted = play.lines("adopted")[0]
    assert (adopted["id"], adopted["score"], adopted["verify"]) == (first, 8.0, "ai")
    assert play.record()["id"] == first
    assert play.record()["seq"] == adopted["seq"]
    assert play.best_idea() == play.idea == "better"
    second = play.round("worse")
    assert [line["event"] for line in play.lines(*DECISIONS)] == ["adopted", "rejected"]
    assert play.idea == "better"
    assert play.lines("candidate")[1]["parent"] == first
    assert parse(play.workspace.candidate(second).read_bytes()).sections.idea == "worse"


def test_the_judge_sees_the_candidate_and_the_best(play: Play) -> None:
    judge = Answers("ai", [9, 1])
    play.start(verifiers=[judge])
    baseline = play.record()["id"]
    first = play.round("one")
    second = play.round("two")
    assert judge.asked == [(first, baseline), (second, first)]


@pytest.mark.parametrize("answer", ["unknown", "unavailable", float("nan"), 11.0, -1.0])
def test_a_judge_that_cannot_tell_leaves_the_candidate_pending(play: Play, answer: object) -> None:
    play.start(answers=[answer])
    identity = play.round("perhaps")
    (line,) = play.lines(*DECISIONS)
    assert (line["event"], line["id"]) == ("pending", identity)
    assert line["reason"]
    assert play.idea == ""
    assert play.workspace.candidate(identity).exists()


def test_the_score_that_is_just_enough_is_enough(play: Play) -> None:
    play.start(answers=[6.99, 7], score=7)
    play.round("one")
    play.round("two")
    assert [line["event"] for line in play.lines(*DECISIONS)] == ["rejected", "adopted"]


def test_verify_off_keeps_the_latest_and_loses_nothing(play: Play) -> None:
    play.start(verify="off")
    ids = [play.round(idea) for idea in ("one", "two", "three")]
    assert [line["id"] for line in play.lines("adopted")] == ids
    assert play.record()["verify"] == "off"
    assert play.record()["score"] is None
    assert play.best_idea() == "three"
    assert all(play.workspace.candidate(identity).exists() for identity in ids)


def test_an_agent_that_changes_nothing_is_a_heartbeat_and_no_candidate(play: Play) -> None:
    play.start(answers=[9])
    for _ in range(3):
        play.round(None)
    play.round("at last")
    play.round(None)
    beats = play.told("Heartbeat")
    assert [beat.streak for beat in beats] == [1, 2, 3, 1]
    assert [beat.cause is not None for beat in beats] == [False, False, True, False]
    assert len(play.lines("candidate")) == 1


def test_heartbeats_are_counted_over_runs(play: Play) -> None:
    play.start()
    play.round(None)
    play.finish()
    play.start()
    play.round(None)
    assert [line["streak"] for line in play.lines("heartbeat")] == [1, 2]


def test_the_likely_cause_is_read_from_what_the_agent_printed(play: Play) -> None:
    play.start()
    for _ in range(3):
        play.round(None, outcome=Outcome(Why.OK, 0, 1, "hm\nError: API key is missing\nbye\n", ""))
    assert "API key is missing" in play.told("Heartbeat")[2].cause.en


@pytest.mark.parametrize("guarded", [True, False])
def test_what_one_agent_alone_says_is_known_by_its_name(play: Play, guarded: bool) -> None:
    play.start(agent="opencode", guarded=guarded)
    for _ in range(3):
        play.round(None, outcome=Outcome(Why.OK, 0, 1, "ProviderModelNotFoundError: x\n", ""))
    assert "does not know the model" in play.told("Heartbeat")[2].cause.en


@pytest.mark.parametrize("guarded", [True, False])
def test_a_change_ends_a_row_of_heartbeats(play: Play, guarded: bool) -> None:
    play.start(guarded=guarded, answers=[9])
    for idea in (None, None, "new", None):
        play.round(idea)
    assert [beat.streak for beat in play.told("Heartbeat")] == [1, 2, 1]


def test_text_outside_the_sections_is_no_change_and_survives_a_restore(play: Play) -> None:
    play.start(answers=[1])
    play.workspace.research.write_bytes(play.workspace.research.read_bytes() + b"\nmy own notes\n")
    play.round(None)
    assert len(play.lines("heartbeat")) == 1
    play.round("bad")
    assert play.idea == ""
    assert play.workspace.research.read_bytes().endswith(b"\nmy own notes\n")


def test_a_failed_call_leaves_no_candidate_and_the_best_is_put_back(play: Play) -> None:
    play.start(answers=[9])
    play.round("half done", outcome=FAILED)
    (line,) = play.lines("agent_failed")
    assert (line["why"], line["code"]) == ("failed", 3)
    assert line["reason"]
    assert not play.lines("candidate")
    assert play.idea == ""
    assert len(play.lines("restored")) == 1


@pytest.mark.parametrize("data", [b"", b"all gone\n", b"<!-- XUEN:IDEA:BEGIN -->\nx\n", b"\xff\xfe\x00 not text", None])
def test_a_damaged_file_is_refused_kept_and_replaced(play: Play, data: bytes | None) -> None:
    play.start(answers=[9, 9])
    play.round("good")
    whole = play.workspace.research.read_bytes()
    if data is None:
        play.work_file.unlink()
    play.raw_round(data, gone=data is None)
    (line,) = play.lines("damaged")
    assert line["reason"]
    if data is None:
        assert line["kept"] is None
    else:
        assert (play.workspace.root / line["kept"]).read_bytes() == data
    assert play.workspace.research.read_bytes() == whole
    assert len(play.lines("candidate")) == 1


def test_what_the_judge_does_to_research_is_undone(play: Play) -> None:
    judge = Answers("ai", [9])
    judge.during = lambda: play.workspace.research.write_bytes(play.text("the judge was here"))  # type: ignore[assignment,func-returns-value]
    play.start(verifiers=[judge])
    play.round("mine")
    assert play.idea == play.best_idea() == "mine"


def test_in_auto_a_suite_can_reject_and_only_the_judge_can_adopt(play: Play) -> None:
    suite, judge = Answers("tests", ["passed", "passed", "failed", "unknown"]), Answers("ai", [9, 2])
    play.start(verify="auto", verifiers=[suite, judge])
    ids = [play.round(idea) for idea in ("one", "two", "three", "four")]
    decisions = play.lines(*DECISIONS)
    assert [line["event"] for line in decisions] == ["adopted", "rejected", "rejected", "pending"]
    assert [line["verify"] for line in decisions] == ["ai", "ai", "tests", "tests"]
    assert [identity for identity, _ in judge.asked] == ids[:2]
    assert [[each["verifier"] for each in line["judgements"]] for line in decisions] == [
        ["tests", "ai"],
        ["tests", "ai"],
        ["tests"],
        ["tests"],
    ]


def test_with_tests_alone_passing_is_enough(play: Play) -> None:
    play.start(verify="tests", answers=["passed"])
    play.round("one")
    (line,) = play.lines(*DECISIONS)
    assert (line["event"], line["verify"], line["score"]) == ("adopted", "tests", None)


def test_without_a_suite_auto_asks_the_fallback(play: Play) -> None:
    suite, judge = Answers("tests", ["unavailable"]), Answers("ai", [9])
    play.start(verify="auto", verifiers=[suite, judge])
    play.round("one")
    (line,) = play.lines("adopted")
    assert line["verify"] == "ai"
    assert [each["verifier"] for each in line["judgements"]] == ["tests", "ai"]


def test_without_a_suite_tests_leaves_it_pending_and_calls_no_judge(play: Play) -> None:
    suite, judge = Answers("tests", ["unavailable"]), Answers("ai", [9])
    play.start(verify="tests", verifiers=[suite, judge])
    play.round("one")
    assert [line["event"] for line in play.lines(*DECISIONS)] == ["pending"]
    assert judge.asked == []


def test_verify_user_waits_for_the_person(play: Play) -> None:
    play.start(verify="user")
    identity = play.round("one")
    assert [line["event"] for line in play.lines(*DECISIONS)] == ["pending"]
    (pending,) = play.told("Pending")
    assert (pending.id, pending.reason.en) == (identity, "it waits for your verdict")


def test_a_stopped_run_does_not_start_a_judge(play: Play) -> None:
    judge = Answers("ai", [9])
    play.start(verifiers=[judge])
    play.stop.request(130)
    play.round("one")
    assert judge.asked == []
    assert [line["event"] for line in play.lines(*DECISIONS)] == ["pending"]
    assert play.idea == ""


def test_every_line_of_the_history_is_an_event_that_was_told(play: Play) -> None:
    play.start(answers=[9, 2, "unknown"])
    for idea in ("one", "two", "three", None):
        play.round(idea)
    play.round("x", outcome=FAILED)
    play.raw_round(b"damaged")
    play.finish()
    told = [json.loads(json.dumps(to_dict(event, "en"))) for event in play.told()]
    for line in play.lines():
        event = {key: value for key, value in line.items() if key not in ("seq", "ts")}
        if event not in told:  # decisions may say more than their event
            assert any(event.items() >= each.items() for each in told if each["event"] == event["event"])
    assert [line["seq"] for line in play.lines()] == list(range(1, len(play.lines()) + 1))
    assert all("round" in line and line["ts"].endswith("Z") for line in play.lines())


def test_prompts_and_raw_answers_are_kept(play: Play) -> None:
    play.start(answers=[9])
    identity = play.round("one")
    assert (play.workspace.prompts / f"{identity}.txt").read_text() == "prompt of round 1"
    assert (play.workspace.logs / f"{identity}.ai.txt").read_text() == "Score: 9"
    assert play.guard is not None
    assert play.guard.log_path(identity) == play.workspace.logs / f"{identity}.log"


def test_ids_name_the_moment_and_the_round_and_never_collide(play: Play) -> None:
    guard = play.start()
    play.now = play.now.replace(year=2027, second=0)
    first = guard.open_round(7)
    guard.keep_prompt(first, "x")
    play.now = play.now.replace(second=0)
    second = guard.open_round(7)
    guard.keep_prompt(second, "x")
    play.now = play.now.replace(second=0)
    assert first == "20271017-031001-r7"
    assert [second, guard.open_round(7)] == [f"{first}-2", f"{first}-3"]


def test_round_numbers_go_on_across_runs(play: Play) -> None:
    play.start(answers=[9])
    play.round("one")
    play.round(None)
    play.finish()
    guard = play.start()
    assert guard.last_round() == 2
    assert play.lines("run_started")[1]["round"] == 2


def test_a_round_that_was_killed_early_still_counts(play: Play) -> None:
    guard = play.start()
    guard.keep_prompt(guard.open_round(1), "x")
    assert play.start().last_round() == 1


def test_no_state_of_a_round_depends_on_the_clock(play: Play) -> None:
    play.start(answers=[8, 9])
    play.round("one")
    play.now = play.now.replace(year=2001)
    second = play.round("two")
    play.finish()
    play.restart()
    assert second.startswith("2001")
    assert play.record()["id"] == second
    assert play.best_idea() == play.idea == "two"


def test_without_rounds_there_is_no_trace_of_a_guard(play: Play) -> None:
    play.start(guarded=False)
    play.round("one")
    play.round("two", outcome=FINE)
    play.finish()
    assert play.idea == "two"
    names = {name for name in play.files() if not name.startswith("work/")}
    assert names <= {".research.lock", "research.md"}
    assert not play.workspace.rounds.exists()


def test_without_rounds_damaged_markers_are_refused_all_the_same(play: Play) -> None:
    guard = play.start(guarded=False)
    play.round("good")
    play.raw_round(b"damaged")
    assert play.idea == guard.sections().idea == "good"
    (damaged,) = play.told("Damaged")
    assert (play.workspace.root / damaged.kept).read_bytes() == b"damaged"
    assert not play.workspace.rounds.exists()
    play.round(None)
    assert len(play.told("Heartbeat")) == 1


def test_an_edit_of_the_user_during_a_round_becomes_a_pending_candidate(play: Play) -> None:
    play.start(answers=[2])
    play.answers[0].during = lambda: play.workspace.research.write_bytes(play.text("mine, just now"))
    play.round("one")
    (pending,) = play.lines("pending")
    assert parse(play.workspace.candidate(pending["id"]).read_bytes()).sections.idea == "mine, just now"
    assert pending["id"] in play.told("Notice")[-1].text.en
    assert play.idea == ""
    play.verdict(f"{pending['id']} 9\n")
    play.round(None)
    assert play.idea == "mine, just now"


def test_what_a_killed_run_left_in_the_work_folder_becomes_a_pending_candidate_once(play: Play) -> None:
    play.start(answers=[9])
    play.round("good")
    play.work_file.write_bytes(play.text("half written"))  # killed here
    play.restart()
    (pending,) = play.lines("pending")
    assert parse(play.workspace.candidate(pending["id"]).read_bytes()).sections.idea == "half written"
    assert play.idea == "good"
    play.restart()
    assert len(play.lines("pending")) == 1


def test_a_verdict_between_rounds_makes_no_copy_of_the_old_best(play: Play) -> None:
    play.start(answers=[9, 2])
    play.round("one")
    identity = play.round("two")
    play.verdict(f"{identity} 9\n")
    play.finish()
    assert play.idea == "two"
    assert not list(play.workspace.root.glob("research.*-*"))
