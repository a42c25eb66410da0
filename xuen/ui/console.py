"""The plain console: every event as text, as it happens.

Owns what is written to a terminal, a file or a pipe when there is no screen. Refuses to read any text as markup,
and to print more of one text than `shown`. Without colour it never writes an ESC byte; with colour the only escapes
are its own. A reader that goes away (`xuen … | head`) silences it and nothing else: the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TextIO

from xuen.events import Event, Output, RunFinished
from xuen.texts import Language
from xuen.ui.safe import clean
from xuen.ui.shown import shown
from xuen.ui.telling import Line, Tone, tell
from xuen.ui.text_out import TextOut
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
        self._out = TextOut(stream)
        self._language: Language = language
        self._paint = _painter() if colour else _unpainted
        self._ascii = not self._out.knows("│─✓")
        self._view = View()
        self._begun = False

    def hear(self, event: Event) -> None:
        """Take note of an event without a word."""
        self._view = fold(self._view, event)

    def emit(self, event: Event) -> None:
        """Write the lines of one event and flush. Raises nothing when the stream is gone."""
        self.hear(event)
        lines = tell(event, self._view)
        text = "".join(self._line(line) for line in lines)
        if not text:
            return
        if self._begun and lines[0].tone == "title":
            text = "\n" + text  # rounds stand apart
        self._begun = True
        self._out.write(text)

    def _line(self, line: Line) -> str:
        mark = self._plain(line.mark.in_language(self._language))
        text = self._plain(shown(line.text.in_language(self._language), self._language))
        if line.tone == "agent":
            return f"{self._paint('muted', self._plain(_GUTTER))}{text}\n"
        return f"{self._paint(line.tone, mark) if mark else ''}{text}\n"

    def _plain(self, text: str) -> str:
        """Harmless, and without signs that a terminal of few characters lacks."""
        text = clean(text)
        return text.translate(_ASCII) if self._ascii else text


class LastWords:
    """A sink beside a screen: silent until the screen is gone, then it says how the run ended."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._finished: RunFinished | None = None

    def emit(self, event: Event) -> None:
        """Remember what the end needs to know."""
        if isinstance(event, RunFinished):
            self._finished = event
        elif not isinstance(event, Output):
            self._console.hear(event)

    def say(self) -> None:
        """Write the summary of the run, if it came to its end."""
        if self._finished is not None:
            self._console.emit(self._finished)


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
