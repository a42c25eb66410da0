"""A model that answers, found by asking a scripted agent through the real command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from xuen.ci.models import ordered, wanted

POOL = ["p/empty", "p/big-pickle", "p/x", "q/x", "p/deepseek-v4.1-flash-free", "p/y"]


@pytest.fixture
def pick(xuen: Callable, tmp_path: Path, agents: Path) -> Callable:
    """`xuen ci pick-model` with the scripted agent and these models."""
    fake = f"{sys.executable} {agents / 'opencode_like.py'}"
    config = {"agent": {"command": f'{fake} run -m "$XUEN_MODEL" < "$prompt_file"'}}
    (tmp_path / "config.yaml").write_text(json.dumps(config), "utf-8")

    def run(models: str, *options: str, **env: str) -> tuple[int, list[str], str, list[str]]:
        """Exit code, what was said, the error, and which models were asked."""
        (tmp_path / "trace").write_text("")
        env = {"FAKE_MODELS": models, "FAKE_TRACE": str(tmp_path / "trace"), "LC_ALL": "C.UTF-8"} | env
        done = xuen("ci", "pick-model", "--list", f"{fake} models", "--timeout", "60", *options, **env)
        asked = [line.split()[1] for line in (tmp_path / "trace").read_text().splitlines()]
        return done.returncode, done.stdout.splitlines(), done.stderr, asked

    return run


def memory(tmp_path: Path) -> dict:
    return json.loads((tmp_path / "workspace" / "ci-models.json").read_text("utf-8"))["dead"]


def test_preferred_names_come_first_and_the_rest_in_any_order() -> None:
    preferred = ["deepseek-v4.1-flash-free", "big-pickle"]
    orders = {tuple(ordered(POOL, preferred, Random(seed))) for seed in range(40)}
    assert {order[:2] for order in orders} == {("p/deepseek-v4.1-flash-free", "p/big-pickle")}
    assert {frozenset(order) for order in orders} == {frozenset(POOL)}
    assert len({order[2] for order in orders}) == 4
    assert wanted(POOL, ["x", "p/x", "none"]) == ["p/x", "q/x"]


def test_the_first_preferred_model_that_answers_is_taken(pick: Callable, tmp_path: Path) -> None:
    output = tmp_path / "output"
    code, said, _, asked = pick("p/a-model p/big-pickle p/deepseek-v4.1-flash-free", GITHUB_OUTPUT=str(output))
    assert (code, said[-1]) == (0, "p/deepseek-v4.1-flash-free")
    assert asked == ["p/deepseek-v4.1-flash-free"]
    assert output.read_text() == "model=p/deepseek-v4.1-flash-free\njudge=p/deepseek-v4.1-flash-free\n"


def test_a_file_for_the_next_steps_that_cannot_be_written_is_one_line(pick: Callable, tmp_path: Path) -> None:
    place = tmp_path / "gone" / "output"
    code, said, trouble, _ = pick("p/big-pickle", GITHUB_OUTPUT=str(place))
    assert (code, said[-1]) == (2, "p/big-pickle")
    assert trouble == f"xuen: {place}: cannot be read or written: No such file or directory\n"


def test_models_that_hang_fail_answer_nothing_or_an_error_are_passed_over_and_remembered(
    pick: Callable, tmp_path: Path
) -> None:
    began = datetime.now(UTC)
    code, _, _, asked = pick("p/hang", "--timeout", "2")
    assert (code, asked) == (1, ["p/hang"])
    names = "p/hang p/fail p/empty p/wrong"
    code, said, _, asked = pick(f"p/good {names}", "--prefer", "hang,fail,empty,wrong,good")
    assert (code, said[-1]) == (0, "p/good")
    assert asked == ["p/fail", "p/empty", "p/wrong", "p/good"]
    dead = memory(tmp_path)
    assert list(dead) == ["p/empty", "p/fail", "p/hang", "p/wrong"]
    assert "429" in dead["p/fail"]["reason"]
    assert "over its time limit" in dead["p/hang"]["reason"]
    assert "401" in dead["p/wrong"]["reason"]
    second = timedelta(seconds=1)  # of which times may have no parts
    assert began - second < datetime.fromisoformat(dead["p/hang"]["at"]) < datetime.now(UTC) + second


def test_a_remembered_one_is_not_tried_until_its_time_is_over(pick: Callable, tmp_path: Path) -> None:
    assert pick("p/fail p/good", "--prefer", "fail,good")[3] == ["p/fail", "p/good"]
    code, said, _, asked = pick("p/fail p/good", "--prefer", "fail,good")
    assert (code, asked) == (0, ["p/good"])
    assert any(line.startswith("p/fail not tried: dead since") for line in said)
    assert pick("p/fail p/good", "--prefer", "fail,good", "--dead-hours", "0")[3] == ["p/fail", "p/good"]
    path = tmp_path / "workspace" / "ci-models.json"
    old = (datetime.now(UTC) - timedelta(hours=4)).isoformat()  # the schedule's next start
    path.write_text(json.dumps({"dead": {"p/fail": {"at": old, "reason": "x"}, "p/gone": {"at": "?", "reason": "x"}}}))
    assert pick("p/fail p/good", "--prefer", "fail,good")[3] == ["p/fail", "p/good"]
    path.write_text("not JSON")
    assert pick("p/good")[0] == 0


def test_none_left_is_a_clear_failure(pick: Callable, tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    code, said, error, _ = pick("p/fail p/empty", GITHUB_STEP_SUMMARY=str(summary))
    assert code == 1
    assert "none of 2 models answers" in summary.read_text()
    assert error.splitlines() == [
        f"xuen: {Path(sys.executable).name}: none of 2 models answers. "
        "Wait, or try the remembered ones at once with --dead-hours 0"
    ]
    assert "p/empty: it answered with nothing" in said
    assert pick("p/fail p/empty")[3] == [], "none is asked again at once"


def test_the_judge_is_a_model_of_its_own_where_that_answers(pick: Callable) -> None:
    code, said, _, asked = pick("p/big p/quick p/fail", "--prefer", "big", "--judge", "fail,quick")
    assert (code, asked) == (0, ["p/big", "p/fail", "p/quick"])
    assert "model: p/big; judge: p/quick" in said
    assert "model: p/big; judge: p/big" in pick("p/big p/fail", "--prefer", "big", "--judge", "fail,none")[1]


def test_a_pattern_keeps_paid_models_out(pick: Callable) -> None:
    code, said, _, asked = pick("p/a p/b-free", "--only", "*-free", "--prefer", "a")
    assert (code, said[-1], asked) == (0, "p/b-free", ["p/b-free"])
    code, _, error, asked = pick("p/a", "--only", "*-free")
    assert (code, asked) == (1, [])
    assert "none of the 1 listed models matches *-free" in error


def test_a_list_that_cannot_be_had_is_one_line(pick: Callable) -> None:
    code, _, error, _ = pick("")
    assert code == 1
    assert "no provider is connected" in error
    for command in ("no-such-agent-anywhere models", "", "'", "true"):
        code, _, error, _ = pick(
            "p/a", *(("--list", command) if command else ()), **({} if command else {"FAKE_MODELS": ""})
        )
        assert code == 1
        assert len(error.splitlines()) == 1, error


def test_only_names_are_taken_from_the_list(pick: Callable) -> None:
    code, said, _, asked = pick("--flag $(id) p/a;b p/fine")
    assert (code, said[-1], asked) == (0, "p/fine", ["p/fine"])


def test_a_command_without_a_place_for_the_model_is_refused(xuen: Callable, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("agent:\n  command: 'agent \"$prompt\"'\n")
    done = xuen("ci", "pick-model", LC_ALL="C.UTF-8")
    assert done.returncode == 2
    assert "$XUEN_MODEL" in done.stderr
    assert xuen("ci", "pick-model", "--timeout", "0").returncode == 2
    assert xuen("ci", "pick-modell").returncode == 2
    assert xuen("ci").returncode == 2
    assert xuen("ci", "restore", "--timeout", "1").returncode == 2
