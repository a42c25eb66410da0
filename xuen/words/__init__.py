"""Words: an agent's answer becomes words, a bank is made of them, and each round draws some."""

from xuen.words.answer import parse_words, unique
from xuen.words.bank import Ask, Bank, draw, make_bank, read_bank, set_bank_aside, write_bank

__all__ = ["Ask", "Bank", "draw", "make_bank", "parse_words", "read_bank", "set_bank_aside", "unique", "write_bank"]
