"""`xuen doctor`: each thing that is not in place fails with its mend; nothing is made and no model is asked."""

from __future__ import annotations

import io
import os
import shutil
import socket
import sys
from pathlib import Path

import pytest

from xuen.agent.presets import PRESETS
from xuen.cli import doctor
from xuen.cli.output import Output
from xuen.cli.parser import parse
from xuen.cli.settings import read_settings
from xuen.errors import ConfigError
from xuen.texts import Language
from xuen.workspace.paths import Workspace
from xuen.workspace.run_lock import RunLock


@pytest.fixture(autouse=True)
def quiet_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with a shell's tools and nothing else, and a folder for programs of the test."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "cat", "make"):
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("XWORK_MODEL_FILE", __file__)  # weights that are there
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return programs


def program(folder: Path, name: str, body: str = "echo 1.2.3") -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def ask(config: str = "", *argv: str, language: Language = "en") -> tuple[int, list[str]]:
    if config:
        Path("config.yaml").write_text(config, encoding="utf-8")
    options = parse(["doctor", *argv], {})
    stream = io.StringIO()
    code = doctor.run(options, read_settings(options, Path.cwd()), Output(stream, language, colour=False))
    return code, stream.getvalue().splitlines()


def rows(lines: list[str], name: str) -> list[str]:
    return [line for line in lines if line[4:].startswith(name)]


def test_a_new_folder_is_in_place_and_stays_empty() -> None:
    code, lines = ask()
    assert code == 0
    assert rows(lines, "configuration") == ["ok  configuration  no file here; the defaults hold"]
    assert rows(lines, "workspace") == [f"ok  workspace      {Path.cwd()}/workspace will be made"]
    assert rows(lines, "test suite")[0].endswith("rounds.fallback decides: ai")
    assert lines[-1] == "Everything is in place."
    assert not list(Path.cwd().iterdir())


def test_it_speaks_chinese() -> None:
    code, lines = ask(language="zh")
    assert code == 0
    assert lines[0] == "ok  配置           当前目录没有配置文件；使用默认值"
    assert lines[-1] == "一切就绪。"


def test_every_preset_is_listed_with_what_to_write(quiet_machine: Path) -> None:
    program(quiet_machine, "opencode")
    program(quiet_machine, "claude", "sleep 600 & exit 3")
    _, lines = ask()
    for name in PRESETS:
        assert f"in the configuration: agent: {{preset: {name}}}" in "\n".join(lines)
    assert rows(lines, "opencode") == [f"ok  opencode  {quiet_machine}/opencode  1.2.3"]
    assert rows(lines, "claude") == [f"ok  claude    {quiet_machine}/claude"]
    assert rows(lines, "codex") == ["--  codex     not on PATH"]
    assert "              install it: npm install -g @openai/codex" in lines


def test_a_preset_that_is_not_here_fails_with_how_to_install_it() -> None:
    code, lines = ask("agent: {preset: codex}\n")
    assert code == 1
    assert rows(lines, "agent ") == ["!!  agent          codex is not on PATH"]
    assert "                   mend: install it: npm install -g @openai/codex" in lines
    assert lines[-1] == "1 of the checks failed; each names its mend above."


def test_an_agent_from_the_command_line_goes_before_the_file(quiet_machine: Path) -> None:
    program(quiet_machine, "pi")
    code, lines = ask("agent: {command: 'nowhere $prompt'}\n", "--agent", "pi")
    assert (code, rows(lines, "agent ")[0]) == (0, f"ok  agent          pi, at {quiet_machine}/pi")
    assert any("runs without asking" in line for line in rows(lines, "permissions"))


def test_an_unknown_preset_is_placed_and_mended() -> None:
    code, lines = ask("agent:\n  preset: opencod\n")
    assert code == 1
    assert rows(lines, "agent ")[0].startswith("!!  agent          config.yaml:2: agent.preset: there is no agent")
    assert any('mend: Did you mean "opencode"?' in line for line in lines)
    code, lines = ask("", "--agent", "opencod")
    assert code == 1
    assert rows(lines, "agent ")[0].startswith("!!  agent          --agent: there is no agent called")


@pytest.mark.parametrize(
    ("command", "state"),
    [
        ("cat $prompt_file", "ok"),
        ("KEY=1 cat $prompt_file", "ok"),
        ("nowhere-to-be-found $prompt", "!!"),
        ("./missing.sh $prompt", "!!"),
        ("if true; then cat $prompt_file; fi", "ok"),
    ],
)
def test_the_program_of_a_command_is_looked_for_and_not_run(command: str, state: str) -> None:
    code, lines = ask(f"agent:\n  command: '{command}'\n")
    assert (code, rows(lines, "agent ")[0][:2]) == ({"ok": 0, "!!": 1}[state], state)


def test_a_program_by_its_path_that_cannot_be_run_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    agent = tmp_path / "my-agent"
    config = "agent:\n  command: '~/my-agent < $prompt_file'\n"
    code, lines = ask(config)
    assert (code, rows(lines, "agent ")) == (1, [f"!!  agent          there is no file {agent}"])
    assert any("mend: write its absolute path in agent.command" in line for line in lines)
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o644)
    code, lines = ask(config)
    assert (code, rows(lines, "agent ")) == (1, [f"!!  agent          {agent} may not be executed"])
    assert any(f"mend: run chmod +x {agent}" in line for line in lines)
    agent.chmod(0o755)
    assert ask(config)[0] == 0


def test_the_program_of_the_judge_is_looked_for_too() -> None:
    code, lines = ask("rounds:\n  judge_command: nowhere-to-be-found $prompt\n")
    assert (code, rows(lines, "judge")) == (1, ["!!  judge          nowhere-to-be-found is not on PATH"])
    assert any("mend: install it, or give its full path in rounds.judge_command" in line for line in lines)
    code, lines = ask("rounds:\n  judge_command: cat $prompt_file\n")
    assert code == 0
    assert rows(lines, "judge")[0].startswith("ok  judge          a command of your own, with ")


def test_a_bad_template_is_placed_in_the_file() -> None:
    code, lines = ask("agent:\n  command: |\n    cat\n    eval $prompt\nrounds:\n  judge_command: cat\n")
    assert code == 1
    assert rows(lines, "agent ")[0].startswith("!!  agent          config.yaml:4: agent.command (2:")
    assert rows(lines, "judge")[0].startswith("!!  judge          config.yaml:6: rounds.judge_command: the command has")
    assert sum("mend: " in line for line in lines) == 2


def test_a_command_without_a_shell_is_checked_and_its_program_looked_for(tmp_path: Path) -> None:
    code, lines = ask("agent:\n  argv:\n    - sh\n    - -c\n    - run $prompt\n")
    assert code == 1
    assert rows(lines, "agent ")[0].startswith("!!  agent          config.yaml:5: agent.argv (3:1): ")
    code, lines = ask("agent: {argv: [gone, $prompt]}\n")
    assert (code, rows(lines, "agent ")) == (1, ["!!  agent          gone is not on PATH"])
    assert any("mend: install it, or give its full path in agent.argv" in line for line in lines)
    assert ask("agent: {argv: [eval, $prompt_file]}\n")[0] == 1  # no program, but a word of the shell
    assert ask("agent: {argv: [~/cat, $prompt_file]}\n")[0] == 1
    code, lines = ask("agent: {argv: [cat, $prompt_file]}\n")
    assert code == 0
    assert rows(lines, "agent ")[0].startswith("ok  agent          a command of your own, with ")
    code, lines = ask("agent: {argv: [cat, $prompt_file], command: cat $prompt_file}\n")
    assert code == 1
    assert "agent.command and agent.argv are both set" in rows(lines, "agent ")[0]


def test_the_built_in_agent_needs_its_weights_or_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask()[0] == 0
    monkeypatch.setenv("XWORK_MODEL_FILE", "/nowhere.gguf")
    code, lines = ask()
    assert code == 1
    assert "names a file that is not there: /nowhere.gguf" in rows(lines, "agent ")[0]
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        code, lines = ask("", "--base-url", url, "--model", "m")
        assert (code, rows(lines, "agent ")[0]) == (0, f"ok  agent          the built-in one, with the server at {url}")
        assert rows(lines, "key")[0].startswith("--  key            OPENAI_API_KEY is not set")
    code, lines = ask("", "--base-url", url, "--model", "m")
    assert (code, rows(lines, "agent ")[0][:2]) == (1, "!!")


@pytest.mark.parametrize("url", ["127.0.0.1:1", "ftp://x/", "http://", "http://[::1", "http://x:99999/"])
def test_what_is_no_address_of_a_server_fails(url: str) -> None:
    code, lines = ask("", "--base-url", url, "--model", "m")
    assert (code, rows(lines, "agent ")[0][:2]) == (1, "!!")


@pytest.mark.needs("make")
def test_the_suite_that_would_judge_is_named_and_not_run(quiet_machine: Path) -> None:
    repo = Path.cwd() / "repo"
    repo.mkdir()
    config = "rounds: {repo: repo, verify: tests}\n"
    code, lines = ask(config)
    assert (code, rows(lines, "test suite")[0][:2]) == (1, "!!")
    (repo / "Makefile").write_text("test:\n\ttouch ran\n")
    doubt = "--  test suite     a Makefile; whether it has a `test` target shows in the first round"
    code, lines = ask(config)
    assert (code, rows(lines, "test suite")) == (0, [doubt])
    (repo / "package.json").write_text('{"scripts": {"test": "echo \'Error: no test specified\' && exit 1"}}')
    assert rows(ask(config)[1], "test suite") == [doubt]
    (quiet_machine / "make").unlink()
    (repo / "package.json").write_text('{"scripts": {"test": "touch ran"}}')
    code, lines = ask(config)
    assert (code, [row[:2] for row in rows(lines, "test suite")]) == (1, ["--", "--", "!!"])
    bypassed = ask("rounds: {repo: repo}\n")
    assert (bypassed[0], [row[:2] for row in rows(bypassed[1], "test suite")]) == (1, ["--", "--", "!!"])
    program(quiet_machine, "npm", "touch ran")
    code, lines = ask(config)
    assert (code, [row[:2] for row in rows(lines, "test suite")]) == (0, ["--", "ok"])
    assert rows(lines, "test suite")[-1] == f"ok  test suite     npm test in {repo}"
    (repo / "test_it.py").write_text("def test_it(): open('ran', 'w')\n")
    assert rows(ask(config)[1], "test suite")[0] == f"ok  test suite     pytest ({sys.executable}) in {repo}"
    assert not (repo / "ran").exists()


def test_what_only_a_run_can_tell_of_a_suite_is_not_called_in_place(quiet_machine: Path) -> None:
    (Path.cwd() / "repo").mkdir()
    (Path.cwd() / "repo" / "go.mod").write_text("module x\n")
    assert (
        rows(ask("rounds: {repo: repo}\n")[1], "test suite")[0]
        == "--  test suite     there is something for go test, but it is not installed"
    )
    program(quiet_machine, "go")
    assert rows(ask("rounds: {repo: repo}\n")[1], "test suite") == [
        "--  test suite     a Go module; whether it has tests shows in the first round"
    ]
    (Path.cwd() / "repo" / "go.mod").unlink()
    program(quiet_machine, "npm")
    (Path.cwd() / "repo" / "package.json").write_text(
        '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "4"}}'
    )
    assert rows(ask("rounds: {repo: repo}\n")[1], "test suite") == [
        "--  test suite     the packages that package.json names are not installed"
    ]


def test_without_a_repository_there_is_no_suite_and_tests_alone_fail() -> None:
    code, lines = ask("rounds: {verify: auto, fallback: user}\n")
    assert (code, rows(lines, "test suite")[0][:2]) == (0, "ok")
    assert "rounds.fallback decides: user" in rows(lines, "test suite")[0]
    code, lines = ask("rounds:\n  verify: tests\n")
    assert code == 1
    assert rows(lines, "test suite")[0].startswith("!!  test suite     config.yaml:2: rounds.verify: ")


def test_a_repository_that_is_not_there_fails() -> None:
    code, lines = ask("rounds:\n  repo: gone\n")
    assert code == 1
    assert rows(lines, "test suite")[0].startswith("!!  test suite     config.yaml:2: rounds.repo: ")


@pytest.mark.parametrize("config", ["rounds: {enabled: no}\n", "rounds: {verify: user}\n", "rounds: {verify: off}\n"])
def test_a_suite_that_is_not_asked_is_not_looked_for(config: str) -> None:
    code, lines = ask(config)
    assert (code, rows(lines, "test suite")[0][:2]) == (0, "ok")
    assert "not asked" in rows(lines, "test suite")[0]


def test_a_workspace_with_a_run_or_damage_is_noted() -> None:
    workspace = Workspace(Path.cwd() / "workspace")
    workspace.root.mkdir()
    workspace.research.write_text("no markers")
    with RunLock(workspace, "token"):
        code, lines = ask()
    assert code == 0
    assert f"--  workspace      a run is going on there (process {os.getpid()})" in lines
    assert any("research.md is damaged" in line for line in lines)


def test_a_workspace_that_cannot_be_made_fails() -> None:
    Path("file").touch()
    for place in ("file", "file/below"):
        code, lines = ask("", "--workspace", place)
        assert (code, rows(lines, "workspace")[0][:2]) == (1, "!!")


def test_places_that_cannot_even_be_looked_at_are_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    unseen = "x" * 300  # as a folder that nobody may enter: looking at it is an error
    code, lines = ask(f"rounds: {{repo: {unseen}}}\nagent: {{command: 'cat \"$prompt\"'}}\n", "--workspace", unseen)
    assert code == 1
    assert [rows(lines, name)[0][:2] for name in ("agent", "test suite", "workspace")] == ["ok", "!!", "!!"]
    assert rows(lines, "workspace")[0].endswith(f"{unseen}: File name too long")
    monkeypatch.setenv("XWORK_MODEL_FILE", unseen)
    code, lines = ask("agent: {preset: xwork}\n")
    assert (code, rows(lines, "agent")[0][:2]) == (1, "!!")


def test_a_configuration_with_a_fault_is_the_row_that_fails() -> None:
    code, lines = ask("loop: {iterations: 0}\n")
    assert code == 1
    assert lines[0].startswith("!!  configuration  config.yaml:1: loop.iterations: expected a whole number")
    assert not rows(lines, "workspace")
    assert rows(lines, "xwork")


def test_other_commands_end_at_a_configuration_with_a_fault() -> None:
    Path("config.yaml").write_text("loop: {iterations: 0}\n")
    with pytest.raises(ConfigError):
        read_settings(parse(["status"], {}), Path.cwd())
