"""A session on the disk: one file of JSON lines that only grows, and its lock.

Owns the file. Refuses a file that is no session, one of a newer version, one that xwork did not write on this machine
for this workspace (unless it is trusted), and a second writer. Always holds: a record is on the disk when `append`
returns; a torn or damaged line costs that line and nothing else; the lock ends with its process, however that ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from xuen.errors import LockTimeout
from xuen.files.durable import append_lines, make_folder
from xuen.files.lock import FileLock
from xuen.files.regular import read_regular
from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.errors import BadUse, XworkError
from xuen.xwork.session.ledger import Ledger
from xuen.xwork.session.records import VERSION, Opened, Record, Trusted, decode, encode
from xuen.xwork.session.seal import Seal

Trust = Callable[[Ledger], bool]
"""Whether to go on with a session that this machine did not write."""


class Session:
    """A conversation that is written down as it goes on; without a path it lives in memory only.

    Usable as a context manager; whoever opened it closes it.
    """

    def __init__(
        self, path: Path | None = None, *, workspace: Path | None = None, trust: Trust = lambda _: False
    ) -> None:
        """Open the session of that file, or begin it.

        `trust` decides about a session that xwork did not write on this machine for this workspace.

        Raises:
            BadUse: the file is no session, cannot be read or written, is not trusted, or another process works on it.
        """
        self.path = path
        self.damaged = 0  # lines that were passed over
        self.ledger = Ledger()
        self._workspace = workspace
        self._trust = trust
        self._lock: FileLock | None = None
        self._begun = False
        if path is not None:
            self._seal = Seal.of(path, workspace)
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
            begin = () if self._begun else (self._opened(),)
            lines = [self._seal.sealed(encode(record)) for record in (*begin, *records)]
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
        found = read(path, self._seal)
        self.damaged = found.damaged
        for record in found.records:
            self.ledger.apply(record)
        self._begun = bool(found.records)
        if found.foreign:
            if not self._trust(self.ledger):
                mend = texts.SESSION_FOREIGN_MEND if self._seal.usable else texts.NO_KEY_MEND
                raise BadUse(texts.SESSION_FOREIGN, where=str(path), mend=mend)
            self.append(Trusted(found.digest))

    def _opened(self) -> Opened:
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return Opened(VERSION, str(self._workspace or ""), created)


class Found(msgspec.Struct, frozen=True):
    """What a file holds."""

    records: Sequence[Record]
    damaged: int = 0  # lines that are no records
    foreign: int = 0  # records that xwork did not write on this machine for this workspace, and nobody took over
    digest: str = ""  # of all its bytes


def read(path: Path, seal: Seal) -> Found:
    """All records of a file; a missing one has none. `seal` is that of this journal, not yet used.

    Raises:
        BadUse: it is no session, or one that a newer version has written.
        OSError: it is there and cannot be read.
    """
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return Found(())
    found = _found(data, seal)
    if not found.records and found.damaged:
        raise BadUse(texts.NO_SESSION, where=str(path), mend=texts.NO_SESSION_MEND)
    if any(isinstance(record, Opened) and record.version > VERSION for record in found.records[:1]):
        raise BadUse(texts.SESSION_NEWER, where=str(path))
    return found


def _found(data: bytes, seal: Seal) -> Found:
    records: list[Record] = []
    damaged = foreign = at = 0
    for line in data.split(b"\n"):
        if line.strip():
            record = decode(line)
            if record is None:
                damaged += 1
            else:
                held = seal.holds(line)
                records.append(record)
                foreign += not held
                if held and isinstance(record, Trusted) and record.digest == _digest(data[:at]):
                    foreign = 0
        at += len(line) + 1
    return Found(records, damaged, foreign, _digest(data))


def _digest(data: bytes) -> str:
    """Of all bytes but the newlines at the end, which the next append may add."""
    from hashlib import blake2b

    return blake2b(data.rstrip(b"\n"), digest_size=32).hexdigest()
