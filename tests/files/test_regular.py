"""Whatever stands in the place of a file: it is told apart at once, and nothing hangs."""

from __future__ import annotations

import errno
import os
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from xuen.files.aside import keep_aside, make_room
from xuen.files.durable import append_lines
from xuen.files.jsonl import read_objects
from xuen.files.lock import holder
from xuen.files.regular import LARGEST, NotAFile, mark_of, read_regular

NOW = datetime(2026, 3, 4, 12, 0, 5, tzinfo=UTC)


def put(kind: str, path: Path) -> None:
    """Something that is no regular file, at `path`."""
    if kind == "folder":
        path.mkdir()
        (path / "inside").write_text("kept")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))
    else:
        path.symlink_to(os.devnull)


@pytest.fixture(params=["folder", "pipe", "loop", "socket", "device"])
def thing(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    put(request.param, tmp_path / "thing")
    return tmp_path / "thing"


def test_what_is_no_file_is_refused_and_not_waited_for(thing: Path) -> None:
    for read in (read_regular, read_objects, holder):
        with pytest.raises(NotAFile) as caught:
            read(thing)
        assert caught.value.filename == str(thing)
    with pytest.raises(OSError):
        append_lines(thing, [b"line"])
    assert mark_of(thing) is None


def test_a_file_too_large_to_be_one_of_ours_counts_as_none_and_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.write(b"begins well\n")
        file.truncate(LARGEST)
    assert mark_of(path) is not None
    with path.open("ab") as file:
        file.truncate(1 << 40)
    assert mark_of(path) is None
    with pytest.raises(NotAFile) as caught:
        read_regular(path)
    assert caught.value.errno == errno.EFBIG
    make_room(path, lambda: NOW)
    assert mark_of(path) is None, "it stays: it is a file, whose ever"
    path.unlink()


def test_what_is_no_file_makes_room(thing: Path) -> None:
    make_room(thing, lambda: NOW)
    assert not os.path.lexists(thing)
    (aside,) = thing.parent.glob("thing.damaged-*")
    assert os.path.lexists(aside)
    thing.write_text("a file")
    make_room(thing, lambda: NOW)
    assert thing.read_text() == "a file"
    make_room(thing.with_name("nothing"), lambda: NOW)


def test_a_pipe_gets_nothing_of_what_was_to_be_appended(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(NotAFile):
        append_lines(path, [b"line"])
    assert os.read(reader, 10) == b""
    os.close(reader)


def test_a_file_is_read_whole_and_a_link_only_where_that_is_wanted(tmp_path: Path) -> None:
    path, link, nowhere = tmp_path / "file", tmp_path / "link", tmp_path / "nowhere"
    path.write_bytes(b"a\0b\n" * 50_000)
    link.symlink_to(path)
    nowhere.symlink_to(tmp_path / "missing")
    assert read_regular(path, follow=False) == read_regular(link) == path.read_bytes()
    with pytest.raises(NotAFile) as caught:
        read_regular(link, follow=False)
    assert caught.value.errno == errno.ELOOP
    for missing in (nowhere, tmp_path / "missing", tmp_path / "missing" / "below"):
        with pytest.raises(FileNotFoundError):
            read_regular(missing)
        assert mark_of(missing) is None


def test_a_mark_stays_until_somebody_writes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    mark = mark_of(path)
    assert mark is not None
    assert mark_of(path) == mark
    while path.stat().st_ctime_ns == mark[4]:  # which goes in steps of some milliseconds on many systems
        path.write_bytes(b"two")
        os.utime(path, ns=(mark[3], mark[3]))  # the same size and the same time of writing
    assert mark_of(path) != mark


def test_what_is_in_the_way_is_renamed_with_all_that_is_in_it(thing: Path) -> None:
    before = thing.lstat().st_ino
    first = keep_aside(thing, NOW)
    assert first is not None
    assert first.name == "thing.damaged-20260304-120005"
    assert first.lstat().st_ino == before
    assert keep_aside(thing, NOW) is None
    thing.write_bytes(b"x")
    second = keep_aside(thing, NOW)
    assert second is not None
    assert second.name == "thing.damaged-20260304-120005-2"
