"""Whether an agent's processes use the processor, as far as one can see from the outside.

Looks only when asked, at most every two seconds, and only while an agent says nothing: a look reads the whole
process table. Without two looks there is no answer, and no answer is never "idle".
"""

from __future__ import annotations

from xuen.proc.load import Used, is_busy, used_below

_EVERY = 2.0  # seconds between looks


class IdleWatch:
    """Remembers the last look at one process and what it started."""

    def __init__(self) -> None:
        self._pid: int | None = None
        self._looked = 0.0
        self._used: Used = {}
        self._idle = False

    def is_idle(self, pid: int | None, now: float) -> bool:
        """Whether process `pid` and its kin have used no processor since the look before; `now` in seconds."""
        if pid is None or pid != self._pid:
            self._pid, self._idle, self._used, self._looked = pid, False, {}, now - _EVERY
        if pid is None or now - self._looked < _EVERY:
            return self._idle
        used = used_below(pid)
        self._idle = bool(self._used) and bool(used) and not is_busy(self._used, used, now - self._looked)
        self._used, self._looked = used, now
        return self._idle
