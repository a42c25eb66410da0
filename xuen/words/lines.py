"""What each line of an answer is: an item with a mark or without, a heading, or talk. Pure.

The answer as a whole is `answer`'s concern. What always holds: a line that counts as talk is talk for a reader too,
whatever the other lines are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from xuen.words.term import explained, is_list

Kind = Literal["", "number", "letter", "han", "bullet", "quote", "heading"]

_NUMBER: Final = re.compile(
    r"[(（\[【]\s*\d{1,4}\s*[)）\]】]\s*[.:：、]?\s*"  # (1) （1） [1]
    r"|(?:\*\*|__)\d{1,4}[.)、]?(?:\*\*|__)[.)]?\s+"  # **1.** a
    r"|\d{1,4}\s*(?:[)）\]、．。：]|\.(?!\d)|\\[.)]|:(?=\s))\s*"  # 1. 1) 1、 1\. but neither 1.5 nor 1:1
    r"|\d{1,4}\s+[-–—]\s+"  # 1 - a, but not 2-SAT
    r"|#\d{1,4}[.:)]?\s+"
    r"|\d\ufe0f?\u20e3\s*"
    r"|第\s*\d{1,4}\s*[个条项]?\s*[:：、.]\s*"
    r"|[①-⒛⓪-⓿❶-➓]\s*[.、:：)）]?\s*"
)
_HAN_NUMBER: Final = re.compile(
    r"[(（\[【]\s*[一二三四五六七八九十百]{1,4}\s*[)）\]】]\s*[.:：、]?\s*"
    r"|[一二三四五六七八九十百]{1,4}\s*[、．.)）]\s*"
    r"|[㈠-㈩㊀-㊉]\s*"
)
_LETTER: Final = re.compile(r"[a-zA-Z]\)\s*|[(（][a-zA-Z][)）]\s*")
_BULLET: Final = re.compile(r"\[[ xX]?\]\s*|[-+–—−•·∙●○◦▪▫■□‣⁃►▶★☆✓✔※◆◇➤]+\s*|\*(?!\*)\s+|\*(?=[^*\s]+$)")
_QUOTE: Final = re.compile(r">+\s*")
_HEADING: Final = re.compile(r"#{1,6}\s+|#{1,6}(?=[^\s#\d])|([=~*_-])\1+\s+(?=.*\1\1$)")
_MARKS: Final[Sequence[tuple[Kind, re.Pattern[str]]]] = (
    ("number", _NUMBER),
    ("han", _HAN_NUMBER),
    ("letter", _LETTER),
    ("bullet", _BULLET),
    ("quote", _QUOTE),
    ("heading", _HEADING),
)
_INLINE: Final = re.compile(r"(?:^|(?<=\s))\(?(\d{1,4})[.)、．](?!\d)\s*")
_COUNTED: Final = re.compile(r"\s*0*(\d{1,4})\s+(?=\S)")

LABEL: Final = re.compile(
    r"(?:(?:the|new|more|key|related|additional|final|inspiration|research|terms?|words?|key\s?words?|list|answer|output"
    r"|and|or|here|are|is|my)\s*)+\d*"
    r"|(?:新|更多|相关|灵感|研究|领域|输出|答案|回答|结果|最终|关键词|关键字|术语|词汇|词语|词|词表|词库|列表|和|与|的|或|/|及)+",
    re.IGNORECASE,
)
"""A head that names what follows it, `Keywords: …`."""
_REMARK: Final = re.compile(
    r"(?:explanation|why|reason|note|example|meaning|field|tip|说明|解释|理由|原因|含义|例如?|领域|备注|提示)",
    re.IGNORECASE,
)
_MESSAGE: Final = re.compile(
    r"(?:\w*(?:error|warning|exception|fatal|panic|traceback|failed|failure)\b[^:]{0,40}|(?:\w+ )?error)\s*:"
    r"|\w*(?:Error|Exception|Warning):|Traceback \(|goroutine \d|ERROR\s|WARN(?:ING)?\s|FATAL\s"
    r"|[\w./-]+: (?:.*\W)?not found$|at \S+ \(|File \"|\[?API Error"
    r"|.{0,8}(?:错误|警告|异常|失败)\s*[:：]",
)
SMALL_TALK: Final = re.compile(
    r"(?:sure|certainly|of course|okay|ok|great|absolutely|yes|no problem|got it|done)(?:[,.!:]|$)"
    r"|note:|(?:here (?:are|is)|here's|here’s|below (?:are|is)|the following|these (?:are|words|terms|keywords)"
    r"|this (?:is|list)|i hope|i've|i have|i will|i'll|i can|i'm|i am|i do|i don't|i cannot"
    r"|hope (?:this|these|that|it)|let me|feel free"
    r"|note that|please|as an ai|as requested|if you|do you|would you|we (?:can|need|are)|in summary|in conclusion)\b"
    r"|(?:好的?|当然(?:可以)?|没问题|可以|明白|收到|完毕)(?:[，,。!！:：]|$)"
    r"|以下(?:是|为|列|给|就|内容|[^，。]{0,8}(?:词|术语|列表|清单))|以下[:：]|下面(?:是|列|给|为)|上述|以上(?:是|为|就|均|都|词|术)"
    r"|这(?:是|里是|些(?:词|术语|关键词|都|可))|希望(?:这|有|对|能|可以|您|你|以上)|祝您?|让我"
    r"|如果?(?:您|你|需|有|还)|请(?:注意|告诉|问|随时|您|你|参考)|如需|总共(?=\s*\d|有|计)|共\s*\d+|注[:：]|注意[:：]"
    r"|已(?:避开|为您|为你|排除|去除|生成|列出|完成|整理)|我(?:会|将|们(?!的)|可以|已)|[^，。]{0,12}如下[:：]?$",
    re.IGNORECASE,
)
FAILURE: Final = re.compile(
    r"\b(?:errors?|failed|failure|invalid|exceeded|quota|rate limit|usage limit|balance|unauthori[sz]ed|forbidden"
    r"|denied|unavailable|unable|cannot|can't|not found|not logged in|log ?in|please|retry|retrying|timed? ?out|killed"
    r"|aborted|terminated|sorry|segmentation fault)\b"
    r"|抱歉|对不起|失败|错误|超时|繁忙|稍后|重试|余额|登录|无法|不能|未授权|异常|中止|人数过多",
    re.IGNORECASE,
)
"""What an agent says when it could not answer."""
_ELLIPSIS: Final = re.compile(r"(?:\.{3}|…+)[)\]）】\"”']*$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its `text` without its mark, of what `kind` that was, and the paragraph that it stands in."""

    text: str
    kind: Kind
    paragraph: int
    last: bool  # of its paragraph

    @property
    def head(self) -> tuple[str, str, str]:
        """As `term.explained`."""
        return explained(self.text)


def lines_of(raw: Sequence[str]) -> list[Line]:
    """The lines that hold anything, messages and talk left out."""
    raw = _without_traces(_uncounted([part for line in raw for part in _counted_parts(line)]))
    found: list[Line] = []
    paragraph = 0
    for place, line in enumerate(raw):
        if not line.strip():
            paragraph += 1
            continue
        text, kind = without_marks(line.strip())
        last = place + 1 == len(raw) or not raw[place + 1].strip()
        if any(each.isalnum() for each in text) and not is_talk(text):
            found.append(Line(text, kind, paragraph, last))
    return found


def is_talk(text: str) -> bool:
    """Whether a line without its marks addresses the reader or reports an error."""
    head, sign, rest = explained(text)
    head = head.strip()
    names_a_list = sign in (":", "：") and is_list(rest)  # Here are the terms: a, b, c
    return (
        (SMALL_TALK.match(text) is not None and not names_a_list)
        or _MESSAGE.match(text) is not None
        or _ELLIPSIS.search(text) is not None
        or (head != text and _REMARK.fullmatch(head) is not None)
    )


def without_marks(text: str) -> tuple[str, Kind]:
    """The text behind its numbers and bullets (`- 1. `), and the first kind of them."""
    first: Kind = ""
    for _ in range(4):
        kind, length = _mark(text)
        if not kind or length == len(text):
            break
        text, first = text[length:], first or kind
    return text, first


def _mark(text: str) -> tuple[Kind, int]:
    for kind, pattern in _MARKS:
        if match := pattern.match(text):
            return kind, match.end()
    length = 0
    while length < len(text) and (unicodedata.category(text[length]) in ("So", "Sm") or text[length] == "\ufe0f"):
        length += 1
    blanks = len(text[length:]) - len(text[length:].lstrip())
    return ("bullet", length + blanks) if length and blanks else ("", 0)


def _counted_parts(line: str) -> list[str]:
    """The parts of a line that counts its own words: `1. a 2. b 3. c`."""
    marks = list(_INLINE.finditer(line))
    numbers = [int(mark[1]) for mark in marks]
    if (
        len(marks) < 2
        or line[: marks[0].start()].strip()
        or numbers != list(range(numbers[0], numbers[0] + len(marks)))
    ):
        return [line]
    ends = [mark.start() for mark in marks[1:]] + [len(line)]
    return [line[mark.start() : end].strip() for mark, end in zip(marks, ends, strict=True)]


def _uncounted(raw: Sequence[str]) -> list[str]:
    """Numbers with nothing but a blank behind them come off where they count the lines."""
    counted = [(place, match) for place, line in enumerate(raw) if (match := _COUNTED.match(line))]
    numbers = [int(match[1]) for _, match in counted]
    lines = list(raw)
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        for place, match in counted:
            lines[place] = raw[place][match.end() :]
    return lines


def _without_traces(raw: Sequence[str]) -> list[str]:
    """The lines without what a program prints when it breaks down, up to the end of that paragraph."""
    kept: list[str] = []
    broken = False
    for line in raw:
        broken = bool(line.strip()) and (broken or line.startswith(("Traceback (", "goroutine ")))
        if not broken:
            kept.append(line)
    return kept
