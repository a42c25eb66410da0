"""The programs of bench/ in their short forms."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent.parent.parent / "bench"


@pytest.fixture
def figures(environment: Callable[..., dict[str, str]]) -> Callable[..., str]:
    """Runs a program of bench/, which must meet its goals; what it prints."""

    def run(program: str, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, str(BENCH / program), *arguments],
            env=environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=590,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
