"""Making room without losing anything: what stands in the way of a file is renamed, never deleted."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import count
from pathlib import Path

from xuen.files.durable import create_bytes, sync_folder


def keep_aside(path: Path, now: datetime) -> Path | None:
    """Rename what stands at `path` (a file, a folder, a pipe, a link) to `<name>.damaged-<time>` beside it.

    The new path; None when nothing was there.

    Raises:
        OSError: it is still where it was.
    """
    return move_aside(path, f"{path.name}.damaged-{now:%Y%m%d-%H%M%S}")


def move_aside(path: Path, stem: str, suffix: str = "") -> Path | None:
    """Rename what stands at `path` to the first free name of `<stem><suffix>`, `<stem>-2<suffix>`, … beside it.

    The new path; None when nothing was there.

    Raises:
        OSError: it is still where it was.
    """
    aside = next(name for name in _numbered(path, stem, suffix) if not os.path.lexists(name))
    try:
        path.rename(aside)
    except FileNotFoundError:
        return None
    sync_folder(path.parent)
    return aside


def copy_aside(path: Path, data: bytes, stem: str, suffix: str) -> Path:
    """Create a file with `data` beside `path`, under the first free name of `<stem><suffix>`, …; its path.

    Raises:
        OSError: no copy was made.
    """
    for name in _numbered(path, stem, suffix):
        with suppress(FileExistsError):
            create_bytes(name, data)
            break
    return name


def _numbered(path: Path, stem: str, suffix: str) -> Iterator[Path]:
    return (path.with_name(f"{stem}{suffix}" if number == 1 else f"{stem}-{number}{suffix}") for number in count(1))


def make_room(path: Path, clock: Callable[[], datetime]) -> None:
    """Rename what stands in the place of a file and is none; a link counts as none, wherever it leads.

    Raises:
        OSError: it is still where it was.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        keep_aside(path, clock())


def make_room_for_folder(path: Path, clock: Callable[[], datetime]) -> None:
    """Rename what stands in the place of a folder and is none; a link to a folder is one.

    Raises:
        OSError: it is still where it was.
    """
    if not path.is_dir() and os.path.lexists(path):
        keep_aside(path, clock())
