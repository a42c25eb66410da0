"""Short forms of bench/crash.py: some of the points at which a run is killed, some of the states without power."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent.parent.parent / "bench"

pytestmark = pytest.mark.timeout(300)

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


def figures(environment: Callable[..., dict[str, str]], program: str, *arguments: str) -> str:
    """What a program of bench/ prints; it must have met its goals."""
    done = subprocess.run(
        [sys.executable, str(BENCH / program), *arguments],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_strace
def test_the_command_line_killed_at_some_of_its_calls_loses_nothing(environment: Callable) -> None:
    said = figures(environment, "crash.py", "cli", "--every", "45")
    assert "0 lost, 0 not starting, 0 other faults" in said


def test_the_guard_killed_in_rounds_of_any_order_loses_nothing(environment: Callable) -> None:
    said = figures(environment, "crash.py", "points", "--every", "23")
    assert "in 12 orders of the rounds; 0 lost, 0 not starting, 0 other faults" in said


@needs_strace
def test_every_state_that_a_power_loss_can_leave_starts_and_has_what_was_adopted(environment: Callable) -> None:
    said = figures(environment, "crash.py", "power", "--every", "9")
    assert "0 lost, 0 not starting, 0 other faults" in said
