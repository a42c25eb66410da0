"""How much of one text the console and the commands print: a section may have megabytes, a terminal has rows."""

from __future__ import annotations

from typing import Final

from xuen.prompt import shorten
from xuen.texts import Language
from xuen.texts import console as texts

SHOWN: Final = 20_000
"""Characters of one text: some 250 lines of 80, which a terminal still scrolls back to."""


def shown(text: str, language: Language) -> str:
    """The text; of one with more than `SHOWN` characters the head and the tail, and between them what is missing."""
    return shorten(text, SHOWN, language, texts.NOT_SHOWN)
