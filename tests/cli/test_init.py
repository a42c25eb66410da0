"""`xuen init`: a whole configuration to begin from, and never in the place of another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from xuen.config.load import NAMES, load

EXAMPLE = Path(__file__).parents[2] / "config.example.yaml"


def test_it_writes_every_key_and_says_what_to_edit(xuen: Callable, tmp_path: Path) -> None:
    done = xuen("init")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "config.yaml").read_bytes() == EXAMPLE.read_bytes()
    assert done.stdout.startswith("config.yaml written")
    assert "Edit first: agent.preset" in done.stdout
    call = done.stdout.rstrip().rpartition(" doctor")
    assert call[1:] == (" doctor", "")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_there_stays_whatever_it_holds(xuen: Callable, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("rounds: {broken", "utf-8")
    done = xuen("init")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith(f"xuen: {name}: there is a configuration file already")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text("utf-8") == "rounds: {broken"


def test_the_options_that_it_takes_stand_in_the_file(xuen: Callable, tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    done = xuen("init", "-c", "below/my.yaml", "--workspace", 'a "b\\c', "--language", "zh")
    assert done.returncode == 0
    made = load(tmp_path / "below" / "my.yaml").config
    assert Path(made.workspace).resolve() == tmp_path / 'a "b\\c'
    assert made.language == "zh"
    assert "doctor -c below/my.yaml" in done.stdout


@pytest.mark.parametrize("place", ["gone/config.yaml", "x" * 300, "/dev/null/config.yaml"])
def test_a_place_that_cannot_be_written_is_one_line(xuen: Callable, place: str) -> None:
    done = xuen("init", "-c", place)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "cannot be written" in done.stderr
