"""A file of lines that others delete, cut and replace: the lines come back, and nobody reads it without need."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from xuen.files.jsonl import read_objects
from xuen.files.kept_lines import KeptLines


def now() -> datetime:
    return datetime(2026, 3, 4, 12, 0, 5, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "lines.jsonl"


@pytest.fixture
def lines(path: Path) -> KeptLines:
    lines = KeptLines(path, now)
    assert lines.read() == []
    lines.add([{"n": 1}, {"n": 2}])
    return lines


def numbers(path: Path) -> list[int]:
    return [value["n"] for value in read_objects(path)]


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def to_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def to_link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def to_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:8])


def to_other(path: Path) -> None:
    path.write_text('{"n":7}\nno line\n')


def to_old(path: Path) -> None:
    path.write_text('{"n":1}\n')


LOSSES: list[Callable[[Path], None]] = [Path.unlink, to_folder, to_pipe, to_link, to_half, to_other, to_old]


def test_nobody_reads_what_nobody_touched(lines: KeptLines, path: Path) -> None:
    assert not lines.was_touched()
    for number in range(3, 6):
        lines.add([{"n": number}])
        assert not lines.was_touched(), "a line of one's own is no reason to read"
    assert numbers(path) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("lose", LOSSES)
def test_what_the_file_lost_comes_back(lines: KeptLines, path: Path, lose: Callable[[Path], None]) -> None:
    lose(path)
    assert lines.was_touched()
    assert {value["n"] for value in lines.read()} >= {1, 2}
    assert lines.has_lost
    lines.add([])
    assert not path.is_symlink()
    assert sorted(set(numbers(path)) - {7}) == [1, 2]
    assert len(numbers(path)) == len(set(numbers(path)))
    lines.read()
    assert not lines.has_lost
    assert not lines.was_touched()
    lines.add([{"n": 3}])
    assert numbers(path)[-1] == 3


@pytest.mark.parametrize("lose", LOSSES)
def test_a_loss_just_before_a_line_is_added_is_seen_afterwards(
    lines: KeptLines, path: Path, lose: Callable[[Path], None]
) -> None:
    lose(path)
    lines.add([{"n": 3}])
    assert lines.was_touched()
    lines.read()
    lines.add([])
    assert set(numbers(path)) - {7} == {1, 2, 3}


def test_a_loss_between_reading_and_giving_back_is_seen_afterwards(lines: KeptLines, path: Path) -> None:
    to_old(path)
    lines.read()
    path.unlink()
    lines.add([])
    assert numbers(path) == [2]
    assert lines.was_touched()
    lines.read()
    lines.add([])
    assert set(numbers(path)) == {1, 2}


def test_other_line_ends_and_blanks_are_no_loss(lines: KeptLines, path: Path) -> None:
    path.write_bytes(b'\xef\xbb\xbf{"n": 1}\r\n{ "n":2 }\r\n{"n":9}')
    assert [value["n"] for value in lines.read()] == [1, 2, 9]
    assert not lines.has_lost
    lines.add([{"n": 3}])
    assert numbers(path) == [1, 2, 9, 3]


def test_what_stood_in_the_way_is_kept(lines: KeptLines, path: Path) -> None:
    to_folder(path)
    (path / "mine").write_text("kept")
    lines.read()
    lines.add([{"n": 3}])
    assert (path.with_name("lines.jsonl.damaged-20260304-120005") / "mine").read_text() == "kept"
    assert numbers(path) == [1, 2, 3]


def test_what_could_not_be_added_is_not_taken_for_added(lines: KeptLines, path: Path) -> None:
    folder = path.parent
    folder.rename(folder.with_name("away"))
    folder.write_text("in the way")
    with pytest.raises(OSError):
        lines.add([{"n": 3}])
    folder.unlink()
    lines.read()
    assert lines.has_lost
    lines.add([{"n": 4}])
    assert numbers(path) == [1, 2, 4]
