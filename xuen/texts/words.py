"""What stands at the head of words.txt."""

from __future__ import annotations

from xuen.texts import Text

BANK_HEADER = Text(
    "The word bank, one word a line; add, change and delete as you like.",
    "词库，每行一个词；可随意增删修改。",
)
