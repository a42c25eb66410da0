"""The loop: round after round until the rounds are done, somebody stops it or the agent keeps failing.

Always holds: whatever ends it, an exception too, the agent's processes are gone, the guard has finished and
`RunFinished` was told, in this order. The exit code of a run is decided here and nowhere else; an exception that
nobody expected goes on to the program's own handler.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count

from xuen.agent.call import Outcome
from xuen.agent.causes import why_failed
from xuen.config.model import LoopSettings, WordsSettings
from xuen.errors import LockTimeout, PromptTooLong, WorkspaceBusy
from xuen.events import Notice, RunFinished, RunStarted, Why
from xuen.runner.bank import word_bank
from xuen.runner.kit import Kit
from xuen.runner.round import play
from xuen.texts import Text
from xuen.texts import run as texts
from xuen.workspace import section_writer

_SOFTWARE_FAULT = 70  # as sysexits.h has it


class Loop:
    """One run of the loop; `run` may be called once."""

    def __init__(self, kit: Kit, *, loop: LoopSettings, words: WordsSettings) -> None:
        self._kit = kit
        self._iterations = None if loop.iterations == "inf" else int(loop.iterations)
        self._max_failures = loop.max_failures
        self._words = words
        self._round = 0
        self._succeeded = 0
        self._failed = 0
        self._failures_in_a_row = 0

    def run(self, started: RunStarted, said: Iterable[Text] = ()) -> int:
        """Everything from the guard's start to its finish; the exit code of the program.

        `said` is what a person should be told about the workspace and the agent before anything else happens.
        """
        guard = self._kit.guard
        guard.start(started)
        code, reason = _SOFTWARE_FAULT, texts.FAULT  # until something better is known
        try:
            for text in said:
                self._kit.sink.emit(Notice(level="info", text=text))
            self._kit.sink.emit(guard.shown())
            self._round = guard.last_round()
            code, reason = self._rounds()
        except (PromptTooLong, WorkspaceBusy) as error:
            self._kit.sink.emit(Notice(level="error", text=error.text))
            code = error.exit_code
            reason = texts.PROMPT_TOO_LONG if isinstance(error, PromptTooLong) else texts.TAKEN_OVER
        finally:
            guard.finish(
                RunFinished(
                    round=self._round, reason=reason, exit_code=code, succeeded=self._succeeded, failed=self._failed
                )
            )
            with suppress(LockTimeout, OSError):  # or the next run sends again what calls of this one got
                self._kit.sent.take_out(self._kit.workspace)
        return code

    def _rounds(self) -> tuple[int, Text]:
        stop = self._kit.stop
        bank = word_bank(self._kit, self._words)
        for left in self._left():
            self._pause()
            if stop.is_set():
                break
            if self._kit.lock is not None:
                self._kit.lock.renew()
            with suppress(OSError):  # the agent itself will say what it cannot do then
                section_writer.renew(self._kit.workspace)
            self._round += 1
            outcome = play(self._kit, self._round, bank=bank, pick=self._words.pick, left=left)
            self._count(outcome)
            if self._failures_in_a_row >= self._max_failures:
                reason = why_failed(outcome, self._kit.agent.name)
                told = texts.TOO_MANY_FAILURES.of(count=self._failures_in_a_row, reason=reason)
                return (0 if self._succeeded else 1), told
        if stop.is_set():
            return stop.exit_code or 0, texts.STOPPED
        if not self._succeeded:
            return 1, texts.NO_ROUND_WORKED
        return 0, texts.ROUNDS_DONE.of(count=self._iterations)

    def _pause(self) -> None:
        """Stand still between rounds for as long as a person wants it."""
        stop = self._kit.stop
        if stop.is_paused():
            self._kit.sink.emit(Notice(level="info", text=texts.PAUSED))
            stop.wait_while_paused()
            if not stop.is_set():
                self._kit.sink.emit(Notice(level="info", text=texts.GOES_ON))

    def _left(self) -> Iterator[int | None]:
        """For each round of this call how many are left, that one counted; None for ever in an endless loop."""
        if self._iterations is None:
            return (None for _ in count())
        return iter(range(self._iterations, 0, -1))

    def _count(self, outcome: Outcome) -> None:
        if outcome.worked:
            self._succeeded += 1
            self._failures_in_a_row = 0
        elif outcome.why is not Why.STOPPED:
            self._failed += 1
            self._failures_in_a_row += 1
