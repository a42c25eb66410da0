"""The seal by which a session's lines are known: xwork wrote them, on this machine, for this workspace.

Owns the key, a file in the user's state folder that nobody else can read. A folder that comes from elsewhere may hold a
session that names a server and waits with a command; without the key nobody can make one that passes for the user's.
Always holds: a line counts only in the journal and the workspace that it was written for, once, and in its order.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from xuen.files.durable import create_bytes, make_folder
from xuen.files.regular import read_regular
from xuen.files.state import state_folder

_KEY = "session.key"
_SIZE = 32  # bytes of the key
_SEALED = re.compile(rb'(.*),"seal":"([0-9]{1,18})-([0-9a-f]{32})"\}', re.DOTALL)


class Seal:
    """Seals and checks the lines of one journal, in order."""

    def __init__(self, key: bytes | None, journal: Path, workspace: Path | None) -> None:
        """Without a key no line is sealed and none counts as sealed."""
        from hashlib import blake2b  # with the first session, an import of the library costs little

        places = (journal.parent.resolve() / journal.name, workspace.resolve() if workspace else "")
        self._keyed = blake2b(b"\0".join(map(os.fsencode, places)), key=key, digest_size=16) if key else None
        self._last = 0  # number of the last line

    @classmethod
    def of(cls, journal: Path, workspace: Path | None) -> Seal:
        """With the key of this user on this machine."""
        return cls(_machine_key(), journal, workspace)

    @property
    def usable(self) -> bool:
        """Whether there is a key."""
        return self._keyed is not None

    def sealed(self, line: bytes) -> bytes:
        """The line, a JSON object, with the seal as its last field."""
        if self._keyed is None:
            return line
        self._last += 1
        return b'%s,"seal":"%d-%s"}' % (line[:-1], self._last, self._of(line[:-1], self._last))

    def holds(self, line: bytes) -> bool:
        """Whether the line was sealed here, and after the ones that held before."""
        parts = _SEALED.fullmatch(line)
        if self._keyed is None or parts is None:
            return False
        body, number, seal = parts[1], int(parts[2]), parts[3]
        if number <= self._last or seal != self._of(body, number):
            return False
        self._last = number
        return True

    def _of(self, body: bytes, number: int) -> bytes:
        assert self._keyed is not None
        keyed = self._keyed.copy()
        keyed.update(b"\0%d\0%s" % (number, body))
        return keyed.hexdigest().encode()


def _machine_key() -> bytes | None:
    """The key, made when it is first wanted; None where it cannot be kept."""
    with suppress(OSError, RuntimeError):
        path = state_folder(os.environ) / _KEY
        with suppress(FileExistsError):
            if not path.exists():
                make_folder(path.parent)
                create_bytes(path, os.urandom(_SIZE), mode=0o600)
        key = read_regular(path, follow=False)
        return key if len(key) == _SIZE else None
    return None
