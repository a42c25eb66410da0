"""The word bank: words are drawn from it, it is made batch by batch, and kept in words.txt.

Knows no agent: `make_bank` asks through a callable. The draw calls no model, ever. What always holds: no two words of
a bank are the same apart from case, width and final punctuation; of those the first spelling stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from xuen.files.aside import copy_aside, keep_aside
from xuen.files.durable import write_bytes
from xuen.files.regular import NotAFile, read_regular
from xuen.texts.words import BANK_HEADER
from xuen.words.answer import unique

Ask = Callable[[int, Sequence[str]], Sequence[str]]
"""Asks for so many words beyond the known ones; no words when the call failed or its answer cannot be read."""


def draw(bank: Sequence[str], pick: int, random: Random) -> tuple[str, ...]:
    """`pick` different words at random; a pick larger than the bank draws all of it, in random order."""
    return tuple(random.sample(list(bank), min(pick, len(bank))))


def make_bank(
    ask: Ask,
    count: int,
    batch: int,
    *,
    known: Sequence[str] = (),
    progress: Callable[[Sequence[str]], None] | None = None,
) -> list[str]:
    """Ask batch after batch until there are `count` words or a batch brings no new one.

    `known` are words to begin with. `progress` gets all words after each batch that brought some.
    What was found before a failure is returned; the caller tells an empty bank from a short one.
    """
    words = list(known)
    while len(words) < count:
        answer = ask(min(batch, count - len(words)), tuple(words))
        new = unique(answer, words)[: count - len(words)]
        if not new:
            break
        words += new
        if progress is not None:
            progress(tuple(words))
    return words


# --- words.txt -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bank:
    """The words of a words.txt and the mark of the task that they were made for (None in a file made by hand)."""

    words: tuple[str, ...]
    mark: str | None

    def suits(self, task: str) -> bool:
        """Whether it may be used for this task; a bank without a mark is somebody's own and suits every one."""
        return self.mark is None or self.mark == _mark(task)


def read_bank(path: Path) -> Bank | None:
    """The bank on disk; None when there is no file. Comments and blank lines are skipped, bytes not in UTF-8 too.

    Raises:
        OSError: the file is there and cannot be read.
    """
    try:
        text = read_regular(path).decode("utf-8-sig", "replace")
    except FileNotFoundError:
        return None
    lines = [line.strip() for line in text.split("\n")]
    marks = [line.removeprefix(_MARK).split(" ")[0] for line in lines if line.startswith(_MARK)]
    words = unique(line for line in lines if line and not line.startswith("#") and "\ufffd" not in line)
    return Bank(tuple(words), marks[0] if marks else None)


def write_bank(path: Path, words: Sequence[str], task: str) -> None:
    """Put the bank on disk in one piece, with the task that it was made for.

    Raises:
        OSError: the old file stands.
    """
    title = " ".join(task.split())[:80]
    head = [f"# {BANK_HEADER.en} / {BANK_HEADER.zh}", f"{_MARK}{_mark(task)} {title}"]
    write_bytes(path, ("\n".join([*head, *words]) + "\n").encode("utf-8", "replace"))


def set_bank_aside(path: Path, now: datetime) -> Path | None:
    """Keep a copy of the bank as `words-<UTC>.txt` beside it before a new one takes its place; None without a bank.

    Somebody may have written into it; that is theirs and is not dropped. What is no file is renamed.

    Raises:
        OSError: no copy was made.
    """
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return None
    except NotAFile:
        return keep_aside(path, now)
    return copy_aside(path, data, f"{path.stem}-{now.astimezone(UTC):%Y%m%d-%H%M%S}", path.suffix)


_MARK = "# xuen-task: "


def _mark(task: str) -> str:
    return hashlib.sha256(task.strip().encode("utf-8", "replace")).hexdigest()[:16]
