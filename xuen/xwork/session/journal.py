"""A session on the disk: one file of JSON lines that only grows, and its lock.

Owns the file. Refuses a file that is no session, one of a newer version, and a second writer. Always holds: a record
is on the disk when `append` returns; a torn or damaged line costs that line and nothing else; the lock ends with its
process, however that ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from xuen.errors import LockTimeout
from xuen.files.durable import append_lines, make_folder
from xuen.files.lock import FileLock
from xuen.files.regular import read_regular
from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.errors import BadUse, XworkError
from xuen.xwork.session.ledger import Ledger
from xuen.xwork.session.records import VERSION, Opened, Record, decode, encode


class Session:
    """A conversation that is written down as it goes on; without a path it lives in memory only.

    Usable as a context manager; whoever opened it closes it.
    """

    def __init__(self, path: Path | None = None, *, workspace: Path | None = None) -> None:
        """Open the session of that file, or begin it.

        Raises:
            BadUse: the file is no session, cannot be read or written, or another process works on it.
        """
        self.path = path
        self.damaged = 0  # lines that were passed over
        self.ledger = Ledger()
        self._workspace = workspace
        self._lock: FileLock | None = None
        self._begun = False
        if path is not None:
            self._open(path)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, *records: Record) -> None:
        """Write records down and take them in, in this order.

        Raises:
            XworkError: they could not be written; none of them counts.
        """
        if self.path is not None:
            lines = [encode(record) for record in records]
            if not self._begun:
                lines.insert(0, encode(self._opened()))
            try:
                append_lines(self.path, lines)
            except OSError as error:
                raise XworkError(texts.SESSION_UNWRITABLE.of(reason=plain(str(error)))) from error
            self._begun = True
        for record in records:
            self.ledger.apply(record)

    def close(self) -> None:
        """Release the lock; a second call does nothing."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _open(self, path: Path) -> None:
        lock = FileLock(path.with_name(path.name + ".lock"))
        try:
            make_folder(path.parent)
            lock.acquire(timeout=0)
            self._lock = lock
            self._replay(path)
        except LockTimeout as error:
            raise BadUse(texts.SESSION_BUSY, where=str(path), mend=texts.SESSION_BUSY_MEND) from error
        except OSError as error:
            self.close()
            raise BadUse(texts.SESSION_UNREADABLE.of(reason=plain(str(error)))) from error
        except BadUse:
            self.close()
            raise

    def _replay(self, path: Path) -> None:
        found, self.damaged = read(path)
        for record in found:
            self.ledger.apply(record)
        self._begun = bool(found)

    def _opened(self) -> Opened:
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return Opened(VERSION, str(self._workspace or ""), created)


def read(path: Path) -> tuple[Sequence[Record], int]:
    """All records of a file and how many of its lines are damaged; a missing file has none of either.

    Raises:
        BadUse: it is no session, or one that a newer version has written.
        OSError: it is there and cannot be read.
    """
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return [], 0
    found: list[Record] = []
    damaged = 0
    for record in _records(data):
        if record is None:
            damaged += 1
        else:
            found.append(record)
    if not found and damaged:
        raise BadUse(texts.NO_SESSION, where=str(path), mend=texts.NO_SESSION_MEND)
    if any(isinstance(record, Opened) and record.version > VERSION for record in found[:1]):
        raise BadUse(texts.SESSION_NEWER, where=str(path))
    return found, damaged


def _records(data: bytes) -> Iterator[Record | None]:
    for line in data.split(b"\n"):
        if line.strip():
            yield decode(line)
