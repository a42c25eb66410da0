"""The loop: round after round until the rounds are done, somebody stops it or it leads nowhere (`progress`).

Always holds: whatever ends it, an exception too, the agent's processes are gone, the guard has finished and
`RunFinished` was told, in this order. The exit code of a run is decided here and nowhere else; an exception that
nobody expected goes on to the program's own handler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count

from xuen.config.model import LoopSettings, WordsSettings
from xuen.errors import LockTimeout, PromptTooLong, WorkspaceBusy
from xuen.events import Notice, RunFinished, RunStarted
from xuen.runner.bank import word_bank
from xuen.runner.kit import Kit
from xuen.runner.progress import Progress
from xuen.runner.round import play, prepare
from xuen.texts import Text
from xuen.texts import run as texts

_SOFTWARE_FAULT = 70  # as sysexits.h has it


class Loop:
    """One run of the loop; `run` may be called once. `wait` sleeps for so many seconds or until an end is asked for."""

    def __init__(
        self, kit: Kit, *, loop: LoopSettings, words: WordsSettings, wait: Callable[[float], object] | None = None
    ) -> None:
        self._kit = kit
        self._iterations = None if loop.iterations == "inf" else int(loop.iterations)
        self._words = words
        self._wait = wait or kit.stop.wait
        self._round = 0
        self._progress = Progress(loop, agent=kit.agent.name)

    def run(self, started: RunStarted, said: Iterable[Text] = ()) -> int:
        """Everything from the guard's start to its finish; the exit code of the program.

        `said` is what a person should be told about the workspace and the agent before anything else happens.
        """
        guard = self._kit.guard
        guard.start(started, self._kit.work.capture())
        code, reason = _SOFTWARE_FAULT, texts.FAULT  # until something better is known
        try:
            for text in said:
                self._kit.sink.emit(Notice(level="info", text=text))
            self._kit.sink.emit(guard.shown())
            self._round = guard.last_round()
            prepare(self._kit)
            code, reason = self._rounds()
        except (PromptTooLong, WorkspaceBusy) as error:
            self._kit.sink.emit(Notice(level="error", text=error.text))
            code = error.exit_code
            reason = texts.PROMPT_TOO_LONG if isinstance(error, PromptTooLong) else texts.TAKEN_OVER
        finally:
            guard.finish(
                RunFinished(
                    round=self._round,
                    reason=reason,
                    exit_code=code,
                    succeeded=self._progress.succeeded,
                    failed=self._progress.failed,
                    unchanged=self._progress.unchanged,
                )
            )
            with suppress(LockTimeout, OSError):  # or the next run sends again what calls of this one got
                self._kit.sent.take_out(self._kit.workspace)
        return code

    def _rounds(self) -> tuple[int, Text]:
        stop, progress = self._kit.stop, self._progress
        bank = word_bank(self._kit, self._words)
        for left in self._left():
            self._rest()
            self._pause()
            if stop.is_set():
                break
            if self._kit.lock is not None:
                self._kit.lock.renew()
            self._round += 1
            played = play(self._kit, self._round, bank=bank, pick=self._words.pick, left=left)
            if (reason := progress.count(played)) is not None:
                return progress.exit_code, reason
        if stop.is_set():
            return stop.exit_code or 0, texts.STOPPED
        if progress.exit_code:
            return progress.exit_code, progress.why_nothing()
        return 0, texts.ROUNDS_DONE.of(count=self._iterations)

    def _rest(self) -> None:
        """Let an agent that changed nothing wait, so that an endless loop does not spin."""
        seconds = 0.0 if self._kit.stop.is_set() else self._progress.pause
        if seconds > 1:
            self._kit.sink.emit(Notice(level="info", text=texts.RESTS.of(seconds=f"{seconds:g}")))
        if seconds:
            self._wait(seconds)

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
