"""The whole way: xuen, its built-in agent, a model server on loopback, a section written by a tool call."""

import json
import subprocess
import sys

import pytest


@pytest.fixture
def server(agents, tmp_path):
    """The scripted model server as a process; its address and its log."""
    log = tmp_path / "requests.jsonl"
    command = "printf 'a new idea\\n' | python3 write_section.py idea"
    process = subprocess.Popen(
        [sys.executable, str(agents / "openai_server.py"), str(log), "--command", command, "--text", "I did it."],
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process.stdout.readline().strip(), log
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_round_with_a_model_server_writes_a_section(xuen, server, tmp_path):
    url, log = server
    options = ["--base-url", url, "--model", "scripted", "--no-tui", "--iterations", "1", "--pick", "0"]
    done = xuen("study tea", *options, "--rounds-verify", "off")
    assert done.returncode == 0, done.stderr
    assert "a new idea" in (tmp_path / "workspace" / "research.md").read_text("utf-8")
    assert "I did it." in done.stdout
    first, second = (json.loads(line) for line in log.read_text("utf-8").splitlines())
    assert first["model"] == "scripted" and first["stream"] is True
    names = {tool["function"]["name"] for tool in first["tools"]}
    assert names >= {"read_file", "write_file", "exec_command"}
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "tool"]
    assert second["messages"][3]["tool_call_id"] == second["messages"][2]["tool_calls"][0]["id"]


def test_a_small_model_is_led_by_what_xuen_asks_as_data(xuen, tmp_path):
    """Words, a round and a judge, whatever their prompts say."""
    idea, points = "Use silk, because it is light.", "1. Buy silk.\n2. Cut a diamond."
    scripts = {"words": ["silk\nwind\n"], "research": ["T.", idea, points], "judge": [*"777777555555"]}
    for purpose, script in scripts.items():
        (tmp_path / f"{purpose}.json").write_text(json.dumps(script))
    command = f'{sys.executable} -m xuen.xwork run --prompt-file "$prompt_file"'
    command += f" --session {tmp_path}/$XUEN_PURPOSE-$$.jsonl --model script:{tmp_path}/$XUEN_PURPOSE.json"
    (tmp_path / "config.yaml").write_text(json.dumps({"agent": {"command": command}, "words": {"count": 2}}))
    done = xuen("Design a kite.", "--no-tui", "--iterations", "1", "--pick", "1", "--rounds-verify", "ai")
    assert done.returncode == 0, done.stdout + done.stderr
    assert idea in done.stdout and "1. Buy silk." in done.stdout
    assert (tmp_path / "workspace" / "words.txt").read_text("utf-8").splitlines()[-2:] == ["silk", "wind"]
