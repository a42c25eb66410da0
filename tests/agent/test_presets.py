"""The table of agent programs, and what settings make of it."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import xuen
from xuen.agent.call import Call
from xuen.agent.presets import PRESETS, find
from xuen.agent.resolve import name_of, resolve, xwork_command
from xuen.agent.shell_agent import ShellAgent
from xuen.agent.template import check_with_shell, parse
from xuen.config.model import AgentSettings, XworkSettings
from xuen.errors import ConfigError, TemplateError
from xuen.events import Purpose, Why
from xuen.stop import Stop

RECORDER = Path(__file__).parent.parent / "agents" / "recorder.py"


class Nobody:
    def emit(self, event) -> None:
        pass


def resolved(name: str, **xwork):
    return resolve(AgentSettings(preset=name), XworkSettings(**xwork))


def stand_in(folder: Path, program: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / program
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_presets_are_those_of_the_contract():
    assert next(iter(PRESETS)) == "xwork"
    assert {"opencode", "claude", "codex", "gemini", "qwen", "pi", "aider", "mini"} <= set(PRESETS)
    assert {"copilot", "droid", "cline", "cn"} <= set(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_template_that_shells_accept_and_says_what_it_permits(name):
    got = resolved(name)
    check_with_shell(got.template)
    assert got.name == name
    assert got.permits is not None
    assert name in got.permits.en
    assert name in got.permits.zh
    assert got.template.uses_prompt_file or name in ("cline", "mini")


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "xwork"])
def test_the_program_of_each_preset_gets_the_prompt_whole(name, tmp_path, monkeypatch):
    programs = tmp_path / "bin"
    stand_in(programs, PRESETS[name].program, f'exec {shlex.quote(sys.executable)} {RECORDER} --stdin "$@"')
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    prompt = "xuen: it's `a` $(b) \\n\n两行"
    got = resolved(name)
    agent = ShellAgent(
        got.template, name=name, workspace=tmp_path, token="t", sink=Nobody(), stop=Stop(), timeout=30, env=got.env
    )
    assert agent.call(Call(prompt=prompt, purpose=Purpose.RESEARCH, round=1)).why is Why.OK
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))
    if name == "aider":  # a note of the preset's own follows
        assert record["argv"][record["argv"].index("--message-file") + 1] == "/dev/stdin"
        assert record["stdin"].startswith(prompt + "\n\n")
    else:
        assert prompt in [record["stdin"], *record["argv"], *record["read"]]
    assert {**record["env"], **got.env} == record["env"]


def test_aider_runs_no_commands_and_fetches_no_pages_that_a_prompt_names():
    # It would run each line of a here-document by itself, and with no terminal its questions mean yes.
    words = shlex.split(PRESETS["aider"].command)
    assert {"--no-suggest-shell-commands", "--no-detect-urls", "--no-show-release-notes"} <= set(words)
    assert "--yes-always" not in words
    assert words[-1] == "research.md"
    assert "no command" in resolved("aider").permits.en


def test_a_command_goes_before_the_preset():
    got = resolve(
        AgentSettings(preset="claude", command='A=1 /opt/x/my-agent "$prompt"', env={"K": "v"}), XworkSettings()
    )
    assert (got.name, got.env, got.preset, got.permits) == ("my-agent", {"K": "v"}, None, None)
    with pytest.raises(TemplateError):
        resolve(AgentSettings(command="agent"), XworkSettings())


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("opencode run < $prompt_file", "opencode"),
        ("KEY=a/b opencode run", "opencode"),
        ("exec opencode run", "opencode"),
        ("{ nohup agent run; }", "agent"),
        ("'/opt/my tools/agent' x", "agent"),
        ("broken ' quote", "broken"),
        ("'broken quote", "agent"),
        ("A=1 # nothing", "agent"),
        ("", "agent"),
    ],
)
def test_the_name_of_a_command(command, name):
    assert name_of(command) == name


def test_an_unknown_preset_names_the_nearest():
    with pytest.raises(ConfigError) as caught:
        find("Claud")
    for language in ("en", "zh"):
        assert "claude" in caught.value.line(language)
        assert "agent.preset" in caught.value.line(language)


def test_an_environment_that_is_set_goes_before_a_presets_default(monkeypatch):
    monkeypatch.setenv("DISABLE_AUTOUPDATER", "0")
    assert "DISABLE_AUTOUPDATER" not in resolved("claude").env
    asked = AgentSettings(preset="aider", env={"LITELLM_LOCAL_MODEL_COST_MAP": "False"})
    assert resolve(asked, XworkSettings()).env["LITELLM_LOCAL_MODEL_COST_MAP"] == "False"


def test_xwork_takes_its_settings_and_a_session_of_its_own():
    command = xwork_command(
        XworkSettings(base_url="http://127.0.0.1:1/v1?a=b&c", model="my 'model'", api_key_env="KEY", approval="ask")
    )
    words = shlex.split(command)
    assert words[:5] == [sys.executable, "-P", "-m", "xuen.xwork", "run"]
    assert words[words.index("--base-url") + 1] == "http://127.0.0.1:1/v1?a=b&c"
    assert words[words.index("--model") + 1] == "my 'model'"
    assert words[words.index("--api-key-env") + 1] == "KEY"
    assert words[words.index("--approval") + 1] == "ask"
    assert "--base-url" not in xwork_command(XworkSettings())
    assert "--sandbox" not in command + xwork_command(XworkSettings(sandbox_network=True))
    assert xwork_command(XworkSettings(sandbox="auto")).endswith(" --sandbox auto")
    assert xwork_command(XworkSettings(sandbox="on", sandbox_network=True)).endswith(" --sandbox on --sandbox-network")
    check_with_shell(parse(command))


def test_the_state_is_small_for_the_embedded_model_only():
    assert resolved("xwork").max_state_chars is not None
    assert resolved("xwork", base_url="http://127.0.0.1:1/v1", model="m").max_state_chars is None
    assert resolved("claude").max_state_chars is None


def test_the_embedded_model_works_where_no_server_was_named():
    assert resolved("xwork").embedded
    assert not resolved("xwork", base_url="http://127.0.0.1:1/v1", model="m").embedded
    assert not resolved("claude").embedded
    assert not resolve(AgentSettings(command="xwork $prompt"), XworkSettings()).embedded


def test_read_only_is_said():
    assert "cannot write" in resolved("xwork", approval="read-only").permits.en


def test_the_built_in_agent_can_be_imported_wherever_xuen_runs_and_the_workspace_cannot_get_in(tmp_path, monkeypatch):
    # A module of the workspace with the name of a standard one must not be taken.
    (tmp_path / "json.py").write_text("raise SystemExit('taken from the workspace')")
    monkeypatch.setenv("PYTHONPATH", "/somewhere/else")
    got = resolve(AgentSettings(env={"PYTHONPATH": "/asked/for"}), XworkSettings())
    path = got.env.get("PYTHONPATH", "/asked/for").split(":")
    assert path[-1] == "/asked/for"
    code = "import json, xuen.xwork; print(xuen.xwork.__file__)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=dict(got.env), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("folder", ["with space", "with 'quotes\"", "$dollar `tick`", "汉字"])
def test_interpreters_in_odd_places_work(folder, tmp_path, monkeypatch):
    place = tmp_path / folder
    stand_in(place, "python", f'echo "$5"; exec {shlex.quote(sys.executable)} {RECORDER} "$@"')
    monkeypatch.setattr(sys, "executable", str(place / "python"))
    got = resolved("xwork")
    check_with_shell(got.template)
    argv = got.template.argv("prompt", "/tmp/p")
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_each_call_of_the_built_in_agent_has_another_session(tmp_path, monkeypatch):
    stand_in(tmp_path / "bin", "python", 'for word; do case $word in *.jsonl) echo "$word";; esac; done')
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    got = resolved("xwork")
    agent = ShellAgent(got.template, name="x", workspace=tmp_path, token="t", sink=Nobody(), stop=Stop(), timeout=30)
    call = Call(prompt="p", purpose=Purpose.JUDGE, round=4)
    first, second = agent.call(call).stdout.strip(), agent.call(call).stdout.strip()
    assert first.endswith(".jsonl")
    assert first.startswith(".xwork/calls/t-4-judge-")
    assert first != second


def test_a_program_that_is_not_there_has_no_place_and_no_version(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (find("opencode").where(), find("opencode").version_number()) == (None, None)
    assert (find("xwork").where(), find("xwork").version_number()) == (sys.executable, xuen.__version__)
    assert [name for name, preset in PRESETS.items() if preset.built_in] == ["xwork"]


def test_versions_are_read_from_what_the_program_says(monkeypatch, tmp_path):
    stand_in(tmp_path, "codex", 'printf "\\033[1mcodex-cli\\033[0m 0.171.0\\n"')
    stand_in(tmp_path, "claude", "sleep 0.1; echo '2.1.197 (Claude Code)' >&2")
    stand_in(tmp_path, "pi", "exit 1")
    stand_in(tmp_path, "gemini", "echo 'needs Node.js 22, this is 18.19.1' >&2; exit 1")
    stand_in(tmp_path, "qwen", "echo welcome; echo 0.20.0")
    stand_in(tmp_path, "mini", "echo 'This is mini-swe-agent version 2.4.6.'")
    stand_in(tmp_path, "aider", "echo 'aider 0.86.3.dev0+g1a2b'")
    monkeypatch.setenv("PATH", f"{tmp_path}:{Path(shutil.which('sleep') or '/bin/sleep').parent}")
    assert find("codex").version_number() == "0.171.0"
    assert find("claude").version_number() == "2.1.197"
    assert find("pi").version_number() is None
    assert find("gemini").version_number() is None
    assert find("qwen").version_number() == "0.20.0"
    assert find("mini").version_number() == "2.4.6"
    assert find("aider").version_number() == "0.86.3.dev0+g1a2b"
