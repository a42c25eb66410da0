"""What the records of a session add up to: the conversation, what waits, what is not checked.

Owns the fold from records to state; pure, no file, no clock. Always holds: in `view`, what a model is sent, every
call of an answer has exactly one result right after it, in the order of the calls, but for those of the last answer
that still wait (`open_calls`); a result that belongs to no call is passed over; a call whose result got lost with a
damaged line has one that says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from xuen.xwork.messages import Assistant, Message, ToolCall, ToolResult, Usage, User
from xuen.xwork.request import Request
from xuen.xwork.session.budget import tokens_of
from xuen.xwork.session.records import (
    EMBEDDED,
    Answered,
    Carried,
    Compacted,
    Ended,
    ModelChosen,
    Opened,
    Prompted,
    Record,
    Reminded,
    Resumed,
    Trusted,
)
from xuen.xwork.tools.outcome import Effect

LOST = "the result of this call was lost: its line in the session is damaged"


class State(StrEnum):
    """What a session waits for."""

    NEW = "new"  # nothing was ever asked
    FINISHED = "finished"  # the next prompt
    MODEL = "model"  # an answer of the model
    TOOLS = "tools"  # results of calls


class Ledger:
    """The state of one session."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.view: list[Message] = []
        self.state = State.NEW
        self.unchecked = False  # files were written, or a run recovered, and no command succeeded since
        self.ids: set[str] = set()  # of all calls
        self.reminders = 0  # since the last prompt or successful command
        self.summary = ""
        self.first_kept = 0  # number of the message that follows the summary in `view`
        self.usage = Usage()  # of all completions together, as far as it is known
        self.uncounted = 0  # completions whose tokens are not known
        self._known = 0  # tokens of `view` as the server last counted them
        self._tail = 0  # estimated tokens of what came after that
        self._waiting: dict[str, ToolCall] = {}
        self._worked = False  # a tool did something since the last prompt
        self.last_prompt = ""
        self.request: Request | None = None  # what the last prompt asks, as data
        self.chosen = EMBEDDED

    @property
    def open_calls(self) -> Sequence[ToolCall]:
        """Calls of the last answer that have no result yet, in order."""
        return tuple(self._waiting.values())

    @property
    def interrupted(self) -> bool:
        """Whether work waits that only `resume` may go on with."""
        return self.state in (State.MODEL, State.TOOLS)

    @property
    def tokens(self) -> int:
        """Tokens of `view`: counted by the server as far as it did, estimated from there."""
        return self._known + self._tail

    def apply(self, record: Record) -> None:
        """Take the next record."""
        match record:
            case Opened() | Trusted():
                pass
            case ModelChosen():
                self.chosen = record
            case Prompted(message, request):
                self._told(message)
                self.last_prompt = message.text
                self.request = request
                self.reminders = 0
                self._worked = False
                self.state = State.MODEL
            case Reminded(message):
                self._told(message)
                self.reminders += 1
                self.state = State.MODEL
            case Answered(message, usage):
                self._answered(message, usage)
            case Carried(message, effect):
                self._carried(message, effect)
            case Compacted(summary, first_kept, usage):
                self._spent(usage)
                self._compacted(summary, first_kept)
            case Resumed():
                self.unchecked = self.unchecked or self._worked or bool(self._waiting)
            case Ended():
                self._close_calls()
                self.state = State.FINISHED

    def _told(self, message: User) -> None:
        self._close_calls()
        self._add(message)

    def _answered(self, message: Assistant, usage: Usage) -> None:
        self._close_calls()
        if usage.input_tokens:  # 0 for a step that asked no model
            self._known, self._tail = usage.input_tokens, 0
        self._add(message)
        if usage.input_tokens and usage.output_tokens is not None:
            self._known, self._tail = usage.input_tokens + usage.output_tokens, 0
        self._spent(usage)
        self._waiting = {call.id: call for call in message.calls}
        self.ids.update(self._waiting)
        # An answer without calls is not the end yet: only `Ended` says that it was accepted.
        self.state = State.TOOLS if self._waiting else State.MODEL

    def _carried(self, message: ToolResult, effect: Effect) -> None:
        if message.call_id not in self._waiting:
            return
        # Calls are carried out in order, so the results of those before it were written down and then lost.
        self._close_calls(until=message.call_id)
        del self._waiting[message.call_id]
        self._add(message)
        if effect is not Effect.NONE:
            self._worked = True
            self.unchecked = effect is Effect.WRITE
        if effect is Effect.CHECK:
            self.reminders = 0  # the model did what it was told
        if not self._waiting:
            self.state = State.MODEL

    def _compacted(self, summary: str, first_kept: int) -> None:
        self.summary = summary
        self.first_kept = min(first_kept, len(self.messages))
        # A damaged line before this one has moved the messages, and a result must not stand without its call.
        while isinstance(next(iter(self.messages[self.first_kept :]), None), ToolResult):
            self.first_kept -= 1
        self.view = [User(summary), *self.messages[self.first_kept :]]
        self._known, self._tail = 0, sum(map(tokens_of, self.view))

    def _spent(self, usage: Usage) -> None:
        self.usage = self.usage.with_more(usage)
        self.uncounted += usage.input_tokens is None or usage.output_tokens is None

    def _close_calls(self, until: str = "") -> None:
        """Whatever still waits, up to a call, gets a result: the conversation stays one that a model can be sent."""
        for call in self.open_calls:
            if call.id == until:
                break
            self._add(ToolResult(call.id, call.name, LOST, failed=True))
            del self._waiting[call.id]

    def _add(self, message: Message) -> None:
        self.messages.append(message)
        self.view.append(message)
        self._tail += tokens_of(message)
