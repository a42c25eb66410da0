"""The commands as a person and a script meet them: the real program, real pipes, a real terminal."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from xuen.workspace.paths import Workspace

MAIN = Path(__file__).parents[2] / "main.py"


def program(folder: Path, *argv: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(MAIN), *argv],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        ([], f'xuen: no task. Write it: {shlex.join([sys.executable, str(MAIN)])} "your task"'),
        (["t", "--pik", "3"], "xuen: --pik: unknown option. Did you mean --pick?"),
        (["status"], "no workspace here yet"),
        (["status", "--workspace", "x" * 300], "the workspace cannot be used: File name too long"),
        (["say", "x", "-c", "gone.yaml"], "xuen: gone.yaml: cannot read the configuration file: No such file"),
        (["t", "--task-file", "gone"], "xuen: a task and --task-file were both given"),
        (["--task-file", "gone"], "xuen: gone: cannot read the task file: No such file"),
    ],
)
def test_misuse_ends_with_2_and_one_line(tmp_path: Path, argv: list[str], line: str) -> None:
    done = program(tmp_path, *argv)
    assert (done.returncode, done.stdout) == (2, "")
    assert line in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_current_folder_that_was_deleted_is_told_in_one_line(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    done = subprocess.run(
        ["/bin/sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", sys.executable, str(MAIN), "status"],
        cwd=here,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    said = "xuen: the current folder cannot be used: No such file or directory. Go to another folder with cd\n"
    assert done.stderr == said


def test_a_fault_in_the_file_is_told_in_the_language_of_the_surroundings(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("words:\n  pick: 010\n")
    done = program(tmp_path, "status", LANG="zh_CN.UTF-8")
    assert done.returncode == 2
    assert done.stderr == "xuen: config.yaml:2: words.pick: 应为整数，不小于 0，实际为 010。请写成 10\n"
    done = program(tmp_path, "doctor", "--language", "zh")
    assert (done.returncode, done.stdout.splitlines()[0][:2]) == (1, "!!")


@pytest.mark.parametrize(("argv", "where"), [([], "config.yaml:2: agent.preset"), (["--agent", "claud"], "--agent")])
def test_an_agent_that_nobody_knows_is_told_with_its_place(tmp_path: Path, argv: list[str], where: str) -> None:
    (tmp_path / "config.yaml").write_text("agent:\n  preset: claud\n")
    done = program(tmp_path, "t", *argv)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f'xuen: {where}: there is no agent called "claud". Did you mean "claude"?')


def test_a_long_history_into_head_ends_quietly(workspace: Workspace) -> None:
    line = json.dumps({"seq": 99, "ts": "2026-11-30T10:11:12.000Z", "event": "heartbeat", "round": 9, "streak": 1})
    with workspace.history.open("a") as file:
        file.write(f"{line}\n" * 20_000)
    for option in ("", "--json"):
        command = f'"$PY" "$MAIN" history {option} --workspace "$WS" | head -c 20; exit "${{PIPESTATUS[0]}}"'
        environ = {**os.environ, "PY": sys.executable, "MAIN": str(MAIN), "WS": str(workspace.root)}
        done = subprocess.run(["bash", "-c", command], env=environ, capture_output=True, timeout=60, check=False)
        assert (done.returncode, len(done.stdout), done.stderr) == (0, 20, b"")


@pytest.mark.parametrize("command", ["--help", "--version", "doctor", "history --json"])
def test_output_to_a_reader_that_left_ends_quietly_and_to_a_full_disk_with_one_line(
    workspace: Workspace, command: str
) -> None:
    def ended(redirection: str) -> tuple[int, list[str]]:
        line = f'mkfifo gone; exec 3<>gone 4>gone 3<&-; rm gone; trap "" PIPE; "$PY" "$MAIN" {command} {redirection}'
        environ = {**os.environ, "PY": sys.executable, "MAIN": str(MAIN), "TMPDIR": str(folder), "LC_ALL": "C"}
        done = subprocess.run(
            ["bash", "-c", line], env=environ, cwd=folder, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
        return done.returncode, done.stderr.splitlines()

    folder = workspace.root.parent
    assert ended(">&4") == (0, [])
    assert ended(">/dev/full") == (2, ["xuen: standard output cannot be written: No space left on device"])
    assert ended(">/dev/full 2>/dev/full") == (2, [])
    assert ended("<&- >&-") == (0, [])
    assert ended("<&- >&- 2>&-") == (0, [])
    assert not list(folder.glob("xuen-error-*")), "no fault of xuen's own"


@pytest.mark.parametrize(
    ("environ", "coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_gets_colour_unless_it_is_unwanted(
    workspace: Workspace, environ: dict[str, str], coloured: bool
) -> None:
    controller, terminal = pty.openpty()
    with os.fdopen(controller, "rb", buffering=0) as reader:
        with os.fdopen(terminal, "wb") as writer:
            plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
            done = subprocess.run(
                [sys.executable, str(MAIN), "status", "--workspace", str(workspace.root)],
                env=plain | environ,
                stdin=subprocess.DEVNULL,
                stdout=writer,
                timeout=60,
                check=False,
            )
        shown = b""
        with suppress(OSError):  # what a terminal says at its end
            while part := reader.read(65536):  # it hands over what it was given piece by piece
                shown += part
    assert done.returncode == 0
    assert b"Best" in shown or "最佳".encode() in shown
    assert (b"\x1b[" in shown) is coloured


def test_beside_events_on_standard_output_the_console_is_coloured_for_a_terminal(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    (tmp_path / "config.yaml").write_text("agent: {command: ': \"$prompt\"'}\nwords: {pick: 0}\n")
    with os.fdopen(controller, "rb", buffering=0) as reader:
        with os.fdopen(terminal, "wb") as writer:
            done = subprocess.run(
                [sys.executable, str(MAIN), "a task", "--iterations", "1", "--events", "-"],
                cwd=tmp_path,
                env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm", "LANG": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=writer,
                timeout=60,
                check=False,
            )
        shown = b""
        with suppress(OSError):
            while part := reader.read(65536):
                shown += part
    assert done.returncode == 1, "this agent changes nothing"
    assert b"Round 1" in shown
    assert b"\x1b[" in shown
    assert b"\x1b" not in done.stdout


FAULT = """
import resource, signal, sys
sys.path.insert(0, sys.argv[1])
from xuen.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
if sys.argv[2] == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
sys.exit(main._crashed(KeyError("no such key"), "en"))
"""


@pytest.mark.parametrize("disk", ["free", "full"])
def test_a_fault_of_the_program_is_one_line_and_its_details_are_in_a_file_where_the_disk_takes_one(
    tmp_path: Path, disk: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAULT, str(MAIN.parent), disk],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8", "TMPDIR": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.startswith("xuen: an unexpected error in xuen itself (KeyError: 'no such key'); the details ")
    assert len(done.stderr.splitlines()) == 1
    if disk == "full":
        assert "could not be kept: No usable temporary directory" in done.stderr
    else:
        details = Path(done.stderr.rstrip().removeprefix(done.stderr.partition("are in ")[0] + "are in "))
        assert "KeyError" in details.read_text(encoding="utf-8")


@pytest.mark.parametrize("module", ["xuen.cli.main", "msgspec", "xuen.cli.run"])
def test_ctrl_c_while_the_program_is_still_being_imported_shows_no_traceback(tmp_path: Path, module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "class Press:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Press())\n",
        encoding="utf-8",
    )
    done = program(tmp_path, "a task", "--no-tui", PYTHONPATH=str(tmp_path))
    assert done.returncode in (130, -signal.SIGINT)
    assert (done.stdout, done.stderr) == ("", "")
