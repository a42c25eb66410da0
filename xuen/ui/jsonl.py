"""Events as JSON lines, for scripts (`--events FILE`, `-` for standard output).

One event is one line `{"ts", "event", …}`, UTF-8, flushed at once; `ts` is ISO 8601 in UTC with
milliseconds. A file is only ever added to. A reader that went away is an error once, for the fan-out to tell.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from xuen.errors import UsageError, reason_of
from xuen.events import Event, to_dict
from xuen.texts import Language
from xuen.texts.console import EVENTS_MEND, EVENTS_UNWRITABLE
from xuen.ui.text_out import let_go


def _now() -> datetime:
    return datetime.now(UTC)


class JsonLines:
    """A sink that writes each event as a line."""

    def __init__(self, stream: BinaryIO, language: Language, *, now: Callable[[], datetime] = _now) -> None:
        self._stream = stream
        self._language: Language = language
        self._now = now

    def emit(self, event: Event) -> None:
        """Write one line and flush it.

        Raises:
            OSError: the line could not be written; after a `BrokenPipeError` the stream is nobody's.
        """
        ts = self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = json.dumps({"ts": ts, **to_dict(event, self._language)}, ensure_ascii=False, separators=(",", ":"))
        left = memoryview(line.encode("utf-8", "replace") + b"\n")
        try:
            while left:  # a file without a buffer may take only a part
                left = left[self._stream.write(left) :]
            self._stream.flush()
        except BrokenPipeError:
            let_go(self._stream.fileno())
            raise

    def close(self) -> None:
        """Close the file; standard output is left open."""
        if self._stream is not sys.stdout.buffer:
            self._stream.close()


def open_events(target: str, language: Language) -> JsonLines:
    """The sink for `--events`: a file that is added to, or standard output for `-`.

    Raises:
        UsageError: the file cannot be opened.
    """
    if target == "-":
        return JsonLines(sys.stdout.buffer, language)
    try:
        # Unbuffered: a line that the disk refused is told once, not again by `close`.
        stream = Path(target).open("ab", buffering=0)  # noqa: SIM115 - lives as long as the run
    except OSError as error:
        what = EVENTS_UNWRITABLE.of(error=reason_of(error))
        raise UsageError(what, where=f"--events {target}", mend=EVENTS_MEND) from error
    return JsonLines(stream, language)
