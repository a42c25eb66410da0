"""`status`, `history`, `show` and `score` in a workspace as a run leaves it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from xuen.errors import UsageError, WorkspaceError
from xuen.files.lock import FileLock
from xuen.workspace import inbox
from xuen.workspace.paths import Workspace
from xuen.workspace.run_lock import RunLock

BASE, BETTER, WORSE, OPEN = (f"20261130-10111{n}-r{n}" for n in range(4))

Call = Callable[..., str]


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_status_shows_the_state_at_a_glance(workspace: Workspace, call: Call) -> None:
    inbox.put(workspace, "try it")
    assert call("status").splitlines() == [
        f"Workspace   {workspace.root}",
        "Task        a task",
        "Run         none is going on",
        f"Best        {BETTER}  score 8.5 (ai)  2026-11-30 10:11:03Z",
        "Rounds      5 (adopted 1, rejected 1, pending 1, no change 1, agent failed 1)",
        "Pending     1",
        f"  {OPEN}  the judge timed out",
        f"  to decide one, from 0 to 10: xuen score {OPEN} 8 --workspace {workspace.root}",
        "Failures    1",
        "  r4  2026-11-30 10:11:08Z  agent failed  the agent ended with code 3",
        "Queued      1",
        "  try it",
    ]
    chinese = call("status", language="zh")
    assert f"最佳        {BETTER}  8.5 分（ai）" in chinese
    assert "轮次        5（已采纳 1，已拒绝 1，挂起 1，无改动 1，agent 失败 1）" in chinese


def test_a_verdict_that_waits_for_the_next_reading_is_seen(workspace: Workspace, call: Call) -> None:
    assert call("score", OPEN, "5") == f"noted 5 for {OPEN}; the next run honours it first\n"
    call("score", OPEN, "8")
    call("score", WORSE, "7.5", "after all")
    said = call("score", BETTER, "1")
    assert said == f"noted 1 for {BETTER}, but it was adopted before, so nothing changes\n"
    shown = call("status")
    rows = "".join(f"  {id}  {score}  counts from the next round on\n" for id, score in ((OPEN, 8), (WORSE, 7.5)))
    assert f"Verdicts    2\n{rows}" in shown
    assert json.loads(call("status", "--json"))["noted"] == {OPEN: 8.0, WORSE: 7.5}


def test_status_as_json(workspace: Workspace, call: Call) -> None:
    inbox.put(workspace, "试试")
    value = json.loads(call("status", "--json"))
    assert (value["best"]["id"], value["best"]["score"], value["best"]["seq"]) == (BETTER, 8.5, 4)
    assert [each["id"] for each in value["pending"]] == [OPEN]
    assert [each["round"] for each in value["failures"]] == [4]
    assert (value["rounds"], value["counts"]["heartbeat"], value["queued"]) == (5, 1, ["试试"])
    assert (value["running"], value["pid"], value["workspace"]) == (False, None, str(workspace.root))


def test_status_beside_a_run_names_its_process(workspace: Workspace, call: Call) -> None:
    with RunLock(workspace, "token"):
        assert f"Run         going on (process {os.getpid()})" in call("status")
        value = json.loads(call("status", "--json"))
        assert (value["running"], value["pid"]) == (True, os.getpid())


def test_beside_a_run_a_candidate_without_a_decision_is_being_judged_and_waits_for_nobody(
    workspace: Workspace, call: Call
) -> None:
    fresh = "20261130-101119-r6"
    line = {"seq": 99, "ts": "2026-11-30T10:11:19.000Z", "event": "candidate", "round": 6, "id": fresh, "sha256": "0"}
    with workspace.history.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    assert "Pending     2\n" in call("status"), "no run is there to judge it"
    assert f"{fresh}  not decided yet" in call("show", fresh)
    with RunLock(workspace, "token"):
        said = call("status")
        value = json.loads(call("status", "--json"))
    assert f"Judging     {fresh}\nPending     1\n" in said
    assert "pending 1," in said
    assert (value["judging"], [each["id"] for each in value["pending"]]) == ([fresh], [OPEN])


def test_history_is_one_line_an_event(call: Call) -> None:
    lines = call("history").splitlines()
    assert len(lines) == 10
    assert lines[0] == "    1  2026-11-30 10:11:00Z  r0    run started     auto  a task"
    assert lines[3] == f"    4  2026-11-30 10:11:03Z  r1    adopted         {BETTER}  8.5 ai  score 8.5, 7 was needed"
    assert lines[8] == "    9  2026-11-30 10:11:08Z  r4    agent failed    the agent ended with code 3"
    assert "已采纳" in call("history", language="zh")


def test_history_as_json_is_what_the_file_says(workspace: Workspace, call: Call) -> None:
    lines = workspace.history.read_text().splitlines()
    assert json.loads(call("history", "--json")) == [json.loads(line) for line in lines]


def test_a_history_with_odd_lines_is_still_shown(workspace: Workspace, call: Call) -> None:
    with workspace.history.open("a") as file:
        file.write(
            '{"seq": 11, "event": ["x"], "round": null, "id": {}, "score": "9", "reason": ["\\u001b[2J"]}\n{"torn'
        )
    assert len(call("history").splitlines()) == 11
    assert "\x1b" not in call("history")
    assert call("status")


def test_show_tells_the_whole_story(workspace: Workspace, call: Call) -> None:
    shown = call("show", WORSE)
    assert shown.splitlines() == [
        f"{WORSE}  rejected",
        "  round     2",
        "  words     entropy, swarm",
        f"  parent    {BETTER}",
        f"  snapshot  {workspace.candidate(WORSE)}",
        f"  prompt    {workspace.prompts / WORSE}.txt",
        f"  log       {workspace.logs / WORSE}.log",
        "2026-11-30 10:11:04Z  candidate",
        "  ai  3  a guess",
        "  │ It guesses.",
        "  │ SCORE: 3",
        "2026-11-30 10:11:05Z  rejected  3  ai  score 3 is below 7",
        "",
        "[idea]",
        "sort",
        "then guess",
        "",
        "[artifact]",
        "step 1",
        "",
        f"What changed against {BETTER}",
        "--- a/idea",
        "+++ b/idea",
        "@@ -1,2 +1,2 @@",
        " sort",
        "-then merge",
        "+then guess",
    ]


def test_show_of_the_baseline_has_no_diff(call: Call) -> None:
    shown = call("show", BASE)
    assert shown.startswith(f"{BASE}  baseline\n")
    assert "What changed" not in shown


def test_show_says_what_a_damaged_snapshot_leaves(workspace: Workspace, call: Call) -> None:
    workspace.candidate(BETTER).unlink()
    assert "the snapshot of its parent is missing or damaged" in call("show", WORSE)
    assert "its snapshot is missing or damaged" in call("show", BETTER)
    assert "tests  not available here  no suite" in call("show", BETTER)


@pytest.mark.parametrize("id", ["20261130-101110-r9", "nonsense", "../../etc/passwd", "a\nb"])
def test_an_unknown_id_is_one_line(call: Call, id: str) -> None:
    for argv in (["show", id], ["score", id, "8"]):
        with pytest.raises(UsageError) as caught:
            call(*argv)
        assert "\n" not in caught.value.line("en")


def test_score_adds_a_line_and_nothing_else(workspace: Workspace, call: Call) -> None:
    before = everything(workspace.root)
    assert call("score", OPEN, "8.50", "deeper", "than the rest") == (
        f"noted 8.5 for {OPEN}; the next run honours it first\n"
    )
    after = everything(workspace.root)
    assert after.pop(str(workspace.verdicts)).decode() == f"{OPEN} 8.5 deeper than the rest\n"
    assert after == before


def test_score_beside_a_run_is_honoured_after_the_round(workspace: Workspace, call: Call) -> None:
    with RunLock(workspace, "token"):
        assert "counts from the next round on" in call("score", OPEN, "0")


def test_looking_changes_nothing_and_waits_for_nobody(workspace: Workspace, call: Call) -> None:
    locks = [FileLock(path) for path in (workspace.run_lock, workspace.research_lock)]
    for lock in locks:
        lock.acquire(0)
    before = everything(workspace.root)
    for argv in (["status"], ["history"], ["show", WORSE], ["status", "--json"], ["history", "--json"]):
        call(*argv)
    assert everything(workspace.root) == before
    for lock in locks:
        lock.release()


def test_a_workspace_without_a_guard_has_no_history(tmp_path: Path, workspace: Workspace, call: Call) -> None:
    workspace.rounds.rename(tmp_path / "away")
    assert call("history") == "nothing has happened yet\n"
    assert "Best        none yet" in call("status")
    assert not workspace.rounds.exists()


@pytest.mark.parametrize("argv", [["status"], ["history"], ["show", BASE], ["score", BASE, "8"], ["say", "x"]])
def test_without_a_workspace_nothing_is_made(workspace: Workspace, call: Call, argv: list[str]) -> None:
    away = workspace.root.rename(workspace.root.with_name("away"))
    with pytest.raises(WorkspaceError, match="no workspace here yet"):
        call(*argv)
    assert not workspace.root.exists()
    away.rename(workspace.root)


def test_a_file_that_cannot_be_read_is_one_line(workspace: Workspace, call: Call) -> None:
    workspace.history.unlink()
    workspace.history.mkdir()
    with pytest.raises(WorkspaceError, match=r"history\.jsonl: cannot be used: Is a directory"):
        call("status")


@pytest.mark.parametrize(
    ("named", "id"), [("r1", BETTER), ("best", BETTER), (WORSE[:-1], WORSE), (OPEN, OPEN), ("r0", BASE)]
)
def test_a_candidate_is_named_by_its_round_its_beginning_or_as_the_best(call: Call, named: str, id: str) -> None:
    assert call("show", named).startswith(f"{id}  ")


def test_a_verdict_holds_the_whole_id_of_a_candidate_that_was_named_short(call: Call, workspace: Workspace) -> None:
    assert f"for {OPEN}" in call("score", "r3", "8")
    assert workspace.verdicts.read_text("utf-8") == f"{OPEN} 8\n"


@pytest.mark.parametrize(
    ("named", "said"), [("2026", f'"2026" could be any of {BASE}, {BETTER}, '), ("r7", "there is no candidate r7")]
)
def test_a_name_of_none_or_of_several_is_refused(call: Call, named: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        call("show", named)
    assert caught.value.line("en").startswith(said)
