"""The word bank of a run: the one on disk, a new one, or none.

Always holds: a bank on disk is replaced only by a new one that has words; a failure is told with what follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from secrets import token_hex

from xuen.agent.call import Call
from xuen.agent.causes import remember, why_failed
from xuen.config.model import WordsSettings
from xuen.events import Notice, Purpose, WordsProgress, WordsReady, WordsStarted
from xuen.prompt import words_prompt
from xuen.runner.kit import Kit
from xuen.texts import Text, plain
from xuen.texts import run as texts
from xuen.words import Bank, make_bank, parse_words, read_bank, set_bank_aside, write_bank


def word_bank(kit: Kit, settings: WordsSettings) -> tuple[str, ...]:
    """The words that the rounds draw from; empty when none are wanted or none can be had.

    Raises:
        PromptTooLong: the question for words does not fit the agent's template.
    """
    if settings.pick == 0:
        return ()
    old = _old_bank(kit)
    if old is not None and old.words and settings.reuse:
        if old.suits(kit.setting.task):
            kit.sink.emit(WordsReady(count=len(old.words), source="reused"))
            return old.words
        kit.sink.emit(Notice(level="info", text=texts.WORDS_OTHER_TASK))
    kit.sink.emit(WordsStarted(want=settings.count))
    making = _Making(kit, settings)
    words = make_bank(making.ask, settings.count, settings.batch, progress=making.progress)
    if words:
        _keep(kit, words)
        kit.sink.emit(WordsReady(count=len(words), source="made"))
        return tuple(words)
    return _without_a_new_one(kit, old, making.trouble)


class _Making:
    """Asks the agent for words and remembers why that did not work."""

    def __init__(self, kit: Kit, settings: WordsSettings) -> None:
        self._kit = kit
        self._want = settings.count
        self.trouble: Text = texts.WORDS_NO_ANSWER

    def ask(self, count: int, known: Sequence[str]) -> list[str]:
        """The words of one batch; an answer that cannot be read is asked for once more."""
        for again in (False, True):
            if self._kit.stop.is_set():
                break
            nonce = token_hex(4)
            prompt = words_prompt(self._kit.setting, count=count, known=known, nonce=nonce, again=again)
            data = {"count": count, "known": known, "nonce": nonce}
            outcome = self._kit.agent.call(Call(prompt, Purpose.WORDS, 0, data=data))
            if not outcome.worked:
                self.trouble = why_failed(outcome, self._kit.agent.name)
                break
            if words := parse_words(outcome.stdout, nonce):
                remember(outcome, self._kit.agent.name)
                return words
            self.trouble = texts.WORDS_NO_ANSWER
        return []

    def progress(self, words: Sequence[str]) -> None:
        self._kit.sink.emit(WordsProgress(have=len(words), want=self._want))


def _old_bank(kit: Kit) -> Bank | None:
    try:
        return read_bank(kit.workspace.words)
    except OSError as error:
        _warn(kit, texts.WORDS_UNREADABLE.of(error=plain(str(error))))
        return None


def _keep(kit: Kit, words: Sequence[str]) -> None:
    try:
        old = set_bank_aside(kit.workspace.words, datetime.now(UTC))
        write_bank(kit.workspace.words, words, kit.setting.task)
        if old is not None:
            kit.sink.emit(Notice(level="info", text=texts.WORDS_OLD_KEPT.of(name=plain(old.name))))
    except OSError as error:
        _warn(kit, texts.WORDS_NOT_KEPT.of(error=plain(str(error))))


def _without_a_new_one(kit: Kit, old: Bank | None, trouble: Text) -> tuple[str, ...]:
    """The old bank, even one made for another task; else none."""
    if kit.stop.is_set():
        return ()
    if old is not None and old.words:
        _warn(kit, texts.WORDS_FAILED_OLD.of(reason=trouble))
        kit.sink.emit(WordsReady(count=len(old.words), source="old"))
        return old.words
    _warn(kit, texts.WORDS_FAILED_NONE.of(reason=trouble))
    kit.sink.emit(WordsReady(count=0, source="none"))
    return ()


def _warn(kit: Kit, text: Text) -> None:
    kit.sink.emit(Notice(level="warning", text=text))
