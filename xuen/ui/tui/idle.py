"""Whether an agent's processes use the processor, as far as one can see from the outside.

Looks only when asked, at most every two seconds, and only while an agent says nothing: a look reads the whole
process table. Without two looks there is no answer, and no answer is never "idle".
"""

from __future__ import annotations

from xuen.proc.table import Row, system_table

_EVERY = 2.0  # seconds between looks
_BUSY = 0.01  # processor seconds per second from which processes count as working


class IdleWatch:
    """Remembers the last look at one process and what it started."""

    def __init__(self) -> None:
        self._table = system_table()
        self._pid: int | None = None
        self._looked = 0.0
        self._cpu: dict[tuple[int, float], float] = {}
        self._idle = False

    def is_idle(self, pid: int | None, now: float) -> bool:
        """Whether process `pid` and its kin have used no processor since the look before; `now` in seconds."""
        if pid is None or pid != self._pid:
            self._pid, self._idle, self._cpu, self._looked = pid, False, {}, now - _EVERY
        if pid is None or now - self._looked < _EVERY:
            return self._idle
        try:
            rows = self._table.snapshot().rows
        except OSError:
            return False
        cpu = {row.identity: row.cpu for row in rows.values() if _is_kin(row, pid, rows)}
        used = sum(max(0.0, seconds - self._cpu.get(who, 0.0)) for who, seconds in cpu.items())
        self._idle = bool(self._cpu) and bool(cpu) and used < _BUSY * (now - self._looked)
        self._cpu, self._looked = cpu, now
        return self._idle


def _is_kin(row: Row, pid: int, rows: dict[int, Row]) -> bool:
    """The process itself, its session, and whatever descends from it."""
    seen: set[int] = set()
    while row.pid not in seen:
        if pid in (row.pid, row.session):
            return True
        seen.add(row.pid)
        row = rows.get(row.parent, row)
    return False
