from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import psutil
import pytest

PROGRAM = Path(__file__).with_name("screen_program.py")
ROOT = PROGRAM.parents[2]
LIMIT = 60.0  # seconds; every step here takes well under one on an idle machine


class Terminal:
    """A pseudo-terminal with the program in it."""

    def __init__(self, how, *, errors=None, **environ):
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 80))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TEXTUAL_DRIVER")}
        env |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **environ}
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), how],
            stdin=slave,
            stdout=slave,
            stderr=slave if errors is None else errors,
            env=env,
            start_new_session=True,
        )
        self.seen = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.slave, self.master):
            if descriptor is not None:
                os.close(descriptor)

    def read(self, *, until=None):
        """Read until something is seen, or until the program has ended."""
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.02)[0]:
                self.seen += os.read(self.master, 65536)
            elif until is None and self.process.poll() is not None:
                return
            if until is not None and until in self.seen:
                return
        raise AssertionError(f"not seen in {LIMIT} s: {until!r}\n{self.seen[-2000:]!r}")

    def read_what_is_there(self):
        """Read all that was written so far, and forget it."""
        while select.select([self.master], [], [], 0.05)[0]:
            os.read(self.master, 65536)
        self.seen = b""

    def ready(self):
        self.read(until=b"More")
        self.read(until=b"best r1")
        return self

    def stop_reading(self):
        """Read nothing until the program can write no more."""
        waiting = [0]
        for _ in range(round(LIMIT)):
            time.sleep(1)
            counted = fcntl.ioctl(self.master, termios.FIONREAD, bytes(4))
            waiting.append(int.from_bytes(counted, sys.byteorder))
            if waiting[-1] and waiting[-4:] == 4 * waiting[-1:]:
                return
        raise AssertionError(f"the terminal never was full: {waiting}")

    def type(self, keys):
        os.write(self.master, keys)

    def end(self):
        """The exit code, after checking that the terminal is as it was found."""
        self.read()
        code = self.process.wait(LIMIT)
        assert self.seen.rfind(b"\x1b[?1049l") > self.seen.rfind(b"\x1b[?1049h"), "the alternate screen was not left"
        assert self.seen.rfind(b"\x1b[?1000l") > self.seen.rfind(b"\x1b[?1000h"), "the mouse is still reported"
        assert self.seen.rfind(b"\x1b[?25h") > self.seen.rfind(b"\x1b[?25l"), "the cursor is still hidden"
        assert termios.tcgetattr(self.slave)[3] == self.before[3], "echo or line mode is not as before"
        assert b"Traceback" not in self.seen
        return code


@pytest.mark.parametrize(
    ("keys", "code"),
    [(b"\x11", 0), (b"\x03", 130), (b"qq\rq\x11", 0), (b"\x03\x03", 130)],
    ids=["ctrl+q", "ctrl+c", "q is typed", "ctrl+c twice"],
)
def test_quitting_by_key(keys, code):
    with Terminal("waits") as terminal:
        terminal.ready().type(keys)
        assert terminal.end() == code
        assert f"code {code} ended".encode() in terminal.seen


def test_standard_error_in_a_file_stays_empty_and_the_screen_is_seen(tmp_path):
    errors = tmp_path / "errors.txt"
    with errors.open("wb") as file, Terminal("waits", errors=file) as terminal:
        terminal.ready().type(b"\x11")
        assert terminal.end() == 0
    assert errors.read_bytes() == b""


def test_a_terminal_without_unicode_still_has_a_screen():
    with Terminal("waits", PYTHONIOENCODING="ascii") as terminal:
        terminal.ready().type(b"\x11")
        assert terminal.end() == 0


def test_q_outside_the_box_quits():
    with Terminal("waits") as terminal:
        terminal.ready().type(b"\t")
        terminal.read(until=b"Diff")
        terminal.type(b"q")
        assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_loop_and_leaves_the_terminal_clean(number):
    with Terminal("waits") as terminal:
        terminal.ready()
        os.kill(terminal.process.pid, number)
        assert terminal.end() == 128 + number
        assert f"code {128 + number} ended".encode() in terminal.seen


@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGSTOP])
def test_a_stopped_run_goes_on_with_all_of_its_screen_and_leaves_the_terminal_as_it_was_found(number):
    with Terminal("waits") as terminal:
        terminal.ready()
        threads = psutil.Process(terminal.process.pid).num_threads()
        for turn in range(2):
            os.kill(terminal.process.pid, number)
            while psutil.Process(terminal.process.pid).status() != psutil.STATUS_STOPPED:
                time.sleep(0.01)
            terminal.read_what_is_there()
            os.kill(terminal.process.pid, signal.SIGCONT)
            terminal.ready()
            typed = b"abc"[turn : turn + 1]
            terminal.type(typed)
            terminal.read(until=typed)
        deadline = time.monotonic() + LIMIT
        while psutil.Process(terminal.process.pid).num_threads() > threads:  # those before are just ending
            assert time.monotonic() < deadline, "threads were left"
            time.sleep(0.02)
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_a_run_that_goes_on_amid_a_flood_takes_the_terminal_each_time():
    with Terminal("floods") as terminal:
        terminal.ready()
        for _ in range(60):
            terminal.seen = b""
            os.kill(terminal.process.pid, signal.SIGCONT)  # meets whatever draws just then
            terminal.read(until=b"\x1b[?1049h")
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_a_terminal_that_was_resized_and_has_its_size_again_is_drawn_anew():
    with Terminal("waits") as terminal:
        terminal.ready()
        for _ in range(3):
            terminal.read_what_is_there()
            os.kill(terminal.process.pid, signal.SIGWINCH)
            terminal.read(until=b" Idea ")
            terminal.ready()
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_the_size_is_the_terminals_whatever_the_environment_says():
    with Terminal("waits", COLUMNS="300", LINES="90") as terminal:
        terminal.ready()
        assert max(map(len, re.findall("─+", terminal.seen.decode()))) < 80
        rows = re.findall(rb"\x1b\[(\d+);\d+H", terminal.seen)
        assert max(map(int, rows)) <= 24
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_a_crash_of_the_screen_ends_the_run_in_one_line_and_not_with_zero():
    with Terminal("crash") as terminal:
        terminal.ready().type(b"boom\r")
        assert terminal.end() == 1
        assert b"the screen failed (" in terminal.seen
        assert b"; the run is being ended" in terminal.seen
        assert b"Traceback" not in terminal.seen
        assert b"code 1 ended" in terminal.seen


def test_a_fault_in_a_thread_of_the_screen_is_a_crash_too():
    with Terminal("deaf") as terminal:
        terminal.ready().type(b"boom\r")
        terminal.read()
        assert terminal.process.wait(LIMIT) == 1
        assert b"the screen failed (" in terminal.seen
        assert b"Traceback" not in terminal.seen
        assert b"code 1 ended" in terminal.seen


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        (b"\xe9 ", "\ufffd"),
        (b"\x1b[200~one\xff\ntwo\x1b[201~", "one\ufffd"),
        (b"\xe4\xb8", ""),
        (b"\x1b[99999999u", ""),
        (b"\x1b[97;1;99999999u", ""),
        (b"\x1b[48;24;80;0;0t\x1b[<35;9;9M", ""),
    ],
    ids=["latin-1", "latin-1 pasted", "half a character", "a key of no number", "a text of no number", "no size"],
)
def test_what_a_terminal_sends_and_is_no_key_ends_nothing(sent, shown):
    with Terminal("waits") as terminal:
        terminal.ready().type(sent + b"Z")
        terminal.read(until=shown.encode())
        terminal.read(until=b"Z")
        assert b"J" not in terminal.seen
        terminal.type(b"J")
        terminal.read(until=b"J")
        terminal.type(b"\x11")
        assert terminal.end() == 0
        assert b"code 0 ended" in terminal.seen


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda terminal: terminal.type(b"\x11"), 0),
        (lambda terminal: os.kill(terminal.process.pid, signal.SIGTERM), 143),
    ],
    ids=["ctrl+q", "SIGTERM"],
)
def test_a_terminal_that_reads_nothing_does_not_hold_up_the_end(end, code):
    with Terminal("floods") as terminal:
        terminal.ready().stop_reading()
        end(terminal)
        assert terminal.process.wait(LIMIT) == code
        assert termios.tcgetattr(terminal.slave)[3] == terminal.before[3]


def test_a_terminal_that_reads_again_sees_what_was_typed_meanwhile_and_all_of_the_screen():
    with Terminal("floods") as terminal:
        terminal.ready().stop_reading()
        terminal.type(b"ZZZ")
        terminal.read(until=b"ZZZ")
        terminal.ready()
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_a_terminal_that_hangs_up_ends_the_run():
    with Terminal("floods") as terminal:
        terminal.ready()
        os.close(terminal.slave)
        os.close(terminal.master)
        terminal.slave = terminal.master = None
        assert terminal.process.wait(LIMIT) == 129


def test_a_run_that_ends_by_itself_waits_for_its_reader():
    with Terminal("ends") as terminal:
        terminal.ready()
        assert terminal.process.poll() is None
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_an_error_of_the_loop_comes_out_after_the_terminal_is_restored():
    with Terminal("raises") as terminal:
        assert terminal.end() == 2
        assert terminal.seen.rfind(b"error: the prompt is too long") > terminal.seen.rfind(b"\x1b[?1049l")


def test_keys_work_while_an_agent_floods_the_log():
    with Terminal("floods") as terminal:
        terminal.ready().type(b"hello there")
        terminal.read(until=b"hello there"[-1:])
        began = time.monotonic()
        terminal.type(b"\x11")
        assert terminal.end() == 0
        assert time.monotonic() - began < LIMIT / 2


@pytest.mark.parametrize(
    ("environ", "said"),
    [({"TERM": "dumb"}, b"no screen: TERM is dumb; plain console"), ({"TERM": ""}, b"no screen: TERM is not set")],
)
def test_a_terminal_that_cannot_have_a_screen_is_said_in_one_line(environ, said):
    with Terminal("waits", **environ) as terminal:
        terminal.read()
        assert terminal.process.wait(LIMIT) == 7
        assert terminal.seen.startswith(said)
        assert b"\x1b" not in terminal.seen


@pytest.mark.parametrize("standard", ["stdin", "stdout"])
def test_without_a_terminal_at_either_end_there_is_no_screen(standard):
    master, slave = pty.openpty()
    streams = {"stdin": slave, "stdout": slave, standard: subprocess.DEVNULL}
    try:
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM), "waits"], env={**os.environ, "PYTHONPATH": str(ROOT)}, **streams
        )
        assert process.wait(LIMIT) == 7
    finally:
        os.close(master)
        os.close(slave)
