"""What people read, in English and Chinese side by side.

A `Text` is one message in both languages. Rooms keep their messages in a module of this package
(`texts.agent`, `texts.guard`, …); whoever shows a message to a person picks the language then,
so nothing below the faces needs to know it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "zh"]

# Compiled when it is first wanted, which takes longer than the rest of this import.
_HAN = r"[\u2e80-\u2fdf\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"


class Text:
    """One message in English and Chinese; immutable, compared by value.

    >>> Text("{n} words", "{n} 个词").of(n=3).in_language("zh")
    '3 个词'
    """

    __slots__ = ("en", "zh")
    en: str
    zh: str

    def __init__(self, en: str, zh: str) -> None:
        object.__setattr__(self, "en", en)
        object.__setattr__(self, "zh", zh)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Text is immutable: {name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and (self.en, self.zh) == (other.en, other.zh)

    def __hash__(self) -> int:
        return hash((self.en, self.zh))

    def __repr__(self) -> str:
        return f"Text({self.en!r}, {self.zh!r})"

    def of(self, **fields: object) -> Text:
        """This message with its `{fields}` filled in; a field may itself be a `Text`.

        Values are never read as format strings, so they may hold any braces.
        """
        return Text(
            self.en.format(**{key: _pick(value, "en") for key, value in fields.items()}),
            self.zh.format(**{key: _pick(value, "zh") for key, value in fields.items()}),
        )

    def in_language(self, language: Language) -> str:
        """The message as one string."""
        return self.zh if language == "zh" else self.en


def plain(text: str) -> Text:
    """A text that is the same in both languages: a name, a path, what a program said."""
    return Text(text, text)


def language_of(text: str) -> Language:
    """`zh` if the text contains Han characters, else `en` (what `language: auto` means)."""
    return "zh" if re.search(_HAN, text) else "en"


def language_here(environ: Mapping[str, str]) -> Language:
    """The language of the locale, for what is said where there is no text to tell it from."""
    chosen = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "")
    return "zh" if chosen.lower().startswith("zh") else "en"


def _pick(value: object, language: Language) -> object:
    return value.in_language(language) if isinstance(value, Text) else value
