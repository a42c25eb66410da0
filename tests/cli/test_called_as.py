"""A command that is named in a help or an error can be typed as it stands: as the program was called."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from xuen.cli.program import called_as


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["python3", "main.py", "status"], "python3 main.py"),
        ([".venv/bin/python", "-u", "/a b/main.py", "a task"], ".venv/bin/python -u '/a b/main.py'"),
        (["python", "-m", "xuen", "a task"], "python -m xuen"),
        (["/usr/bin/python3", "/usr/local/bin/xuen", "status"], "xuen"),
        (["/usr/bin/python3", "/usr/local/bin/xuen", "main.py"], "xuen"),
        (["python", "-m", "pytest"], "xuen"),
    ],
)
def test_the_program_as_it_was_called(words: list[str], program: str) -> None:
    assert called_as(words) == program


def test_the_mend_of_a_usage_error_works_when_it_is_typed(xuen: Callable, tmp_path: Path) -> None:
    refused = xuen("status", "now")
    typed = refused.stderr.strip().split(". See ")[1]
    assert shlex.split(typed)[:1] == [sys.executable]
    helped = subprocess.run(shlex.split(typed), cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert helped.stdout.startswith(f"Usage: {typed.removesuffix(' --help')}")
