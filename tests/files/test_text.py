"""Text files of people: bounded, UTF-8, and nothing guessed."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from xuen.files.text import read_text


def test_a_text_comes_as_it_stands_without_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeff一\r\ntwo\n\ufeff".encode())
    assert read_text(path, path.stat().st_size) == "一\r\ntwo\n\ufeff"


def test_one_byte_too_many_is_too_many(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"12345")
    assert read_text(path, 5) == "12345"
    with pytest.raises(OSError, match="more than 4 bytes") as caught:
        read_text(path, 4)
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))


@pytest.mark.parametrize(("name", "number"), [("gone", errno.ENOENT), ("", errno.EISDIR), ("a\0b", errno.EINVAL)])
def test_what_cannot_be_read_is_an_error_of_the_system(tmp_path: Path, name: str, number: int) -> None:
    with pytest.raises(OSError) as caught:
        read_text(tmp_path / name, 10)
    assert caught.value.errno == number


def test_bytes_that_are_no_utf8_are_told_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\xff")
    with pytest.raises(UnicodeDecodeError) as caught:
        read_text(path, 10)
    assert (caught.value.object, caught.value.start) == (b"a\nb\xff", 3)
