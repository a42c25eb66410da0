"""What an agent is asked: pure functions from the state of a round to one text.

Owns the order of the parts and the budget for the two sections. Always holds: a prompt begins with a sentence
of xuen's own (several agents read a leading `-`, `/`, `@` or `!` as something else), names the interpreter and
write_section.py by absolute paths (agents change folder and PATH), and never touches research.md itself.
"""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xuen.texts import Language, Text
from xuen.texts import prompt as texts
from xuen.workspace.research import Sections

_DELIMITER = "XUEN_END"
_ZERO_WIDTH_JOINER = "\u200d"


@dataclass(frozen=True, slots=True)
class Setting:
    """What stays the same in all prompts of a run; all paths are absolute."""

    task: str
    language: Language
    extra_notes: str
    interpreter: str
    section_writer: str
    workspace: str
    max_state_chars: int  # code points of both sections together; 0 = no limit


def research_prompt(
    setting: Setting, *, round: int, words: Sequence[str], state: Sections, inputs: Sequence[str]
) -> str:
    """One round's question; `inputs` are the texts that the user queued, in order."""
    say = _speaker(setting.language)
    shown = shorten_sections(state, setting.max_state_chars, setting.language)
    parts = [
        _part(say(texts.TASK), setting.task),
        _part(say(texts.ROUND), say(texts.ROUND_LINE.of(round=round))),
        _part(say(texts.IDEA), shown.idea or say(texts.EMPTY)),
        _part(say(texts.ARTIFACT), shown.artifact or say(texts.EMPTY)),
    ]
    if words:
        drawn = say(texts.WORDS_LINE.of(words=say(texts.WORDS_JOIN).join(words)))
        parts.insert(2, _part(say(texts.WORDS), drawn))
    if inputs:
        parts.append(_part(say(texts.USER_INPUT), "\n".join(inputs)))
    parts.append(_part(say(texts.HOW_TO_WRITE), _writing(setting)))
    return _whole(setting, texts.RESEARCH_OPENING, parts)


def words_prompt(setting: Setting, *, count: int, known: Sequence[str], nonce: str, again: bool = False) -> str:
    """Asks for `count` more terms that are not among `known`, as an array below a line with `nonce`.

    `again` says that the last answer had no such array.
    """
    say = _speaker(setting.language)
    parts = [_part(say(texts.TASK), setting.task)]
    if known:
        parts.append(_part(say(texts.ALREADY_THERE), say(texts.WORDS_JOIN).join(known)))
    asked = [texts.WORD_LIST_LINE.of(count=count), texts.WORD_LIST_FORM.of(nonce=nonce)]
    asked += [texts.FORM_MISSING] if again else []
    parts.append(_part(say(texts.WORD_LIST), "\n".join([*map(say, asked), _touch_nothing(setting)])))
    return _whole(setting, texts.WORDS_OPENING, parts)


def judge_prompt(setting: Setting, *, candidate: Sections, best: Sections, nonce: str, again: bool = False) -> str:
    """Asks for a score of the candidate against the best; each of the two gets the whole budget.

    The two texts stand between fences with `nonce`, every line prefixed, so nothing in them looks like part of the
    question; the answer's last line carries it too. `again` says that the last answer had no such line.
    """
    say = _speaker(setting.language)
    asked = [texts.JUDGE_INSTRUCTIONS.of(nonce=nonce)] + ([texts.FORM_MISSING] if again else [])
    parts = [
        _part(say(texts.TASK), setting.task),
        _part(say(texts.BEST), _fenced(_both(best, setting), nonce)),
        _part(say(texts.CANDIDATE), _fenced(_both(candidate, setting), nonce)),
        _part(say(texts.HOW_TO_ANSWER), "\n".join([*map(say, asked), _touch_nothing(setting)])),
    ]
    return _whole(setting, texts.JUDGE_OPENING, parts)


def shorten_sections(state: Sections, budget: int, language: Language) -> Sections:
    """Both sections within `budget` code points together, notices included; 0 = no limit.

    A section that needs less than its half leaves the rest to the other.
    """
    if budget <= 0 or len(state.idea) + len(state.artifact) <= budget:
        return state
    half = budget // 2
    for_idea = max(half, budget - len(state.artifact)) if len(state.artifact) < half else half
    idea = shorten(state.idea, for_idea, language)
    return Sections(idea, shorten(state.artifact, budget - len(idea), language))


def shorten(text: str, budget: int, language: Language, left_out: Text = texts.LEFT_OUT) -> str:
    """At most `budget` code points of `text`: its head and its tail, and between them how much is `left_out`.

    A budget too small for that sentence gets head and tail around a single `…`.
    """
    if len(text) <= budget:
        return text

    def notice(count: int) -> str:
        return left_out.of(count=count).in_language(language)

    keep = budget - len(notice(len(text)))
    if keep < 2:
        keep = max(0, budget - 1)
        return text[: keep - keep // 2] + "…"[:budget] + text[len(text) - keep // 2 :]
    head = _back_to_a_whole_character(text, keep - keep // 2)
    tail = _on_to_a_whole_character(text, len(text) - keep // 2)
    return text[:head] + notice(tail - head) + text[tail:]


def _back_to_a_whole_character(text: str, cut: int) -> int:
    """The nearest place at or before `cut` (within a few) that does not split what is seen as one character."""
    return next((at for at in range(cut, max(0, cut - 12), -1) if not _joined(text, at)), cut)


def _on_to_a_whole_character(text: str, cut: int) -> int:
    return next((at for at in range(cut, min(len(text), cut + 12)) if not _joined(text, at)), cut)


def _joined(text: str, at: int) -> bool:
    after = text[at]
    return (
        text[at - 1] == _ZERO_WIDTH_JOINER
        or after == _ZERO_WIDTH_JOINER
        or unicodedata.category(after) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
    )


def _whole(setting: Setting, opening: Text, parts: list[str]) -> str:
    notes = setting.extra_notes.strip("\n")
    head = [opening.in_language(setting.language)] + ([notes] if notes.strip() else [])
    return "\n\n".join(head + parts)


def _part(heading: str, body: str) -> str:
    return f"{heading}\n{body}"


def _both(state: Sections, setting: Setting) -> str:
    say = _speaker(setting.language)
    shown = shorten_sections(state, setting.max_state_chars, setting.language)
    return "\n".join(
        [say(texts.IDEA), shown.idea or say(texts.EMPTY), say(texts.ARTIFACT), shown.artifact or say(texts.EMPTY)]
    )


def _fenced(text: str, nonce: str) -> str:
    """Foreign text between two lines that it cannot contain, each of its lines prefixed."""
    return "\n".join([f"<<< {nonce}", *(f"| {line}".rstrip() for line in text.splitlines()), f">>> {nonce}"])


def _writing(setting: Setting) -> str:
    say = _speaker(setting.language)

    def command(section: str, content: Text) -> str:
        return f"{_writer(setting)} {section} <<'{_DELIMITER}'\n{say(content)}\n{_DELIMITER}"

    return say(
        texts.WRITE_INSTRUCTIONS.of(
            idea_command=command("idea", texts.WRITE_NEW_IDEA),
            artifact_command=command("artifact", texts.WRITE_NEW_ARTIFACT),
            delimiter=_DELIMITER,
            workspace=setting.workspace,
        )
    )


def _touch_nothing(setting: Setting) -> str:
    return texts.TOUCH_NOTHING.of(writer=_writer(setting)).in_language(setting.language)


def _writer(setting: Setting) -> str:
    return f"{shlex.quote(setting.interpreter)} {shlex.quote(setting.section_writer)}"


def _speaker(language: Language) -> Callable[[Text], str]:
    return lambda text: text.in_language(language)
