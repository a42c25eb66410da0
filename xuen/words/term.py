"""One term, stripped of what surrounds and explains it. Pure.

Refuses what cannot be a word: text without a letter, too long, an address, a call, a path, a sentence. Words are
separated by commas (also full-width), `、`, semicolons, `|`, tabs, bullets and slashes between blanks, and by a blank
between Chinese ones; not by `/`, `+`, `-`, `=` and full stops within a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

LONGEST: Final = 60
"""Characters of the longest word; whatever is longer is a sentence."""
MOST_PARTS: Final = 6
"""Parts between blanks of the longest word."""
MOST_HAN: Final = 16
"""Chinese characters of the longest word."""

TRAILING: Final = " \t.,;:!?。，；：！？、…·'*_|\\"
"""What does not belong to a word at its end."""

SEPARATOR: Final = re.compile(
    r"[、，；;|｜\t]|,(?!\d)|(?<!\d),(?=\d)|\s[•·∙/]\s|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])"
)
EXPLANATION: Final = re.compile(
    r"：|:(?=\s|$|[\u4e00-\u9fff])|\s[-–—−]{1,3}\s|——|⸺|\s(?:=>|->|→|⇒|=)\s|→"
    r"|\s*（|(?<=[\u4e00-\u9fff])\(|\s\((?=[^()]*(?:\)\s*(?:$|[:：,，;；.–—-])|$))"
)
PAIRS: Final = (
    ("***", "***"), ("**", "**"), ("__", "__"), ("``", "``"), ("`", "`"), ("*", "*"), ("_", "_"),
    ('"', '"'), ("“", "”"), ("„", "“"), ("'", "'"), ("‘", "’"), ("「", "」"), ("『", "』"), ("《", "》"), ("〈", "〉"),
    ("«", "»"), ("【", "】"), ("[", "]"), ("(", ")"), ("（", "）"),
)  # fmt: skip
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_NO_TERM: Final = re.compile(
    r"\w+://|(?:\.{0,2}|[A-Za-z]:)[/\\][\w.-]+[/\\]|.*\(\)$|\[\d{4}-\d\d-\d\d|\{|.*:\d+:\d+\)?$"
)
"""Addresses, paths, calls, stamps of time, code, places in a file."""


def clean(text: str) -> str:
    """One word without what surrounds it; empty if nothing that could be a word is left."""
    text, before = " ".join(text.split()), ""
    while text != before:
        before = text
        text = _without_decoration(text).rstrip(TRAILING).lstrip(" \t#")
        for opening, closing in PAIRS:
            inner = text[len(opening) :]
            if text.startswith(opening) and inner.endswith(closing) and closing not in inner[: -len(closing)]:
                text = inner[: -len(closing)].strip()
                if opening == "`":
                    return text if can_be_a_word(text) else ""  # code is taken by the letter
            elif text.startswith(opening) and closing not in inner:
                text = inner.lstrip()  # its partner went with the punctuation, or never was there
        if text.endswith('"') and text.count('"') == 1:
            text = text[:-1]
    return text if can_be_a_word(text) else ""


def can_be_a_word(text: str) -> bool:
    """Whether a word may look like this."""
    return (
        any(each.isalpha() for each in text)
        and "\ufffd" not in text
        and not re.search("[\ud800-\udfff]", text)
        and len(text) <= LONGEST
        and len(text.split()) <= MOST_PARTS
        and len(_HAN.findall(text)) <= MOST_HAN
        and _NO_TERM.match(text) is None
    )


def emphasised_head(text: str) -> str | None:
    """What stands in bold or quotes at the start, if a separator, a note or nothing follows; else None."""
    for opening, closing in PAIRS:
        if not text.startswith(opening):
            continue
        end = text.find(closing, len(opening))
        if end <= len(opening):
            continue
        inner, rest = text[len(opening) : end], text[end + len(closing) :]
        if not rest.strip(TRAILING) or EXPLANATION.match(rest) or inner.endswith((":", "：")):
            return inner
    return None


def explained(text: str) -> tuple[str, str, str]:
    """The term, the sign after it and the explanation of `term: explanation`; a sign that opens a line is none."""
    match = EXPLANATION.search(text, 1)
    return (text[: match.start()], match[0].strip(), text[match.end() :]) if match else (text, "", "")


def is_whole(text: str) -> bool:
    """Whether bold or a bracket stands around the whole text, and it is no list in brackets."""
    for opening, closing in PAIRS:
        inner = text[len(opening) : -len(closing)]
        whole = text.startswith(opening) and text.endswith(closing) and inner and closing not in inner
        if whole and opening in ("***", "**", "【", "[", "(", "（") and inner[0] not in "\"'“‘":
            return True
    return False


def is_sentence(text: str) -> bool:
    """Whether it ends like a sentence and is too long, or too parted, for a word with a full stop."""
    if text.endswith(("。", "！", "？", "!", "?")):
        return len(text) > 10 or "，" in text
    return text.endswith(".") and len(text.split()) > 4


def is_list(text: str) -> bool:
    """Whether a text is words with separators between them, and no sentence that has commas."""
    pieces = [piece.strip() for piece in SEPARATOR.split(text.rstrip(" .。")) if piece.strip()]
    return len(pieces) > 1 and all(
        len(piece.split()) <= 3 and len(_HAN.findall(piece)) <= 8 and not _PROSE.match(piece) for piece in pieces
    )


_PROSE: Final = re.compile(
    r"(?:an?|the|in|of|to|on|at|by|for|with|from|into|that|which|who|what|how|when|where|if|so|as|but|it|its|they|this"
    r"|these|is|are|was|be|can|will|i|you|we|he|she)\b|让|把|被|使|用于|通过|以便|从而|并且?|而且?|但|因为|所以|是|可以?",
    re.IGNORECASE,
)


def _without_decoration(text: str) -> str:
    """The text without pictures at its end."""
    end = len(text)
    while end and (text[end - 1] in "\ufe0f\u200d " or unicodedata.category(text[end - 1]) == "So"):
        end -= 1
    return text[:end]


def unique(words: Iterable[str], known: Iterable[str] = ()) -> list[str]:
    """Each word once, without those that are known; alike apart from case, width and final punctuation is the same."""
    seen = {_key(word) for word in known}
    kept = []
    for word in words:
        if (key := _key(word)) not in seen:
            seen.add(key)
            kept.append(word)
    return kept


def _key(word: str) -> str:
    folded = unicodedata.normalize("NFKC", word).casefold()
    return " ".join(folded.split()).rstrip(TRAILING + '"') or folded
