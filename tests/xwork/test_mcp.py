"""Tools of MCP servers: real servers of the official package as subprocesses and over HTTP."""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from xuen.proc.spawn import start
from xuen.xwork.errors import BadUse, Interrupted
from xuen.xwork.events import Notice
from xuen.xwork.mcp.config import McpServer, filled, read
from xuen.xwork.policy.permission import Approval, Resource, Risk, Verdict
from xuen.xwork.tools.artifacts import SHOWN

PROGRAM = Path(__file__).resolve().parents[1] / "agents" / "mcp_server.py"
HANGS_UP = PROGRAM.with_name("mcp_hangs_up.py")


def small(*options: str, name: str = "small", **settings: object) -> McpServer:
    return McpServer(name=name, command=sys.executable, args=(str(PROGRAM), *options), **settings)


def wait_for(condition, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def alive(word: str) -> list[int]:
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if word in (process.info["cmdline"] or []) and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process.pid)
    return found


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def notices(made) -> list[str]:
    return [event.text for event in made.events if isinstance(event, Notice)]


# --- calls and results ---


def test_tools_have_their_servers_prefix_and_schema_and_results_are_texts(play, say):
    made = play(
        say.calls(
            ("small__echo", {"text": "h\u00e9"}),
            ("small__add", {"a": 1, "b": 2}),
            ("small__add", {"a": "one"}),
            ("small__fail", {"reason": "bad luck"}),
            ("small__picture", {}),
            ("small__mixed", {}),
            ("small__much", {"count": 40_000}),
        ),
        "done",
        mcp=(small("--noise"),),
        check_after_write=False,
    )
    definitions = {each.name: each for each in made.agent._registry.definitions()}
    assert definitions["small__echo"].description == "Says the text again."
    parameters = definitions["small__add"].parameters
    assert parameters["required"] == ["a", "b"] and parameters["properties"]["a"]["type"] == "integer"
    odd = next(name for name in definitions if "dots" in name)
    assert odd.startswith("small__with_dots_and_xxx") and len(odd) == 64
    made.agent.run("go")
    said = [m for m in made.agent.session.ledger.view if hasattr(m, "call_id")]
    assert [m.failed for m in said] == [False, False, True, True, True, False, False]
    assert (said[0].text, said[1].text) == ("h\u00e9", "3")
    assert "valid integer" in said[2].text and "fail" in said[3].text
    assert said[4].text == "[refused: image (image/png, 102 bytes); only text can be passed on]"
    assert said[5].text.splitlines() == [
        "first",
        "in a resource",
        "[refused: binary resource (application/zip, 3 bytes); only text can be passed on]",
    ]
    assert len(said[6].text) < SHOWN + 300 and ".xwork/artifacts/" in said[6].text


def test_arguments_that_are_no_object_and_unknown_tools_are_answered(play, say):
    made = play(
        say.calls(("small__echo", "[1]"), ("small__nothing", {}), ("small__add", "")),
        "done",
        mcp=(small(),),
        check_after_write=False,
    )
    made.agent.run("go")
    first, second, third = made.results()
    assert "one JSON object" in first and "there is no tool 'small__nothing'" in second and "Field required" in third


def test_null_for_an_optional_argument_is_no_argument_unless_the_server_takes_it(play, say):
    """As a public report has it: ZenRows/zenrows-mcp#23."""
    made = play(
        say.calls(
            ("small__repeat", {"text": "a", "times": None, "mark": None}),
            ("small__repeat", {"text": None, "times": None}),
        ),
        "done",
        mcp=(small(),),
        check_after_write=False,
    )
    made.agent.run("go")
    first, second = made.results()
    assert first == "aaNone" and "text" in second and "times" not in second


def test_what_may_have_changed_something_has_to_be_checked_and_what_only_reads_not(play, say):
    made = play(say.calls(("small__echo", {"text": "x"})), "done", mcp=(small(),))
    made.agent.run("go")
    assert not made.agent.session.ledger.unchecked
    made.agent.close()
    again = play(
        say.calls(("small__add", {"a": 1, "b": 2})), "done", "done", "done", "done", mcp=(small(),), reminders=1
    )
    with pytest.raises(Exception, match="without a successful command"):
        again.agent.run("go")


def test_a_server_over_http(play, say, caplog):
    argv = [sys.executable, str(PROGRAM), "--http"]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"
        made = play(
            say.calls(("web__echo", {"text": "far"}), ("web__die", {"code": 1}), ("web__echo", {"text": "gone"})),
            "done",
            mcp=(McpServer(name="web", url=url, headers={"X-Any": "1"}, timeout=60),),
            check_after_write=False,
        )
        made.agent.run("go")
        first, second, third = made.results()
        assert first == "far" and second.startswith("web: ") and third.startswith("web: ")
        made.agent.close()
        del made
        gc.collect()
        assert [record.message for record in caplog.records if record.name == "asyncio"] == []
    finally:
        server.kill()
        server.communicate()


# --- who may ---


def test_the_permission_callback_sees_the_call_and_can_deny_it(play, say):
    asked = []

    def ask(request):
        asked.append(request)
        return Verdict.DENY if request.tool == "small__add" else Verdict.DEFAULT

    made = play(
        say.calls(("small__add", {"a": 1, "b": 2}), ("small__echo", {"text": "x"})),
        "done",
        mcp=(small(),),
        approval=Approval.ASK,
        on_permission=ask,
    )
    made.agent.run("go")
    assert made.results() == [
        "denied: this call was not permitted",
        "denied: this call needs a permission, and nobody gave it",  # its own word, that it only reads, is not enough
    ]
    assert asked[0].risk is Risk.EXECUTE and asked[0].resources == (Resource("server", "small"),)
    assert json.loads(asked[0].arguments) == {"a": 1, "b": 2}


@pytest.mark.parametrize(("trust", "offered"), [(False, []), (True, ["small__echo"])])
def test_read_only_needs_both_the_servers_word_and_the_settings_trust(play, say, trust, offered):
    made = play(
        say.calls(("small__echo", {"text": "x"}), ("small__add", {"a": 1, "b": 2})),
        "done",
        mcp=(small(trust_read_only=trust),),
        approval=Approval.READ_ONLY,
        on_permission=lambda _request: Verdict.ALLOW,
    )
    names = [each.name for each in made.agent._registry.definitions()]
    assert [name for name in names if name.startswith("small__")] == offered
    made.agent.run("go")
    denied = "denied: this agent is read-only; only tools that read are available"
    assert made.results() == ["x" if trust else denied, denied]


def test_a_server_gets_the_environment_of_its_settings_and_little_else(play, say, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    names = ("OPENAI_API_KEY", "TOKEN", "PATH")
    made = play(
        say.calls(*[("small__environment", {"name": name}) for name in names]),
        "done",
        mcp=(small(env={"TOKEN": "given"}),),
        check_after_write=False,
    )
    made.agent.run("go")
    key, token, path = made.results()
    assert (key, token, path) == ("(not set)", "given", os.environ["PATH"])


# --- failures ---


def test_a_crash_is_a_failed_result_and_the_next_call_starts_the_server_anew(play, say, tmp_path):
    pids = tmp_path / "pids"
    made = play(
        say.calls(("small__die", {"code": 3}), ("small__echo", {"text": "again"})),
        "done",
        mcp=(small(env={"MCP_PID": str(pids)}),),
        check_after_write=False,
    )
    made.agent.run("go")
    assert made.results() == ["small: it ended with exit code 3; it said: I give up", "again"]
    assert len(set(pids.read_text().split())) == 2


def test_a_server_that_closed_its_output_and_lives_is_ended_and_started_anew(play, say, tmp_path):
    pids = tmp_path / "pids"
    server = McpServer(name="odd", command=sys.executable, args=(str(HANGS_UP),), env={"MCP_PID": str(pids)})
    made = play(say.calls(("odd__hang_up", {}), ("odd__echo", {})), "done", mcp=(server,), check_after_write=False)
    made.agent.run("go")
    assert made.results() == ["odd: Connection closed", "here"]
    first, second = map(int, pids.read_text().split())
    assert not runs(first) and runs(second)


def test_a_call_without_an_answer_is_given_up_and_the_server_told(play, say, tmp_path):
    noted = tmp_path / "noted"
    made = play(
        say.calls(("small__wait", {"seconds": 60}), ("small__echo", {"text": "next"})),
        "done",
        mcp=(small(timeout=4.0, env={"MCP_WAITED": str(noted)}),),
        check_after_write=False,
    )
    made.agent.run("go")
    assert made.results() == ["small: it did not answer within 4 s", "next"]
    wait_for(lambda: noted.read_text() == "cancelled")


def test_servers_of_the_same_name_all_have_their_tools_and_their_reasons(play):
    bad = [McpServer(name="small", command=f"/no/such/{word}") for word in ("one", "two")]
    made = play("done", mcp=(small(), small(), small(), *bad))
    made.agent.run("go")
    names = [each.name for each in made.agent._registry.definitions()]
    assert len([name for name in names if name.startswith("small__echo")]) == 3
    assert len(set(names)) == len(names)
    assert [word in text for word, text in zip(("one", "two"), notices(made), strict=True)] == [True, True]
    assert all(f"/no/such/{word}" in made.agent._system.text for word in ("one", "two"))


def test_servers_that_do_not_come_up_are_told_to_the_person_and_to_the_model(play, say):
    word = f"mcp-slow-{os.getpid()}"
    made = play(
        say.calls(("slow__echo", {"text": "x"}), ("none__any", {}), ("small__echo", {"text": "x"})),
        "done",
        mcp=(
            small("--slow-start", "60", "--noise", name="slow", start_timeout=1.0, env={"WORD": word}),
            McpServer(name="none", command="/no/such/program"),
            small(),
        ),
        language="zh",
    )
    made.agent.run("go")
    slow, none, good = made.results()
    assert slow == "the MCP server slow is not there, its tools are missing: it was not ready within 1 s" or (
        slow.startswith(
            "the MCP server slow is not there, its tools are missing: it was not ready within 1 s; it said:"
        )
    )
    assert none.startswith("the MCP server none is not there") and "/no/such/program" in none and good == "x"
    assert [text.split("\uff0c")[0] for text in notices(made)] == [
        "MCP \u670d\u52a1\u5668 slow \u4e0d\u53ef\u7528",
        "MCP \u670d\u52a1\u5668 none \u4e0d\u53ef\u7528",
    ]
    assert "MCP server slow is not there" in made.agent._system.text


def test_a_server_that_ends_at_once_says_why(play):
    server = McpServer(name="odd", command="/bin/sh", args=("-c", "echo no licence >&2; exit 4"))
    made = play("done", mcp=(server,))
    made.agent.run("go")
    assert notices(made) == [
        "the MCP server odd is not there, its tools are missing: it ended with exit code 4; it said: no licence"
    ]


# --- ends ---


def test_cancelling_ends_a_running_call_at_once_and_resume_makes_it_again(play, say, tmp_path, work):
    noted, cancel = tmp_path / "noted", threading.Event()
    server = small(env={"MCP_WAITED": str(noted)})
    made = play(say.calls(("small__wait", {"seconds": 60})), mcp=(server,), cancel=cancel)

    def stop() -> None:
        wait_for(noted.exists)
        cancel.set()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(Interrupted):  # an end of the wait, or of the patience with it, would be a result
        made.agent.run("go")
    thread.join()
    wait_for(lambda: noted.read_text() == "cancelled")
    made.agent.close()
    script = (work / ".xwork/session.jsonl").read_text()
    assert "small__wait" in script and "waited" not in script
    noted.unlink()
    after = play("done", mcp=(small(env={"MCP_WAITED": str(noted)}, timeout=3.0),), check_after_write=False)
    after.agent.resume()
    assert after.results() == ["small: it did not answer within 3 s"]
    wait_for(noted.exists)


def test_interrupting_while_a_server_starts_does_not_wait_for_it(play, tmp_path):
    pids, cancel = tmp_path / "pids", threading.Event()
    server = small("--slow-start", "120", start_timeout=120, env={"MCP_PID": str(pids)})

    def stop() -> None:
        wait_for(lambda: pids.exists() and pids.read_text())
        cancel.set()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(Interrupted):  # the end of the start would be no interruption
        play("done", mcp=(server,), cancel=cancel)
    thread.join()
    assert not runs(int(pids.read_text()))


def test_all_processes_of_a_server_end_with_the_agent(play, say):
    word = f"mcp-daemon-{os.getpid()}"
    made = play(say.calls(("small__daemon", {"word": word})), "done", mcp=(small(),), check_after_write=False)
    made.agent.run("go")
    wait_for(lambda: alive(word))
    made.agent.close()
    assert not alive(word)
    made.agent.close()


def test_a_daemon_of_a_command_ends_with_its_call_beside_servers_and_managed_processes(play, say):
    one, two = (f"30{os.getpid()}.{number}" for number in (1, 2))
    made = play(
        say.calls(
            ("start_process", {"command": f"env -i setsid -f sleep {one}; echo up; exec cat"}),
            ("poll_process", {"process_id": "p1", "wait_ms": 20_000}),
        ),
        say.calls(("exec_command", {"command": f"env -i setsid -f sleep {two}; sleep 0.3"})),
        "done",
        mcp=(small(),),
    )
    made.agent.run("go")
    assert "up" in made.results()[1]
    assert alive(one) and not alive(two)
    assert "1 process" in made.results()[-1]
    made.agent.close()
    assert not alive(one)


def test_whoever_runs_xwork_ends_its_servers_when_xwork_itself_is_killed(tmp_path, work, environment):
    work.mkdir()
    pids, word = tmp_path / "pids", f"mcp-outer-{os.getpid()}"
    servers = {"s": {"command": sys.executable, "args": [str(PROGRAM)], "env": {"MCP_PID": str(pids)}}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    script = [{"calls": [{"name": "s__daemon", "arguments": {"word": word}}]}, {"text": "x", "delay": 300}]
    (tmp_path / "script.json").write_text(json.dumps(script))
    argv = [sys.executable, "-m", "xuen.xwork", "run", "go", "--workspace", str(work)]
    argv += ["--mcp", str(tmp_path / "mcp.json"), "--model", f"script:{tmp_path / 'script.json'}"]
    child = start(argv, cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: alive(word))
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.end(grace=0.5)
    assert not alive(word) and not runs(int(pids.read_text()))


# --- settings ---


def test_the_file_of_servers_is_the_one_that_other_programs_use(tmp_path):
    path = tmp_path / "mcp.json"
    path.write_text(
        json.dumps(
            {
                "other": 1,
                "mcpServers": {
                    "files": {
                        "type": "stdio",
                        "command": "${HOME}/bin/files",
                        "args": ["--root", "${ROOT:-/srv}"],
                        "env": {"TOKEN": "${TOKEN}"},
                        "autoApprove": [],
                        "trustReadOnly": True,
                        "startTimeout": 5,
                    },
                    "off": {"command": "x", "args": ["${UNSET}"], "disabled": True},
                    "web": {"url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
                },
            }
        )
    )
    files, web = read(path, {"HOME": "/home/me", "TOKEN": "t"})
    assert files == McpServer(
        name="files",
        command="/home/me/bin/files",
        args=("--root", "/srv"),
        env={"TOKEN": "t"},
        trust_read_only=True,
        start_timeout=5,
        secrets=("/home/me", "t"),
    )
    assert web.headers == {"Authorization": "Bearer t"} and not web.trust_read_only


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "this is no list of MCP servers"),
        ('{"mcp": {}}', "mcpServers"),
        ('{"mcpServers": {"a": {}}}', "needs either a command or a url"),
        ('{"mcpServers": {"a": {"command": "x", "url": "y"}}}', "needs either a command or a url"),
        ('{"mcpServers": {"a__b": {"command": "x"}}}', "the name of an MCP server"),
        ('{"mcpServers": {"a": {"command": 1}}}', r"Expected `str"),
        ('{"mcpServers": {"a": {"command": "${NOT_SET_X}"}}}', "environment variable NOT_SET_X"),
        ('{"mcpServers": {"a": {"command": "${BLANK}"}}}', "environment variable BLANK, which is not set or blank"),
        ('{"mcpServers": {"a": {"command": "x", "args": ["${BLANK}"]}}}', "environment variable BLANK"),
        ('{"mcpServers": {"a": {"command": "x", "env": {"A": "b${BLANK}"}}}}', "environment variable BLANK"),
        ('{"mcpServers": {"a": {"url": "http://h/${BLANK}"}}}', "environment variable BLANK"),
        ('{"mcpServers": {"a": {"url": "http://h", "headers": {"A": "Bearer ${BLANK}"}}}}', "variable BLANK"),
        ('{"mcpServers": {"a": {"command": " "}}}', "needs either a command or a url"),
        ('{"mcpServers": {"a": {"command": "${BLANK:-}"}}}', "needs either a command or a url"),
    ],
)
def test_a_wrong_file_is_one_clear_line(tmp_path, content, said):
    path = tmp_path / "mcp.json"
    path.write_text(content)
    with pytest.raises(BadUse) as caught:
        read(path, {"BLANK": " \n"})
    assert said in caught.value.line("en") and "\n" not in caught.value.line("zh")
    with pytest.raises(BadUse, match="cannot be read"):
        read(tmp_path / "none", {})


SECRET = "ghp'Se/cret\\0815"


@pytest.mark.parametrize("given", ["{}\n", " {}\r\n", "{}"])
def test_a_secret_for_a_header_is_sent_without_the_newline_of_its_file(given):
    server = McpServer(name="web", url="http://127.0.0.1:1/${T}", headers={"Authorization": "Bearer ${T}"})
    made = filled(server, {"T": given.format("ghp-1")})
    assert (made.url, made.headers) == ("http://127.0.0.1:1/ghp-1", {"Authorization": "Bearer ghp-1"})


@pytest.mark.parametrize("bad", ["ghp-1\nghp-2", "ghp-\u00e9", "ghp-\x7f", "ghp-\udcff"])
def test_what_no_header_can_carry_is_refused_by_the_name_of_its_variable(bad):
    for fields in (
        {"url": "http://127.0.0.1:1", "headers": {"A": "Bearer ${GH_TOKEN}"}},
        {"url": "http://h/${GH_TOKEN}"},
    ):
        with pytest.raises(BadUse, match="GH_TOKEN") as caught:
            filled(McpServer(name="web", **fields), {"GH_TOKEN": bad})
        assert "ghp-" not in caught.value.line("en") + caught.value.line("zh")
    with pytest.raises(BadUse, match="header Authorization") as caught:
        McpServer(name="web", url="http://127.0.0.1:1", headers={"Authorization": bad})
    assert "ghp-" not in caught.value.line("en") + caught.value.line("zh")


def test_a_variable_is_put_in_without_blanks_around_it_and_a_blank_one_takes_what_stands_for_it():
    given = McpServer(name="a", command="${C}", args=("${A}", "${B:-b}", "${N:-}"), env={"E": "${A}"})
    made = filled(given, {"A": " a\n", "B": " ", "C": "/bin/c\n"})
    assert (made.command, made.args, made.env) == ("/bin/c", ("a", "b", ""), {"E": "a"})


def test_what_is_written_out_in_the_settings_is_told_to_nobody_either(play, say):
    says = 'printf "no access with %s, level %s\\n" "$KEY" "$LEVEL" >&2; exit 4'
    servers = (
        McpServer(name="says", command="/bin/sh", args=("-c", says), env={"KEY": "written-out", "LEVEL": "debug"}),
        McpServer(name="web", url="badly://me:written-out@host/mcp?key=written-out"),
    )
    made = play("done", mcp=tuple(filled(each, {}) for each in servers))
    made.agent.run("go")
    told = [*notices(made), made.agent._system.text]
    assert len(told) == 3 and "no access with ***, level debug" in told[0]
    assert not [text for text in told if "written-out" in text]


def test_no_secret_of_the_settings_is_told_to_the_person_or_the_model(play, say, tmp_path):
    says = 'printf "no access with %s\\n" "$TOK" >&2; exit 4'
    tells = 'printf "%s" "$TOK" | tail -n 1 >&2; exit 4'
    servers = (
        McpServer(name="none", command="/nonexistent/${TOK}"),
        McpServer(name="says", command="/bin/sh", args=("-c", says), env={"TOK": "${TOK}"}),
        McpServer(name="tells", command="/bin/sh", args=("-c", tells), env={"TOK": "${LINES}"}),
        McpServer(name="web", url="badly://${TOK}/mcp"),
    )
    env = {"TOK": SECRET, "LINES": "-- key --\nline-of-the-key\n"}
    made = play(
        say.calls(*[(f"{each.name}__any", {}) for each in servers]),
        "done",
        mcp=tuple(filled(each, env) for each in servers),
    )
    made.agent.run("go")
    told = [*notices(made), *made.results(), made.agent._system.text]
    assert len(told) == 4 + 4 + 1 and "no access with ***" in told[1] and "it said: ***" in told[2]
    assert "/nonexistent/***" in told[0]
    assert not [text for text in told if "0815" in text or "line-of-the-key" in text]


def test_without_the_package_the_command_line_says_how_to_get_it(tmp_path, work, environment):
    work.mkdir()
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}}}')
    (tmp_path / "script.json").write_text('["done"]')
    program = "import sys; sys.modules['mcp'] = None\nfrom xuen.xwork.cli import main; sys.exit(main(sys.argv[1:]))"
    argv = ["run", "go", "--workspace", str(work), "--mcp", str(tmp_path / "mcp.json")]
    done = subprocess.run(
        [sys.executable, "-c", program, *argv, "--model", f"script:{tmp_path / 'script.json'}"],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "pip install mcp" in done.stderr


def test_an_agent_without_servers_never_loads_the_package(tmp_path, work, environment):
    work.mkdir()
    program = (
        "import sys\nfrom pathlib import Path\nfrom xuen.xwork import Agent, AgentConfig\n"
        "from xuen.xwork.model.scripted import ScriptedModel\n"
        "with Agent(AgentConfig(workspace=Path(sys.argv[1])), client=ScriptedModel(['done'])) as a: a.run('go')\n"
        "print(sorted({'mcp', 'anyio', 'asyncio', 'pydantic', 'acp'} & set(sys.modules)))"
    )
    argv = [sys.executable, "-c", program, str(work)]
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
