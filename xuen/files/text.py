"""A text file that a person wrote: UTF-8, of a bounded size, with or without a byte order mark."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import BinaryIO


def read_text(path: Path, limit: int) -> str:
    """The text of a file of at most `limit` bytes, line ends as they are, without a byte order mark.

    Raises:
        OSError: it cannot be read; `errno` is EFBIG where it is larger.
        UnicodeDecodeError: it is not UTF-8; its `object` is the whole file.
    """
    try:
        file = path.open("rb")
    except ValueError as error:  # a NUL in the name
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    with file:
        return read_stream(file, limit)


def read_stream(stream: BinaryIO, limit: int) -> str:
    """The same of what an open file still holds. Raises as `read_text`."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"more than {limit} bytes", str(stream.name))
    return data.decode("utf-8-sig")
