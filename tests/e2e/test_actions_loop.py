"""The unattended loop as GitHub would run it: the workflow's own scripts, a bare repository as the remote."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from actions_play import (
    CHECKPOINT,
    LOOP,
    Job,
    Remote,
    cancelled_after,
    cancelled_by_github,
    faults,
    git,
    killed_after,
    lost_after,
)


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    return Remote(tmp_path)


def names(job: Job) -> list[str]:
    return [line["event"] for line in job.history()]


def together(*jobs: Job) -> None:
    threads = [threading.Thread(target=job.run) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.timeout(400)
def test_three_runs_one_killed_two_overlapping_lose_nothing(remote: Remote, tmp_path: Path) -> None:
    first = Job(remote, tmp_path, "first", during={LOOP: killed_after(2)}).run()
    assert first.codes[LOOP] != 0
    assert first.codes[CHECKPOINT] == 0, "the checkpoint runs although the step was killed"
    assert "run_finished" not in names(first)
    assert "运行在自行结束之前被强制终止" in first.summary
    second = Job(remote, tmp_path, "second", during={LOOP: cancelled_after(2)})
    third = Job(remote, tmp_path, "third", during={LOOP: cancelled_after(1)})
    together(second, third)
    for job in (second, third):
        assert job.codes[LOOP] == 0, job.said
        assert job.outputs["loop"] == {"code": "130"}
        assert job.codes[CHECKPOINT] == 0, job.said
        assert {line["task"] for line in job.history() if line["event"] == "run_started"} == {"设计一个新的算法"}
    assert faults(remote, [first, second, third]) == []
    assert git(remote.path, "for-each-ref", "--format=%(refname)").split() == [
        b"refs/heads/main",
        b"refs/heads/xuen-loop",
    ]
    last = Job(remote, tmp_path, "last", during={LOOP: cancelled_after(1)}).run()
    assert last.failed is False
    assert "recovered" not in names(last)[len(remote.history()) :]
    assert faults(remote, [first, second, third, last]) == []
    assert max(line["round"] for line in remote.history()) >= 4


@pytest.mark.timeout(300)
def test_a_machine_that_is_lost_costs_its_own_rounds_and_nothing_else(remote: Remote, tmp_path: Path) -> None:
    first = Job(remote, tmp_path, "first", during={LOOP: cancelled_after(1)}).run()
    tip = remote.tip()
    Job(remote, tmp_path, "lost", during={LOOP: lost_after(1)}).run()
    assert remote.tip() == tip
    later = Job(remote, tmp_path, "later", during={LOOP: cancelled_after(1)}).run()
    assert later.failed is False
    rounds = [line["round"] for line in remote.history() if line["event"] == "candidate"]
    assert rounds == sorted(set(rounds)), "it went on where the first one ended"
    assert faults(remote, [first, later]) == []


def test_the_end_of_the_window_is_a_success_with_a_page(remote: Remote, tmp_path: Path) -> None:
    task = "it's $(touch pwned) `touch pwned` \"; touch pwned; #\n## two lines"
    job = Job(remote, tmp_path, "only", inputs={"window": "0.3", "words": "1", "task": task}).run()
    assert job.failed is False, job.said
    assert job.outputs["loop"] == {"code": "130"}
    assert job.outputs["model"] == {"model": "opencode/big-pickle", "judge": "opencode/big-pickle"}
    assert next(line for line in job.history() if line["event"] == "run_started")["task"] == task
    assert not list(tmp_path.rglob("pwned"))
    assert "the run came to the end of its window" in job.summary
    assert "### Waiting for a verdict" in job.summary
    finished = [line for line in job.history() if line["event"] == "run_finished"]
    assert [line["exit_code"] for line in finished] == [130]


def test_the_schedule_takes_what_it_does_from_the_variables(remote: Remote, tmp_path: Path) -> None:
    chosen = {"XUEN_TASK": "a task of ours", "XUEN_WINDOW": "0.4", "XUEN_WORDS": "0", "XUEN_AGENT": "opencode"}
    job = Job(remote, tmp_path, "only", variables=chosen).run()
    assert job.failed is False, job.said
    assert next(line for line in job.history() if line["event"] == "run_started")["task"] == "a task of ours"
    assert [line["words"] for line in job.history() if line["event"] == "candidate"][:1] == [[]]


def test_an_agent_that_hears_no_signal_does_not_keep_a_cancelled_job_from_its_checkpoint(
    remote: Remote, tmp_path: Path
) -> None:
    env = {"FAKE_MODELS": "opencode/deaf", "FAKE_OPTIONS": "--idea 'in {round}' --sleep 300"}
    job = Job(remote, tmp_path, "only", inputs={"words": "0"}, env=env, during={LOOP: cancelled_by_github}).run()
    assert job.codes[CHECKPOINT] == 0, job.said
    assert faults(remote, [job]) == []
    assert job.outputs["loop"] == {"code": "130"}, "it was in time"


def test_a_run_without_a_good_round_fails_and_the_page_says_why(remote: Remote, tmp_path: Path) -> None:
    env = {"FAKE_OPTIONS": "--exit 7", "FAKE_MODELS": "opencode/big-pickle"}
    job = Job(remote, tmp_path, "only", inputs={"words": "0", "task": "a task"}, env=env).run()
    assert job.failed is True
    assert (job.codes[LOOP], job.codes[CHECKPOINT]) == (1, 0)
    assert "no round succeeded" in job.summary
    assert "Last failure (round 3)" in job.summary
    assert faults(remote, [job]) == []


def test_a_verdict_committed_on_the_web_is_honoured_by_the_next_run_before_its_first_round(
    remote: Remote, tmp_path: Path
) -> None:
    def stops_after(event: str) -> Callable[[Job, subprocess.Popen[bytes]], None]:
        def act(job: Job, process: subprocess.Popen[bytes]) -> None:
            job.wait_for_candidates(process, 1)
            job.wait_until(process, lambda: event in names(job))
            process.send_signal(signal.SIGINT)

        return act

    env = {"FAKE_OPTIONS": "--idea 'in {round}' --score -"}
    first = Job(remote, tmp_path, "first", inputs={"words": "0"}, env=env, during={LOOP: stops_after("pending")}).run()
    waiting = [line["id"] for line in remote.history() if line["event"] == "pending"][-1]  # rounds are quick here
    assert f"{waiting} 8" in first.summary, "the page says how"
    assert "https://github.example/me/it/edit/xuen-loop/rounds/verdicts.txt" in first.summary
    git(tmp_path, "clone", "-q", "-b", "xuen-loop", remote.path.as_uri(), "web")
    with (tmp_path / "web/rounds/verdicts.txt").open("a") as verdicts:
        verdicts.write(f"{waiting} 8 deeper than the rest\r\n")
    git(tmp_path / "web", "commit", "-q", "-a", "-m", "Update verdicts.txt")
    git(tmp_path / "web", "push", "-q")
    second = Job(
        remote, tmp_path, "second", inputs={"words": "0"}, env=env, during={LOOP: stops_after("adopted")}
    ).run()
    assert second.failed is False, second.said
    new = names(second)[len(first.history()) :]
    assert new.index("adopted") < new.index("candidate")
    best = json.loads(remote.read("rounds/best.json"))
    assert (best["id"], best["score"], best["verify"]) == (waiting, 8, "user")
    assert faults(remote, [first, second]) == []


def test_without_a_model_the_run_does_not_start_and_the_memory_is_kept(remote: Remote, tmp_path: Path) -> None:
    job = Job(remote, tmp_path, "only", env={"FAKE_MODELS": "opencode/a-fail opencode/b-empty"}).run()
    assert job.failed is True
    assert LOOP not in job.codes
    assert job.codes[CHECKPOINT] == 0
    assert "none of 2 models answers" in job.said
    assert "ci-models.json" in remote.names()
    assert "the run did not start" in job.summary
    assert "none of 2 models answers" in job.summary


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_to_the_script_alone_ends_the_run_gracefully(remote: Remote, tmp_path: Path, number: int) -> None:
    env = {"FAKE_OPTIONS": "--idea 'in {round}' --sleep 300"}

    def act(job: Job, process: subprocess.Popen[bytes]) -> None:
        left.extend(job.wait_for_agent(process))
        process.send_signal(number)

    left: list[psutil.Process] = []
    job = Job(remote, tmp_path, "only", inputs={"words": "0"}, env=env, during={LOOP: act}).run()
    assert job.codes == dict.fromkeys(job.codes, 0), job.said
    assert [line["exit_code"] for line in job.history() if line["event"] == "run_finished"] == [130]
    assert not [each for each in left if lives(each)]
    assert faults(remote, [job]) == []


def lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False
