"""The part of a long text that people look at: its head and its tail.

What verifiers keep for people is one text whatever the language of the run, so their own words in it stand in both.
"""

from __future__ import annotations

from xuen.texts import Text
from xuen.texts.verify import LEFT_OUT

HEAD = 8 << 10  # characters
TAIL = 24 << 10  # characters; conclusions stand at the end


def excerpt(text: str) -> str:
    """The text, or its head and its tail with the number of characters that are missing between them."""
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n{in_both(LEFT_OUT.of(count=len(text) - HEAD - TAIL))}\n{text[-TAIL:]}"


def in_both(text: Text) -> str:
    """A text in both languages, once where they are the same."""
    return text.en if text.en == text.zh else f"{text.en} / {text.zh}"
