"""Durable files: whole or not there, against faults, kills and rivals. Real files, real processes."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from xuen.files.durable import (
    TEMPORARIES,
    append_lines,
    create_bytes,
    make_folder,
    remove_temporaries,
    write_bytes,
)
from xuen.files.lock import locked


def python(code: str, *arguments: object, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


NAMING = "rename,renameat,renameat2,link,linkat"
WRITE = "import sys; from pathlib import Path; from xuen.files import durable as d\n"


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "state"
    write_bytes(path, b"one")
    write_bytes(path, b"two\n\x00\xff")
    assert path.read_bytes() == b"two\n\x00\xff"
    assert names(tmp_path) == ["state"]


def test_a_replaced_file_keeps_its_permissions_and_a_new_one_follows_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "script"
    mask = os.umask(0o027)
    try:
        write_bytes(path, b"a")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o755)
    write_bytes(path, b"b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    write_bytes(path, b"c", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_is_replaced_and_what_it_points_to_stays(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    room = tmp_path / "room"
    room.mkdir()
    for name, target in (("link", outside), ("dangling", tmp_path / "nowhere")):
        (room / name).symlink_to(target)
        write_bytes(room / name, b"new")
        assert not (room / name).is_symlink()
        assert (room / name).read_bytes() == b"new"
    assert outside.read_bytes() == b"mine"
    assert not (tmp_path / "nowhere").exists()


def test_a_failed_replace_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    folder_in_the_way = tmp_path / "taken"
    folder_in_the_way.mkdir()
    with pytest.raises(OSError, match="taken"):
        write_bytes(folder_in_the_way, b"x")
    assert names(tmp_path) == ["taken"]
    with pytest.raises(FileNotFoundError):
        write_bytes(tmp_path / "missing" / "file", b"x")


LIMITED = (
    WRITE
    + """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    {call}
except OSError as error:
    print(type(error).__name__, error.errno)
"""
)


@pytest.mark.parametrize(
    "call", ["d.write_bytes(Path(sys.argv[1]), b'x' * 9000)", "d.create_bytes(Path(sys.argv[1]), b'x' * 9000)"]
)
def test_a_full_disk_changes_nothing(tmp_path: Path, call: str) -> None:
    path = tmp_path / "file"
    if "write_bytes" in call:
        path.write_bytes(b"old")
    before = names(tmp_path)
    for _ in range(3):
        done = python(LIMITED.format(call=call), path, 4096)
        assert done.stdout.startswith("OSError"), done.stderr
    assert names(tmp_path) == before
    assert not path.exists() or path.read_bytes() == b"old"


@pytest.mark.needs("strace")
def test_content_reaches_the_disk_before_its_name_and_the_name_before_the_return(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    room = tmp_path / "room"
    room.mkdir()
    strace = ("strace", "-y", "-o", str(trace), "-e", "trace=write,fsync,rename,renameat,renameat2,link,linkat")
    code = WRITE + "d.write_bytes(Path(sys.argv[1]), b'content'); d.create_bytes(Path(sys.argv[2]), b'content')"
    done = python(code, room / "a", room / "b", before=strace)
    assert done.returncode == 0, done.stderr
    seen = [
        re.sub(r"at2?\b|at2?(?=\()", "", line.split("(")[0]) + (" folder" if f"{room}>" in line else "")
        for line in trace.read_text().splitlines()
        if str(room) in line
    ]
    assert seen == ["write", "fsync", "rename", "fsync folder", "write", "fsync", "link", "fsync folder"]


@pytest.mark.needs("strace")
@pytest.mark.parametrize("call", ["write_bytes", "create_bytes"])
@pytest.mark.parametrize(
    "point", ["write", "fsync", "rename,renameat,renameat2,link,linkat", "unlink,unlinkat", "fsync:2"]
)
def test_a_kill_at_any_step_leaves_old_or_new_and_the_rest_is_cleaned_up(tmp_path: Path, call: str, point: str) -> None:
    path = tmp_path / "file"
    if call == "write_bytes":
        path.write_bytes(b"old")
    calls, _, nth = point.partition(":")
    inject = f"inject={calls}:signal=KILL:when={nth or 1}"
    done = python(
        WRITE + f"d.{call}(Path(sys.argv[1]), b'new')",
        path,
        before=("strace", "-o", "/dev/null", "-e", f"trace={calls}", "-e", inject),
    )
    assert done.returncode == -9
    assert not path.exists() or path.read_bytes() in {b"old", b"new"}
    if call == "write_bytes":
        assert path.exists()
    remove_temporaries(tmp_path)
    assert not list(tmp_path.glob(TEMPORARIES))
    assert set(names(tmp_path)) <= {"file"}


@pytest.mark.needs("strace")
@pytest.mark.parametrize("call", ["write_bytes", "create_bytes"])
def test_a_temporary_name_that_the_disk_does_not_free_is_no_trouble(tmp_path: Path, call: str) -> None:
    done = python(
        WRITE + f"d.{call}(Path(sys.argv[1]), b'new')",
        tmp_path / "file",
        before=("strace", "-o", "/dev/null", "-e", "trace=unlink,unlinkat", "-e", "inject=unlink,unlinkat:error=EIO"),
    )
    assert done.returncode == 0
    assert (tmp_path / "file").read_bytes() == b"new"
    remove_temporaries(tmp_path)
    assert names(tmp_path) == ["file"]


def test_a_new_file_never_replaces_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "cand"
    create_bytes(path, b"first")
    with pytest.raises(FileExistsError):
        create_bytes(path, b"second")
    assert path.read_bytes() == b"first"
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        create_bytes(link, b"x")
    assert names(tmp_path) == ["cand", "link"]


def test_of_many_rivals_for_a_name_exactly_one_gets_it_and_its_content_is_whole(tmp_path: Path) -> None:
    code = WRITE + (
        "for n in range(60):\n"
        "    try: d.create_bytes(Path(sys.argv[1]) / str(n), sys.argv[2].encode() * 5000); print(n)\n"
        "    except FileExistsError: pass"
    )
    rivals = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), who], stdout=subprocess.PIPE, text=True)
        for who in "abc"
    ]
    won = {who: rival.communicate(timeout=60)[0].split() for who, rival in zip("abc", rivals, strict=True)}
    assert sorted(int(n) for ns in won.values() for n in ns) == list(range(60))
    for who, ns in won.items():
        assert all((tmp_path / n).read_bytes() == who.encode() * 5000 for n in ns)
    assert len(names(tmp_path)) == 60


@pytest.mark.needs("strace")
@pytest.mark.parametrize("error", ["EPERM", "EOPNOTSUPP"])
def test_without_hard_links_a_new_file_is_still_made_once(tmp_path: Path, error: str) -> None:
    strace = ("strace", "-o", "/dev/null", "-e", "trace=link,linkat", "-e", f"inject=link,linkat:error={error}")
    code = WRITE + "d.create_bytes(Path(sys.argv[1]), b'whole')"
    assert python(code, tmp_path / "f", before=strace).returncode == 0
    again = python(code, tmp_path / "f", before=strace)
    assert "FileExistsError" in again.stderr
    assert (tmp_path / "f").read_bytes() == b"whole"
    assert names(tmp_path) == ["f"]


def test_lines_are_added_and_a_missing_file_is_made(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append_lines(path, [b"a", b"b"])
    append_lines(path, [])
    append_lines(path, [b"c"])
    assert path.read_bytes() == b"a\nb\nc\n"
    with pytest.raises(ValueError, match="newline"):
        append_lines(path, [b"x\ny"])
    assert path.read_bytes() == b"a\nb\nc\n"


@pytest.mark.parametrize("torn", [b"torn", b"a\ntor", b"a\n\x00\x00\x00"])
def test_a_torn_last_line_is_closed_and_never_deleted(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "log"
    path.write_bytes(torn)
    append_lines(path, [b"next"])
    assert path.read_bytes() == torn + b"\nnext\n"


def test_an_append_does_not_follow_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine\n")
    link = tmp_path / "log"
    link.symlink_to(outside)
    with pytest.raises(OSError, match="log"):
        append_lines(link, [b"x"])
    assert outside.read_bytes() == b"mine\n"


def test_an_append_that_a_full_disk_cut_short_glues_nothing_later(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"first\n")
    done = python(LIMITED.format(call="d.append_lines(Path(sys.argv[1]), [b'y' * 30, b'x' * 100])"), path, 64)
    assert done.stdout.startswith("OSError"), done.stderr
    torn = path.read_bytes()
    assert torn.startswith(b"first\n" + b"y" * 30 + b"\n")
    append_lines(path, [b"later"])
    assert path.read_bytes() == torn + b"\nlater\n"


def test_four_writers_lose_and_glue_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log"
    code = WRITE + (
        "for n in range(500): d.append_lines(Path(sys.argv[1]), [sys.argv[2].encode() + str(n).encode() + b'.' * 3000])"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), who]) for who in "abcd"]
    assert [writer.wait(timeout=100) for writer in writers] == [0] * 4
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert {line.rstrip(b".").decode() for line in lines} == {f"{who}{n}" for who in "abcd" for n in range(500)}
    assert len(lines) == 2000


def test_a_temporary_file_of_a_living_writer_stays_and_one_that_was_left_goes(tmp_path: Path) -> None:
    left, living = tmp_path / ".xuen-00.tmp", tmp_path / ".xuen-01.tmp"
    left.write_bytes(b"half")
    other = tmp_path / "notes.tmp"
    other.write_bytes(b"mine")
    folder = tmp_path / ".xuen-02.tmp"
    folder.mkdir()
    with locked(living):
        assert remove_temporaries(tmp_path) == 1
        assert names(tmp_path) == [living.name, folder.name, other.name]
    assert not left.exists()
    assert remove_temporaries(tmp_path) == 1
    assert names(tmp_path) == [folder.name, other.name]
    assert remove_temporaries(tmp_path / "missing") == 0


def test_writers_are_not_disturbed_by_a_cleaner(tmp_path: Path) -> None:
    code = WRITE + "for n in range(300): d.write_bytes(Path(sys.argv[1]) / 'f', b'x' * 20000)"
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stderr=subprocess.PIPE) for _ in range(2)]
    while any(writer.poll() is None for writer in writers):
        remove_temporaries(tmp_path)
    for writer in writers:
        assert writer.communicate()[1] == b""
        assert writer.returncode == 0
    assert names(tmp_path) == ["f"]


def test_folders_are_made_with_those_above(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        make_folder(tmp_path / "file")
    with pytest.raises(OSError, match="file"):
        make_folder(tmp_path / "file" / "x")
