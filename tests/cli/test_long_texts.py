"""A section of megabytes reaches a terminal as its head and its tail, and says how much is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from xuen.ui.shown import SHOWN

AGENT = """
import os, subprocess, sys
lines = "\\n".join(f"line {number} of round {os.environ['XUEN_ROUND']}" for number in range(250_000))
writer = os.path.join(os.environ["XUEN_WORKSPACE"], "write_section.py")
for section, text in (("artifact", "first\\n" + lines + "\\nlast"), ("idea", "一" * 1_700_000)):
    subprocess.run([sys.executable, writer, section], input=text.encode(), check=True)
"""


@pytest.fixture
def said(xuen: Callable, tmp_path: Path) -> str:
    """What the console printed of two rounds in which both sections had 5 MB."""
    (tmp_path / "agent.py").write_text(AGENT, "utf-8")
    config = {"agent": {"command": f"python3 {tmp_path}/agent.py < $prompt_file"}, "rounds": {"verify": "off"}}
    (tmp_path / "config.yaml").write_text(json.dumps(config), "utf-8")
    done = xuen("a task", "--no-tui", "--iterations", "2", "--pick", "0")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_console_and_show_print_head_and_tail_only(said: str, xuen: Callable, tmp_path: Path) -> None:
    assert len(said) < 4 * SHOWN
    assert said.count("characters are not shown here") == 3  # both sections, then the one that changed again
    assert "first\nline 0 of round 1\n" in said
    assert "line 249999 of round 2\nlast\n" in said
    missing = [int(count) for count in re.findall(r"\[\.\.\. (\d+) characters are not shown", said)]
    assert 1_700_000 - said.count("一") in missing
    [id] = [path.stem.removeprefix("cand-") for path in (tmp_path / "workspace" / "rounds").glob("cand-*-r2.md")]
    shown = xuen("show", id).stdout
    assert len(shown) < 4 * SHOWN
    assert "-line 0 of round 1\n" in shown
    assert "only the first 3000 lines of each section are compared" in shown
