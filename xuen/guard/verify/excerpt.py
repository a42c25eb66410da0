"""The part of a long text that people look at: its head and its tail."""

from __future__ import annotations

HEAD = 8 << 10  # characters
TAIL = 24 << 10  # characters; conclusions stand at the end


def excerpt(text: str) -> str:
    """The text, or its head and its tail with the number of characters that are missing between them."""
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n… ({len(text) - HEAD - TAIL} characters)\n{text[-TAIL:]}"
