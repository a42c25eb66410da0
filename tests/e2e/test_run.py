"""The whole program from the outside: the real command line, a real shell, a small agent."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
RESEARCHER = ROOT / "tests" / "agents" / "researcher.py"

EMPTY = (
    "# {task}\n\n<!-- XUEN:IDEA:BEGIN -->\n<!-- XUEN:IDEA:END -->\n\n"
    "<!-- XUEN:ARTIFACT:BEGIN -->\n<!-- XUEN:ARTIFACT:END -->\n"
)


def agent(*options: str) -> str:
    """The template of the small agent with these options."""
    words = [sys.executable, str(RESEARCHER), *options]
    return " ".join(shlex.quote(word) for word in words) + ' "$prompt"'


def configure(folder: Path, command: str, **sections: object) -> None:
    (folder / "config.yaml").write_text(json.dumps({"agent": {"command": command}, **sections}), "utf-8")


def history(folder: Path) -> list[dict]:
    lines = (folder / "workspace" / "rounds" / "history.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def names(folder: Path) -> list[str]:
    return [line["event"] for line in history(folder)]


def recorded(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("task", "idea_shown", "artifact_shown"),
    [
        ("Design a new optimizer", "[idea updated]an idea of 1", "[artifact updated]a thing of 1"),
        ("设计一个新的优化器", "[修改想法区]an idea of 1", "[修改产物区]a thing of 1"),
    ],
)
def test_three_rounds_from_a_task_to_the_best(
    xuen: Callable, tmp_path: Path, task: str, idea_shown: str, artifact_shown: str
) -> None:
    configure(tmp_path, agent("--idea", "an idea of {round}", "--artifact", "a thing of {round}", "--score", "8,3,9"))
    done = xuen(task, "--iterations", "3", "--no-tui")
    assert done.returncode == 0, done.stderr
    assert idea_shown in done.stdout
    assert artifact_shown in done.stdout
    assert "thinking in round 2" in done.stdout
    research = (tmp_path / "workspace" / "research.md").read_text("utf-8")
    assert research == (
        f"# {task}\n\n<!-- XUEN:IDEA:BEGIN -->\nan idea of 3\n<!-- XUEN:IDEA:END -->\n\n"
        "<!-- XUEN:ARTIFACT:BEGIN -->\na thing of 3\n<!-- XUEN:ARTIFACT:END -->\n"
    )
    assert [name for name in names(tmp_path) if name in ("adopted", "rejected")] == ["adopted", "rejected", "adopted"]
    best = json.loads((tmp_path / "workspace" / "rounds" / "best.json").read_text("utf-8"))
    assert best["score"] == 9
    assert best["verify"] == "ai"
    assert (tmp_path / "workspace" / "rounds" / "best.md").read_text("utf-8") == research


def test_the_next_round_starts_from_the_best_and_a_second_call_goes_on(xuen: Callable, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    configure(tmp_path, agent("--idea", "idea {round}", "--score", "8,2", "--record", str(record)))
    assert xuen("a task", "--iterations", "2", "--no-tui").returncode == 0
    assert xuen("a task", "--iterations", "1", "--no-tui").returncode == 0
    research = [each for each in recorded(record) if each["purpose"] == "research"]
    assert [each["round"] for each in research] == [1, 2, 3]
    assert "[Current idea]\nidea 1\n" in research[1]["prompt"]
    assert "[Current idea]\nidea 1\n" in research[2]["prompt"], "round 2 was rejected"
    assert sum(each["purpose"] == "words" for each in recorded(record)) == 2, "the bank was made once, in two batches"


def test_words_are_reused_made_anew_and_left_out(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "idea {round}", "--words", "alpha wave,beta decay"))
    bank = tmp_path / "workspace" / "words.txt"

    def words() -> list[str]:
        return [line for line in bank.read_text("utf-8").splitlines() if not line.startswith("#")]

    assert xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0").returncode == 0
    assert not bank.exists()
    assert xuen("a task", "--iterations", "1", "--no-tui").returncode == 0
    assert words() == ["alpha wave", "beta decay"]
    configure(tmp_path, agent("--idea", "idea {round}", "--words", "gamma ray"))
    assert xuen("a task", "--iterations", "1", "--no-tui").returncode == 0
    assert words() == ["alpha wave", "beta decay"]
    assert xuen("a task", "--iterations", "1", "--no-tui", "--regen-words").returncode == 0
    assert words() == ["gamma ray"]
    kept = list((tmp_path / "workspace").glob("words-*.txt"))
    assert ["alpha wave" in file.read_text("utf-8") for file in kept] == [True], "nothing that was there is dropped"


def test_a_failed_making_of_words_falls_back_to_the_old_bank(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "idea {round}", "--words", "alpha wave"))
    assert xuen("a task", "--iterations", "1", "--no-tui").returncode == 0
    configure(tmp_path, agent("--idea", "idea {round}", "--words", ""))
    done = xuen("a task", "--iterations", "1", "--no-tui", "--regen-words")
    assert done.returncode == 0
    assert "the old one is used" in done.stdout
    assert "words: alpha wave" in done.stdout


def test_without_any_bank_the_rounds_go_on_and_say_so(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--words", "", "--idea", "x"))
    done = xuen("a task", "--iterations", "1", "--no-tui")
    assert done.returncode == 0
    assert "the rounds go on without words" in done.stdout
    assert "adopted" in names(tmp_path)


def test_an_inbox_that_cannot_be_read_costs_its_texts_only(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "idea {round}"), rounds={"verify": "off"})
    (tmp_path / "workspace" / "inbox.jsonl").mkdir(parents=True)
    done = xuen("a task", "--iterations", "2", "--no-tui", "--pick", "0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("inbox.jsonl cannot be read") == 2
    assert names(tmp_path).count("adopted") == 2
    assert names(tmp_path)[-1] == "run_finished"


def test_texts_that_cannot_be_taken_out_were_given_all_the_same_and_it_is_said(xuen: Callable, tmp_path: Path) -> None:
    spoils = "test -f ../inbox.jsonl && rm ../inbox.jsonl && mkdir ../inbox.jsonl; echo begun; sleep 1; " + agent(
        "--idea", "x"
    )
    configure(tmp_path, spoils, rounds={"verify": "off"})
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "inbox.jsonl").write_text('{"ts":"","text":"a wish"}\n', "utf-8")
    done = xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0", "--events", "events.jsonl")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()]
    (taken,) = [event["texts"] for event in events if event["event"] == "input_taken"]
    assert taken == ["a wish"]
    (told,) = [event for event in events if event["event"] == "notice"]
    assert told["level"] == "error"
    assert "will not send them again" in told["text"]
    assert events[-1]["event"] == "run_finished"


def test_three_failures_in_a_row_end_the_loop(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "half done", "--exit", "7"))
    done = xuen("a task", "--iterations", "inf", "--no-tui", "--pick", "0")
    assert done.returncode == 1
    assert "3 times in a row" in done.stdout
    assert names(tmp_path).count("agent_failed") == 3
    assert "candidate" not in names(tmp_path)
    research = (tmp_path / "workspace" / "research.md").read_text("utf-8")
    assert research == EMPTY.format(task="a task"), "what a failed round left half done is not the state"


def test_after_a_success_three_failures_end_with_zero(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "good", "--exit", "0,7"))
    done = xuen("a task", "--iterations", "inf", "--no-tui", "--pick", "0")
    assert done.returncode == 0
    assert "3 times in a row" in done.stdout
    assert "good" in (tmp_path / "workspace" / "research.md").read_text("utf-8")


@pytest.mark.parametrize(
    "said",
    [
        "litellm.AuthenticationError: OpenAIException - Error code: 401",
        "Error: No API key found for openai.",
        "429 Too Many Requests",
        "Error: model not found: nonesuch",
        "Error code: 503 - overloaded",
        "This model's maximum context length is 4096 tokens",
    ],
)
def test_an_agent_that_is_refused_and_exits_with_zero_has_failed(xuen: Callable, tmp_path: Path, said: str) -> None:
    script = tmp_path / "refused.sh"
    script.write_text(f"echo I try\necho {shlex.quote(said)}\necho Good bye\n", "utf-8")
    configure(tmp_path, f'sh {script} "$prompt"')
    done = xuen("a task", "--iterations", "inf", "--no-tui", "--pick", "0")
    assert done.returncode == 1
    assert "the agent failed 3 times in a row" in done.stdout
    failures = [line for line in history(tmp_path) if line["event"] == "agent_failed"]
    assert [(line["round"], line["why"], line["code"]) for line in failures] == [(n, "failed", 0) for n in (1, 2, 3)]
    assert all(said in line["reason"] for line in failures)
    assert "heartbeat" not in names(tmp_path)


def test_a_refusal_that_the_agent_got_over_is_no_failure(xuen: Callable, tmp_path: Path) -> None:
    write = f"echo good | {sys.executable} write_section.py idea"
    configure(tmp_path, f'echo "429 Too Many Requests"; {write}; : "$prompt"', rounds={"verify": "off"})
    assert xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0").returncode == 0
    assert "adopted" in names(tmp_path)


@pytest.mark.parametrize(("first", "code"), [(": ", 1), ("{write}", 0)], ids=["never changed", "changed once"])
def test_an_agent_that_changes_nothing_does_not_run_for_ever(
    xuen: Callable, tmp_path: Path, first: str, code: int
) -> None:
    write = f"test $XUEN_ROUND = 1 && echo good | {sys.executable} write_section.py idea"
    configure(
        tmp_path, f'{first.format(write=write)}; echo "I would rather not"; : "$prompt"', rounds={"verify": "off"}
    )
    done = xuen("a task", "--iterations", "inf", "--no-tui", "--pick", "0")
    assert done.returncode == code, done.stdout
    assert "changed nothing: 5; likely because: it answered in words" in done.stdout
    assert [f"the next call begins in {seconds} s" in done.stdout for seconds in ("1", "2", "4")] == [False, True, True]
    assert names(tmp_path).count("heartbeat") == 5


def test_a_pause_after_a_call_without_a_change_ends_with_the_run(tmp_path: Path, environment: Callable) -> None:
    configure(tmp_path, ': "$prompt"', loop={"max_unchanged": 100})
    process = running(tmp_path, "--iterations", "inf", "--events", "events.jsonl", env=environment())
    events = tmp_path / "events.jsonl"
    wait_for(lambda: events.exists() and "begins in 8 s" in events.read_text("utf-8"))
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert time.monotonic() - begun < 8, "it did not wait for the end of the pause that it announced"
    assert process.returncode == 130
    assert names(tmp_path)[-1] == "run_finished"


@pytest.mark.parametrize(
    ("score", "said", "code", "pending"),
    [
        ("!", "exit code 1; it said: the judge is out", 1, 3),
        ("-", "the judge's answer", 1, 3),
        ("8,!", "exit code 1; it said: the judge is out", 0, 3),
    ],
)
def test_a_judge_that_fails_every_time_ends_the_run(
    xuen: Callable, tmp_path: Path, score: str, said: str, code: int, pending: int
) -> None:
    configure(tmp_path, agent("--idea", "idea {round}", "--score", score))
    done = xuen("a task", "--iterations", "inf", "--no-tui", "--pick", "0")
    assert done.returncode == code, done.stdout
    assert "the evaluation failed 3 times in a row; the last time: " in done.stdout
    assert said in done.stdout.rpartition("the last time: ")[2]
    assert names(tmp_path).count("pending") == pending


def test_a_judge_over_its_time_limit_ends_the_run_too(xuen: Callable, tmp_path: Path) -> None:
    slow = f'test "$XUEN_PURPOSE" = judge && exec sleep 300; exec {agent("--idea", "idea {round}")}'
    script = tmp_path / "slow.sh"
    script.write_text(slow.replace('"$prompt"', '"$1"'), "utf-8")
    configure(tmp_path, f'sh {script} "$prompt"', rounds={"judge_timeout": 0.3}, loop={"max_failures": 2})
    done = xuen("a task", "--iterations", "inf", "--no-tui", "--pick", "0")
    assert done.returncode == 1
    assert "the evaluation failed 2 times in a row; the last time: " in done.stdout
    assert names(tmp_path).count("pending") == 2


def test_a_command_that_is_not_there_is_a_failed_call_and_says_so(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, 'cd . && no-such-program-anywhere "$prompt"')
    done = xuen("a task", "--no-tui", "--pick", "0")
    assert done.returncode == 1
    assert "command not found" in done.stdout
    assert names(tmp_path).count("agent_failed") == 3
    assert {line.get("code") for line in history(tmp_path) if line["event"] == "agent_failed"} == {127}


def test_damaged_markers_are_refused_and_kept(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "first", "--idea", "second", "--damage", "2"))
    done = xuen("a task", "--iterations", "2", "--no-tui", "--pick", "0")
    assert done.returncode == 0
    damaged = next(line for line in history(tmp_path) if line["event"] == "damaged")
    assert "second" in (tmp_path / "workspace" / damaged["kept"]).read_text("utf-8")
    research = (tmp_path / "workspace" / "research.md").read_text("utf-8")
    assert "first" in research
    assert names(tmp_path).count("candidate") == 1


def test_research_damaged_before_the_start_is_kept_aside_and_the_best_is_restored(
    xuen: Callable, tmp_path: Path
) -> None:
    configure(tmp_path, agent("--idea", "the good one"))
    assert xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0").returncode == 0
    research = tmp_path / "workspace" / "research.md"
    good = research.read_bytes()
    research.write_text("all markers are gone\n", "utf-8")
    configure(tmp_path, agent())
    assert xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0").returncode == 1, "this agent changes nothing"
    assert research.read_bytes() == good
    kept = list((tmp_path / "workspace").glob("research.damaged-*.md"))
    assert [path.read_text("utf-8") for path in kept] == ["all markers are gone\n"]


def test_verify_user_leaves_candidates_pending_and_a_late_verdict_overturns(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "idea {round}"))
    assert xuen("a task", "--iterations", "2", "--no-tui", "--pick", "0", "--rounds-verify", "user").returncode == 0
    pending = [line["id"] for line in history(tmp_path) if line["event"] == "pending"]
    assert len(pending) == 2
    assert (tmp_path / "workspace" / "research.md").read_text("utf-8") == EMPTY.format(task="a task")
    assert xuen("score", pending[0], "9", "worth it").returncode == 0
    configure(tmp_path, agent())
    done = xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0", "--rounds-verify", "user")
    assert "idea 1" in (tmp_path / "workspace" / "research.md").read_text("utf-8")
    adopted = next(line for line in history(tmp_path) if line["event"] == "adopted")
    assert (adopted["id"], adopted["score"], adopted["verify"]) == (pending[0], 9, "user")
    assert pending[0] in done.stdout


def test_a_text_that_comes_again_is_judged_once_and_the_users_verdict_holds(xuen: Callable, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    configure(tmp_path, agent("--idea", "the idea", "--score", "2,9", "--record", str(record)))
    assert xuen("a task", "--iterations", "2", "--no-tui", "--pick", "0").returncode == 0
    first = next(line["id"] for line in history(tmp_path) if line["event"] == "candidate")
    assert xuen("score", first, "3").returncode == 0
    done = xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0")
    assert f"by an earlier decision: equal to {first}, which you scored 3" in done.stdout
    assert [line["verify"] for line in history(tmp_path) if line["event"] == "rejected"] == [
        "ai",
        "repeat",
        "user",
        "repeat",
    ]
    assert [each["purpose"] for each in recorded(record)].count("judge") == 1


def test_verify_off_keeps_the_newest(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "idea {round}"))
    assert xuen("a task", "--iterations", "3", "--no-tui", "--pick", "0", "--rounds-verify", "off").returncode == 0
    assert "idea 3" in (tmp_path / "workspace" / "research.md").read_text("utf-8")
    assert len(list((tmp_path / "workspace" / "rounds").glob("cand-*.md"))) == 4


@pytest.mark.parametrize(
    ("verify", "assertion", "score", "event", "by"),
    [
        ("tests", "assert True", "-", "adopted", "tests"),
        ("tests", "assert False", "-", "rejected", "tests"),
        ("auto", "assert True", "8", "adopted", "ai"),
        ("auto", "assert True", "2", "rejected", "ai"),
        ("auto", "assert False", "8", "rejected", "tests"),
    ],
)
def test_a_suite_is_a_gate_and_with_tests_alone_it_decides(
    xuen: Callable, tmp_path: Path, verify: str, assertion: str, score: str, event: str, by: str
) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "test_it.py").write_text(f"def test_it():\n    {assertion}\n", "utf-8")
    configure(tmp_path, agent("--idea", "idea", "--score", score), rounds={"repo": "repo", "verify": verify})
    done = xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0")
    assert done.returncode == 0
    (decision,) = [line for line in history(tmp_path) if line["event"] in ("adopted", "rejected", "pending")]
    assert (decision["event"], decision["verify"]) == (event, by)
    assert decision["judgements"][0]["verifier"] == "tests"


@pytest.mark.needs("make")
@pytest.mark.parametrize("verify", ["tests", "auto"])
def test_a_suite_that_ends_with_0_and_shows_no_test_decides_nothing(
    xuen: Callable, tmp_path: Path, verify: str
) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "Makefile").write_text("test:\n\tsh check.sh\n", "utf-8")
    (repo / "check.sh").write_text("exit 0\n", "utf-8")
    configure(tmp_path, agent("--idea", "idea", "--score", "9"), rounds={"repo": "repo", "verify": verify})
    assert xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0").returncode == 0
    (decision,) = [line for line in history(tmp_path) if line["event"] in ("adopted", "rejected", "pending")]
    assert (decision["event"], decision["verify"]) == ("pending", "tests")
    assert "no test was seen to pass" in decision["reason"]


def test_no_rounds_leaves_no_trace_of_a_guard(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "idea {round}"))
    assert xuen("a task", "--iterations", "2", "--no-tui", "--no-rounds").returncode == 0
    assert not (tmp_path / "workspace" / "rounds").exists()
    assert "idea 2" in (tmp_path / "workspace" / "research.md").read_text("utf-8")


def test_what_the_user_says_reaches_the_next_prompt_exactly_once(xuen: Callable, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    configure(tmp_path, agent("--idea", "idea {round}", "--record", str(record)), rounds={"verify": "off"})
    assert xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0").returncode == 0
    assert xuen("say", "fix the `foo` function; it's $(broken)").returncode == 0
    assert xuen("say", "第二条").returncode == 0
    done = xuen("a task", "--iterations", "2", "--no-tui", "--pick", "0")
    assert done.returncode == 0
    prompts = [each["prompt"] for each in recorded(record)]
    assert "[User input]\nfix the `foo` function; it's $(broken)\n第二条\n\n" in prompts[1]
    assert ["[User input]" in prompt for prompt in prompts] == [False, True, False]
    assert (tmp_path / "workspace" / "inbox.jsonl").read_bytes() == b""


def test_a_seed_makes_the_draws_reproducible(xuen: Callable, tmp_path: Path) -> None:
    drawn = []
    for workspace in ("one", "two"):
        configure(tmp_path, agent("--idea", "idea {round}", "--words", ",".join(f"word{n}" for n in range(40))))
        done = xuen(
            "t", "--iterations", "3", "--no-tui", "--seed", "7", "--workspace", workspace, "--events", f"{workspace}.ev"
        )
        assert done.returncode == 0
        events = recorded(tmp_path / f"{workspace}.ev")
        drawn.append([event["words"] for event in events if event["event"] == "round_started"])
    assert drawn[0] == drawn[1]
    assert len({tuple(words) for words in drawn[0]}) == 3


def test_events_on_standard_output_leave_the_console_to_standard_error(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "x"))
    done = xuen("a task", "--iterations", "1", "--pick", "0", "--events", "-")
    assert done.returncode == 0
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[-1]["event"] == "run_finished"
    assert all("ts" in event for event in events)
    assert "[idea updated]x" in done.stderr


def test_events_that_cannot_be_written_cost_the_events_only(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "x"))
    done = xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0", "--events", "/dev/full")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.count("gets no more events") == 1
    assert "adopted" in names(tmp_path)


def test_the_agent_gets_its_surroundings(xuen: Callable, tmp_path: Path) -> None:
    program = tmp_path / "look.sh"
    program.write_text(
        'printf "%s\\n" "$XUEN_PURPOSE" "$XUEN_ROUND" "$XUEN_WORKSPACE" "$PWD" "${prompt-unset}" "$EXTRA" > "$OUT"\n'
        'if read -r line; then echo "stdin had: $line"; fi\n',
        "utf-8",
    )
    out = tmp_path / "out.txt"
    configure(tmp_path, f'sh {program} "$prompt"')
    config = {"agent": {"command": f'sh {program} "$prompt"', "env": {"EXTRA": "more", "OUT": str(out)}}}
    (tmp_path / "config.yaml").write_text(json.dumps(config), "utf-8")
    xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0", prompt="inherited")
    assert "heartbeat" in names(tmp_path)
    workspace = str(tmp_path / "workspace" / "work")
    assert out.read_text("utf-8").splitlines() == ["research", "1", workspace, workspace, "unset", "more"]


def test_the_prompt_file_is_private_and_gone_afterwards(xuen: Callable, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    configure(tmp_path, f'stat -c "%a %n" $prompt_file > {out}; cat < "$prompt_file" >> {out}')
    xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0")
    assert "heartbeat" in names(tmp_path)
    first, *prompt = out.read_text("utf-8").splitlines()
    mode, path = first.split(" ", 1)
    assert mode == "600"
    assert not Path(path).is_relative_to(tmp_path / "workspace")
    assert not Path(path).parent.exists()
    assert not Path(path).exists()
    kept = next((tmp_path / "workspace" / "rounds" / "prompts").iterdir())
    assert "\n".join(prompt) == kept.read_text("utf-8")


def test_a_prompt_that_does_not_fit_ends_the_loop_before_anything_starts(xuen: Callable, tmp_path: Path) -> None:
    (tmp_path / "task.txt").write_text("long " * 30_000, "utf-8")
    canary = tmp_path / "started"
    configure(tmp_path, f'touch {canary}; : "$prompt"')
    done = xuen("--task-file", "task.txt", "--no-tui", "--pick", "0")
    assert done.returncode == 2
    assert "$prompt_file" in done.stdout + done.stderr
    assert "long long" not in done.stderr
    assert not canary.exists()


# --- ends ------------------------------------------------------------------------------------------------------------


def running(folder: Path, *arguments: str, env: dict[str, str], **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "a task", "--no-tui", "--pick", "0", *arguments],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=str
)
def test_a_signal_ends_the_agents_tree_and_then_the_program(
    tmp_path: Path, environment: Callable, number: signal.Signals, code: int
) -> None:
    pids = tmp_path / "pids"
    configure(tmp_path, f'sleep 300 & echo $! > {pids}; setsid sleep 300 & echo $! >> {pids}; : "$prompt"; wait')
    process = running(tmp_path, env=environment())
    wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    process.send_signal(number)
    time.sleep(0.05)
    process.send_signal(number)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == code, output.decode()
    assert not [pid for pid in map(int, pids.read_text().split()) if alive(pid)]
    assert names(tmp_path)[-1] == "run_finished"
    assert b"Traceback" not in output


def test_a_timeout_kills_the_tree_and_counts_as_a_failure(xuen: Callable, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    command = f'trap "" TERM; sleep 300 & echo $! >> {pids}; : "$prompt"; wait; sleep 300'
    config = {"agent": {"command": f"sh -ec '{command}' || :"}}
    script = tmp_path / "stubborn.sh"
    script.write_text(command.replace('; : "$prompt"', ""), "utf-8")
    config = {"agent": {"command": f'sh {script} "$prompt"', "timeout": 3}}
    (tmp_path / "config.yaml").write_text(json.dumps(config), "utf-8")
    done = xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0")
    assert done.returncode == 1
    failed = next(line for line in history(tmp_path) if line["event"] == "agent_failed")
    assert failed["why"] == "timeout"
    assert not [pid for pid in map(int, pids.read_text().split()) if alive(pid)]


def test_a_second_run_on_the_same_workspace_is_refused_and_a_dead_holder_does_not_block(
    xuen: Callable, tmp_path: Path, environment: Callable
) -> None:
    record = tmp_path / "record.jsonl"
    configure(tmp_path, agent("--sleep", "300", "--record", str(record)))
    first = running(tmp_path, env=environment())
    try:
        wait_for(record.exists)
        second = xuen("a task", "--no-tui")
        assert second.returncode == 2
        assert str(first.pid) in second.stderr
        assert len(second.stderr.splitlines()) == 1
        below = psutil.Process(first.pid).children(recursive=True)
    finally:
        first.kill()
        first.communicate()
    wait_for(lambda: not any(process.is_running() for process in below), seconds=5)
    configure(tmp_path, agent("--idea", "after the kill"))
    third = xuen("a task", "--iterations", "1", "--no-tui", "--pick", "0")
    assert third.returncode == 0
    assert "after the kill" in (tmp_path / "workspace" / "research.md").read_text("utf-8")
    assert "left behind" not in third.stdout, "the agent ended with its run"


# --- bad input -------------------------------------------------------------------------------------------------------


def one_line(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert done.returncode == 2, done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for part in parts:
        assert part in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a question"], "is not installed for"),
        (["一个问题"], "没有安装软件包"),
        (["a question", "--workspace", "/home/用户", "--config=配置.yaml"], "is not installed for"),
    ],
)
def test_a_python_without_what_xuen_needs_is_one_line(words: list[str], said: str) -> None:
    bare = [sys.executable, "-E", "-S", "main.py", *words]  # without anything that was installed
    root = Path(__file__).parents[2]
    done = subprocess.run(bare, cwd=root, capture_output=True, encoding="utf-8", timeout=60, check=False)
    one_line(done, said, ".venv/bin/python")


def test_bad_input_gets_one_clear_line_and_leaves_nothing(xuen: Callable, tmp_path: Path) -> None:
    one_line(xuen("--no-tui"), "no task", 'main.py "your task"')
    one_line(xuen("serve"), "no task", 'main.py serve "your task"')
    one_line(xuen("  ", "--no-tui"))
    one_line(xuen("--task-file", "nowhere.txt", "--no-tui"), "nowhere.txt")
    one_line(xuen("t", "--no-tui", "--iterations", "0"), "--iterations")
    one_line(xuen("t", "--no-tui", "--agent", "opencod"), "opencode")
    config = tmp_path / "config.yaml"
    config.write_text("rounds:\n  adopt_scor: 8\n", "utf-8")
    one_line(xuen("t", "--no-tui"), "config.yaml:2", "adopt_scor", "adopt_score")
    config.write_text("rounds:\n  adopt_score: high\n", "utf-8")
    one_line(xuen("t", "--no-tui"), "config.yaml:2", "rounds.adopt_score")
    config.write_text("agent:\n  command: agent --go\n", "utf-8")
    one_line(xuen("t", "--no-tui"), "config.yaml:2", "agent.command", "$prompt_file")
    config.write_text('agent:\n  command: "eval $prompt"\n', "utf-8")
    one_line(xuen("t", "--no-tui"), "config.yaml:2", "agent.command")
    config.unlink()
    one_line(xuen("t", "--no-tui", "--base-url", "http://127.0.0.1:9/v1"), "--model")
    one_line(xuen("t", "--no-tui", "--base-url", "127.0.0.1:9", "--model", "m"), "--base-url", "http://")
    assert not (tmp_path / "workspace").exists()


def test_a_known_agent_that_is_not_here_is_told_with_how_to_install_it(xuen: Callable) -> None:
    done = xuen("t", "--no-tui", "--pick", "0", "--agent", "claude", PATH="/usr/bin:/bin")
    one_line(done, "--agent: claude is not on PATH", "npm install -g @anthropic-ai/claude-code")


def test_a_workspace_that_cannot_be_written_is_one_line(xuen: Callable, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    configure(tmp_path, agent())
    one_line(xuen("t", "--no-tui", "--workspace", "file/ws"), "file/ws")


def test_errors_are_chinese_where_the_user_is(xuen: Callable) -> None:
    done = xuen("--no-tui", LANG="zh_CN.UTF-8", LC_ALL="zh_CN.UTF-8")
    assert done.returncode == 2
    assert "任务" in done.stderr


def test_another_task_takes_no_workspace_over_by_itself(xuen: Callable, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    configure(tmp_path, agent("--idea", "idea {round}", "--words", "alpha wave", "--record", str(record)))
    assert xuen("the first task", "--iterations", "1", "--no-tui").returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    configure(tmp_path, agent("--idea", "idea {round}", "--words", "beta decay", "--record", str(record)))
    before[tmp_path / "config.yaml"] = (tmp_path / "config.yaml").read_bytes()
    for words in (["the second task"], ["the first task\nand more"]):
        done = xuen(*words, "--iterations", "1", "--no-tui")
        one_line(done, "another task (the first task)", "--workspace OTHER", "--new-task", str(tmp_path / "workspace"))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    done = xuen("the second task", "--iterations", "1", "--no-tui", "--new-task")
    assert "had another task (the first task)" in done.stdout
    assert "words: beta decay" in done.stdout
    assert "[Task]\nthe second task\n" in recorded(record)[-1]["prompt"]
    assert len([name for name in names(tmp_path) if name == "run_started"]) == 2, "the record stays"
    again = xuen("the second task", "--iterations", "1", "--no-tui", "--new-task")
    assert "another task" not in again.stdout, "it is said once"
    assert "words: beta decay" in again.stdout


def test_a_research_file_without_rounds_keeps_its_title_and_takes_any_task(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "idea {round}"))
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "research.md").write_text(EMPTY.format(task="My own title"), "utf-8")
    done = xuen("a task", "--iterations", "1", "--no-tui")
    assert done.returncode == 0
    assert "begun for another task (My own title)" in done.stdout


def test_the_word_doctor_can_be_a_task(xuen: Callable, tmp_path: Path) -> None:
    configure(tmp_path, agent("--idea", "an idea"))
    done = xuen("--iterations", "1", "--no-tui", "--pick", "0", "--", "doctor")
    assert done.returncode == 0
    assert (tmp_path / "workspace" / "research.md").read_text("utf-8").startswith("# doctor\n")
