"""What a run of xwork puts on its outputs: plain text for people and pipes, or one JSON object a line.

Owns the form and nothing of the content. Always holds: standard output carries what the model said (or, with
`--json`, the events) and nothing else; what it only thought and everything about the run goes to standard error; both
are flushed with every piece, so that whoever reads along sees the text as it comes.
"""

from __future__ import annotations

import re
import sys
import time
from typing import TextIO

import msgspec

from xuen.texts import Language
from xuen.texts import xwork as texts
from xuen.xwork.events import (
    AnyEvent,
    Completed,
    Failed,
    Fetching,
    Listener,
    ModelEnded,
    Notice,
    ReasoningChunk,
    Retrying,
    StepStarted,
    TextChunk,
    ToolEnded,
    ToolStarted,
)
from xuen.xwork.session.records import whole

_SHOWN = 200  # characters of a tool call or of its failure
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters and bidirectional overrides: a model's text must not drive the terminal or disguise itself."""
_EVERY = 5.0  # seconds between two lines of progress where the last one cannot be overwritten


def fit_for(stream: TextIO, text: str) -> str:
    """The text as it may be written to `stream`: without control characters if that is a terminal."""
    return _CONTROLS.sub("", text) if stream.isatty() else text


def json_listener(out: TextIO | None = None) -> Listener:
    """One event a line on standard output."""
    stream = sys.stdout if out is None else out
    encoder = msgspec.json.Encoder()

    def tell(event: AnyEvent) -> None:
        try:
            line = encoder.encode(event)
        except UnicodeEncodeError:  # a path may hold bytes that are no UTF-8
            fields = msgspec.structs.asdict(event).items()
            told = {name: whole(value) for name, value in fields if isinstance(value, str)}
            line = encoder.encode(msgspec.structs.replace(event, **told))
        stream.write(line.decode() + "\n")
        stream.flush()

    return tell


class PlainDisplay:
    """The model's answers on `out`, everything else on `err`."""

    def __init__(self, language: Language, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._language = language
        self._out = sys.stdout if out is None else out
        self._err = sys.stderr if err is None else err
        self._open: TextIO | None = None  # where the last character was no newline
        self._progress_at = 0.0
        self._progress_line = ""

    def __call__(self, event: AnyEvent) -> None:
        """Show one event."""
        match event:
            case TextChunk(text=text):
                self._write(text, self._out)
            case ReasoningChunk(text=text):
                self._write(text, self._err)
            case StepStarted(step=step):
                self._begin(step)
            case Retrying(reason=reason, seconds=seconds):
                self._new_line()
                again = texts.TRIES_AGAIN if round(seconds) else texts.TRIES_AGAIN_NOW
                self._say(again.of(reason=reason, seconds=f"{seconds:.0f}").in_language(self._language))
            case Failed(error=text):
                self._new_line()
                self._say(text)
            case ModelEnded() | Completed():
                self._new_line()
            case ToolStarted() | ToolEnded():
                self._tool(event)
            case Notice(text=text):
                self._say(text)
            case Fetching(done=done, total=total):
                self._fetching(done, total)

    def _write(self, text: str, stream: TextIO) -> None:
        if not text:
            return
        if self._open is not stream:
            self._new_line()
        stream.write(fit_for(stream, text))
        stream.flush()
        self._open = None if text.endswith("\n") else stream

    def _tool(self, event: ToolStarted | ToolEnded) -> None:
        if isinstance(event, ToolStarted):
            self._new_line()
            self._say(f"{event.name} {one_line(event.arguments)}")
        elif event.failed:
            self._say(f"{event.name}: {one_line(event.text)}")

    def _begin(self, step: str) -> None:
        if step in texts.STEPS:
            self._new_line()
            self._write(f"-- {texts.STEPS[step].in_language(self._language)} --\n", self._out)

    def _new_line(self) -> None:
        if self._open is not None:
            self._write("\n", self._open)

    def _say(self, text: str) -> None:
        self._err.write(f"xwork: {fit_for(self._err, text)}\n")
        self._err.flush()

    def _fetching(self, done: int, total: int) -> None:
        """On a terminal one line that is rewritten; elsewhere a line every few seconds; never the same line twice."""
        line = texts.FETCH_PROGRESS.of(done=round(done / 1e6), total=round(total / 1e6)).in_language(self._language)
        if line == self._progress_line:
            return
        if self._err.isatty():
            self._err.write(f"\r{line}" + ("\n" if done >= total else ""))
            self._err.flush()
        elif done >= total or time.monotonic() - self._progress_at >= _EVERY:
            self._progress_at = time.monotonic()
            self._say(line)
        else:
            return
        self._progress_line = line


def one_line(text: str, limit: int = _SHOWN) -> str:
    """The text as one line of at most `limit` characters; a `…` stands for the rest."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit] + " …"
