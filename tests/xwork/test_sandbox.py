"""The sandbox of commands, with the real bubblewrap: what it holds back, and that trees still end whole."""

import os
import pwd
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import psutil
import pytest

from xuen.proc.spawn import start
from xuen.xwork.errors import BadUse, Interrupted
from xuen.xwork.policy.paths import Workspace
from xuen.xwork.sandbox.bubblewrap import Sandbox, make
from xuen.xwork.sandbox.mode import Mode
from xuen.xwork.sandbox.network import make_network
from xuen.xwork.sandbox.report import Report
from xuen.xwork.tools.artifacts import Artifacts
from xuen.xwork.tools.builtin import TOOLS
from xuen.xwork.tools.command import environment
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Effect
from xuen.xwork.tools.processes import ProcessTable

NEVER = threading.Event()
ROOT = Path(__file__).resolve().parents[2]


class Walled:
    """Tools by name, their commands in a sandbox around the folder `work`."""

    def __init__(self, work: Path, sandbox: Sandbox | None) -> None:
        self.workspace = Workspace(work)
        self.cancel = threading.Event()
        self.shelf = ProcessTable()
        self.sandbox = sandbox
        context = (self.workspace, self.cancel, Artifacts(self.workspace), self.shelf, environment(os.environ), sandbox)
        self.context = ToolContext(*context)
        self._tools = {tool.name: tool for tool in TOOLS}

    def __call__(self, name: str, **arguments: object):
        tool = self._tools[name]
        return tool.run(tool.decode(msgspec.json.encode(arguments).decode()), self.context)

    def sh(self, command: str, **arguments: object) -> str:
        """The output of a command, without the line about its end."""
        return self("exec_command", command=command, **arguments).text.partition("\n")[2].rstrip("\n")

    def close(self) -> None:
        self.shelf.close()
        if self.sandbox is not None:
            self.sandbox.close()
        self.workspace.close()


@pytest.fixture
def wall(work: Path):
    """Makes tools in a sandbox; skips where bubblewrap does not work."""
    made: list[Walled] = []
    work.mkdir(exist_ok=True)

    def build(*, network: bool = False) -> Walled:
        try:
            sandbox, _ = make(Mode.ON, work, network=network, env=os.environ, cancel=NEVER)
        except BadUse as error:
            pytest.skip(f"bubblewrap does not work here: {error}")
        made.append(Walled(work, sandbox))
        return made[-1]

    yield build
    for each in made:
        each.close()


@pytest.fixture
def outside():
    """A folder that is neither in the workspace nor below /tmp, with a file in it."""
    unseen = str(ROOT).startswith(("/tmp/", "/var/tmp/"))  # a sandbox has a /tmp of its own
    parent = pwd.getpwuid(os.getuid()).pw_dir if unseen else ROOT
    with tempfile.TemporaryDirectory(dir=parent, prefix=".outside-") as name:
        (Path(name) / "old").write_text("old")
        yield Path(name)


@pytest.fixture
def site():
    """The port of a loopback server of this test."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"reached")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


def fetching(port: int) -> str:
    code = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}', timeout=10).read().decode())"
    return f'{sys.executable} -c "{code}"'


def wait_for(condition, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def marked(word: str) -> list[int]:
    """The processes with this word on their command line, not those that still have to start one with it."""
    return [process.pid for process in psutil.process_iter(["cmdline"]) if word in (process.info["cmdline"] or [])]


# --- files ---


def test_the_workspace_can_be_written_and_the_rest_only_read(wall, work, outside):
    tools = wall()
    assert tools.sh("echo new > here && mkdir -p a/b && mv here a/b/ && cat a/b/here") == "new"
    assert (work / "a/b/here").read_text() == "new\n"
    assert tools.sh(f"cat {outside}/old && head -c 1 /etc/passwd") == "oldr"


@pytest.mark.parametrize(
    "attempt",
    [
        "echo bad > {out}/old",
        "echo bad > {out}/new",
        "rm -rf {out}/old",
        "mv {out}/old {out}/new",
        "chmod 777 {out}/old",
        "echo bad > link/old",
        "echo bad > /proc/self/root{out}/old",
        "echo bad > /proc/self/cwd/../../../../../../../../../..{out}/old",
        "ln {out}/old hard && echo bad > hard",
        "mount -o remount,rw,bind / && echo bad > {out}/old",
        "unshare -Urm sh -c 'mount -o remount,rw,bind / ; echo bad > {out}/old'",
        "f=/proc/sys/vm/swappiness; v=$(cat $f); echo $v > $f",  # where root needs no capability
    ],
)
def test_no_way_leads_to_a_change_outside(wall, work, outside, attempt):
    (work / "link").symlink_to(outside)
    done = wall()("exec_command", command=f"({attempt.format(out=outside)}) 2>&1; exit $?")
    assert done.failed
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("old", "old")]
    assert (outside / "old").stat().st_mode & 0o777 != 0o777


def test_a_command_has_no_capabilities(wall):
    assert set(wall().sh("grep ^Cap /proc/self/status").split()[1::2]) == {"0" * 16}


def test_the_runtimes_own_folder_can_only_be_read(wall, work):
    tools = wall()
    (work / ".xwork").mkdir()
    (work / ".xwork/session.jsonl").write_text("{}")
    assert tools("exec_command", command="echo forged > .xwork/session.jsonl || rm -rf .xwork").failed
    assert (work / ".xwork/session.jsonl").read_text() == "{}"
    assert tools.sh("cat .xwork/session.jsonl") == "{}"


def test_tmp_is_the_agents_own_and_ends_with_it(wall, tmp_path):
    tools, note = wall(), f"note-of-{os.getpid()}"
    assert tools.sh(f"echo kept > /tmp/{note}; echo $TMPDIR; mktemp | cut -c1-5") == "/tmp\n/tmp/"
    assert tools.sh(f"cat /tmp/{note}") == "kept"  # the next command of the same agent
    assert not Path(f"/tmp/{note}").exists()
    (tmp_path / "mine").write_text("x")
    assert tools("exec_command", command=f"cat {tmp_path}/mine").failed  # below /tmp, as pytest has it
    folder = Path(tools.sandbox._temporary)
    assert (folder / note).read_text() == "kept\n"
    tools.close()
    assert not folder.exists()


def test_a_command_starts_in_the_folder_that_it_asks_for(wall, work):
    (work / "deep/er").mkdir(parents=True)
    (work / "short").symlink_to("deep/er")
    tools = wall()
    assert tools.sh("pwd") == str(work)
    assert tools.sh("pwd", cwd="short") == str(work / "deep/er")


def test_the_search_tool_is_held_too_and_finds_the_same(wall, work, outside, tmp_path, monkeypatch):
    for name in ("a.py", "sub/b.py"):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text("needle\n")
    tools = wall()
    assert tools("search_text", query="needle").text == "a.py:1: needle\nsub/b.py:1: needle"
    assert tools("search_text", query="needle", path="sub").text == "sub/b.py:1: needle"
    assert tools("search_text", query="absent").text == "(no line holds this text)"
    programs = tmp_path / "bin"
    programs.mkdir()
    (work / "rg").write_text(f"#!/bin/sh\necho bad > {outside}/old\npwd > ran\nprintf './a.py\\0'\n")
    (work / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{work}:{os.environ['PATH']}")
    assert tools("search_text", query="needle").text == "a.py:1: needle"
    assert (work / "ran").read_text().strip() == str(work) and (outside / "old").read_text() == "old"


def test_a_search_whose_sandbox_fails_still_finds_everything(work):
    work.mkdir()
    (work / "a.py").write_text("needle\n")
    tools = Walled(work, Sandbox("/bin/false", work, network=True))
    assert tools("search_text", query="needle").text == "a.py:1: needle"
    tools.close()


# --- network and processes ---


def test_there_is_no_network_unless_it_is_allowed(wall, site):
    off = wall()("exec_command", command=fetching(site))
    assert off.failed and "Connection refused" in off.text
    assert wall(network=True).sh(fetching(site)) == "reached"


def test_commands_reach_each_others_servers_without_a_network(wall, site):
    tools = wall()
    assert "can reach each other's servers" in tools.sandbox.rules
    tools("start_process", command=f"exec {sys.executable} -u -m http.server --bind 127.0.0.1 {site}")
    wait_for(lambda: "Serving" in tools("poll_process", process_id="p1").text)
    assert "Directory listing" in tools.sh(fetching(site))  # on the very port that the test's own server has outside


def test_other_processes_are_neither_seen_nor_signalled(wall):
    tools = wall()
    assert tools("exec_command", command=f"kill -0 {os.getpid()}").failed
    assert len(tools.sh("ls /proc | grep -c '^[0-9]'")) == 1


# --- ends ---


def test_exit_codes_are_those_of_the_command(wall):
    tools = wall()
    assert tools("exec_command", command="exit 3").text.startswith("exit code 3, expected 0")
    wanted = tools("exec_command", command="exit 3", expected_exit_codes=[3])
    assert not wanted.failed and wanted.effect is Effect.CHECK
    assert tools("exec_command", command="kill -9 $$").text.startswith("exit code 137")
    assert "timed out after 0.3 s" in tools("exec_command", command="sleep 60", timeout=0.3).text


@pytest.mark.parametrize("tells", [b"", b'{"child-pid": 1}'])
def test_a_network_whose_maker_hangs_is_given_up(tmp_path, tells):
    program, pid = tmp_path / "bwrap", tmp_path / "pid"
    program.write_text(
        f"#!{sys.executable}\n"
        "import os, sys, time\n"
        f"open({str(pid)!r}, 'w').write(str(os.getpid()))\n"
        "report = int(sys.argv[sys.argv.index('--json-status-fd') + 1])\n"
        f"os.write(report, {tells!r})\n"
        "os.close(report)\n"
        "time.sleep(300)\n"
    )
    program.chmod(0o755)
    assert make_network(str(program), dict(os.environ), NEVER, limit=5.0) is None
    assert not psutil.pid_exists(int(pid.read_text()))


def hanging(folder: Path, *, from_call: int) -> Path:
    """A bubblewrap that hangs from its N-th call on; what it writes its process ids into."""
    folder.mkdir()
    pids, program = folder / "pids", folder / "bwrap"
    program.write_text(
        f"#!{sys.executable}\n"
        "import os, pathlib, time\n"
        f"pids = pathlib.Path({str(pids)!r})\n"
        "with pids.open('a') as file:\n    file.write(f'{os.getpid()}\\n')\n"
        f"if len(pids.read_text().split()) >= {from_call}:\n    time.sleep(300)\n"
    )
    program.chmod(0o755)
    return pids


@pytest.mark.parametrize("step", [1, 2], ids=["its trial", "its network"])
def test_a_signal_while_the_sandbox_is_made_ends_it_at_once(tmp_path, environment, work, step):
    work.mkdir()
    (tmp_path / "script.json").write_text('["done"]')
    pids = hanging(tmp_path / "bin", from_call=step)
    argv = ["run", "go", "--model", f"script:{tmp_path / 'script.json'}", "--workspace", str(work), "--sandbox", "auto"]
    with subprocess.Popen(
        [sys.executable, "-m", "xuen.xwork", *argv],
        env=environment(PATH=f"{pids.parent}:{os.environ['PATH']}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        wait_for(lambda: pids.exists() and len(pids.read_text().split()) == step)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert time.monotonic() - began < 18  # the limit of each step is 20 seconds
    assert (process.returncode, out, err) == (130, "", "xwork: interrupted\n")
    assert not any(psutil.pid_exists(int(pid)) for pid in pids.read_text().split())


def test_a_report_is_read_also_by_a_program_with_many_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2048), hard))
    many = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        report = Report()
        tells = threading.Timer(0.2, os.write, [report.write_end, b'{"child-pid": 7}'])  # while it is waited for
        tells.start()
        assert report.wait(30, NEVER) == 7
        tells.join()
        report.close()
    finally:
        for each in many:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_sandbox_that_cannot_be_made_is_never_the_expected_failure(work):
    work.mkdir()
    tools = Walled(work, Sandbox("/bin/false", work, network=True))
    done = tools("exec_command", command="exit 1", expected_exit_codes=[1])
    assert done.failed and done.effect is Effect.NONE
    assert done.text.startswith("the command was not run: the sandbox around it could not be made")
    tools("start_process", command="exit 1")
    wait_for(lambda: not tools.shelf.get("p1").running())
    assert tools("poll_process", process_id="p1").text.startswith("p1: not run: the sandbox")
    tools.close()


HIDDEN = "env -i setsid sh -c '{python} -c \"import time; time.sleep(300)\" {word} & exit' & wait $!"


def hidden(word: str) -> str:
    """A daemon without environment, session and parents, once its parent has ended."""
    return HIDDEN.format(python=sys.executable, word=word)


def test_what_a_command_leaves_running_ends_with_it_and_is_counted(wall):
    tools = wall()
    word = f"left-{os.getpid()}"
    done = tools("exec_command", command=hidden(word))
    assert "exit code 0" in done.text and "1 processes that it left running were ended" in done.text
    assert "left running" not in tools("exec_command", command="true").text
    assert not marked(word)


def test_a_cancelled_command_ends_at_once_and_whole(wall):
    tools = wall()
    word = f"cancelled-{os.getpid()}"
    threading.Timer(1.0, tools.cancel.set).start()
    with pytest.raises(Interrupted):
        tools("exec_command", command=f"{hidden(word)}; trap '' TERM; sleep 300 & wait; wait; touch over")
    assert not (tools.workspace.root / "over").exists() and not marked(word)


def test_managed_processes_are_spoken_with_interrupted_and_ended(wall):
    tools = wall()
    word = f"managed-{os.getpid()}"
    tools("start_process", command="trap 'echo asked; exit 5' INT; read l; echo got $l; while :; do sleep 0.05; done")
    tools("write_process", process_id="p1", text="one\n")
    wait_for(lambda: "got one" in tools("poll_process", process_id="p1", wait_ms=200).text)
    stopped = tools("stop_process", process_id="p1", signal="interrupt").text
    assert stopped.startswith("p1: exited with code 5") and "asked" in stopped
    for _ in range(2):
        tools("start_process", command=hidden(word) + "; sleep 300")
    wait_for(lambda: len(marked(word)) == 2)
    tools.shelf.close()
    assert not marked(word)


PROGRAM = """
import sys
from pathlib import Path
from xuen.xwork import Agent, AgentConfig
from xuen.xwork.model.scripted import ScriptedAnswer, ScriptedCall, ScriptedModel
call = ScriptedCall(name="exec_command", arguments={"command": sys.argv[2]})
config = AgentConfig(workspace=Path(sys.argv[1]), sandbox="on")
with Agent(config, client=ScriptedModel([ScriptedAnswer(calls=(call,))])) as agent:
    agent.run("go")
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_whoever_runs_xwork_finds_and_ends_what_is_in_its_sandbox(wall, work, tmp_path, environment, number):
    wall()
    word = f"outer-{os.getpid()}"
    argv = [sys.executable, "-c", PROGRAM, str(work), hidden(word) + "; sleep 300"]
    env = environment(TMPDIR=str(tmp_path))  # what a killed xwork leaves there goes with the test
    child = start(argv, cwd=work, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: marked(word))
        os.kill(child.pid, number)
    finally:
        child.end(grace=0.5)
    assert not marked(word)


# --- whether there is one ---


def fake(folder: Path, script: str) -> dict[str, str]:
    folder.mkdir()
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {"PATH": str(folder)}


def test_without_bubblewrap_on_is_an_error_and_auto_goes_without_and_says_so(tmp_path):
    nowhere = {"PATH": str(tmp_path / "none")}
    with pytest.raises(BadUse) as caught:
        make(Mode.ON, tmp_path, network=False, env=nowhere, cancel=NEVER)
    assert caught.value.line("en").startswith("the sandbox for commands needs bubblewrap (bwrap), which is not")
    assert "apt install bubblewrap" in caught.value.line("en") and "--sandbox off" in caught.value.line("zh")
    sandbox, why = make(Mode.AUTO, tmp_path, network=False, env=nowhere, cancel=NEVER)
    assert sandbox is None and why is not None and why.en.startswith("commands run without a sandbox: the sandbox for")
    assert make(Mode.OFF, tmp_path, network=False, env=nowhere, cancel=NEVER) == (None, None)


def test_where_namespaces_are_off_the_error_says_what_bubblewrap_said_and_the_mend(tmp_path):
    env = fake(tmp_path / "bin", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
    with pytest.raises(BadUse) as caught:
        make(Mode.ON, tmp_path, network=False, env=env, cancel=NEVER)
    assert "No permissions to create new namespace" in caught.value.what.zh
    assert "unprivileged_userns_clone" in caught.value.line("en") and "\n" not in caught.value.line("en")


def test_a_workspace_that_cannot_be_written_inside_is_said_before_the_first_command(tmp_path):
    env = fake(tmp_path / "bin", "exit 9")
    with pytest.raises(BadUse, match=r"inside the sandbox the workspace .* could not be written"):
        make(Mode.ON, tmp_path, network=False, env=env, cancel=NEVER)


def test_the_whole_system_is_no_workspace_for_a_sandbox():
    with pytest.raises(BadUse, match=r"holds the system itself|needs bubblewrap"):
        make(Mode.ON, Path("/"), network=False, env=os.environ, cancel=NEVER)


def test_an_agent_runs_its_commands_inside_and_the_model_is_told(play, wall, say, outside):
    wall()
    made = play(
        say.calls(("exec_command", {"command": f"echo bad > {outside}/old; echo good > here; cat here"})),
        "done",
        sandbox="on",
    )
    made.agent.run("go")
    assert "Read-only file system" in made.results()[0] and made.results()[0].endswith("good\n")
    assert "Commands run in a sandbox" in made.agent._system.text
    assert (outside / "old").read_text() == "old"


def test_the_command_line_says_in_one_line_what_is_missing(tmp_path, environment, work):
    work.mkdir()
    script = tmp_path / "script.json"
    script.write_text('["done"]')
    # A path with a python and without a bwrap.
    programs = tmp_path / "bin"
    programs.mkdir()
    for mode, code in (("on", 2), ("auto", 0)):
        argv = ["run", "做点事", "--model", f"script:{script}", "--workspace", str(work), "--sandbox", mode]
        done = subprocess.run(
            [sys.executable, "-m", "xuen.xwork", *argv],
            env=environment(PATH=str(programs)),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert done.stderr.count("\n") == 1 and "bubblewrap（bwrap）" in done.stderr
        assert done.stdout == ("" if code else "done\n")
