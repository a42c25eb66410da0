"""A suggested command is for the same workspace."""

from __future__ import annotations

from xuen.cli.again import again
from xuen.cli.parser import parse


def test_with_the_options_that_name_the_workspace() -> None:
    options = parse(["a task", "--workspace", "w 2", "-c", "other.yaml", "--pick", "1"], {})
    assert again(options, ["xuen"]) == ("xuen", " -c other.yaml --workspace 'w 2'")
