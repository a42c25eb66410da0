"""The forms in which judges write a score, one line at a time; pure.

Owns the vocabulary of labels (English, Chinese, some others), what may stand behind a number without making it
doubtful, and whole sentences that give a score. Refuses to read a number as a score because it is the only one.
Always: a `Claim` without a value is a line that speaks of the score but cannot be read with certainty.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import IntEnum


class Rank(IntEnum):
    """How plainly a claim says that its number is the verdict."""

    SAID = 1  # "I give it 7 out of 10", "[[7]]", "7/10" alone
    PLAIN = 2  # "score: 7"
    FINAL = 3  # "final score: 7"


@dataclass(frozen=True, slots=True)
class Claim:
    """A line that gives a score; `value` is 0 to 10, or None where the line cannot be read with certainty."""

    rank: Rank
    value: float | None


_FINALLY = r"(?:final|overall|total)"
_ENGLISH = rf"(?:(?:the|my|our|a)\s+)?(?:(?:{_FINALLY}|perfect|candidate(?:'s)?|new)\s+)*(?:score|rating)"
_CHINESE = (
    r"(?:我的|候选(?:版本|方案)?的?)?(?:最终|最后|总体|综合|整体|总)?(?:评分|得分|分数|打分)(?:结果)?|(?:最终)?总分"
)
_OTHERS = (
    r"(?:итоговый |общий )?балл|(?:итоговая |общая )?оценка|(?:最終|総合)?スコア|点数|(?:최종 )?점수|평점|"
    r"puntuación(?: final)?|calificación(?: final)?"
)
_LABEL = rf"(?:{_ENGLISH}|{_CHINESE}|{_OTHERS})"
_OF_TEN = r"(?:满分\s*[为是]?\s*10\s*分?|10\s*分制|0\s*[-~–]\s*10|0\s*到\s*10|(?:out\s+)?of\s+10|/\s*10)"
_LEAD = r"(?:(?:thus|so|therefore|hence|overall|in sum|综合来看|综合考虑|综上(?:所述)?|因此|所以|总之)\s*,?\s*)?"
_LABELLED = re.compile(
    rf"{_LEAD}(?P<label>{_LABEL})\s*(?:\({_OF_TEN}\)\s*)?(?::|=|\bis\b:?|[为是]:?|\s[–—]\s|(?<=\w)\s|(?=\d))\s*(?P<rest>.*)",
    re.IGNORECASE,
)
_FRACTION_LABEL = re.compile(r"(?:overall|total|verdict|总评|总体|综合)\s*:\s*(?P<rest>.*)", re.IGNORECASE)
_LIST_MARK = re.compile(r"^(?:#{1,6}|[-*+•]|\d{1,2}[.)])\s+(?!$)")
_EMPHASIS = re.compile(r"`|__|\*\*|(?<!\d)\*|\*(?!\d)")
_TAGGED = re.compile(rf"<({_LABEL})>(.*)</\1>", re.IGNORECASE)
_FRAMED = re.compile(rf"(?:【({_LABEL})】|「({_LABEL})」)\s*:?\s*", re.IGNORECASE)
_HEADING = re.compile(rf"{_LABEL}\s*:?", re.IGNORECASE)
_IS_FINAL = re.compile(rf"{_FINALLY}|最终|最后|总|综合|整体|итог|общ|최종|最終|総合", re.IGNORECASE)

NUMBER = r"(?:10(?:\.0{1,6})?|\d(?:\.\d{1,6})?)(?![\d%])"
TENTHS = r"(?:/\s*10(?:\.0{1,2})?(?!\d|[./]\d)|out\s+of\s+(?:10|ten)\b)"
_WORDS = {
    word: float(value)
    for names in (
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
        "零一二三四五六七八九十",
    )
    for value, word in enumerate(names)
}
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_VALUE = re.compile(
    rf"(?P<open>\[\[?|【)?(?:(?P<number>{NUMBER})|(?P<word>{_WORD})(?![a-z]))(?(open)(?:\]\]?|】))"
    rf"\s*(?P<tenths>{TENTHS})?\s*(?P<unit>分|points?\b|pts\b)?(?P<tail>.*)",
    re.IGNORECASE,
)
_SCALE_NOTE = re.compile(rf"\s*\(\s*{_OF_TEN}\s*\)")
_NOTE = re.compile(r"[,;:.。(]|[-–—]+\s")
_HEDGE = re.compile(
    r"\d|[½¼¾]|\b(?:if|unless|provided|assuming|would|could|might|should|maybe|perhaps|or|minus|less|instead|lower|higher"
    r"|otherwise|except|at\s+(?:most|least|best)|zero|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|\((?:for\s+)?(?:the\s+)?(?:current\s+|previous\s+)?(?:best|baseline)\b|\bself\b|\bclaim|\bas\s+(?:it|they|the\s+(?:candidate|artifact|author|text|prompt)|asked|told|instructed|requested|demanded|quoted)\b"
    r"|\b(?:not|ignore|disregard|joke|joking|kidding|quote[ds]?)\b|%|\bpercent|\bstars?\b"
    r"|\((?:当前)?(?:最佳|基线)|自评|百分|星|要求|声称|不是|作废|玩笑|忽略|如果|若|假如|除非|前提|可能|也许|或|减|改为|改成|应该|应为|原为|[零一两二三四五六七八九十]分|\?",
    re.IGNORECASE,
)
_NUMERAL = re.compile(
    rf"\d|[{''.join(w for w in _WORDS if not w.isascii())}]|\b(?:{'|'.join(w for w in _WORDS if w.isascii())})\b",
    re.IGNORECASE,
)

_ALONE = re.compile(rf"(?:(?P<open>\[\[)(?P<boxed>{NUMBER})\]\]|(?P<number>{NUMBER})\s*(?:{TENTHS}\s*分?|分))[.。!]*")
_BARE = re.compile(rf"(?P<number>{NUMBER})[.。]?")
_BRACKETED = re.compile(rf"\[\[({NUMBER})\]\]|\\boxed\{{({NUMBER})\}}")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？;；]")
_GIVEN_ENGLISH = re.compile(
    rf"{_LEAD}(?:i|we)(?:'d|'ll|\s+would|\s+will)?\s+(?:rate|give|score|assign|award)\s+"
    r"(?:(?:this|it|the\s+candidate|this\s+candidate|the\s+new\s+version|this\s+version)\s+)?(?:(?:as|at|with)\s+)?(?:an?\s+)?"
    rf"(?:(?P<of>score\s+of|rating\s+of)\s+)?(?P<number>{NUMBER})\s*(?P<tenths>{TENTHS})?",
    re.IGNORECASE,
)
_GIVEN_CHINESE = re.compile(
    rf"(?:(?:综合考虑|综合来看|综上(?:所述)?|因此|所以|总之|最终|满分\s*10\s*分)\s*,?\s*)*我?(?:给|打|评)(?:出|为)?"
    rf"(?:(?:这个|该|此)?(?:候选|它|版本|方案)(?:版本|方案)?)?(?:打|评|给)?(?:出|为)?\s*(?P<number>{NUMBER})\s*(?:分|/\s*10分?)"
)
_RIVAL_NUMBER = re.compile(r"(?:\b(?:best|baseline|previous)\b|最佳|基线)[^.。]{0,30}\d", re.IGNORECASE)


def undress(line: str) -> str:
    """A line without list marks, headings, emphasis, frames and tags around its words."""
    text = line.strip()
    if text.startswith("|") and text.endswith("|") and text.count("|") == 3:
        text = ": ".join(cell.strip() for cell in text.strip("|").split("|"))
    text = text if text[:1].isalpha() else _LIST_MARK.sub("", text)
    text = _EMPHASIS.sub("", text).strip()
    if text.startswith("<") and (tagged := _TAGGED.fullmatch(text)):
        return f"{tagged[1]}: {tagged[2].strip()}"
    return _FRAMED.sub(r"\1\2: ", text) if text[:1] in "【「" else text


def labelled(text: str) -> Claim | None:
    """The claim of an undressed line with a label in front, if it is one."""
    found = _LABELLED.fullmatch(text)
    if found:
        rank = Rank.FINAL if _IS_FINAL.search(found["label"]) else Rank.PLAIN
        rest = found["rest"]
        return Claim(rank, value_of(rest)) if _NUMERAL.search(rest) else None
    fraction = _FRACTION_LABEL.fullmatch(text)
    if fraction and re.match(rf"{NUMBER}\s*(?:{TENTHS}|分)", fraction["rest"]):
        return Claim(Rank.FINAL, value_of(fraction["rest"]))
    return None


def may_claim(text: str) -> bool:
    """Whether a line holds a number at all, so that the closer look is worth its time."""
    return _NUMERAL.search(text) is not None


def label_rank(key: str) -> Rank | None:
    """The rank of a key that is nothing but a label: `score`, `final_score`, `评分`."""
    name = key.strip().replace("_", " ")
    if not re.fullmatch(_LABEL, name, re.IGNORECASE):
        return None
    return Rank.FINAL if _IS_FINAL.search(name) else Rank.PLAIN


def heading_rank(text: str) -> Rank | None:
    """The rank of an undressed line that is nothing but a label, so that the next line may hold the number."""
    return label_rank(text.rstrip(": ")) if _HEADING.fullmatch(text) else None


def value_of(rest: str) -> float | None:
    """The number behind a label when nothing behind the number makes it doubtful."""
    found = _VALUE.fullmatch(rest.strip())
    if not found or not _harmless(found["tail"]):
        return None
    return float(found["number"]) if found["number"] else _WORDS[found["word"].lower()]


def alone(text: str) -> float | None:
    """The number of a line that is only `8/10`, `8分` or `[[8]]`."""
    found = _ALONE.fullmatch(text)
    return float(found["number"] or found["boxed"]) if found else None


def bare(text: str) -> float | None:
    """The number of a line that is only a number."""
    found = _BARE.fullmatch(text)
    return float(found["number"]) if found else None


def said(text: str) -> list[Claim]:
    """The claims that a line's sentences make without a label."""
    if _RIVAL_NUMBER.search(text):
        return []
    claims = [Claim(Rank.SAID, float(a or b)) for a, b in _BRACKETED.findall(text)]
    for sentence in _SENTENCE_END.split(text.replace("’", "'")):
        words = sentence.strip()
        english = _GIVEN_ENGLISH.fullmatch(words)
        if english and (english["of"] or english["tenths"]):
            claims.append(Claim(Rank.SAID, float(english["number"])))
        elif chinese := _GIVEN_CHINESE.fullmatch(words):
            claims.append(Claim(Rank.SAID, float(chinese["number"])))
    return claims


def _harmless(tail: str) -> bool:
    """Whether what follows a number leaves it as it is: nothing, an end of sentence, a symbol, a note in words."""
    tail = _SCALE_NOTE.sub("", tail, count=1).rstrip()
    if all(char in ".。! " or unicodedata.category(char) == "So" for char in tail):
        return True
    return _NOTE.match(tail) is not None and not _HEDGE.search(tail)
