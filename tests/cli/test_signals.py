"""What a signal does to a run, and what one more does when the run is over."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, sys, time
from xuen.signals import signals_stop
from xuen.stop import Stop

class Late:
    def __init__(self, number, kill=os.kill, pid=os.getpid()):
        self.strike = lambda: kill(pid, number)
    def __del__(self):
        self.strike()

during, afterwards, late = (getattr(signal, name, None) for name in sys.argv[1:])
if late:
    at_the_end = Late(late)  # while the interpreter takes itself apart
stop = Stop()
with signals_stop(stop):
    if during:
        os.kill(os.getpid(), during)
if afterwards:
    os.kill(os.getpid(), afterwards)
    time.sleep(1)
sys.exit(stop.exit_code or 0)
"""

COMMAND = "touch begun; sleep 1"


@pytest.mark.parametrize(
    ("during", "afterwards", "late", "code"),
    [
        ("SIGHUP", "-", "-", 129),
        ("SIGHUP", "-", "SIGHUP", 129),
        ("SIGTERM", "-", "SIGINT", 143),
        ("SIGHUP", "SIGHUP", "-", 129),
        ("SIGINT", "SIGTERM", "-", 130),
        ("-", "SIGTERM", "-", -signal.SIGTERM),
        ("-", "-", "-", 0),
    ],
)
def test_the_first_signal_decides_the_code(during: str, afterwards: str, late: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, during, afterwards, late],
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert done.returncode == code


def test_a_hangup_that_was_ignored_stays_so() -> None:
    done = subprocess.run(
        ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", sys.executable, "-c", PROGRAM, "SIGHUP", "SIGHUP", "-"],
        cwd=Path(__file__).parents[2],
        timeout=60,
        check=False,
    )
    assert done.returncode == 0


@pytest.mark.parametrize(("wrapper", "code"), [(["nohup"], 0), ([], 129)])
def test_a_hangup_that_was_ignored_ends_no_run_of_xwork(
    wrapper: list[str], code: int, tmp_path: Path, environment: Callable[..., dict]
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"calls": [{"name": "exec_command", "arguments": {"command": COMMAND}}]}, "done"]))
    argv = [*wrapper, sys.executable, "-m", "xuen.xwork", "run", "go", "--model", f"script:{script}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        argv, cwd=tmp_path, env=environment(), stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe
    ) as process:
        while not (tmp_path / "begun").exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (code, b"" if code else b"done\n")


@pytest.mark.parametrize(("wrapper", "code"), [(["nohup"], 0), ([], 129)])
def test_a_hangup_that_was_ignored_ends_no_conversation_with_an_editor(
    wrapper: list[str], code: int, tmp_path: Path, environment: Callable[..., dict]
) -> None:
    argv = [*wrapper, sys.executable, "-m", "xuen.xwork", "acp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=tmp_path, env=environment(), stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin and process.stdout
        for number in (1, 2):
            try:
                process.stdin.write(b'{"jsonrpc": "2.0", "id": %d, "method": "authenticate", "params": {}}\n' % number)
                process.stdin.flush()
            except BrokenPipeError:
                break
            process.stdout.readline()
            process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
    assert process.returncode == code
