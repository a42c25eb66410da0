"""What a command prints: texts in one language, coloured only for a terminal, JSON where a script asks.

Owns the last step to standard output. Always holds: nothing that a terminal would obey comes through from files and
agents; how the stream may fail is `TextOut`'s business.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal, TextIO

from xuen.cli.parser import Options
from xuen.texts import Language, Text
from xuen.ui.console import wants_colour
from xuen.ui.safe import clean
from xuen.ui.shown import shown
from xuen.ui.text_out import TextOut

Tone = Literal["plain", "title", "good", "bad", "wait", "muted", "added", "removed"]

_STYLES: dict[Tone, str] = {
    "plain": "none",
    "title": "bold cyan",
    "good": "green",
    "bad": "red",
    "wait": "yellow",
    "muted": "dim",
    "added": "green",
    "removed": "red",
}


class Output:
    """A stream for people; each line goes out at once."""

    def __init__(self, stream: TextIO, language: Language, *, colour: bool) -> None:
        self.language: Language = language
        self._out = TextOut(stream)
        self._colour = colour

    @classmethod
    def to(cls, stream: TextIO, language: Language, options: Options, environ: Mapping[str, str]) -> Output:
        """Output to a stream, with colour where it is a terminal and nobody asked for none."""
        return cls(stream, language, colour=not options.no_color and wants_colour(stream, environ))

    @property
    def trouble(self) -> OSError | None:
        """Why something could not be printed; a reader that left is no trouble."""
        return self._out.trouble

    def say(self, text: Text | str = "", tone: Tone = "plain", *, indent: str = "") -> None:
        """Print a text, which may have several lines, as far as `shown` lets it; `indent` goes before each."""
        whole = text.in_language(self.language) if isinstance(text, Text) else text
        lines = [indent + line if line else "" for line in clean(shown(whole, self.language)).split("\n")]
        self._out.write("".join(self._painted(line, tone) + "\n" for line in lines))

    def json(self, value: object) -> None:
        """Print one JSON value on one line, in ASCII, so that every encoding can carry it."""
        self._out.write(json.dumps(value) + "\n")

    def _painted(self, line: str, tone: Tone) -> str:
        if not self._colour or tone == "plain" or not line:
            return line
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(_STYLES[tone]).render(line, color_system=ColorSystem.STANDARD)
