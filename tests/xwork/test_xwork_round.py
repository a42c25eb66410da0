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
