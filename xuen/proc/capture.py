"""Where an agent's output goes: to whoever looks, into a log file, into memory; each bounded by itself.

Owns the bounds. Always: whatever is left out is reported with its size, and the first and the last part are kept;
output that nobody will see costs no more than counting it, so a flood cannot slow its reader.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from xuen.proc.output import LineCutter, clean_line, clean_text
from xuen.texts import Language
from xuen.texts.proc import LEFT_OUT, LINES_SKIPPED

CAPTURE: Final = 1 << 20  # bytes of each stream in memory, of the head and of the tail
LOG: Final = 2 << 20  # bytes in the log file, of the head and of the tail

_BURST: Final = 2000  # lines that may come at once and are all shown
_RATE: Final = 400.0  # lines a second after that
_BYTES_PER_LINE: Final = 512  # a longer line counts as several
_LAST_SHOWN: Final = 60  # of the lines that came too fast, the last are shown
_CALM: Final = 0.15  # seconds between two looks at what was held back
_STATE_EVERY: Final = 1.0  # seconds between two states of one rewritten line


class HeadTail:
    """The first and the last bytes of a stream of whole lines."""

    def __init__(self, head: int = CAPTURE, tail: int = CAPTURE) -> None:
        self._head_room, self._tail_room = head, tail
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.left_out = 0  # bytes

    def add(self, lines: bytes) -> bytes:
        """Take some lines; returns those of them that went into the head."""
        taken = b""
        if self._head_room:
            taken = lines if len(lines) <= self._head_room else lines[: lines.rfind(b"\n", 0, self._head_room) + 1]
            self._head.append(taken)
            self._head_room = self._head_room - len(taken) if len(taken) == len(lines) else 0
            lines = lines[len(taken) :]
        if lines:
            self._push(lines)
        return taken

    def _push(self, lines: bytes) -> None:
        self._tail.append(lines)
        self._tail_size += len(lines)
        while self._tail_size - len(self._tail[0]) >= self._tail_room:
            gone = self._tail.popleft()
            self._tail_size -= len(gone)
            self.left_out += len(gone)

    def tail(self) -> bytes:
        """The last lines, those in the head not counted."""
        whole = b"".join(self._tail)
        start = len(whole) - self._tail_room
        if start > 0:
            start = whole.find(b"\n", start - 1) + 1 or len(whole)
            self.left_out += start
            whole = whole[start:]
            self._tail = deque([whole])
            self._tail_size = len(whole)
        return whole

    def text(self, language: Language) -> str:
        """Both as clean text, with a line between them that says how much is missing."""
        tail = self.tail()
        return clean_text(b"".join(self._head), language) + gap(self.left_out, language) + clean_text(tail, language)


def gap(count: int, language: Language) -> str:
    """The line that stands where `count` bytes are missing; empty for none."""
    return LEFT_OUT.of(count=f"{count:,}").in_language(language) + "\n" if count else ""


class CallLog:
    """A log file: the head is written as it comes, the tail when it is closed. Clean text, UTF-8.

    A disk that is full or read-only ends the writing, never the call: `failed` then says why.
    """

    def __init__(self, path: Path, language: Language, head: int = LOG, tail: int = LOG) -> None:
        self._kept = HeadTail(head, tail)
        self._language = language
        self._fd = -1
        self.failed: OSError | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
            self._fd = os.open(path, flags | os.O_NONBLOCK, 0o644)  # a pipe of that name is not waited for
        except OSError as error:
            self.failed = error

    def add(self, lines: bytes) -> None:
        """Take some whole lines."""
        head = self._kept.add(lines)
        if head:
            self._write(clean_text(head, self._language))

    def close(self) -> None:
        """Write the tail and close the file."""
        tail = self._kept.tail()
        if tail:
            self._write(gap(self._kept.left_out, self._language) + clean_text(tail, self._language))
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _write(self, text: str) -> None:
        data = memoryview(text.encode())
        try:
            while data and self._fd >= 0 and self.failed is None:
                data = data[os.write(self._fd, data) :]
        except OSError as error:
            self.failed = error


class Pace:
    """How many lines may be shown now: a bucket that fills with time; shared by both streams of a call."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._level = float(_BURST)
        self._filled = clock()

    def allow(self, lines: list[bytes]) -> int:
        """How many of the first `lines` may be shown; they are counted as shown."""
        now = self._clock()
        self._level = min(_BURST, self._level + (now - self._filled) * _RATE)
        self._filled = now
        allowed = 0
        for line in lines:
            if self._level < 1:
                break
            self._level -= 1 + len(line) // _BYTES_PER_LINE
            allowed += 1
        return allowed


class Display:
    """Shows one stream to a person: every line while they come at a readable pace, else only the last ones."""

    def __init__(
        self,
        show: Callable[[str], None],
        language: Language,
        pace: Pace,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._show = show
        self._language = language
        self._pace = pace
        self._clock = clock
        self._held: deque[bytes] = deque(maxlen=_LAST_SHOWN)
        self._skipped = 0  # lines that came too fast, those in `_held` counted
        self._released = self._stated = clock()
        self._state = ""

    def add(self, lines: bytes) -> None:
        """Take some whole lines."""
        count = lines.count(b"\n")
        if not self._skipped:
            parts = lines.split(b"\n", _BURST)[:-1]
            shown = parts[: self._pace.allow(parts)]
            for line in shown:
                self._tell(line)
            count -= len(shown)
            lines = lines[sum(map(len, shown)) + len(shown) :]
        if count:
            self._hold(lines, count)

    def tick(self, cutter: LineCutter) -> None:
        """Show what was held back, and the present state of a line that is being rewritten."""
        now = self._clock()
        if self._skipped and now - self._released >= _CALM:
            self.release()
        state = cutter.rewritten()
        if state and now - self._stated >= _STATE_EVERY:
            self._stated = now
            text = clean_line(state, self._language)
            if text and text != self._state:
                self._state = text
                self._show(text)

    def release(self) -> None:
        """Show the last of what was held back, and how much is not shown."""
        if self._skipped > len(self._held):
            self._show(LINES_SKIPPED.of(count=f"{self._skipped - len(self._held):,}").in_language(self._language))
        for line in self._held:
            self._tell(line)
        self._held.clear()
        self._skipped = 0
        self._released = self._clock()

    def _hold(self, lines: bytes, count: int) -> None:
        if not self._skipped:
            self._released = self._clock()
        self._skipped += count
        self._held.extend(lines.rsplit(b"\n", _LAST_SHOWN + 1)[1 if count > _LAST_SHOWN else 0 : -1])

    def _tell(self, line: bytes) -> None:
        text = clean_line(line, self._language)
        if text and text == self._state:
            self._state = ""  # the last state of a rewritten line stands there already
            return
        self._state = ""
        self._show(text)
