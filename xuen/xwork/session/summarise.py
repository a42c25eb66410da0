"""Carries out a compaction: asks the model for notes, and changes the session only once they are there.

The only part of a session that asks a model. Always holds: whatever fails on the way, the session is as it was.
"""

from __future__ import annotations

from xuen.texts import xwork as texts
from xuen.xwork.errors import ContextOverflow, ModelError, RequestRefused
from xuen.xwork.events import Compacted as CompactedEvent
from xuen.xwork.messages import Finish, User
from xuen.xwork.model.client import Answer, Options
from xuen.xwork.model.retry import Asker
from xuen.xwork.session import compaction
from xuen.xwork.session.budget import tokens_of
from xuen.xwork.session.journal import Session
from xuen.xwork.session.records import Compacted, whole

_NOTES = 2_000  # tokens of the notes
_LEAST = 200  # tokens that are worth it


class NothingToCompact(ModelError):
    """The conversation is as short as it can be."""


def compact(session: Session, asker: Asker, *, keep: int, window: int) -> CompactedEvent:
    """Replace all but the newest messages, about `keep` tokens of them, by notes of the model.

    Raises:
        Interrupted: the cancel token was set.
        NothingToCompact: there is nothing to cut off, or the notes would not make it shorter.
        ModelError: no notes came about.
    """
    ledger = session.ledger
    before = ledger.tokens
    at = compaction.cut(ledger.view, keep)
    if at is None or (at == 1 and ledger.summary) or sum(map(tokens_of, ledger.view[:at])) < _LEAST:
        raise NothingToCompact(texts.NOTHING_TO_COMPACT)
    notes = _notes(session, asker, at, max(1_000, window - 2 * _NOTES))
    summary = compaction.standing_for(notes.message.text, ledger.last_prompt)
    if tokens_of(User(summary)) >= sum(map(tokens_of, ledger.view[:at])):
        raise NothingToCompact(texts.NOTHING_TO_COMPACT)
    skipped = 1 if ledger.summary else 0  # the place in `view` of the notes from the last time
    session.append(Compacted(whole(summary), ledger.first_kept + at - skipped, notes.usage))
    return CompactedEvent(before=before, after=ledger.tokens)


def _notes(session: Session, asker: Asker, at: int, room: int) -> Answer:
    """The notes on the first `at` messages.

    A transcript that is too long for the model is halved, a few times; a model that refuses the limit on the length of
    its notes, as some of OpenAI's do, is asked without one.
    """
    options = Options(max_tokens=_NOTES)
    for _ in range(4):
        try:
            asked = compaction.request(session.ledger.view[:at], room)
            answer = asker.ask(asked, (), options, step="compact")
        except ContextOverflow as error:
            last: ModelError = error
            room //= 2
            continue
        except RequestRefused:
            if options == Options():
                raise
            options = Options()
            continue
        if answer.message.finish is Finish.REFUSED or not answer.message.text.strip():
            raise ModelError(texts.NOT_COMPACTED.of(reason=texts.WITHHELD))
        return answer
    raise ModelError(texts.NOT_COMPACTED.of(reason=last.what), mend=last.mend)
