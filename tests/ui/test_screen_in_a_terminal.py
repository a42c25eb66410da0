from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import psutil
import pytest
from terminal import LIMIT, ROOT, Terminal

PROGRAM = Path(__file__).with_name("screen_program.py")


def screen(how, **options):
    """The program with a screen around a small loop."""
    return Terminal(PROGRAM, how, **options)


@pytest.mark.parametrize(
    ("keys", "code"),
    [(b"\x11", 0), (b"\x03", 130), (b"qq\rq\x11", 0), (b"\x03\x03", 130)],
    ids=["ctrl+q", "ctrl+c", "q is typed", "ctrl+c twice"],
)
def test_quitting_by_key(keys, code):
    with screen("waits") as terminal:
        terminal.ready().type(keys)
        assert terminal.end() == code
        assert f"code {code} ended".encode() in terminal.seen


def test_standard_error_in_a_file_stays_empty_and_the_screen_is_seen(tmp_path):
    errors = tmp_path / "errors.txt"
    with errors.open("wb") as file, screen("waits", errors=file) as terminal:
        terminal.ready().type(b"\x11")
        assert terminal.end() == 0
    assert errors.read_bytes() == b""


def test_a_terminal_without_unicode_still_has_a_screen():
    with screen("waits", PYTHONIOENCODING="ascii") as terminal:
        terminal.ready().type(b"\x11")
        assert terminal.end() == 0


def test_q_outside_the_box_quits():
    with screen("waits") as terminal:
        terminal.ready().type(b"\t")
        terminal.read(until=b"Diff")
        terminal.type(b"q")
        assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_loop_and_leaves_the_terminal_clean(number):
    with screen("waits") as terminal:
        terminal.ready()
        os.kill(terminal.process.pid, number)
        assert terminal.end() == 128 + number
        assert f"code {128 + number} ended".encode() in terminal.seen


@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGSTOP])
def test_a_stopped_run_goes_on_with_all_of_its_screen_and_leaves_the_terminal_as_it_was_found(number):
    with screen("waits") as terminal:
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
    with screen("floods") as terminal:
        terminal.ready()
        for _ in range(60):
            terminal.seen = b""
            os.kill(terminal.process.pid, signal.SIGCONT)  # meets whatever draws just then
            terminal.read(until=b"\x1b[?1049h")
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_a_terminal_that_was_resized_and_has_its_size_again_is_drawn_anew():
    with screen("waits") as terminal:
        terminal.ready()
        for _ in range(3):
            terminal.read_what_is_there()
            os.kill(terminal.process.pid, signal.SIGWINCH)
            terminal.read(until=b" Idea ")
            terminal.ready()
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_the_size_is_the_terminals_whatever_the_environment_says():
    with screen("waits", COLUMNS="300", LINES="90") as terminal:
        terminal.ready()
        assert max(map(len, re.findall("─+", terminal.seen.decode()))) < 80
        rows = re.findall(rb"\x1b\[(\d+);\d+H", terminal.seen)
        assert max(map(int, rows)) <= 24
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_a_crash_of_the_screen_ends_the_run_in_one_line_and_not_with_zero():
    with screen("crash") as terminal:
        terminal.ready().type(b"boom\r")
        assert terminal.end() == 1
        assert b"the screen failed (" in terminal.seen
        assert b"; the run is being ended" in terminal.seen
        assert b"Traceback" not in terminal.seen
        assert b"code 1 ended" in terminal.seen


def test_a_fault_in_a_thread_of_the_screen_is_a_crash_too():
    with screen("deaf") as terminal:
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
    with screen("waits") as terminal:
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
    with screen("floods") as terminal:
        terminal.ready().stop_reading()
        end(terminal)
        assert terminal.process.wait(LIMIT) == code
        assert termios.tcgetattr(terminal.slave)[3] == terminal.before[3]


def test_a_terminal_that_reads_again_sees_what_was_typed_meanwhile_and_all_of_the_screen():
    with screen("floods") as terminal:
        terminal.ready().stop_reading()
        terminal.type(b"ZZZ")
        terminal.read(until=b"ZZZ")
        terminal.ready()
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_a_terminal_that_hangs_up_ends_the_run():
    with screen("floods") as terminal:
        terminal.ready()
        os.close(terminal.slave)
        os.close(terminal.master)
        terminal.slave = terminal.master = None
        assert terminal.process.wait(LIMIT) == 129


def test_a_run_that_ends_by_itself_waits_for_its_reader():
    with screen("ends") as terminal:
        terminal.ready()
        assert terminal.process.poll() is None
        terminal.type(b"\x11")
        assert terminal.end() == 0


def test_an_error_of_the_loop_comes_out_after_the_terminal_is_restored():
    with screen("raises") as terminal:
        assert terminal.end() == 2
        assert terminal.seen.rfind(b"error: the prompt is too long") > terminal.seen.rfind(b"\x1b[?1049l")


def test_keys_work_while_an_agent_floods_the_log():
    with screen("floods") as terminal:
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
    with screen("waits", **environ) as terminal:
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
