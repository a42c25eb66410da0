"""Snapshots on disk: their ids, keeping one, and getting back exactly what was kept.

Owns `rounds/cand-<id>.md`. What always holds: a snapshot is whole or not there and is never replaced or changed;
what comes back from `load` has the sha256 that was asked for. Missing and damaged are answers, unreadable (a disk
error, a forbidden folder) is an `OSError`: nothing may be concluded from it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from xuen.files.durable import create_bytes, make_folder, sync_folder
from xuen.files.regular import NotAFile, read_regular
from xuen.workspace.research import parse

ID = re.compile(r"([0-9]{8}-[0-9]{6})-r([0-9]{1,9})(?:-[0-9]{1,9})?")
"""`YYYYMMDD-HHMMSS-r<round>`, `-2`, `-3` … on collision; nothing else is ever taken for part of a file name."""

LARGEST_ROUND = 10**8
"""A round number of this size comes from damage or a stray file: an id has nine digits, and rounds go on from it."""

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


def content_digest(data: bytes) -> str:
    """What two states of research.md share when their sections are equal apart from white space.

    Raises:
        DamagedResearch: it has no sections.
    """
    sections = parse(data).sections
    words = [" ".join(content.split()) for content in (sections.idea, sections.artifact)]
    return digest("\n".join(words).encode())


def is_id(value: object) -> bool:
    """Whether this is the id of a snapshot and so safe to make a file name of."""
    return isinstance(value, str) and ID.fullmatch(value) is not None


def round_of(identity: str) -> int:
    """The round that an id belongs to."""
    found = ID.fullmatch(identity)
    return int(found[2]) if found else 0


def last_round_of(identities: Iterable[str]) -> int:
    """The highest round of these ids; 0 if none has one that can be."""
    return max((number for number in map(round_of, identities) if number < LARGEST_ROUND), default=0)


def new_id(now: datetime, number: int, is_taken: Callable[[str], bool]) -> str:
    """The first id of round `number` at `now` (UTC) that is not taken."""
    stem = identity = f"{now:%Y%m%d-%H%M%S}-r{number}"
    count = 1
    while is_taken(identity):
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
    """The snapshot's bytes; None when the file is missing, no file, or not these bytes.

    Raises:
        OSError: it is there and cannot be read.
    """
    try:
        data = read_regular(path)
    except (FileNotFoundError, NotAFile):
        return None
    return data if digest(data) == sha256 else None
