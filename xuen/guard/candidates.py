"""Snapshots on disk: their ids, keeping one, and getting back exactly what was kept.

Owns `rounds/cand-<id>.md`. What always holds: a snapshot is whole or not there and is never replaced or changed;
what comes back from `load` has the sha256 that was asked for. Missing and damaged are answers, unreadable (a disk
error, a forbidden folder) is an `OSError`: nothing may be concluded from it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from xuen.files.durable import create_bytes, make_folder, sync_folder

ID = re.compile(r"([0-9]{8}-[0-9]{6})-r([0-9]{1,9})(?:-[0-9]{1,9})?")
"""`YYYYMMDD-HHMMSS-r<round>`, `-2`, `-3` … on collision; nothing else is ever taken for part of a file name."""

_NAME = re.compile(rf"cand-({ID.pattern})\.md")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One kept state of research.md: `data` is the whole file, `sha256` the hex digest of exactly these bytes.

    `parent` is the id of the best that the round started from, empty for a baseline; `words` are the inspiration
    words of the round.
    """

    id: str
    round: int
    data: bytes
    sha256: str
    parent: str = ""
    words: tuple[str, ...] = ()


def digest(data: bytes) -> str:
    """The sha256 of `data` as hex digits."""
    return hashlib.sha256(data).hexdigest()


def is_id(value: object) -> bool:
    """Whether this is the id of a snapshot and so safe to make a file name of."""
    return isinstance(value, str) and ID.fullmatch(value) is not None


def round_of(identity: str) -> int:
    """The round that an id belongs to."""
    found = ID.fullmatch(identity)
    return int(found[2]) if found else 0


def new_id(now: datetime, number: int, taken: Container[str]) -> str:
    """The first free id of round `number` at `now` (UTC)."""
    stem = identity = f"{now:%Y%m%d-%H%M%S}-r{number}"
    count = 1
    while identity in taken:
        count += 1
        identity = f"{stem}-{count}"
    return identity


def kept_ids(folder: Path) -> list[str]:
    """The ids of all snapshots in `rounds/`, sorted; a missing folder has none.

    Raises:
        OSError: the folder cannot be listed.
    """
    try:
        names = [entry.name for entry in folder.iterdir()]
    except FileNotFoundError:
        return []
    return sorted(found[1] for name in names if (found := _NAME.fullmatch(name)))


def save(path: Path, snapshot: Snapshot) -> None:
    """Keep a snapshot durably at `path`; one with the same bytes that is there already is fine.

    Raises:
        FileExistsError: the name is taken by something else.
        OSError: nothing was kept.
    """
    make_folder(path.parent)
    try:
        create_bytes(path, snapshot.data)
    except FileExistsError:
        if load(path, snapshot.sha256) is None:
            raise
        sync_folder(path.parent)  # whoever made it may have died before its name was on the disk


def load(path: Path, sha256: str) -> bytes | None:
    """The snapshot's bytes; None when the file is missing or not these bytes.

    Raises:
        OSError: it is there and cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    return data if digest(data) == sha256 else None


def keep_aside(path: Path, now: datetime) -> Path | None:
    """Rename a damaged file to `<name>.damaged-<time>` beside it; None when there is none.

    Raises:
        OSError: it is still where it was.
    """
    count = 0
    stem = f"{path.name}.damaged-{now:%Y%m%d-%H%M%S}"
    while True:
        count += 1
        aside = path.with_name(stem if count == 1 else f"{stem}-{count}")
        if not aside.exists() and not aside.is_symlink():
            break
    try:
        path.rename(aside)
    except FileNotFoundError:
        return None
    sync_folder(path.parent)
    return aside
