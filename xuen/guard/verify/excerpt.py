"""The part of a long text that people look at: its head and its tail."""

from __future__ import annotations

from xuen.texts import Language
from xuen.texts.verify import LEFT_OUT

HEAD = 8 << 10  # characters
TAIL = 24 << 10  # characters; conclusions stand at the end


def excerpt(text: str, language: Language) -> str:
    """The text, or its head and its tail with the number of characters that are missing between them."""
    if len(text) <= HEAD + TAIL:
        return text
    gap = LEFT_OUT.of(count=len(text) - HEAD - TAIL).in_language(language)
    return f"{text[:HEAD]}\n{gap}\n{text[-TAIL:]}"
