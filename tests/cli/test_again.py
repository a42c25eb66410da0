"""A suggested command can be typed as it stands: as the program was called, for the same workspace."""

from __future__ import annotations

import pytest

from xuen.cli.again import again
from xuen.cli.parser import parse


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["python3", "main.py", "status"], "python3 main.py"),
        ([".venv/bin/python", "-u", "/a b/main.py", "a task"], ".venv/bin/python -u '/a b/main.py'"),
        (["python", "-m", "xuen", "a task"], "python -m xuen"),
        (["/usr/bin/python3", "/usr/local/bin/xuen", "status"], "xuen"),
        (["python", "-m", "pytest"], "xuen"),
    ],
)
def test_the_program_as_it_was_called(words: list[str], program: str) -> None:
    assert again(parse(["status"], {}), words) == (program, "")


def test_with_the_options_that_name_the_workspace() -> None:
    options = parse(["a task", "--workspace", "w 2", "-c", "other.yaml", "--pick", "1"], {})
    assert again(options, ["xuen"]) == ("xuen", " -c other.yaml --workspace 'w 2'")
