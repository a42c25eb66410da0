"""The plain console: every event as text, as it happens.

Owns what is written to a terminal, a file or a pipe when there is no screen. Refuses to read any text as
markup. Without colour it never writes an ESC byte; with colour the only escapes are its own. A reader that
goes away (`xuen … | head`) silences it and nothing else: the run goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TextIO

from xuen.events import Event
from xuen.texts import Language
from xuen.ui.safe import clean
from xuen.ui.telling import Line, Tone, tell
from xuen.ui.view import View, fold

if TYPE_CHECKING:
    from rich.style import Style

_STYLES: dict[Tone, str] = {
    "title": "bold cyan",
    "agent": "dim",
    "section": "bold magenta",
    "good": "bold green",
    "bad": "bold red",
    "wait": "bold yellow",
    "muted": "dim",
    "warning": "yellow",
    "plain": "none",
}
_GUTTER = "│ "  # before each line of an agent, so that it cannot pass for one of ours
_ASCII = str.maketrans({"│": "|", "─": "-", "·": "-", "✓": "+", "✗": "x"})  # for terminals without these signs


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether the stream is a terminal that nobody asked to be kept plain."""
    if environ.get("NO_COLOR") or environ.get("TERM", "dumb") in ("", "dumb"):
        return False
    return stream.isatty()


class Console:
    """A sink that writes plain text to a stream, each event at once."""

    def __init__(self, stream: TextIO, language: Language, *, colour: bool) -> None:
        self._stream = stream
        self._language: Language = language
        self._paint = _painter() if colour else _unpainted
        self._encoding = getattr(stream, "encoding", None) or "utf-8"
        self._ascii = not _can_encode("│─✓", self._encoding)
        self._view = View()
        self._begun = False
        self._silent = False

    def emit(self, event: Event) -> None:
        """Write the lines of one event and flush. Raises nothing when the stream is gone."""
        self._view = fold(self._view, event)
        lines = tell(event, self._view)
        text = "".join(self._line(line) for line in lines)
        if not text or self._silent:
            return
        if self._begun and lines[0].tone == "title":
            text = "\n" + text  # rounds stand apart
        self._begun = True
        self._write(text)

    def _line(self, line: Line) -> str:
        mark = self._plain(line.mark.in_language(self._language))
        text = self._plain(line.text.in_language(self._language))
        if line.tone == "agent":
            return f"{self._paint('muted', self._plain(_GUTTER))}{text}\n"
        return f"{self._paint(line.tone, mark) if mark else ''}{text}\n"

    def _plain(self, text: str) -> str:
        """Harmless, and within what the stream's encoding knows."""
        text = clean(text)
        if self._ascii:
            text = text.translate(_ASCII)
        return text.encode(self._encoding, "replace").decode(self._encoding)

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except BrokenPipeError:
            self._silent = True
            let_go(self._stream.fileno())
        except OSError:
            # A full disk or a terminal that hung up: this event is not shown, a later one may be.
            return


def let_go(descriptor: int) -> None:
    """Point a descriptor whose reader is gone at nothing, so that a last flush at exit stays quiet."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)


def _can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _unpainted(_tone: Tone, text: str) -> str:
    return text


def _painter() -> Callable[[Tone, str], str]:
    """Colours by meaning, in the terminal's own sixteen, so that light and dark both stay readable."""
    from rich.color import ColorSystem
    from rich.style import Style

    styles: dict[Tone, Style] = {tone: Style.parse(style) for tone, style in _STYLES.items()}

    def paint(tone: Tone, text: str) -> str:
        return styles[tone].render(text, color_system=ColorSystem.STANDARD)

    return paint
