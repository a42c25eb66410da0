"""xwork as an agent of an editor: a real client of the same package, real pipes, a scripted model."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import acp
import psutil
import pytest
from acp import schema

from xuen.xwork.acp.server import Service
from xuen.xwork.config import AgentConfig

MCP = Path(__file__).resolve().parents[1] / "agents" / "mcp_server.py"
PATIENCE = 60.0  # seconds for anything that a test waits for


class Editor:
    """A client that notes what it is told and answers questions as it was told to."""

    def __init__(self, answer: str = "allow") -> None:
        self.answer = answer
        self.told: list[object] = []
        self.asked: list[tuple[schema.ToolCallUpdate, list[str]]] = []
        self.asks: Callable[..., Awaitable[schema.RequestPermissionResponse]] | None = None
        self.connection: acp.core.ClientSideConnection
        self.process: asyncio.subprocess.Process

    def on_connect(self, conn: object) -> None:
        pass

    async def session_update(self, session_id: str, update: object, **_: object) -> None:
        self.told.append(update)

    async def request_permission(self, session_id, tool_call, options, **_) -> schema.RequestPermissionResponse:
        if self.asks is not None:
            asks, self.asks = self.asks, None
            return await asks(session_id, tool_call, options)
        self.asked.append((tool_call, [option.option_id for option in options]))
        if self.answer == "wait":
            await asyncio.Event().wait()
        if self.answer == "cancelled":
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        outcome = schema.AllowedOutcome(outcome="selected", option_id=self.answer)
        return schema.RequestPermissionResponse(outcome=outcome)

    # --- what tests say and look at ---

    async def say(self, session: str, text: str) -> str:
        return (await self.connection.prompt(session_id=session, prompt=[acp.text_block(text)])).stop_reason

    async def new(self, cwd: Path, **named: object) -> str:
        return (await self.connection.new_session(cwd=str(cwd), mcp_servers=named.get("mcp_servers", []))).session_id

    def texts(self, kind: type) -> str:
        return "".join(update.content.text for update in self.told if isinstance(update, kind))

    def ended(self) -> dict[str, tuple[str, str]]:
        """Status and text of each call that is over, by its id."""
        over = [update for update in self.told if isinstance(update, schema.ToolCallProgress)]
        return {one.tool_call_id: (one.status, one.content[0].content.text) for one in over}

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await asyncio.sleep(0.01)


@pytest.fixture
def drive(tmp_path, work, environment):
    """Runs a test with an editor that is connected to `python -m xuen.xwork acp`."""
    work.mkdir()

    def run(script: list, test: Callable[[Editor], Awaitable[None]], *options: str, answer: str = "allow", **env: str):
        (tmp_path / "script.json").write_text(json.dumps(script))
        argv = ["-m", "xuen.xwork", "acp", "--model", f"script:{tmp_path / 'script.json'}", *options]

        async def whole() -> Editor:
            editor = Editor(answer)
            editor.process = await asyncio.create_subprocess_exec(
                sys.executable,
                *argv,
                cwd=tmp_path,
                env=environment(**env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            streams = editor.process.stdin, editor.process.stdout
            editor.connection = acp.connect_to_agent(editor, *streams, use_unstable_protocol=True)
            try:
                told = await editor.connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
                assert told.protocol_version == acp.PROTOCOL_VERSION and told.agent_info.name == "xwork"
                assert told.agent_capabilities.load_session
                await test(editor)
            finally:
                editor.process.stdin.close()
                try:
                    async with asyncio.timeout(PATIENCE):
                        errors = await editor.process.stderr.read()
                        code = await editor.process.wait()
                finally:
                    if editor.process.returncode is None:
                        editor.process.kill()
                await editor.connection.close()
            assert (code, errors.decode()) == (0, "")
            return editor

        return asyncio.run(asyncio.wait_for(whole(), 2 * PATIENCE))

    return run


def call(name: str, **arguments: object) -> dict:
    return {"name": name, "arguments": arguments}


def test_a_turn_is_streamed_in_order_and_goes_on_in_the_next(drive, work):
    script = [
        {"reasoning": "let me see", "text": "I look. ", "calls": [call("list_files"), call("read_file", path="a.txt")]},
        {"text": "\u5b8c\u6210", "chunk": 1},
        "again",
    ]
    (work / "a.txt").write_text("inside\n")

    async def test(editor: Editor) -> None:
        session = await editor.new(work)
        assert await editor.say(session, "look") == "end_turn"
        assert editor.texts(schema.AgentThoughtChunk) == "let me see"
        assert editor.texts(schema.AgentMessageChunk) == "I look. \u5b8c\u6210"
        started = [update for update in editor.told if isinstance(update, schema.ToolCallStart)]
        assert [(one.title, one.kind, one.status) for one in started] == [
            ("list_files", "search", "in_progress"),
            ("read_file a.txt", "read", "in_progress"),
        ]
        assert started[1].locations[0].path == str(work / "a.txt") and started[1].raw_input == {"path": "a.txt"}
        ended = editor.ended()
        assert ended[started[1].tool_call_id] == ("completed", "     1\tinside")
        kinds = [type(update).__name__ for update in editor.told]
        assert kinds.index("ToolCallStart") < kinds.index("ToolCallProgress") < len(kinds) - 1
        assert kinds[-1] == "AgentMessageChunk" and not editor.asked
        assert await editor.say(session, "and again") == "end_turn"
        assert editor.texts(schema.AgentMessageChunk).endswith("again")

    drive(script, test)
    (journal,) = (work / ".xwork/acp").glob("*.jsonl")
    assert journal.read_text().count('"kind":"prompt"') == 2


WRITES = [
    {"calls": [call("write_file", path="new", content="x")]},
    {"calls": [call("exec_command", command="cat new")]},
    "done",
]


@pytest.mark.parametrize(
    ("answer", "questions", "written"), [("allow", 2, True), ("always", 2, True), ("reject", 2, False)]
)
def test_what_goes_beyond_reading_is_asked(drive, work, answer, questions, written):
    async def test(editor: Editor) -> None:
        session = await editor.new(work)
        assert await editor.say(session, "write") == "end_turn"
        assert len(editor.asked) == questions
        asked, options = editor.asked[0]
        assert (asked.title, asked.kind, options) == ("write_file new", "edit", ["allow", "always", "reject"])
        started = [update.tool_call_id for update in editor.told if isinstance(update, schema.ToolCallStart)]
        assert asked.tool_call_id == started[0]
        status = [status for status, _ in editor.ended().values()]
        assert status == (["completed"] * 2 if written else ["failed"] * 2)

    drive(WRITES, test, answer=answer)
    assert (work / "new").exists() is written


def test_always_is_asked_once_and_approval_auto_never(drive, work):
    script = [{"calls": [call("exec_command", command="true")]}] * 2 + ["done"]

    async def once(editor: Editor) -> None:
        assert await editor.say(await editor.new(work), "go") == "end_turn"
        assert len(editor.asked) == 1

    drive(script, once, answer="always")

    async def never(editor: Editor) -> None:
        assert await editor.say(await editor.new(work), "go") == "end_turn"
        assert not editor.asked

    drive(script, never, "--approval", "auto")


def test_the_editor_knows_all_that_came_before_a_question_when_it_is_asked(drive, work):
    text = "word " * 600
    script = [{"text": text, "chunk": 1, "calls": [call("exec_command", command="true")]}, "done"]
    known: list[tuple[str, bool]] = []

    async def test(editor: Editor) -> None:
        answers = editor.request_permission

        async def note(session_id, tool_call, options, **named) -> schema.RequestPermissionResponse:
            begun = any(isinstance(update, schema.ToolCallStart) for update in editor.told)
            known.append((editor.texts(schema.AgentMessageChunk), begun))
            return await answers(session_id, tool_call, options, **named)

        editor.asks = note
        assert await editor.say(await editor.new(work), "go") == "end_turn"

    drive(script, test)
    assert known == [(text, True)]


def test_read_only_is_a_ceiling_without_a_question(drive, work):
    async def test(editor: Editor) -> None:
        assert await editor.say(await editor.new(work), "write") == "end_turn"
        assert not editor.asked and "read-only" in next(iter(editor.ended().values()))[1]

    drive([WRITES[0], "done"], test, "--approval", "read-only")
    assert not (work / "new").exists()


def test_cancelling_ends_a_command_at_once_and_the_next_prompt_gives_it_up(drive, work):
    command = "echo $$ > pid; exec sleep 3000"

    async def test(editor: Editor) -> None:
        session = await editor.new(work)
        turn = asyncio.create_task(editor.say(session, "sleep"))
        await editor.until(lambda: (work / "pid").exists() and (work / "pid").read_text())
        await editor.connection.cancel(session_id=session)
        assert await turn == "cancelled"  # long before the command would have ended
        assert not psutil.pid_exists(int((work / "pid").read_text()))
        assert await editor.say(session, "something else") == "end_turn"

    drive([{"calls": [call("exec_command", command=command)]}, "else", "else"], test, "--approval", "auto")
    (journal,) = (work / ".xwork/acp").glob("*.jsonl")
    assert "interrupted, and not carried out to its end" in journal.read_text()


@pytest.mark.parametrize("answer", ["wait", "cancelled"])
def test_a_turn_can_be_cancelled_while_a_question_is_open(drive, work, answer):
    async def test(editor: Editor) -> None:
        session = await editor.new(work)
        turn = asyncio.create_task(editor.say(session, "write"))
        await editor.until(lambda: editor.asked)
        if answer == "wait":
            await editor.connection.cancel(session_id=session)
        assert await turn == "cancelled"

    drive(WRITES, test, answer=answer)
    assert not (work / "new").exists()


def test_a_killed_session_is_loaded_told_and_resumed(drive, tmp_path, work, environment):
    first = [
        {"reasoning": "hm", "text": "working", "calls": [call("write_file", path="one", content="1")]},
        {"calls": [call("exec_command", command="echo $$ > pid; test -e again || exec sleep 300")]},
    ]
    names: list[str] = []

    async def begin(editor: Editor) -> None:
        names.append(await editor.new(work))
        turn = asyncio.create_task(editor.say(names[0], "two steps"))
        await editor.until(lambda: (work / "pid").exists() and (work / "pid").read_text())
        os.kill(editor.process.pid, signal.SIGKILL)
        with pytest.raises((ConnectionError, acp.RequestError)):
            await turn

    with pytest.raises(AssertionError, match="-9"):
        drive(first, begin, "--approval", "auto")
    until = time.monotonic() + PATIENCE
    while psutil.pid_exists(int((work / "pid").read_text())):  # the command ends with xwork
        assert time.monotonic() < until
        time.sleep(0.05)
    (work / "again").touch()

    async def go_on(editor: Editor) -> None:
        await editor.connection.load_session(cwd=str(work), session_id=names[0], mcp_servers=[])
        assert editor.texts(schema.UserMessageChunk) == "two steps"
        assert editor.texts(schema.AgentThoughtChunk) == "hm"
        assert editor.texts(schema.AgentMessageChunk).startswith("workingInterrupted work waits")
        started = [update for update in editor.told if isinstance(update, schema.ToolCallStart)]
        assert [one.title.split()[0] for one in started] == ["write_file", "exec_command"]
        assert list(editor.ended()) == [started[0].tool_call_id]  # the other one waits
        (commands,) = [u for u in editor.told if isinstance(u, schema.AvailableCommandsUpdate)]
        assert [one.name for one in commands.available_commands] == ["resume", "compact"]
        assert await editor.say(names[0], "/resume") == "end_turn"
        assert editor.ended()[started[1].tool_call_id][0] == "completed"

    drive(["finished"], go_on, "--approval", "auto")
    (journal,) = (work / ".xwork/acp").glob("*.jsonl")
    text = journal.read_text()
    assert text.count('"kind":"prompt"') == 1 and text.count('"kind":"resumed"') == 1
    assert text.count('"kind":"result"') == 2


def test_what_is_wrong_is_an_error_in_the_language_of_the_surroundings(drive, tmp_path, work):
    async def test(editor: Editor) -> None:
        async def refused(request: Awaitable[object]) -> str:
            with pytest.raises(acp.RequestError) as caught:
                await request
            return str(caught.value)

        assert "\u4e0d\u662f\u7edd\u5bf9\u8def\u5f84" in await refused(editor.new(Path("relative")))
        assert "\u6ca1\u6709\u8fd9\u4e2a\u4f1a\u8bdd" in await refused(editor.say("0" * 32, "x"))
        for name in ("0" * 32, "../../etc/passwd"):
            load = editor.connection.load_session(cwd=str(work), session_id=name, mcp_servers=[])
            assert "\u6ca1\u6709\u8fd9\u4e2a\u4f1a\u8bdd" in await refused(load)
        session = await editor.new(work)
        picture = [acp.image_block("AAAA", "image/png")]
        assert "image" in await refused(editor.connection.prompt(session_id=session, prompt=picture))
        assert "\u63d0\u793a\u8bcd\u662f\u7a7a\u7684" in await refused(editor.say(session, "  "))
        assert "\u53ea\u6709 1 \u4e2a\u56de\u7b54" in await refused(editor.say(session, "go"))  # the script is over

    drive([{"calls": [call("list_files")]}], test, LC_ALL="zh_CN.UTF-8")


def test_a_turn_limit_and_a_failing_model_end_the_turn_and_not_the_session(drive, work):
    script = [
        {"calls": [call("list_files")]},
        {"calls": [call("list_files")]},
        {"error": "refused", "message": "no"},
        "ok",
    ]

    async def test(editor: Editor) -> None:
        session = await editor.new(work)
        assert await editor.say(session, "go") == "max_turn_requests"
        assert "stopped after 2 turns" in editor.texts(schema.AgentMessageChunk)
        with pytest.raises(acp.RequestError, match="no"):
            await editor.say(session, "go on")
        assert await editor.say(session, "and now") == "end_turn"

    drive(script, test, "--max-turns", "2")


def test_embedded_texts_and_links_are_part_of_the_prompt(drive, work):
    blocks = [
        acp.text_block("look at"),
        acp.resource_link_block("a.py", "file:///w/a.py"),
        acp.resource_block(acp.embedded_text_resource("file:///w/b.py", "b = 1")),
    ]

    async def test(editor: Editor) -> None:
        session = await editor.new(work)
        assert (await editor.connection.prompt(session_id=session, prompt=blocks)).stop_reason == "end_turn"

    drive(["seen"], test)
    (journal,) = (work / ".xwork/acp").glob("*.jsonl")
    prompt = next(json.loads(line) for line in journal.read_text().splitlines() if '"prompt"' in line)
    assert prompt["message"]["text"] == "look at\n\n[a.py](file:///w/a.py)\n\nfile:///w/b.py:\nb = 1"


def test_the_clients_mcp_servers_are_used(drive, work):
    server = schema.McpServerStdio(name="my notes", command=sys.executable, args=[str(MCP)], env=[])
    sse = schema.SseMcpServer(type="sse", name="old", url="http://127.0.0.1:1", headers=[])

    async def test(editor: Editor) -> None:
        with pytest.raises(acp.RequestError, match="old"):
            await editor.new(work, mcp_servers=[sse])
        session = await editor.new(work, mcp_servers=[server])
        assert await editor.say(session, "go") == "end_turn"
        assert list(editor.ended().values()) == [("completed", "hi")]
        assert editor.asked[0][0].title == "my_notes__echo"

    drive([{"calls": [call("my_notes__echo", text="hi")]}, "done"], test)


def test_two_sessions_work_side_by_side_and_one_prompt_at_a_time(drive, work):
    other = work / "other"
    other.mkdir()
    script = [
        {
            "calls": [
                call("exec_command", command="touch here; while [ ! -e ../go ] && [ ! -e go ]; do sleep 0.02; done")
            ]
        }
    ]

    async def test(editor: Editor) -> None:
        one, two = await editor.new(work), await editor.new(other)
        turns = [asyncio.create_task(editor.say(name, "go")) for name in (one, two)]
        await editor.until(lambda: (work / "here").exists() and (other / "here").exists())
        with pytest.raises(acp.RequestError, match="busy"):
            await editor.say(one, "more")
        (work / "go").touch()
        assert await asyncio.gather(*turns) == ["end_turn", "end_turn"]

    drive([*script, "done"], test, "--approval", "auto")


@pytest.mark.parametrize("end", ["eof", "signal"])
def test_everything_ends_when_the_client_goes_or_a_signal_comes(tmp_path, work, environment, drive, end):
    command = "echo $$ > pid; exec sleep 300"
    script = [
        {"calls": [call("start_process", command=command)]},
        {"calls": [call("exec_command", command="sleep 300")]},
    ]

    async def test(editor: Editor) -> None:
        session = await editor.new(work)
        turn = asyncio.create_task(editor.say(session, "go"))
        await editor.until(lambda: (work / "pid").exists() and (work / "pid").read_text())
        if end == "eof":
            editor.process.stdin.close()
        else:
            editor.process.terminate()
        async with asyncio.timeout(PATIENCE):
            assert await editor.process.wait() == (0 if end == "eof" else 143)
        await asyncio.gather(turn, return_exceptions=True)
        assert not psutil.pid_exists(int((work / "pid").read_text()))

    if end == "eof":
        drive(script, test, "--approval", "auto")
    else:
        with pytest.raises(AssertionError, match="143"):  # the fixture expects 0
            drive(script, test, "--approval", "auto")


@pytest.fixture
def slow(tmp_path) -> tuple[dict[str, str], Path, Path]:
    """Surroundings in which a session opens slowly: a bwrap that says that it began and fails once it may go on."""
    began, go = tmp_path / "began", tmp_path / "go"
    program = tmp_path / "bin" / "bwrap"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {began}\nwhile ! [ -e {go} ]; do sleep 0.02; done\nexit 1\n")
    program.chmod(0o755)
    cache = tmp_path / "cache"
    env = {"PATH": f"{program.parent}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(cache), "PIP_NO_INDEX": "1"}
    return env, began, go


def test_a_session_is_opened_again_while_it_opens_and_nobody_else_has_to_wait(drive, work, slow):
    env, began, go = slow
    go.touch()

    async def test(editor: Editor) -> None:
        session = await editor.new(work)
        assert await editor.say(session, "go") == "end_turn"
        go.unlink()
        began.unlink()

        def load() -> asyncio.Task[object]:
            request = editor.connection.load_session(cwd=str(work), session_id=session, mcp_servers=[])
            return asyncio.create_task(request)

        first = load()
        await editor.until(began.exists)
        second = load()
        async with asyncio.timeout(PATIENCE / 2):
            await editor.connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
        go.touch()
        with pytest.raises(acp.RequestError, match="interrupted"):
            await first
        await second
        assert await editor.say(session, "more") == "end_turn"

    drive(["done", "done"], test, "--sandbox", "auto", **env)


@pytest.mark.parametrize("end", ["eof", "signal"])
def test_a_client_that_goes_while_a_session_opens_is_not_held_up(tmp_path, work, environment, slow, end):
    env, began, go = slow
    work.mkdir()
    argv = [sys.executable, "-m", "xuen.xwork", "acp", "--sandbox", "auto"]  # with the model that has to be fetched
    process = subprocess.Popen(argv, env=environment(**env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        for number, method, parameters in (
            (1, "initialize", {"protocolVersion": 1}),
            (2, "session/new", {"cwd": str(work), "mcpServers": []}),
        ):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
        until = time.monotonic() + PATIENCE
        while not began.exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        if end == "signal":
            process.terminate()
        else:
            process.stdin.close()
        time.sleep(1)  # the end is under way when the session goes on to open, and tells of the fetch
        go.touch()
        assert process.wait(PATIENCE) == (143 if end == "signal" else 0)
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_a_session_that_cannot_be_opened_for_whatever_reason_leaves_nothing(tmp_path):
    async def test() -> None:
        service = Service(AgentConfig(workspace=tmp_path, model=5))  # which nobody has checked
        service.on_connect(Editor())
        with pytest.raises(AttributeError):
            await service.new_session(str(tmp_path))
        assert service._open == {}

    asyncio.run(test())
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("session ")] == []


def test_a_session_can_be_closed_and_everything_of_it_ends(drive, work):
    script = [{"calls": [call("start_process", command="echo $$ > pid; exec sleep 300")]}, "done", "again"]

    async def test(editor: Editor) -> None:
        told = await editor.connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
        assert told.agent_capabilities.session_capabilities.close is not None
        session = await editor.new(work)
        assert await editor.say(session, "go") == "end_turn"
        await editor.until(lambda: (work / "pid").exists() and (work / "pid").read_text())
        await editor.connection.close_session(session_id=session)
        assert not psutil.pid_exists(int((work / "pid").read_text()))
        for request in (editor.say(session, "x"), editor.connection.close_session(session_id=session)):
            with pytest.raises(acp.RequestError, match="no such session"):
                await request
        await editor.connection.load_session(cwd=str(work), session_id=session, mcp_servers=[])
        assert editor.texts(schema.UserMessageChunk) == "go"

    drive(script, test, "--approval", "auto")


def test_a_session_that_this_machine_did_not_write_is_not_loaded(drive, work):
    name = "0" * 32

    async def test(editor: Editor) -> None:
        (work / ".xwork" / "acp").mkdir(parents=True)
        line = b'{"kind":"session","version":1,"workspace":"","created":""}\n'
        (work / ".xwork" / "acp" / f"{name}.jsonl").write_bytes(line)
        with pytest.raises(acp.RequestError, match="did not write this session"):
            await editor.connection.load_session(cwd=str(work), session_id=name, mcp_servers=[])
        assert editor.told == []

    drive(["done"], test)


def test_without_the_package_the_command_line_says_how_to_get_it(environment):
    program = "import sys; sys.modules['acp'] = None\nfrom xuen.xwork.cli import main; sys.exit(main(['acp']))"
    argv = [sys.executable, "-c", program]
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "pip install agent-client-protocol" in done.stderr


def test_a_client_that_does_not_read_holds_up_neither_memory_nor_the_end(tmp_path, work, environment):
    work.mkdir()
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"text": "x" * 8_000_000, "chunk": 500}]))
    argv = [sys.executable, "-m", "xuen.xwork", "acp", "--model", f"script:{script}"]
    process = subprocess.Popen(argv, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(number: int, method: str, **parameters: object) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()

    try:
        ask(1, "initialize", protocolVersion=1)
        ask(2, "session/new", cwd=str(work), mcpServers=[])
        session = [json.loads(process.stdout.readline()) for _ in range(2)][1]["result"]["sessionId"]
        ask(3, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "go"}])
        process.stdout.readline()  # the turn has begun
        used, until = psutil.Process(process.pid).cpu_times(), time.monotonic() + PATIENCE
        while time.monotonic() < until:  # until it works no more, because nobody reads
            time.sleep(0.5)
            if (now := psutil.Process(process.pid).cpu_times()).user - used.user < 0.02:
                break
            used = now
        assert psutil.Process(process.pid).memory_info().rss < 200 << 20
        process.terminate()
        assert process.wait(PATIENCE) == 143
    finally:
        process.kill()
        process.communicate()


# --- the streams -----------------------------------------------------------------------------------------------------

HELLO = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}\n'


@pytest.fixture
def serve(tmp_path, environment):
    """Runs the server with these streams: its exit code, its messages, what it said."""
    argv = [sys.executable, "-m", "xuen.xwork", "acp"]

    def run(sent=None, *, argv=argv, **streams):
        if sent is not None:
            streams["input"] = sent
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
        done = subprocess.run(argv, cwd=tmp_path, env=environment(), timeout=PATIENCE, check=False, **streams)
        return done.returncode, [json.loads(line) for line in (done.stdout or b"").splitlines()], done.stderr.decode()

    run.argv = argv
    return run


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        (b"[]", None, -32600),
        (b"42", None, -32600),
        (b"null", None, -32600),
        (b"{}", None, -32600),
        (b"[" + HELLO.strip() + b"]", None, -32600),
        (b'{"id": 3, "method": 5}', 3, -32600),
        (b'{"id": [1], "method": "initialize"}', None, -32600),
        (b'{"id": [1], "result": {}}', None, -32600),
        (b'{"id": 0, "error": "text"}', None, -32600),
        (b"{broken", None, -32700),
        (b"\xff\xfe", None, -32700),
        (b"[" * 100_000, None, -32700),
    ],
)
def test_a_line_that_is_no_message_is_answered_and_the_conversation_goes_on(serve, line, number, code):
    """As a public report has it: zed-industries/codex-acp#177."""
    status, (refusal, answer), said = serve(line + b"\n\r\n" + HELLO)
    assert (refusal["id"], refusal["error"]["code"]) == (number, code)
    assert answer["id"] == 1 and answer["result"]["agentInfo"]["name"] == "xwork"
    assert (status, said) == (0, "")


def test_the_streams_may_be_files(serve, tmp_path):
    (tmp_path / "in").write_bytes(HELLO.strip())  # without a newline
    with (tmp_path / "in").open() as source, (tmp_path / "out").open("w") as target:
        assert serve(stdin=source, stdout=target) == (0, [], "")
    assert json.loads((tmp_path / "out").read_bytes())["id"] == 1
    assert serve(stdin=subprocess.DEVNULL) == (0, [], "")


def test_streams_that_cannot_be_used_are_named(serve):
    for closed in ("<&-", ">&-"):
        code, _, said = serve(argv=["sh", "-c", f'exec "$@" {closed}', "sh", *serve.argv])
        assert code == 2 and "one of them is closed" in said
    with Path("/dev/full").open("w") as full:
        code, _, said = serve(HELLO, stdout=full)
    assert code == 1 and "No space left" in said and said.count("\n") == 1
