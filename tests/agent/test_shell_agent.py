"""One call of an agent, with real shells and processes."""

import contextlib
import json
import os
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from xuen.agent.call import Call
from xuen.agent.shell_agent import ShellAgent
from xuen.agent.template import Template, parse, parse_argv
from xuen.errors import PromptTooLong
from xuen.events import CallEnded, CallStarted, Notice, Output, Purpose, Why
from xuen.proc.private import remove_stale_folders
from xuen.stop import Stop
from xuen.workspace.research import Sections

RECORDER = Path(__file__).parent.parent / "agents" / "recorder.py"


class Events:
    def __init__(self) -> None:
        self.all: list = []
        self.mark: Path | None = None  # is made as soon as there is output

    def emit(self, event) -> None:
        self.all.append(event)
        if self.mark and isinstance(event, Output):
            self.mark.touch()

    def of(self, kind):
        return [event for event in self.all if isinstance(event, kind)]

    @property
    def lines(self) -> list[str]:
        return [event.line for event in self.of(Output)]


class Bench:
    """An agent in a folder of its own."""

    def __init__(self, workspace: Path, temporary: Path) -> None:
        self.workspace = workspace
        self.temporary = temporary
        self.events = Events()
        self.stop = Stop()

    def agent(self, command: str | Template, **kwargs) -> ShellAgent:
        return ShellAgent(
            parse(command) if isinstance(command, str) else command,
            name="test",
            workspace=self.workspace,
            token="token-of-the-run",
            sink=self.events,
            stop=self.stop,
            **{"timeout": 60.0, **kwargs},
        )

    def call(
        self,
        command: str | Template,
        prompt: str = "do it",
        *,
        purpose=Purpose.RESEARCH,
        data=(),
        log=None,
        on_started=None,
        **kwargs,
    ):
        call = Call(prompt=prompt, purpose=purpose, round=3, log=log, data=dict(data))
        return self.agent(command, **kwargs).call(call, on_started=on_started)

    def record(self, command_end: str, prompt: str, *, env=None, **kwargs) -> dict:
        record = self.workspace / "record.json"
        outcome = self.call(
            f"{sys.executable} {RECORDER} {command_end}", prompt, env={"RECORD": str(record), **(env or {})}, **kwargs
        )
        assert outcome.why is Why.OK, outcome.stderr
        return json.loads(record.read_text("utf-8"))

    def processes(self) -> list[str]:
        """Everything that runs with this workspace in its environment."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                with contextlib.suppress(OSError):
                    if f"XUEN_WORKSPACE={self.workspace}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(entry.name)
        return found

    def left(self) -> list[Path]:
        """What calls left among the temporary files of this machine."""
        return list(self.temporary.iterdir())


def descriptors() -> set[int]:
    """The descriptors that are open here; what earlier tests forgot to close may be collected at any time."""
    return {int(path.name) for path in Path("/proc/self/fd").iterdir()}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    workspace, temporary = tmp_path / 'work space\'s "folder"', tmp_path / "temporary files"
    workspace.mkdir()
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return Bench(workspace, temporary)


HOSTILE = [
    "it's $(touch CANARY) `touch CANARY` ${HOME} $prompt",
    "- [ ] a list",
    "--help",
    "'\" \\ \\\\ \\n %s ! # ~ * ? { } < > | & ; ( )\t end",
    "两个\n字 ☕ 🧑‍🚀\r\nmore",
    "",
]


@pytest.mark.parametrize("prompt", HOSTILE)
@pytest.mark.parametrize("end", ['"$prompt"', "$prompt", "--stdin < $prompt_file", '"$(cat $prompt_file)"'])
def test_prompts_arrive_byte_for_byte_and_nothing_in_them_runs(bench, prompt, end):
    seen = bench.record(end, prompt)
    given = seen["stdin"] if "stdin" in end else seen["argv"][-1]
    assert given == prompt
    assert not (bench.workspace / "CANARY").exists()
    assert bench.left() == []


@pytest.mark.parametrize("prompt", HOSTILE)
def test_a_command_without_a_shell_gets_its_words_as_they_are(bench, prompt):
    words = ["--t=$prompt", "a ${prompt}b", "$prompt", "$prompts \\$HOME `id` $(id) *", "$prompt_file"]
    template = parse_argv([sys.executable, str(RECORDER), *words])
    assert bench.call(template, prompt, env={"RECORD": str(bench.workspace / "record.json")}).why is Why.OK
    *given, path = json.loads((bench.workspace / "record.json").read_text("utf-8"))["argv"]
    assert given == [f"--t={prompt}", f"a {prompt}b", prompt, "$prompts \\$HOME `id` $(id) *"]
    assert Path(path).name == "prompt.txt"
    assert bench.left() == []


def test_nul_surrogates_and_final_newlines_of_a_prompt_are_mended(bench):
    assert bench.record('"$prompt"', "a\0b\ud800c\n\n")["argv"][-1] == "ab\ufffdc"
    assert bench.record("--stdin < $prompt_file", "a\0b\ud800c\n\n")["stdin"] == "ab\ufffdc"


def test_the_prompt_file_is_private_and_outside_the_workspace(bench):
    seen = bench.record("--stdin $prompt_file < $prompt_file", "secret")
    prompt = Path(seen["argv"][-1])
    assert seen["modes"] == ["0o600"]
    assert prompt.is_relative_to(bench.temporary)
    assert seen["private_mode"] == "0o700"
    assert bench.left() == []


@pytest.mark.parametrize(
    "command",
    [
        "find . -type f -exec sh {} \\; ; : < $prompt_file",
        "sh .x*; : < $prompt_file",
        'sh "$(ls -ta | head -n 1)"; : < $prompt_file',
        'for f in $(ls -a); do sh "$f"; done; : < $prompt_file',
        'ls -a | while read -r f; do sh "$f"; done; : < $prompt_file',
    ],
)
def test_a_command_that_runs_what_lies_in_its_folder_does_not_find_the_prompt(bench, command):
    mark = bench.workspace / "ran"
    bench.call(command, f"touch {mark}")
    assert not mark.exists()


@pytest.mark.parametrize("purpose", [Purpose.WORDS, Purpose.JUDGE])
def test_a_call_for_words_or_a_score_runs_in_an_empty_private_folder(bench, purpose):
    (bench.workspace / "research.md").touch()
    seen = bench.record("--stdin < $prompt_file", "x", purpose=purpose)
    assert seen["files"] == []
    assert Path(seen["cwd"]).is_relative_to(bench.temporary)
    assert seen["env"]["XUEN_WORKSPACE"] == str(bench.workspace)
    # Agents keep a record for each folder that they worked in, so the next call gets the same one.
    assert bench.record("--stdin < $prompt_file", "x", purpose=purpose)["cwd"] == seen["cwd"]
    assert bench.left() == []


@pytest.mark.parametrize("end", ["", "; exit 3", "; kill -9 $$", "; sleep 300"])
def test_temporary_files_of_a_call_go_with_it(bench, end):
    seen = bench.record("--stdin < $prompt_file", "x")
    assert (seen["temporary"], seen["temporary_files"]) == (seen["env"]["TMPDIR"], [])
    assert Path(seen["temporary"]).is_relative_to(bench.temporary)
    bench.call(f'mkdir -p "$TMPDIR/a/b"; touch "$TMPDIR/a/b/c"; chmod 500 "$TMPDIR/a"; : "$prompt"{end}', timeout=2)
    assert bench.left() == []


def test_a_temporary_folder_that_the_user_names_is_taken(bench, tmp_path):
    assert bench.record('"$prompt"', "x", env={"TMPDIR": str(tmp_path)})["temporary"] == str(tmp_path)


def test_calls_at_the_same_time_have_different_folders(bench):
    def record(name: str) -> None:
        wait = f"touch {name}; while test ! -e a || test ! -e b; do sleep 0.05; done"
        assert bench.call(f'{wait}; echo $TMPDIR > {name}; : "$prompt"', timeout=30).worked

    callers = [threading.Thread(target=record, args=[name]) for name in "ab"]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len({(bench.workspace / name).read_text() for name in "ab"}) == 2
    assert bench.left() == []


def test_another_users_folder_of_the_same_name_is_not_used(bench, tmp_path):
    first = Path(bench.record('"$prompt"', "x")["temporary"])
    (tmp_path / "theirs").mkdir()
    (root := bench.temporary / first.relative_to(bench.temporary).parts[0]).symlink_to(tmp_path / "theirs")
    seen = bench.record('"$prompt"', "x")
    assert not Path(seen["temporary"]).is_relative_to(root)
    remove_stale_folders(bench.workspace)
    assert bench.left() == [root]
    assert (tmp_path / "theirs").exists()


def test_the_request_comes_as_data(bench):
    data = {"words": ("a", "b"), "idea": 'it\'s "this"\n', "artifact": "字\ud800", "inputs": ["more"]}
    seen = bench.record('"$prompt"', "x", data=data, about={"task": "why?"}, language="zh")
    assert seen["request"] == {
        "purpose": "research",
        "task": "why?",
        "round": 3,
        "language": "zh",
        "words": ["a", "b"],
        "idea": 'it\'s "this"\n',
        "artifact": "字\ufffd",
        "inputs": ["more"],
    }
    sections = {"candidate": Sections("i", "a"), "best": Sections("", "")}
    judged = bench.record('"$prompt"', "x", purpose=Purpose.JUDGE, data=sections, about={"task": "why?"})["request"]
    assert (judged["purpose"], judged["words"], judged["idea"]) == ("judge", [], "")
    assert (judged["candidate"], judged["best"]) == ({"idea": "i", "artifact": "a"}, {"idea": "", "artifact": ""})


def test_surroundings_of_the_command(bench, monkeypatch):
    monkeypatch.setenv("prompt", "inherited")
    monkeypatch.setenv("ENV", "/nonexistent")
    monkeypatch.setenv("BASH_ENV", "/nonexistent")
    monkeypatch.setenv("KEPT", "1")
    seen = bench.record('"$prompt"', "x", env={"ADDED": "2"})
    env = seen["env"]
    assert seen["cwd"] == os.path.realpath(bench.workspace)
    assert seen["stdin_is"] == "/dev/null"
    assert seen["session"] not in (os.getsid(0), 0)
    assert (env["XUEN_WORKSPACE"], env["XUEN_ROUND"], env["XUEN_RUN"], env["XUEN_PURPOSE"]) == (
        str(bench.workspace),
        "3",
        "token-of-the-run",
        "research",
    )
    assert (env["KEPT"], env["ADDED"]) == ("1", "2")
    assert not {"prompt", "prompt_file", "ENV", "BASH_ENV"} & set(env)


def test_standard_input_is_never_inherited(bench):
    assert bench.call(': "$prompt"; cat; echo ok', timeout=20).stdout == "ok\n"


def test_events_come_in_order(bench):
    outcome = bench.call('echo one; echo two >&2; : "$prompt"')
    kinds = [type(event) for event in bench.events.all]
    assert kinds == [CallStarted, Output, Output, CallEnded]
    started, ended = bench.events.of(CallStarted)[0], bench.events.of(CallEnded)[0]
    assert (started.round, started.purpose, started.agent) == (3, Purpose.RESEARCH, "test")
    assert (ended.why, ended.code) == (Why.OK, 0)
    assert {(event.stream, event.line) for event in bench.events.of(Output)} == {("stdout", "one"), ("stderr", "two")}
    assert (outcome.stdout, outcome.stderr, outcome.worked) == ("one\n", "two\n", True)


def test_output_is_live(bench):
    bench.events.mark = bench.workspace / "told"
    assert bench.call('echo early; while ! test -e told; do sleep 0.05; done; : "$prompt"').worked


@pytest.mark.parametrize(
    ("command", "why", "code"),
    [
        ('exit 0; : "$prompt"', Why.OK, 0),
        (': "$prompt"; exit 5', Why.FAILED, 5),
        ('no-such-command-anywhere "$prompt"', Why.NOT_FOUND, 127),
        ('/no/such/path "$prompt"', Why.NOT_FOUND, 127),
        (': "$prompt"; exit 127', Why.FAILED, 127),
        (': "$prompt"; echo working; no-such-command-anywhere', Why.FAILED, 127),
        ('/dev/null "$prompt"', Why.FAILED, 126),
        (': "$prompt"; kill -SEGV $$', Why.FAILED, 139),
    ],
)
def test_why_a_call_ended(bench, command, why, code):
    outcome = bench.call(command)
    assert (outcome.why, outcome.code) == (why, code)
    assert bench.events.of(CallEnded)[0].why is why


def test_started_is_told_once_and_not_for_a_command_that_was_not_found(bench):
    told = []
    bench.call('printf x; : "$prompt"', on_started=lambda: told.append("quick"))
    bench.call('sleep 1; : "$prompt"', on_started=lambda: told.append("silent"))
    bench.call(': "$prompt"; exit 3', on_started=lambda: told.append("failed"))
    assert told == ["quick", "silent", "failed"]
    absent = 'no-such-command-anywhere "$prompt"'
    # A shell that needs half a second to say so was silent for so long.
    while bench.call(absent, on_started=lambda: told.append("absent")).seconds > 0.4:
        del told[3:]
    assert told == ["quick", "silent", "failed"]


def test_started_is_told_while_a_silent_command_runs(bench):
    told = []
    bench.call('sleep 2.5; : "$prompt"', on_started=lambda: told.append(len(bench.events.of(CallEnded))))
    assert told == [0]
    command = 'while ! test -e told; do sleep 0.05; done; : "$prompt"'
    assert bench.call(command, on_started=(bench.workspace / "told").touch).worked


def test_a_timeout_ends_everything_also_the_prompt_file(bench):
    outcome = bench.call("setsid sleep 300 & sleep 300; cat $prompt_file", timeout=0.3)
    assert (outcome.why, outcome.code) == (Why.TIMEOUT, None)
    assert outcome.seconds < 0.3 + 5
    assert bench.left() == []
    assert bench.processes() == []


def test_a_stop_ends_the_call(bench):
    threading.Timer(0.3, bench.stop.request, [130]).start()
    outcome = bench.call('sleep 300; : "$prompt"', timeout=0)
    assert (outcome.why, outcome.code) == (Why.STOPPED, None)


def test_an_idle_agent_is_ended(bench):
    assert bench.call('sleep 300; : "$prompt"', idle_timeout=0.5).why is Why.IDLE


def test_a_prompt_over_the_limit_starts_nothing(bench):
    command = 'touch ran; : "$prompt"'
    with pytest.raises(PromptTooLong) as caught:
        bench.call(command, "x" * 131_072)
    assert "$prompt_file" in caught.value.line("en")
    assert "xxx" not in caught.value.line("en")
    assert not (bench.workspace / "ran").exists()
    assert [event.why for event in bench.events.all] == [Why.TOO_LONG]
    assert bench.call(command, "字" * (131_071 // 3)).worked


def test_prompt_file_has_no_limit(bench):
    prompt = "长" * 700_000
    assert bench.record("--stdin < $prompt_file", prompt)["stdin"] == prompt


def test_an_environment_beyond_the_systems_limit_is_said_without_the_prompt(bench):
    many = {f"V{n}": "x" * 100_000 for n in range(100)}
    with pytest.raises(PromptTooLong) as caught:
        bench.call(': "$prompt"', "the secret prompt", env=many)
    assert "secret" not in str(caught.value)


def test_a_workspace_that_is_gone_is_a_failed_call(bench):
    shutil.rmtree(bench.workspace)
    for command in (': "$prompt"', "cat $prompt_file"):
        outcome = bench.call(command, "the secret prompt")
        assert (outcome.why, outcome.code) == (Why.FAILED, None)
        assert outcome.stderr
        assert "secret" not in outcome.stderr
    assert [event.level for event in bench.events.of(Notice)] == ["error", "error"]


def test_the_log_holds_both_streams_clean(bench, tmp_path):
    log = tmp_path / "rounds" / "logs" / "x.log"
    bench.call("printf '\\033[31mred\\033[0m\\n'; echo err >&2; : \"$prompt\"", log=log)
    assert sorted(log.read_text().splitlines()) == ["err", "red"]
    assert stat.S_ISREG(log.stat().st_mode)


def test_output_that_cannot_be_kept_is_said_once_and_changes_nothing_else(bench, tmp_path):
    (tmp_path / "file").touch()
    agent = bench.agent('echo out; : "$prompt"')
    for name in ("a.log", "b.log"):
        outcome = agent.call(Call(prompt="x", purpose=Purpose.RESEARCH, round=1, log=tmp_path / "file" / name))
        assert outcome.worked
        assert outcome.stdout == "out\n"
    (told,) = bench.events.of(Notice)
    assert told.level == "warning"
    assert "a.log" in told.text.en


def test_terminal_control_never_reaches_an_event(bench):
    bench.call(
        "printf '\\033]52;c;aGk=\\007a\\033[2Jb\\033]0;t\\nc\\302\\2332Jd\\n\\033[?1049h[/bold]\\n'; : \"$prompt\""
    )
    assert bench.events.lines == ["ab0;t", "cd", "[/bold]"]


def test_five_megabytes_on_one_line_are_a_success(bench):
    outcome = bench.call("head -c 5000000 /dev/zero | tr '\\0' x; : \"$prompt\"")
    assert outcome.worked
    assert len(outcome.stdout) <= 64 * 1024 + 1
    assert "line cut" in outcome.stdout
    assert len(bench.events.lines) == 1


def test_characters_printed_byte_by_byte_stay_whole(bench):
    script = bench.workspace / "slow.py"
    script.write_text(
        "import os, time\n"
        "raw = ('汉☕' * 30 + '\\n').encode()\n"
        "for at in range(0, len(raw), 7):\n"
        "    os.write(1, raw[at:at + 7]); time.sleep(0.002)\n"
        "os.write(1, '汉'.encode()[:2])\n"
    )
    outcome = bench.call(f'{sys.executable} slow.py; : "$prompt"')
    assert outcome.stdout == "汉☕" * 30 + "\n\ufffd\n"
    assert bench.events.lines == ["汉☕" * 30, "\ufffd"]


def test_a_flood_is_bounded_and_its_end_is_shown(bench, tmp_path):
    log = tmp_path / "x.log"
    outcome = bench.call('seq 1 3000000; : "$prompt"', log=log)
    assert outcome.worked
    assert len(outcome.stdout) < 3 << 20
    assert outcome.stdout.startswith("1\n2\n")
    assert outcome.stdout.endswith("2999999\n3000000\n")
    assert bench.events.lines[-1] == "3000000"
    assert len(bench.events.lines) < 20_000
    assert any("not shown" in line for line in bench.events.lines)
    assert log.read_text().endswith("3000000\n")
    assert log.stat().st_size < 5 << 20


def test_a_started_hook_that_fails_leaves_no_process_and_no_file(bench):
    def broken() -> None:
        raise RuntimeError("the inbox is gone")

    with pytest.raises(RuntimeError, match="inbox"):
        bench.call("echo x; sleep 300; cat $prompt_file", on_started=broken)
    assert bench.left() == []


def test_fifty_timed_out_calls_leak_nothing(bench):
    bench.call("sleep 300 & wait; cat $prompt_file", timeout=0.05)
    threads, opened = set(threading.enumerate()), descriptors()
    for _ in range(50):
        bench.call("setsid sleep 300 & sleep 300; cat $prompt_file", timeout=0.02)
    assert set(threading.enumerate()) <= threads
    assert descriptors() <= opened
    assert bench.left() == []


def test_folders_of_a_killed_run_are_removed(bench):
    code = (
        "import sys, tempfile\n"
        "from pathlib import Path\n"
        "from xuen.proc.private import private_folder\n"
        "with private_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'left').mkdir()\n"
        "    print(folder, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    environment = {**os.environ, "TMPDIR": str(bench.temporary)}
    command = [sys.executable, "-c", code, str(bench.workspace)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as killed:
        assert killed.stdout.readline().strip()
        killed.kill()
    assert bench.left() != []
    remove_stale_folders(bench.workspace.parent)  # another workspace's
    assert bench.left() != []
    remove_stale_folders(bench.workspace)
    assert bench.left() == []


@pytest.mark.parametrize("spare", range(1, 16))
def test_whoever_runs_out_of_descriptors_fails_the_call_and_leaves_nothing(spare, bench, tmp_path):
    bench.call("sleep 0; cat $prompt_file")  # whatever is opened once and kept
    marker = tmp_path / "started"
    used = descriptors()
    free = [number for number in range(max(used) + 20) if number not in used]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[spare], hard))
    try:
        outcome = bench.call(f"echo $$ > '{marker}'; setsid sleep 300 & cat $prompt_file", timeout=20)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert outcome.why in (Why.OK, Why.FAILED)
    assert outcome.worked or outcome.stderr
    assert marker.exists() or not outcome.worked
    assert bench.left() == []
    assert bench.processes() == []
    assert descriptors() <= used
