"""From an agent's answer to the words that it lists. Pure.

The prompt asks for one form: a line `WORDS <nonce>` and then one JSON array of strings. The nonce belongs to one call,
so nothing else that an agent prints (banners, logs, its thoughts, the prompt itself) can be taken for the list.
A program without a model may print one term a line instead. Such an answer counts only as a whole: when at least
`TERM_SHARE` of its lines look like terms.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

LONGEST: Final = 60
"""Characters of the longest word."""
MOST_PARTS: Final = 6
"""Parts between blanks of the longest word."""
MOST_HAN: Final = 16
"""Chinese characters of the longest word."""
MOST_LINES: Final = 2_000
"""Lines of the longest plain list: ten times the largest bank that the example configuration suggests."""
TERM_SHARE: Final = 0.8

_ARRAY: Final = r"WORDS[ \t]+NONCE[\s:：*_`]*(?:json)?\s*(?=\[)"
_TRAILING: Final = " .,;:!?。，；：！？、…"
_MARK: Final = re.compile(r"\s*(?:[-+*•·–◦▪●]\s|[①-⑳]|[\[(（]?\d{1,3}[\])）.．、:：]+)?\s*")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_TERM: Final = re.compile(r"\w(?:[\w /&.'’+#^-]|–)*", re.UNICODE)
_NO_TERM: Final = re.compile(
    r"\d{3}|\bv\d|\s[-–/&+.]\s|\w[.]\s|/\w+/|[\u3400-\u9fff]\s+[\u3400-\u9fff]|_$|\bin\s?\d|\b(?:is|are|was|not)\b"
)
"""A status code, a version, an explained term, a sentence, a path, several Chinese terms, a duration, a verb."""
_TALK: Final = re.compile(
    r"(?:yes|no|ok(?:ay)?|sure|done|thanks?|hi|hello|here|this|that|these|i|we|you|it|is|are|please|let|hope|note|none|"
    r"user|assistant|system|error|failed|warning|usage|thinking|killed|loaded|loading|connected|keywords?|terms?|words?)\b"
    r"|(?:好|是|已|没有|以下|这|希望|抱歉|对不起|请|关键词|词|术语|错误|失败|警告|系统|用户|助手|思考)",
    re.IGNORECASE,
)


def parse_words(answer: str, nonce: str = "") -> list[str]:
    """The words in an agent's answer, in order, each once; `nonce` is that of the call, empty for none."""
    listed = _array(answer, nonce) if nonce else None
    return unique(_plain_list(answer) if listed is None else (_trimmed(word) for word in listed))


def _array(answer: str, nonce: str) -> list[str] | None:
    """The strings of the last array in the form that the prompt asks for; None where there is none."""
    for mark in reversed(list(re.finditer(_ARRAY.replace("NONCE", re.escape(nonce)), answer))):
        try:
            value, _ = json.JSONDecoder().raw_decode(answer, mark.end())
        except (ValueError, RecursionError):
            continue
        return [word for word in value if isinstance(word, str)]
    return None


def _plain_list(answer: str) -> list[str]:
    """The terms of an answer with one term a line; empty where too many lines are something else."""
    lines = answer.strip().splitlines()
    if len(lines) > MOST_LINES:
        return []
    terms = [term for line in lines if (term := _term(line))]
    return terms if len(terms) >= TERM_SHARE * len(lines) > 0 else []


def _term(line: str) -> str:
    """The term of a line, without bullet or number; empty for what reads like anything else."""
    text = line[_MARK.match(line).end() :].strip()  # type: ignore[union-attr]  # it matches nothing at least
    fits = _TERM.fullmatch(text) and not _NO_TERM.search(text) and not _TALK.match(text)
    return _trimmed(text) if fits else ""


def _trimmed(text: str) -> str:
    """A word without blanks and punctuation around it; empty if it cannot be one."""
    word = " ".join(text.split()).rstrip(_TRAILING).lstrip("#")
    return word if can_be_a_word(word) else ""


def can_be_a_word(text: str) -> bool:
    """Whether `text` is short, holds a letter, and can be stored as one line of UTF-8."""
    return (
        any(char.isalpha() for char in text)
        and "\ufffd" not in text
        and not any(unicodedata.category(char) in ("Cs", "Cc", "Cf") for char in text)
        and len(text) <= LONGEST
        and len(text.split()) <= MOST_PARTS
        and len(_HAN.findall(text)) <= MOST_HAN
    )


def unique(words: Iterable[str], known: Iterable[str] = ()) -> list[str]:
    """Each word once, without empty and known ones; case, width and final punctuation make no difference."""
    seen = {_key(word) for word in known} | {""}
    kept = []
    for word in words:
        if (key := _key(word)) not in seen:
            seen.add(key)
            kept.append(word)
    return kept


def _key(word: str) -> str:
    folded = unicodedata.normalize("NFKC", word).casefold()
    return " ".join(folded.split()).rstrip(_TRAILING) or folded
