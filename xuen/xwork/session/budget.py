"""How many tokens a message has, where no server has counted it: four bytes of UTF-8 each, and a few for its frame.

Bytes and not characters, because a Chinese character is most of a token and a Latin letter a quarter of one.
"""

from __future__ import annotations

from xuen.xwork.messages import Assistant, Message

ASSUMED_WINDOW = 128_000
"""Tokens of a context whose size is not known."""

_FRAME = 8


def tokens_of(message: Message) -> int:
    """An estimate, never 0."""
    size = _bytes(message.text)
    if isinstance(message, Assistant):
        size += sum(_bytes(call.name) + _bytes(call.arguments) + 4 * _FRAME for call in message.calls)
        size += len(message.replay)
    return _FRAME + size // 4


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
