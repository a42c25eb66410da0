"""The word bank: what an agent answered becomes words, and words are drawn from it.

Owns reading messy answers (numbering, bullets, bold, quotes, explanations, small talk, reasoning, JSON, tables), the
file words.txt, and the draw. Knows no agent: `make_bank` asks through a callable. The draw calls no model, ever.

What always holds: no word is empty, holds a newline or begins with `#`, and no two are the same apart from case,
width and final punctuation; of those the first spelling stays. The policy for one line with several words: commas
(also full-width), `、`, semicolons, `|` and tabs part words; `/`, `+`, `-`, `=` and full stops within a word do not.
What reads like a sentence is not a word.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from random import Random

from xuen.files.aside import keep_aside
from xuen.files.durable import create_bytes, write_bytes
from xuen.files.regular import NotAFile, read_regular
from xuen.texts.words import BANK_HEADER
from xuen.thinking import without_thinking

Ask = Callable[[int, Sequence[str]], str | None]
"""Asks for so many words beyond the known ones; the answer, or None when the call failed."""

LONGEST = 60
"""Characters of the longest word; whatever is longer is a sentence."""
MOST_PARTS = 6
"""Parts between blanks of the longest word."""
MOST_HAN = 16
"""Chinese characters of the longest word."""

_HTML = re.compile(r"</?(?:li|ul|ol|p|br|b|strong|em|i|span|div|code)\s*/?>", re.IGNORECASE)
_FENCED = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)^[ \t]*(?:```|~~~)[ \t]*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]\n]+)\]\([^()\s]+\)")
_TABLE_HEAD = re.compile(r"^[ \t]*\|[^\n]*\n(?=[ \t]*\|?[ \t]*:?-{2,}[-:| \t]*$)", re.MULTILINE)
_FENCE = re.compile(r"^\s*(?:```|~~~)")

_BULLET = re.compile(r"\[ ?\]\s*|[-+–—−•·∙◦▪▫●○■□‣⁃►▶★☆✓✔※>]+\s*|\*(?!\*)\s+|\*(?=[^*\s]+$)|#{1,6}\s*")
_NUMBER = re.compile(
    r"[(（\[【]\s*(?:\d{1,4}|[一二三四五六七八九十百]{1,4}|[a-zA-Z])\s*[)）\]】]\s*[.:：、]?\s*"  # (1) （一） [1]
    r"|\d{1,4}\s*(?:[)）\]、．。]|\.(?!\d)|[:：](?=\s))\s*"  # 1. 1) 1、 but neither 1.5 nor 1:1
    r"|\d{1,4}\s+[-–—]\s+"  # 1 - a, but not 2-SAT
    r"|[一二三四五六七八九十百]{1,4}\s*[、．.)）]\s*"
    r"|[a-zA-Z]\)\s*"
    r"|[①-⒛⓪-⓿❶-➓㈠-㈩㊀-㊉]\s*[.、:：)）]?\s*"
)
_PAIRS = (
    ("**", "**"), ("__", "__"), ("``", "``"), ("`", "`"), ("*", "*"), ("_", "_"),
    ('"', '"'), ("“", "”"), ("„", "“"), ("'", "'"), ("‘", "’"), ("「", "」"), ("『", "』"), ("《", "》"), ("〈", "〉"),
    ("«", "»"), ("【", "】"), ("[", "]"), ("(", ")"), ("（", "）"),
)  # fmt: skip
_EXPLANATION = re.compile(
    r"：|:(?=\s|$|[\u4e00-\u9fff])|\s[-–—−]{1,3}\s|——|⸺|\s(?:=>|->|→|⇒|=)\s|→"
    r"|\s*（|(?<=[\u4e00-\u9fff])\(|\s\("
)
_SEPARATOR = re.compile(r"[、，；;|｜\t]|,(?!\d)|(?<!\d),(?=\d)")
_LABEL = re.compile(
    r"(?:(?:the|new|more|key|related|additional|inspiration|research|terms?|words?|key\s?words?|list|answer|output|and|or"
    r"|here|are|is|my)\s*)+"
    r"|(?:新|更多|相关|灵感|研究|领域|输出|答案|回答|结果|关键词|关键字|术语|词汇|词语|词|词表|词库|列表|和|与|的|或|/|及)+",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"(?:sure|certainly|of course|okay|ok|great|absolutely|yes|no problem)(?:[,.!:]|$)"
    r"|note:|(?:here (?:are|is)|here's|here’s|below (?:are|is)|the following|these (?:are|words|terms|keywords)"
    r"|this (?:is|list)|i hope|i've|i have|i will|i'll|i can|hope (?:this|these|that|it)|let me|feel free|note that"
    r"|please|as an ai|if you|do you|would you|we (?:can|need|are)|in summary|in conclusion)\b"
    r"|(?:好的?|当然(?:可以)?|没问题|可以|明白)(?:[，,。!！:：]|$)"
    r"|以下|下面(?:是|列|给|为)|上述|以上|这(?:是|里是|些(?:词|术语|关键词|都|可))|希望(?:这|有|对|能|可以|您|你|以上)|祝您?"
    r"|如果?(?:您|你|需|有|还)|请(?:注意|告诉|问|随时|您|你|参考)|如需|总共|共\s*\d+|注[:：]|注意[:：]|我(?:会|将|们|可以|已)",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2060\ufeff]")
_TRAILING = " \t.,;:!?。，；：！？、…·\"'`*_|\\"


def parse_words(answer: str) -> list[str]:
    """The words in an agent's answer, in order, each once."""
    text = without_thinking(_CONTROL.sub("", answer))
    listed = _json_words(text)
    if listed is not None:
        return unique(word for each in listed if (word := _clean(each)))
    lines = _TABLE_HEAD.sub("", _LINK.sub(r"\1", _HTML.sub("\n", text))).splitlines()
    return unique(word for line in lines if not _FENCE.match(line) for word in _line_words(line))


def unique(words: Iterable[str], known: Iterable[str] = ()) -> list[str]:
    """Each word once, without those that are known; alike apart from case, width and final punctuation is the same."""
    seen = {_key(word) for word in known}
    kept = []
    for word in words:
        if (key := _key(word)) not in seen:
            seen.add(key)
            kept.append(word)
    return kept


def draw(bank: Sequence[str], pick: int, random: Random) -> tuple[str, ...]:
    """`pick` different words at random; a pick larger than the bank draws all of it, in random order."""
    return tuple(random.sample(list(bank), min(pick, len(bank))))


def make_bank(
    ask: Ask,
    count: int,
    batch: int,
    *,
    known: Sequence[str] = (),
    progress: Callable[[Sequence[str]], None] | None = None,
) -> list[str]:
    """Ask batch after batch until there are `count` words, a batch brings no new one, or a call fails.

    `known` are words to begin with. `progress` gets all words after each batch that brought some.
    What was found before a failure is returned; the caller tells an empty bank from a short one.
    """
    words = list(known)
    while len(words) < count:
        answer = ask(min(batch, count - len(words)), tuple(words))
        new = unique(parse_words(answer or ""), words)[: count - len(words)]
        if not new:
            break
        words += new
        if progress is not None:
            progress(tuple(words))
    return words


# --- words.txt -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bank:
    """The words of a words.txt and the mark of the task that they were made for (None in a file made by hand)."""

    words: tuple[str, ...]
    mark: str | None

    def suits(self, task: str) -> bool:
        """Whether it may be used for this task; a bank without a mark is somebody's own and suits every one."""
        return self.mark is None or self.mark == _mark(task)


def read_bank(path: Path) -> Bank | None:
    """The bank on disk; None when there is no file. Comments and blank lines are skipped, bytes not in UTF-8 too.

    Raises:
        OSError: the file is there and cannot be read.
    """
    try:
        text = read_regular(path).decode("utf-8-sig", "replace")
    except FileNotFoundError:
        return None
    lines = [line.strip() for line in text.split("\n")]
    marks = [line.removeprefix(_MARK).split(" ")[0] for line in lines if line.startswith(_MARK)]
    words = unique(line for line in lines if line and not line.startswith("#") and "\ufffd" not in line)
    return Bank(tuple(words), marks[0] if marks else None)


def write_bank(path: Path, words: Sequence[str], task: str) -> None:
    """Put the bank on disk in one piece, with the task that it was made for.

    Raises:
        OSError: the old file stands.
    """
    title = " ".join(task.split())[:80]
    head = [f"# {BANK_HEADER.en} / {BANK_HEADER.zh}", f"{_MARK}{_mark(task)} {title}"]
    write_bytes(path, ("\n".join([*head, *words]) + "\n").encode("utf-8", "replace"))


def set_bank_aside(path: Path, now: datetime) -> Path | None:
    """Keep a copy of the bank as `words-<UTC>.txt` beside it before a new one takes its place; None without a bank.

    Somebody may have written into it; that is theirs and is not dropped. What is no file is renamed.

    Raises:
        OSError: no copy was made.
    """
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return None
    except NotAFile:
        return keep_aside(path, now)
    stem = f"{path.stem}-{now.astimezone(UTC):%Y%m%d-%H%M%S}"
    for number in count(1):
        kept = path.with_name(f"{stem}{path.suffix}" if number == 1 else f"{stem}-{number}{path.suffix}")
        with suppress(FileExistsError):
            create_bytes(kept, data)
            break
    return kept


_MARK = "# xuen-task: "


def _mark(task: str) -> str:
    return hashlib.sha256(task.strip().encode("utf-8", "replace")).hexdigest()[:16]


# --- one answer ------------------------------------------------------------------------------------------------------


def _json_words(text: str) -> list[str] | None:
    """The strings of a JSON list, also inside an object or a code fence, with small talk around it; None if none."""
    fenced = _FENCED.findall(text)
    bare = text[text.find("[") : text.rfind("]") + 1]
    for piece in [*fenced, text, bare]:
        try:
            value = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        words = _strings(value)
        if words:
            return words
    return None


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list)]
        value = lists[0] if lists else []
    if not isinstance(value, list):
        return []
    found = []
    for each in value:
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict):
            found += [inner for inner in each.values() if isinstance(inner, str)][:1]
    return found


def _line_words(line: str) -> list[str]:
    """The words of one line of plain text."""
    text, marked = _without_marker(line.strip())
    if not text or _SMALL_TALK.match(text):
        return []
    if text.startswith(("|", "｜")):
        return _row_words(text)
    text = _without_explanation(text, marked)
    if _is_sentence(text):
        return []
    cleaned = [_clean(piece) for piece in _SEPARATOR.split(text)]
    return [word for word in cleaned if word]


def _row_words(row: str) -> list[str]:
    """The first cell of a table's row that could be a word."""
    cells = [_clean(_without_explanation(cell.strip(), True)) for cell in re.split("[|｜]", row) if cell.strip()]
    return [cell for cell in cells if cell][:1]


def _without_explanation(text: str, marked: bool) -> str:
    """The term of `term: explanation`, the list of `Keywords: list`, nothing of `What follows:`."""
    emphasised = _unwrapped_head(text)
    if emphasised is not None:
        return emphasised
    head, sign, rest = _split(_EXPLANATION, text)
    if sign.strip() in {":", "："}:
        if _LABEL.fullmatch(head.strip()):
            return rest
        if not rest.strip() and not marked:
            return ""
    return head if head.strip() else text


def _without_marker(text: str) -> tuple[str, bool]:
    """The line behind its numbers and bullets (`- 1. `), and whether there were any."""
    marked = False
    for _ in range(4):
        match = _NUMBER.match(text) or _BULLET.match(text)
        if match is None or match.end() == len(text):
            break
        text, marked = text[match.end() :], True
    return text, marked


def _unwrapped_head(text: str) -> str | None:
    """What stands in bold or quotes at the start, if a separator, a note or nothing follows; else None."""
    for opening, closing in _PAIRS:
        if not text.startswith(opening):
            continue
        end = text.find(closing, len(opening))
        if end <= len(opening):
            continue
        rest = text[end + len(closing) :]
        if not rest.strip(_TRAILING) or _EXPLANATION.match(rest):
            return text[len(opening) : end]
    return None


def _split(pattern: re.Pattern[str], text: str) -> tuple[str, str, str]:
    match = pattern.search(text, 1)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _is_sentence(text: str) -> bool:
    """Whether it ends like a sentence and is too long, or too parted, for a word with a full stop."""
    if text.endswith(("。", "！", "？", "!", "?")):
        return len(text) > 10 or "，" in text
    return text.endswith(".") and len(text.split()) > 4


def _clean(text: str) -> str:
    """One word without what surrounds it; empty if nothing that could be a word is left."""
    text = " ".join(text.split())
    text, _ = _without_marker(text)
    before = ""
    while text != before:
        before = text
        text = text.rstrip(_TRAILING).lstrip(" \t#")
        for opening, closing in _PAIRS:
            inner = text[len(opening) :]
            if text.startswith(opening) and inner.endswith(closing) and closing not in inner[: -len(closing)]:
                text = inner[: -len(closing)].strip()
            elif text.startswith(opening) and closing not in inner:
                text = inner.lstrip()  # its partner went with the punctuation, or never was there
    return text if _can_be_a_word(text) else ""


def _can_be_a_word(text: str) -> bool:
    han = len(re.findall(r"[\u3400-\u9fff]", text))
    return (
        any(each.isalpha() for each in text)
        and "\ufffd" not in text
        and not re.search("[\ud800-\udfff]", text)
        and len(text) <= LONGEST
        and len(text.split()) <= MOST_PARTS
        and han <= MOST_HAN
        and _SMALL_TALK.match(text) is None
    )


def _key(word: str) -> str:
    folded = unicodedata.normalize("NFKC", word).casefold()
    return " ".join(folded.split()).rstrip(_TRAILING) or folded
