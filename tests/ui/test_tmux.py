"""Real runs of the real command line in a real terminal, driven by keys and read as a person would: with tmux."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from xuen.workspace.paths import Workspace

ROOT = Path(__file__).parents[2]
AGENT = ROOT / "tests" / "agents" / "researcher.py"
LIMIT = 60.0

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not here")


class Tmux:
    """A terminal with a shell in it that runs xuen once and then says its exit code."""

    def __init__(self, folder, *options, term="tmux-256color", size=(100, 30), **rounds):
        self.folder = folder
        agent = f'exec {sys.executable} {AGENT} --idea "idea {{round}}" --sleep 2 "$prompt"'
        config = {"agent": {"command": agent}, "words": {"pick": 0}, "rounds": {"verify": "user", **rounds}}
        (folder / "config.yaml").write_text(json.dumps(config))
        not_ours = ("XUEN_", "TEXTUAL", "TMUX", "COLUMNS", "LINES", "NO_COLOR")
        env = {k: v for k, v in os.environ.items() if not k.startswith(not_ours)}

        env |= {"PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
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

    def until(self, *texts):
        deadline = time.monotonic() + LIMIT
        while not all(text in (seen := self.screen) for text in texts):
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

    def history(self):
        return [json.loads(line) for line in Workspace(self.folder / "workspace").history.read_text().splitlines()]


def test_a_session_from_the_first_text_to_quitting_during_a_call(tmp_path):
    with Tmux(tmp_path, "--iterations", "inf") as tmux:
        tmux.until("at work", "Queue")
        tmux.paste("first line\nsecond line")
        tmux.until("second line")
        tmux.keys("Enter")
        tmux.until("queued 1", "first line second line")
        tmux.until("your input went into round")
        prompts = "".join(path.read_text() for path in Workspace(tmp_path / "workspace").prompts.glob("*.txt"))
        assert prompts.count("[User input]\nfirst line\nsecond line\n") == 1

        tmux.keys("F5")
        tmux.until("paused: F5 goes on")
        tmux.keys("F9")
        tmux.until("Candidates", "pending")
        tmux.keys("s", "9", " ", "good")
        tmux.until("9 good")
        tmux.keys("Enter")
        tmux.until("noted: counts when this round is over")
        assert " 9 good\n" in Workspace(tmp_path / "workspace").verdicts.read_text()
        tmux.keys("Escape")
        tmux.until("Log")
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
    with Tmux(tmp_path, "--iterations", "inf") as tmux:
        tmux.until("at work")
        os.kill(tmux.pid, number)
        seen = tmux.until(f"ended with {code}", "tty:echo")
        assert "Traceback" not in seen
        assert tmux.history()[-1]["event"] == "run_finished"


def test_a_terminal_that_cannot_have_a_screen_gets_the_console_and_one_line_that_says_so(tmp_path):
    with Tmux(tmp_path, "--iterations", "1", term="dumb") as tmux:
        seen = tmux.until("no screen: TERM is dumb; plain console", "Round 1", "ended with 0")
        assert "Traceback" not in seen
