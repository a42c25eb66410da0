"""The command line: options, sub-commands, help in two languages, one line for each misuse."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from xuen import __version__
from xuen.cli.parser import COMMANDS, Options, early_language, help_text, parse
from xuen.cli.task import read_task
from xuen.config.model import Config
from xuen.config.overrides import apply_overrides
from xuen.errors import UsageError

ID = "20261130-101112-r3"
RUNNABLE = [name for name in COMMANDS if name not in ("run", "ci")]
"""All that is done by writing its words; `run` has none, and `ci` alone is refused."""


def run(*argv: str) -> Options:
    return parse(argv, {})


def settings(*argv: str) -> Config:
    return apply_overrides(Config(), run(*argv).overrides)


def fault(*argv: str) -> str:
    with pytest.raises(UsageError) as caught:
        parse(argv, {})
    assert caught.value.line("zh")
    return caught.value.line("en")


def test_a_task_and_nothing_else_changes_no_setting() -> None:
    assert run("a new optimizer") == Options(command="run", task="a new optimizer")
    assert settings("x") == Config()


def test_every_option_reaches_its_setting() -> None:
    config = settings(
        "t", "--iterations", "inf", "--pick=0", "--workspace", "w", "--rounds-verify", "off", "--rounds-fallback",
        "user", "--rounds-score", "8.5", "--base-url", "http://127.0.0.1:1/v1", "--model", "m", "--language", "zh",
    )  # fmt: skip
    assert (config.loop.iterations, config.words.pick, config.workspace, config.language) == ("inf", 0, "w", "zh")
    assert (config.rounds.verify, config.rounds.fallback, config.rounds.adopt_score) == ("off", "user", 8.5)
    assert (config.xwork.base_url, config.xwork.model) == ("http://127.0.0.1:1/v1", "m")


def test_the_other_options_are_kept_as_they_are() -> None:
    options = run("t", "-c", "my.yaml", "--regen-words", "--no-tui", "--no-color", "--seed", "-7", "--events", "-")
    assert options.config == Path("my.yaml")
    assert (options.regen_words, options.no_tui, options.no_color) == (True, True, True)
    assert (options.seed, options.events, options.task) == (-7, "-", "t")


def test_no_rounds_turns_the_guard_off() -> None:
    assert settings("t", "--no-rounds").rounds.enabled is False


def test_an_agent_that_was_asked_for_goes_before_a_command_in_the_file() -> None:
    file = apply_overrides(Config(), ())
    file = file.__class__(agent=file.agent.__class__(command="mine $prompt"))
    config = apply_overrides(file, run("t", "--agent", "claude").overrides)
    assert (config.agent.preset, config.agent.command) == ("claude", None)


@pytest.mark.parametrize(
    "argv", [["status"], ["status", "-c", "x.yaml"], ["-c", "x.yaml", "status"], ["-cx.yaml", "status"]]
)
def test_a_command_is_the_first_word_before_or_after_its_options(argv: list[str]) -> None:
    options = run(*argv)
    assert options.command == "status"
    assert options.config in (None, Path("x.yaml"))


@pytest.mark.parametrize("argv", [["--", "doctor"], ["--no-tui", "--", "doctor"], ["-c", "doctor", "--", "doctor"]])
def test_after_two_dashes_the_word_is_a_task(argv: list[str]) -> None:
    assert (run(*argv).command, run(*argv).task) == ("run", "doctor")


@pytest.mark.parametrize(
    "task", ["Doctor", "doctor ", "doctors", "a doctor", "run", "- a list\n- of two", "-5", "-", "a\n\nb"]
)
def test_what_is_not_exactly_a_command_is_a_task(task: str) -> None:
    assert run(task) == Options(command="run", task=task)


@pytest.mark.parametrize("name", RUNNABLE)
def test_each_command_takes_the_config_and_the_workspace(name: str) -> None:
    words = {"say": ["hi"], "score": [ID, "8"], "show": [ID]}.get(name, [])
    options = run(*name.split(), *words, "-c", "c.yaml", "--workspace", "w")
    assert (options.command, options.config) == (name, Path("c.yaml"))
    assert apply_overrides(Config(), options.overrides).workspace == "w"


def test_the_steps_of_an_unattended_run_are_two_words() -> None:
    options = run("-c", "c.yaml", "ci", "--branch", "b", "checkpoint", "--exit-code=130")
    assert (options.command, options.given) == ("ci checkpoint", {"branch": "b", "exit_code": "130"})
    assert run("ci restore").task == "ci restore"
    assert run("--", "ci").task == "ci"
    for words in (["ci"], ["ci", "restored"], ["ci", "run"], ["ci", "--", "restore"], ["ci", "restore", "more"]):
        with pytest.raises(UsageError):
            run(*words)


def test_the_words_of_the_commands() -> None:
    assert run("say", "more", "about", "--workspace", "w", "noise").text == "more about noise"
    assert run("say", "--", "--loud").text == "--loud"
    assert run("say", "doctor").text == "doctor"
    scored = run("score", ID, "8.5", "clear", "--workspace", "w", "proof")
    assert (scored.id, scored.score, scored.comment) == (ID, 8.5, "clear proof")
    assert run("show", ID).id == ID
    assert run("history", "--json").json


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["--iterations", "0"], "--iterations: expected a whole number, 1 or more, or inf, found 0"),
        (["--iterations", "1.5"], "--iterations: expected a whole number, 1 or more, or inf, found 1.5"),
        (["--pick", "-1"], "--pick: expected a whole number, 0 or more, found -1"),
        (["--pick"], "--pick: a value is missing. See xuen --help"),
        (["--pick", "--no-tui"], "--pick: a value is missing. See xuen --help"),
        (["--no-tui=1"], "--no-tui: this option takes no value. See xuen --help"),
        (["--rounds-score", "11"], "--rounds-score: expected a number from 0 to 10, found 11"),
        (
            ["--rounds-verify", "test"],
            "--rounds-verify: expected one of ai, auto, off, tests, user, found test. Did you mean tests?",
        ),
        (["--language", "de"], "--language: expected one of auto, en, zh, found de"),
        (["--seed", "1.5"], "--seed: expected a whole number, found 1.5"),
        (["--workspace", ""], "--workspace: an empty value"),
        (["--events="], "--events: an empty value"),
        (["t", "--iteration", "3"], "--iteration: unknown option. Did you mean --iterations?"),
        (["--iter=3"], "--iter: unknown option. Did you mean --iterations?"),
        (["-x"], '-x: unknown option. A task that begins with "-" goes after "--"'),
        (["-V"], "-V: unknown option. Did you mean --version?"),
        (["--no"], '--no: unknown option. A task that begins with "-" goes after "--"'),
        (["init", "--force"], "--force: unknown option. See xuen init --help"),
        (["doctor", "--fix"], "--fix: unknown option. See xuen doctor --help"),
        (["help", "--json"], "--json: not an option of xuen help. See xuen help --help"),
        (["t", "--json"], "--json: unknown option. See xuen status --help"),
        (["design", "an", "optimizer"], "unexpected argument: an. Put the whole task in one pair of quotes"),
        (["t", "--task-file", "f"], "a task and --task-file were both given. Give only one of them"),
        (["", "--no-tui"], 'the task is empty. Write it: xuen "your task"'),
        (["serve", ""], 'the task is empty. Write it: xuen serve "your task"'),
        ([" \n"], 'the task is empty. Write it: xuen "your task"'),
        (["\udcff"], "the task is not valid text"),
        (
            ["doctor", "--iterations", "3"],
            '--iterations: not an option of xuen doctor. To make "doctor" the task: xuen -- doctor',
        ),
        (["status", "now"], "unexpected argument: now. See xuen status --help"),
        (["say"], "TEXT is missing. Type it like this: xuen say 'try it with …'"),
        (["say", " "], "TEXT is missing. Type it like this: xuen say 'try it with …'"),
        (["show"], "ID is missing. Type it like this: xuen show ID"),
        (["score"], "ID is missing. Type it like this: xuen score ID 8"),
        (
            ["score", "r3"],
            "the score X, a number from 0 to 10, is missing. Type it like this: xuen score r3 8",
        ),
        (["scor", "r3", "8"], "unexpected argument: r3. Did you mean xuen score? A task goes in one pair of quotes"),
        (["run", "my task"], 'unexpected argument: my task. Did you mean xuen "…"? A task goes in one pair of quotes'),
        (["diff", "r1", "r2"], 'the command "diff" is not available in this version. See xuen --help'),
        (["help", "statu"], 'there is no command "statu". Did you mean status?'),
        (["help", "quantum"], 'there is no command "quantum". See xuen --help'),
        (["help", "fork"], 'the command "fork" is not available in this version. See xuen --help'),
        (["version", "now"], "unexpected argument: now. See xuen version --help"),
        (["score", ID, "8/10"], "X: expected a number from 0 to 10, found 8/10"),
        (["score", ID, "-1"], "X: expected a number from 0 to 10, found -1"),
        (["show", ID, ID], f"unexpected argument: {ID}. See xuen show --help"),
    ],
)
def test_misuse_is_one_line_with_its_mend(argv: list[str], line: str) -> None:
    assert fault(*argv) == line


def test_help_and_version_are_only_shown() -> None:
    assert run("--version").show == f"xuen {__version__}"
    assert run("-h").show == help_text("run", "en")
    assert run("--help", "--language", "zh").show == help_text("run", "zh")
    assert run("show", "--help").show == help_text("show", "en")
    assert run("--", "--help").task == "--help"
    assert run("version").show == f"xuen {__version__}"
    assert run("help").show == help_text("run", "en")
    assert run("help", "ci", "restore", "--language", "zh").show == help_text("ci restore", "zh")


def test_the_help_of_serve_offers_no_standard_output_which_is_the_screens() -> None:
    assert "standard output" in help_text("run", "en").replace("\n" + " " * 25, " ")
    assert "--events FILE" in help_text("serve", "en")
    assert "output" not in help_text("serve", "en")


@pytest.mark.parametrize("name", [*RUNNABLE, "ci"])
def test_the_help_of_a_command_names_its_words_and_its_options(name: str) -> None:
    about, text = COMMANDS[name], run(*name.split(), "--help").show or ""
    assert text == help_text(name, "en")
    for word in (about.words, *about.positional, *(flag.names[-1] for flag in about.flags), "--workspace", "--help"):
        assert word in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_names_every_option_and_every_command(language: str) -> None:
    text = help_text("run", "zh" if language == "zh" else "en")
    words = """TASK|-c, --config FILE|--task-file FILE|--iterations N|--pick N|--workspace DIR|--regen-words|--no-tui
        |--no-color|--no-rounds|--rounds-verify|--rounds-fallback|--rounds-score X|--agent NAME|--base-url URL
        |--model NAME|--seed INT|--language auto|--events FILE|--version|-h, --help"""
    for word in [each.strip() for each in words.split("|")] + [name.split()[0] for name in RUNNABLE]:
        assert word in text
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize(
    ("argv", "environ", "expected"),
    [
        ([], {}, "en"),
        ([], {"LANG": "zh_CN.UTF-8"}, "zh"),
        ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ([], {"LANG": "C", "LC_MESSAGES": "zh_TW"}, "zh"),
        (["--language", "en"], {"LANG": "zh_CN.UTF-8"}, "en"),
        (["--language=zh"], {}, "zh"),
        (["--language", "auto"], {"LANG": "zh_CN"}, "zh"),
        (["--", "--language", "zh"], {}, "en"),
        (["--language"], {}, "en"),
        (["设计一个优化器", "--iterations", "x"], {"LANG": "C.UTF-8"}, "zh"),
        (["设计一个优化器", "--language", "en"], {}, "en"),
        (["a task", "--workspace", "/home/用户", "-c", "配置.yaml", "--task-file=任务.txt"], {}, "en"),
    ],
)
def test_the_first_words_are_in_the_language_of_the_surroundings(
    argv: list[str], environ: dict[str, str], expected: str
) -> None:
    assert early_language(argv, environ) == expected


@pytest.mark.parametrize("answer", ["", "n", "no", None])
def test_a_word_that_is_almost_a_command_is_asked_about_on_a_terminal(answer: str | None) -> None:
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        if answer is None:
            raise EOFError
        return answer

    with pytest.raises(UsageError, match="nothing was started") as caught:
        read_task(Options(command="run", task="statu"), "en", ask)
    assert "xuen status" in caught.value.line("en")
    assert '"statu" is no command' in asked[0]


def test_it_can_be_a_task_all_the_same() -> None:
    def never(question: str) -> str:
        raise AssertionError(question)

    assert read_task(Options(command="run", task="statu"), "en", lambda _question: "Y") == "statu"
    assert read_task(Options(command="run", task="state of the art"), "en", never) == "state of the art"


def test_a_task_file_is_the_whole_task_without_its_mark(tmp_path: Path) -> None:
    file = tmp_path / "task.txt"
    file.write_bytes("\ufeff设计一个新的优化器\r\n\r\n  要求：快\n\n".encode())
    assert read_task(run("--task-file", str(file)), "zh", None) == "设计一个新的优化器\n\n  要求：快"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\xff\xfe", "the task file is not UTF-8. Save the file as UTF-8"),
        (b"\xef\xbb\xbf \n", 'the task is empty. Write it: xuen "your task"'),
        (None, "cannot read the task file: No such file or directory. Check the path and its permissions"),
    ],
)
def test_a_task_file_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None, line: str) -> None:
    file = tmp_path / "task.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_task(run("--task-file", str(file)), "en", None)
    assert caught.value.line("en") == f"{file}: {line}"


def test_without_a_task_the_terminal_is_asked() -> None:
    asked = []

    def ask(question: str) -> str:
        asked.append(question)
        return " from the keyboard "

    assert read_task(run(), "en", ask) == "from the keyboard"
    assert asked == ["Research task: "]


def test_without_a_task_and_a_terminal_it_is_an_error() -> None:
    with pytest.raises(UsageError, match="no task"):
        read_task(run(), "en", None)

    def closed(question: str) -> str:
        raise EOFError

    with pytest.raises(UsageError, match="the task is empty"):
        read_task(run(), "en", closed)

    def latin(question: str) -> str:
        return b"caf\xe9".decode()

    with pytest.raises(UsageError, match="the task is not valid text"):
        read_task(run(), "en", latin)


def test_the_parser_loads_nothing_heavy() -> None:
    code = "import sys, xuen.cli.parser, xuen.cli.task; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"textual", "rich", "httpx", "psutil", "yaml"} & set(ast.literal_eval(loaded))
