"""Which files of a workspace travel to the branch, and their content with its identity.

Owns the list. What travels is what the next run needs and what a person may want to read: never locks, half-written
files, what agents leave beside them, or sessions. What an agent printed travels in a copy of at most 64 KiB in which
keys and passwords are masked; prompts and printed output only of the latest 200 rounds (older ones stay
in earlier commits of the branch). Everything else travels byte for byte.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from xuen import redact
from xuen.guard.candidates import ID
from xuen.texts.ci import CUT

MODELS = "ci-models.json"
HISTORY, VERDICTS, RESEARCH = "rounds/history.jsonl", "rounds/verdicts.txt", "research.md"
BEST, BEST_JSON, WORDS, INBOX = "rounds/best.md", "rounds/best.json", "words.txt", "inbox.jsonl"
README = "README.md"
STATE = (BEST_JSON, BEST, HISTORY, VERDICTS, RESEARCH, WORDS, INBOX, MODELS)
"""The files that change, in the order in which they are read; all others are written once."""

LOG_BYTES = 65_536
LATEST = 200

_CANDIDATE = re.compile(rf"rounds/cand-(?P<id>{ID.pattern})\.md")
_ASIDE = re.compile(r"(?:rounds/)?[\w.-]+\.damaged-[\w.-]+")
_TALK = re.compile(rf"rounds/(?P<kind>prompts|logs)/(?P<id>{ID.pattern})(?:\.[\w-]+)?\.(?:txt|log)")


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds: its identity (git's id of these bytes) and how to read it."""

    oid: str
    load: Callable[[], bytes]

    @classmethod
    def of(cls, data: bytes) -> Content:
        """The content that is these bytes."""
        return cls(blob_id(data), lambda: data)


Files = Mapping[str, Content]
"""Contents by their paths, relative to the workspace, with `/`."""


def blob_id(data: bytes) -> str:
    """What git calls these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def id_of(path: str) -> str | None:
    """The round's id in the path of a candidate, prompt or log."""
    found = _CANDIDATE.fullmatch(path) or _TALK.fullmatch(path)
    return found["id"] if found else None


def is_candidate(path: str) -> bool:
    """Whether this is the place of a candidate."""
    return _CANDIDATE.fullmatch(path) is not None


def is_talk(path: str) -> bool:
    """Whether this is a prompt or something that an agent printed."""
    return _TALK.fullmatch(path) is not None


def is_log(path: str) -> bool:
    """Whether this is something that an agent printed."""
    found = _TALK.fullmatch(path)
    return found is not None and found["kind"] == "logs"


def travels(path: str) -> bool:
    """Whether a file of this path belongs on the branch."""
    return path in STATE or is_candidate(path) or is_talk(path) or _ASIDE.fullmatch(path) is not None


def of_workspace(root: Path) -> dict[str, Content]:
    """What of a workspace travels. Files that change are read now: the best, then the history, then the candidates.

    So the history knows the best, and every candidate that it speaks of is there, also when a run goes on meanwhile.

    Raises:
        OSError: a file is there and cannot be read.
    """
    found: dict[str, Content] = {}
    for path in STATE:
        file = root / path
        if file.is_file() and not file.is_symlink():
            found[path] = Content.of(file.read_bytes())
    folders = [root, root / "rounds", root / "rounds/prompts", root / "rounds/logs"]
    for folder in folders:
        for file in sorted(folder.iterdir()) if folder.is_dir() else []:
            path = file.relative_to(root).as_posix()
            if path not in STATE and travels(path) and file.is_file() and not file.is_symlink():
                load = partial(_log_copy, file) if is_log(path) else file.read_bytes
                found[path] = Content(blob_id(load()), load)
    return found


def old_talk(paths: Iterable[str]) -> set[str]:
    """The prompts and logs of all but the latest rounds; ids order by time."""
    talk = {path: identity for path in paths if is_talk(path) and (identity := id_of(path))}
    latest = set(sorted(set(talk.values()))[-LATEST:])
    return {path for path, identity in talk.items() if identity not in latest}


def _log_copy(file: Path) -> bytes:
    return log_copy(file.read_bytes())


def log_copy(data: bytes) -> bytes:
    """What of an agent's printed output travels: head and tail, with keys and passwords masked."""
    half = (LOG_BYTES - 200) // 2  # with the note within the limit, so that a copy of a copy is the same
    if len(data) > LOG_BYTES:
        note = CUT.of(count=len(data) - 2 * half)
        data = data[:half] + f"{note.en}{note.zh.lstrip()}".encode() + data[-half:]
    return redact.text(data.decode("latin-1")).encode("latin-1")  # no byte of it has to be UTF-8
