"""`run`, `resume`, `compact` and `show` from the outside: sessions, exit codes, kills."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from xuen.xwork.commands import settings
from xuen.xwork.options import parser
from xuen.xwork.session.records import ModelChosen


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def command(tmp_path, work, environment):
    """Starts `python -m xuen.xwork NAME …` in the workspace, with a script for its model."""

    def start(name, *arguments, script=None, **env):
        argv = [sys.executable, "-m", "xuen.xwork", name, *arguments, "--workspace", str(work)]
        if script is not None:
            (tmp_path / "script.jsonl").write_text("\n".join(map(json.dumps, script)), "utf-8")
            argv += ["--model", f"script:{tmp_path / 'script.jsonl'}"]
        return subprocess.Popen(
            argv,
            cwd=tmp_path,
            env=environment(**env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    return start


@pytest.fixture
def xwork(command):
    """The same, to its end: exit code, output, errors."""

    def run(name, *arguments, **named):
        process = command(name, *arguments, **named)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    return run


@pytest.fixture
def shown(xwork):
    """What `show --json` says."""

    def show(*arguments):
        code, out, err = xwork("show", "--json", *arguments)
        assert code == 0, err
        return json.loads(out)

    return show


def shell(text):
    return {"calls": [{"name": "exec_command", "arguments": {"command": text}}]}


def test_a_finished_session_goes_on_and_show_tells_of_it(xwork, shown, work):
    assert xwork("run", "one", script=[shell("echo hi"), "first"])[:2] == (0, "first\n")
    assert xwork("run", "two", script=["second"])[:2] == (0, "second\n")
    state = shown()
    assert (state["state"], state["interrupted"], state["prompts"], state["messages"]) == ("finished", False, 2, 6)
    assert state["usage"]["input_tokens"] is None  # unknown is not 0
    code, out, _ = xwork("show")
    assert code == 0 and "user: one" in out and "exec_command" in out and "assistant: second" in out


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_interrupted_work_waits_for_resume(command, xwork, shown, work, number):
    steps = [
        shell("echo one >> effects"),
        shell("echo two >> effects; echo $$ > pid; mv pid began; exec sleep 300"),
        "never",
    ]
    process = command("run", "task", script=steps)
    while not (work / "began").exists():
        assert process.poll() is None
        time.sleep(0.01)
    left_running = int((work / "began").read_text())
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    state = shown()
    assert state["interrupted"] and state["state"] == "tools" and len(state["waiting_calls"]) == 1
    code, _, err = xwork("run", "another", script=["x"])
    assert code == 3 and "resume" in err
    before = (work / ".xwork/session.jsonl").read_bytes()
    # The waiting call is executed again; it ends quickly this time.
    wrapper = work / "sleep"
    wrapper.write_text("#!/bin/sh\nexit 0\n")
    wrapper.chmod(0o755)
    code, out, err = xwork("resume", script=["done"], PATH=f"{work}:{os.environ['PATH']}")
    assert (code, out) == (0, "done\n"), err
    assert (work / "effects").read_text().split() == ["one", "two", "two"]
    assert (work / ".xwork/session.jsonl").read_bytes().startswith(before)
    assert shown()["prompts"] == 1
    deadline = time.monotonic() + 60
    while Path(f"/proc/{left_running}").exists():  # what a killed runtime was running ends with it
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_resume_without_interrupted_work_is_bad_use(xwork):
    assert xwork("resume", script=["x"])[0] == 2
    xwork("run", "one", script=["first"])
    code, _, err = xwork("resume", script=["x"])
    assert code == 2 and "nothing waits" in err


def test_sessions_of_their_own_and_limits(xwork, shown, tmp_path):
    assert xwork("run", "a", "--session", "s/one.jsonl", script=["1"])[0] == 0
    assert (tmp_path / "s" / "one.jsonl").is_file()
    assert shown("--session", "s/one.jsonl")["messages"] == 2
    code, _, err = xwork("run", "b", "--max-turns", "1", script=[shell("echo hi"), "x"])
    assert code == 1 and "1 turns" in err
    assert xwork("show", "--session", "none.jsonl")[0] == 2
    (tmp_path / "diary").write_text("dear diary")
    code, _, err = xwork("run", "c", "--session", "diary", script=["x"])
    assert code == 2 and "not a session" in err


def test_read_only_and_ask_change_nothing_without_a_terminal(xwork, work):
    write = {"calls": [{"name": "write_file", "arguments": {"path": "a", "content": "x"}}]}
    for mode in ("read-only", "ask"):
        code, out, _ = xwork("run", "go", "--approval", mode, "--session", f"{mode}.jsonl", script=[write, "no"])
        assert (code, out) == (0, "no\n") and not (work / "a").exists()


def test_compacting_from_outside(xwork, shown):
    steps = [shell(f"echo {n}; seq 1 1500") for n in range(3)]
    assert xwork("run", "long", script=[*steps, "done"])[0] == 0
    before = shown()["tokens"]
    code, out, err = xwork("compact", "--json", script=["NOTES"])
    assert code == 0, err
    assert json.loads(out.splitlines()[-1])["event"] == "compacted"
    after = shown()
    assert after["compacted"] and after["tokens"] < before and not after["interrupted"]
    assert xwork("run", "more", script=["ok"])[:2] == (0, "ok\n")
    assert xwork("compact", script=[{"error": "refused", "message": "no"}])[0] == 1


def test_a_strict_model_that_writes_null_for_absent_loses_no_call(xwork, work):
    (work / "a.txt").write_text("hello\n")
    read = {"name": "read_file", "arguments": '{"path": "a.txt", "offset": null, "limit": null}'}
    code, out, err = xwork("run", "go", script=[{"calls": [read]}, "done"])
    assert (code, out) == (0, "done\n") and "wrong arguments" not in err


def test_json_tells_of_tools(xwork):
    code, out, _ = xwork("run", "go", "--json", script=[shell("echo hi"), "done"])
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [event["event"] for event in events] == [
        "run_started", "model_started", "model_ended", "tool_started", "tool_ended", "model_started", "text_chunk",
        "model_ended", "completed",
    ]  # fmt: skip
    assert "hi" in events[4]["text"] and events[4]["failed"] is False


def test_two_runs_at_once_on_one_session(command, xwork, work):
    first = command("run", "a", script=[shell("touch began; while [ ! -e go ]; do sleep 0.05; done"), "done"])
    while not (work / "began").exists():
        time.sleep(0.01)
    code, _, err = xwork("run", "b", script=["x"])
    assert code == 2 and "another process" in err
    (work / "go").touch()
    assert first.communicate(timeout=60)[0] == "done\n"


def test_a_server_without_a_model_is_bad_use(xwork):
    code, _, err = xwork("run", "a", "--base-url", "http://127.0.0.1:9/v1")
    assert code == 2 and "--model" in err
    assert xwork("run", "a", "--base-url", "nonsense", "--model", "m")[0] == 2


def test_the_help_and_what_is_said_without_a_prompt_are_in_the_language_of_the_locale(xwork):
    code, out, _ = xwork("run", "--help", LC_ALL="zh_CN.UTF-8")
    assert code == 0
    assert out.startswith("用法：python -m xuen.xwork run [-h]")
    assert "从文件（UTF-8）读取任务" in out
    assert "要做的事" in out
    assert " the " not in out
    code, out, _ = xwork("run", "--help", LC_ALL="C.UTF-8")
    assert out.startswith("usage: python -m xuen.xwork run [-h]")
    assert not any(ord(letter) > 127 for letter in out)
    assert xwork("run", LC_ALL="zh_CN.UTF-8")[2].startswith("xwork: 没有给出任务")
    assert xwork("resume", LC_ALL="zh_CN.UTF-8")[2].endswith("请给出任务：python -m xuen.xwork run …\n")


def chosen(*argv, before):
    """The server and the model of a command line, in a session that had `before`."""
    options = parser().parse_args(argv)
    config = settings(options, Path(), session=None, language="en", chosen=before)
    return config.base_url, config.model


def test_resume_goes_on_with_the_server_and_model_of_the_session(model_server, say, xwork, shown, work):
    later = say.refuse(400, {"error": {"message": "not today"}})
    answer = say.stream(say.sse({"choices": [{"index": 0, "delta": {"content": "done"}, "finish_reason": "stop"}]}))
    model_server.replies = [later, later, answer, answer]
    address = model_server.url.replace("http://", "http://user:secret@")
    key = {"OPENAI_API_KEY": "sk-of-nobody"}
    assert xwork("run", "go", "--base-url", address, "--model", "m1", **key)[0] == 1
    code, _, err = xwork("resume", "--model", "m2", **key)
    assert code == 1 and f"m2 at {model_server.url}" in err
    code, out, err = xwork("resume", **key)
    assert (code, out) == (0, "done\n") and f"m2 at {model_server.url}" in err
    assert [request["model"] for request in model_server.requests] == ["m1", "m2", "m2"]
    assert [request["messages"][-1]["content"] for request in model_server.requests] == ["go"] * 3
    assert model_server.headers[-1]["authorization"] == "Bearer sk-of-nobody"
    assert (shown()["base_url"], shown()["model"]) == (model_server.url, "m2")
    journal = (work / ".xwork/session.jsonl").read_text()
    assert "secret" not in journal and "sk-of-nobody" not in journal and journal.count('"kind":"model"') == 2
    assert xwork("run", "more", script=["ok"])[:2] == (0, "ok\n")  # a new task is the options' alone
    assert shown()["base_url"] is None and shown()["model"].startswith("script:")


def test_options_go_before_the_model_of_the_session():
    before = ModelChosen("http://h/v1", "m")
    assert chosen("resume", before=before) == chosen("compact", before=before) == ("http://h/v1", "m")
    assert chosen("resume", "--model", "n", before=before) == ("http://h/v1", "n")
    assert chosen("resume", "--base-url", "http://i/v1", before=before) == ("http://i/v1", "m")
    assert chosen("resume", "--base-url", "", before=before) == ("", None)
    assert chosen("resume", "--model", "script:s", before=before) == (None, "script:s")
    script = ModelChosen(None, "script:s")
    assert chosen("resume", before=script) == (None, "script:s")
    assert chosen("resume", "--base-url", "http://i/v1", before=script) == ("http://i/v1", None)
    assert chosen("resume", before=ModelChosen()) == (None, None)


@pytest.mark.parametrize(
    ("task", "question", "answer", "made"),
    [
        ("go", "wants to use", b"y\n", True),
        ("go", "wants to use", b"n\n", False),
        ("去", "想使用", b"\n", False),
    ],
)
def test_asking_on_a_terminal(tmp_path, work, environment, task, question, answer, made):
    import pty

    write = {"calls": [{"name": "write_file", "arguments": {"path": "a", "content": "x"}}]}
    ends = [{"calls": [{"name": "list_files", "arguments": {}}]}, "fine"]
    (tmp_path / "script.jsonl").write_text("\n".join(map(json.dumps, [write, *ends])))
    argv = [sys.executable, "-m", "xuen.xwork", "run", task, "--approval", "ask", "--workspace", str(work)]
    argv += ["--model", f"script:{tmp_path / 'script.jsonl'}", "--max-turns", "2"]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, argv, environment())
    os.write(terminal, b"y\n")  # typed ahead, so no answer
    said = b""
    while b"[y/N]" not in said:
        said += os.read(terminal, 1000)
    os.write(terminal, answer)
    try:
        while os.read(terminal, 1000):
            pass
    except OSError:  # the other side has gone
        pass
    os.waitpid(pid, 0)
    os.close(terminal)
    assert b"write_file" in said and question.encode() in said and (work / "a").exists() is made


def test_a_hidden_daemon_of_a_command_ends_with_it(xwork, work):
    daemon = "env -i setsid sh -c 'echo $$ > pid; mv pid daemon; exec sleep 300' > /dev/null 2>&1 &"
    wait = "while [ ! -e daemon ]; do sleep 0.02; done"
    assert xwork("run", "go", script=[shell(f"({daemon}); {wait}"), "done"])[0] == 0
    with pytest.raises(ProcessLookupError):
        os.kill(int((work / "daemon").read_text()), 0)


def test_what_stands_in_a_sessions_place_is_not_waited_for(xwork, work):
    (work / ".xwork").mkdir()
    os.mkfifo(work / ".xwork/session.jsonl")
    for command, script in (("run", ["x"]), ("resume", ["x"]), ("show", None)):
        code, _, err = xwork(command, *(["task"] if command == "run" else []), script=script)
        assert code == 2 and err.count("\n") == 1 and "egular file" in err
    code, _, err = xwork("run", "task", "--session", str(work), script=["x"])
    assert code == 2 and err.count("\n") == 1


def test_a_workspace_that_leads_in_a_circle_is_no_folder(tmp_path, environment):
    (tmp_path / "circle").symlink_to("circle")
    argv = [sys.executable, "-m", "xuen.xwork", "run", "干活", "--workspace", "circle"]
    done = subprocess.run(argv, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "工作区不是一个文件夹" in done.stderr


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_output_that_takes_nothing_is_one_line_and_no_traceback(tmp_path, work, environment, options):
    (tmp_path / "script.jsonl").write_text('"hello"')
    argv = [sys.executable, "-m", "xuen.xwork", "run", "go", "--workspace", str(work), *options]
    argv += ["--model", f"script:{tmp_path / 'script.jsonl'}"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(argv, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "No space left" in done.stderr


@pytest.mark.parametrize("arguments", [["run", "go"], ["run", "go", "--json"], ["show"]])
def test_a_closed_output_is_no_traceback(tmp_path, work, environment, arguments):
    (tmp_path / "script.jsonl").write_text('"hello"')
    work.mkdir(exist_ok=True)
    (work / ".xwork").mkdir()
    (work / ".xwork" / "session.jsonl").write_bytes(b"")
    argv = [sys.executable, "-m", "xuen.xwork", *arguments, "--workspace", str(work)]
    argv += ["--model", f"script:{tmp_path / 'script.jsonl'}"] if "run" in arguments else []
    for closed in (">&-", "2>&-", ">/dev/full"):
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *argv],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == (closed == ">/dev/full") and "Traceback" not in done.stderr
