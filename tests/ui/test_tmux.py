"""Real runs of the real command line in a real terminal, driven by keys and read as a person would: with tmux."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from xuen.workspace.paths import Workspace

ROOT = Path(__file__).parents[2]
AGENT = ROOT / "tests" / "agents" / "researcher.py"
LIMIT = 60.0

pytestmark = pytest.mark.needs("tmux")


class Tmux:
    """A terminal with a shell in it that runs xuen once and then says its exit code."""

    def __init__(self, folder, *options, term="tmux-256color", size=(100, 30), seconds=2, path=(), **rounds):
        self.folder = folder
        # A call lasts while there is a file `hold`, so that what is to happen in it does.
        held = f"while test -e {folder}/hold; do sleep 0.05; done"
        agent = f'{held}; exec {sys.executable} {AGENT} --idea "idea {{round}}" --sleep {seconds} "$prompt"'
        config = {"agent": {"command": agent}, "words": {"pick": 0}, "rounds": {"verify": "user", **rounds}}
        (folder / "config.yaml").write_text(json.dumps(config))
        not_ours = ("XUEN_", "TEXTUAL", "TMUX", "COLUMNS", "LINES", "NO_COLOR")
        env = {k: v for k, v in os.environ.items() if not k.startswith(not_ours)}

        env |= {"PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT))), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        words = " ".join([sys.executable, str(ROOT / "main.py"), "'a question'", "--language", "en", *options])
        # On the screen the code follows "ended with"; a person's shell comes after it.
        (folder / "go.sh").write_text(
            f'TERM={term} {words}; echo "ended with $?"; stty -a | tr " " "\\n" | sed -n "s/^-*echo$/tty:&/p"; cat\n'
        )
        self._tmux = ["tmux", "-S", str(folder / "socket"), "-f", os.devnull]
        columns, rows = size
        subprocess.run(
            [*self._tmux, "new-session", "-d", "-x", str(columns), "-y", str(rows), f"sh {folder}/go.sh"],
            env=env,
            cwd=folder,
            check=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([*self._tmux, "kill-server"], check=False)

    @property
    def screen(self):
        return subprocess.run(
            [*self._tmux, "capture-pane", "-p"], capture_output=True, text=True, check=True, encoding="utf-8"
        ).stdout

    def until(self, *texts, holds=lambda _rows: True):
        deadline = time.monotonic() + LIMIT
        while not (all(text in (seen := self.screen) for text in texts) and holds(seen.splitlines())):
            assert time.monotonic() < deadline, f"not seen: {texts}\n{seen}"
            time.sleep(0.1)
        return seen

    def keys(self, *keys):
        subprocess.run([*self._tmux, "send-keys", *keys], check=True)

    def paste(self, text):
        subprocess.run([*self._tmux, "set-buffer", "--", text], check=True)
        subprocess.run([*self._tmux, "paste-buffer", "-p", "-r"], check=True)

    @property
    def pid(self):
        return json.loads((self.folder / "workspace" / ".xuen.lock").read_text())["pid"]

    def agents(self):
        """The processes that work in the workspace."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("XUEN_WORKSPACE") == str(self.folder / "workspace" / "work"):
                    found.append(process)
        return found

    def resize(self, columns, rows):
        subprocess.run([*self._tmux, "resize-window", "-x", str(columns), "-y", str(rows)], check=True)

    def history(self):
        return [json.loads(line) for line in Workspace(self.folder / "workspace").history.read_text().splitlines()]


def test_a_session_from_the_first_text_to_quitting_during_a_call(tmp_path):
    hold = tmp_path / "hold"
    hold.touch()
    with Tmux(tmp_path, "--iterations", "inf") as tmux:
        tmux.until("at work", "Queue")
        tmux.paste("first line\nsecond line")
        tmux.until("second line")
        tmux.keys("Enter")
        tmux.until("queued 1", "first line second line")
        hold.unlink()
        tmux.until("your input went into round")
        prompts = "".join(path.read_text() for path in Workspace(tmp_path / "workspace").prompts.glob("*.txt"))
        assert prompts.count("[User input]\nfirst line\nsecond line\n") == 1

        tmux.keys("F5")
        tmux.until("paused: F5 goes on")
        tmux.keys("F9", "s", "9", " ", "good")  # in one go: each is meant for what the one before it opens
        tmux.until("9 good")
        tmux.keys("Enter")
        tmux.until("noted: counts from the next round on")
        assert " 9 good\n" in Workspace(tmp_path / "workspace").verdicts.read_text()
        tmux.keys("Escape")
        tmux.until("Log")
        hold.touch()
        tmux.keys("F5")
        tmux.until("is the new best")

        tmux.until("at work")
        tmux.keys("F8")
        tmux.until("was ended before its time")
        tmux.until("at work")
        tmux.keys("C-q")
        tmux.until("ended with 0", "tty:echo")
        told = tmux.history()
        assert told[-1]["event"] == "run_finished"
        assert [line["verify"] for line in told if line["event"] == "adopted"] == ["user"]
        assert {line["why"] for line in told if line["event"] == "agent_failed"} == {"stopped"}
        assert told[-1]["failed"] == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_during_a_call_leaves_terminal_and_state_clean(tmp_path, number, code):
    with Tmux(tmp_path, "--iterations", "inf", seconds=60) as tmux:
        tmux.until("at work", "thinking")
        assert tmux.agents()
        os.kill(tmux.pid, number)
        seen = tmux.until(f"ended with {code}", "tty:echo")
        assert "Traceback" not in seen
        assert tmux.history()[-1]["event"] == "run_finished"
        assert tmux.agents() == []


BOOM = """
import gc, pathlib, threading, time

def watch():
    while not pathlib.Path("boom").exists():
        time.sleep(0.05)
    from textual.app import App
    app = next(each for each in gc.get_objects() if isinstance(each, App))
    app.call_later(lambda: 1 / 0)

threading.Thread(target=watch, daemon=True).start()
"""


def test_a_crash_of_the_screen_during_a_call_ends_the_agent_and_leaves_terminal_and_state_clean(tmp_path):
    (tmp_path / "injected").mkdir()
    (tmp_path / "injected" / "sitecustomize.py").write_text(BOOM)
    with Tmux(tmp_path, "--iterations", "inf", seconds=60, path=[tmp_path / "injected"]) as tmux:
        tmux.until("at work", "thinking")
        assert tmux.agents()
        (tmp_path / "boom").touch()
        seen = tmux.until("ended with 1", "tty:echo")
        assert "the screen failed (" in seen
        assert "Traceback" not in seen
        assert tmux.agents() == []
        told = tmux.history()
        assert told[-1]["event"] == "run_finished"
        assert told[-1]["exit_code"] == 1
        best = [line["id"] for line in told if line["event"] == "baseline"]
        workspace = Workspace(tmp_path / "workspace")
        assert workspace.research.read_bytes() == workspace.candidate(best[0]).read_bytes()


def test_a_hundred_resizes_down_to_one_cell_leave_the_screen_whole(tmp_path):
    with Tmux(tmp_path, "--iterations", "inf", seconds=60) as tmux:
        tmux.until("at work", "thinking")
        sizes = [(80, 24), (1, 1), (40, 10), (200, 60), (7, 3), (120, 40), (39, 9), (100, 18)]
        for number in range(100):
            tmux.resize(*sizes[number % len(sizes)])
        tmux.resize(80, 24)

        def is_whole(rows):
            framed = [row for row in rows if row.startswith(("│", "╭", "╰"))]
            return rows[0].startswith("╭─ Idea ") and all(row.endswith(("│", "╮", "╯")) for row in framed)

        tmux.until("╰", "Log", "at work", "More", holds=is_whole)
        tmux.keys("C-q")
        tmux.until("ended with 0", "tty:echo")


def test_a_terminal_that_cannot_have_a_screen_gets_the_console_and_one_line_that_says_so(tmp_path):
    with Tmux(tmp_path, "--iterations", "1", term="dumb") as tmux:
        seen = tmux.until("no screen: TERM is dumb; plain console", "Round 1", "ended with 0")
        assert "Traceback" not in seen


CANNOT_START = {
    "the terminal refuses": """
import termios
from textual.drivers.linux_driver import LinuxDriver

def start_application_mode(self):
    raise termios.error(5, "no such mode")

LinuxDriver.start_application_mode = start_application_mode
""",
    "a widget cannot be made": """
from textual.widgets import TextArea

def __init__(self, *_, **__):
    raise ValueError("no such mode")

TextArea.__init__ = __init__
""",
}


@pytest.mark.parametrize("fault", CANNOT_START)
def test_a_screen_that_cannot_start_leaves_the_run_to_the_console_and_says_so_in_one_line(tmp_path, fault):
    (tmp_path / "injected").mkdir()
    (tmp_path / "injected" / "sitecustomize.py").write_text(CANNOT_START[fault])
    with Tmux(tmp_path, "--iterations", "1", path=[tmp_path / "injected"], size=(160, 50)) as tmux:
        seen = tmux.until("no screen: it could not start (", "ended with 0", "tty:echo")
        assert "no such mode" in seen.partition("could not start (")[2].partition("\n")[0]
        assert "Round 1" in seen
        assert "Traceback" not in seen
