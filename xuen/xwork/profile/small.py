"""The steps by which a small model answers xuen: terms; thoughts, idea, artifact; a score.

Owns the order of the steps, what is tried again and what counts as failed. All that is written into a section is
text of the model. Always holds: a section is written only through write_section.py; an empty answer, or a section
that was not written, is an error and never a success.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from xuen.texts import Language, plain
from xuen.xwork import texts
from xuen.xwork.errors import EmptyAnswer, Interrupted, XworkError
from xuen.xwork.events import Listener, ModelEnded, ModelStarted, Retrying, TextChunk
from xuen.xwork.messages import Message, System, User
from xuen.xwork.model.client import Answer, Assembler, Cancel, ModelClient, Options, TextDelta
from xuen.xwork.profile import shots, tidy
from xuen.xwork.profile.question import Question

_TRIES = 3
_LISTS = 5  # completions that one list of terms may take
_TERMS = 20  # terms that are enough for one call
_SCORES = 6  # numbers that are averaged for one text
_PLAIN = System("You are a helpful assistant. You give clear, concrete answers.")


@dataclass(frozen=True, slots=True)
class SmallModel:
    """One call of xuen, led through its steps; made anew for each call."""

    client: ModelClient
    tell: Listener
    cancel: Cancel
    language: Language
    seed: int

    def answer(self, question: Question, workspace: Path | None) -> str:
        """Take all steps of the question; what the model's last word was.

        Raises:
            Interrupted, ModelError: from the model.
            EmptyAnswer: the model gave nothing usable.
            XworkError: a section could not be written.
        """
        match question.purpose:
            case "words":
                return self._words(question)
            case "research":
                return self._research(question, workspace)
            case "judge":
                return self._judge(question)
            case "plain":
                return self._write("", [_PLAIN, User(question.task)], 512, _any)

    # --- words ---

    def _words(self, question: Question) -> str:
        wanted = min(question.count, _TERMS)
        known = {term.casefold() for term in (*question.known, *shots.EXAMPLE_TERMS)}
        found: list[str] = []
        for attempt in range(_LISTS):
            if len(found) >= wanted:
                break
            # Warmer each time: the same task asked again tends to the same list.
            options = msgspec.structs.replace(shots.LISTING, seed=self.seed + attempt, temperature=0.5 + 0.15 * attempt)
            listed = self._ask("words", shots.list_terms(question.task), options, shown=False).message.text
            for term in map(tidy.term, listed.splitlines()):
                if term and term.casefold() not in known and len(found) < wanted:
                    known.add(term.casefold())
                    found.append(term)
                    self.tell(TextChunk(text=f"{term}\n"))
        if not found:
            raise EmptyAnswer(texts.EMPTY_ANSWER)
        return "\n".join(found)

    # --- research ---

    def _research(self, question: Question, workspace: Path | None) -> str:
        if workspace is None or not (workspace / "write_section.py").is_file():
            raise XworkError(texts.NO_WORKSPACE, mend=texts.NO_WORKSPACE_MEND)
        asides = " ".join(part for part in (question.notes, question.user_input) if part)
        self._write("think", shots.think(question.task, question.words, asides), 100, _any)
        asked = shots.find_idea(question.task, question.words, question.idea, asides)
        idea = self._write("idea", asked, 130, _unlike(question.idea))
        self._put("idea", idea, workspace)
        asked = shots.write_points(question.task, idea, question.artifact, asides)
        artifact = self._write("artifact", asked, 240, _unlike(question.artifact), listed=True)
        self._put("artifact", artifact, workspace)
        return artifact

    def _put(self, section: str, text: str, workspace: Path) -> None:
        command = [sys.executable, str(workspace / "write_section.py"), section]
        process = subprocess.Popen(
            command,
            cwd=workspace,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )
        pending: bytes | None = text.encode()
        while True:
            try:
                _, said = process.communicate(pending, timeout=0.1)
                break
            except subprocess.TimeoutExpired:  # it may wait for the lock of research.md
                pending = None
                if self.cancel.is_set():
                    process.terminate()
                    process.wait()
                    raise Interrupted(texts.INTERRUPTED) from None
        if process.returncode != 0:
            reason = plain(" ".join(said.decode("utf-8", "replace").split()))
            raise XworkError(texts.NOT_WRITTEN.of(section=section, code=process.returncode, reason=reason))

    # --- judge ---

    def _judge(self, question: Question) -> str:
        """Each of the two texts gets the mean of a few numbers; their difference says which is better.

        The same seeds serve for both, so that chance weighs on both alike. Twice the difference, because this
        model's means lie within a few points of each other. Where there is no best yet, anything is clearly better
        than nothing, and the better the candidate alone, the more. No sentence says why: what this model says of a
        text has nothing to do with its numbers, and a sentence with a number in it would put the score in doubt.
        """
        candidate, best = ("\n".join(part for part in both if part) for both in (question.candidate, question.best))
        own = self._mean(question.task, candidate)
        above = 2 * (own - self._mean(question.task, best)) if best.strip() else 2 + 0.3 * own
        line = f"SCORE: {min(10.0, max(0.0, 5 + above)):.1f}"
        self.tell(TextChunk(text=f"{line}\n"))
        return line

    def _mean(self, task: str, answer: str) -> float:
        """The mean of the model's scores for a text."""
        asked = shots.score(task, answer)
        numbers: list[float] = []
        for number in range(_SCORES):
            options = msgspec.structs.replace(shots.SCORING, seed=self.seed + number)
            said = self._ask("score", asked, options, shown=False).message.text
            found = re.search(r"\d+(?:\.\d+)?", said)
            if found is None:
                raise XworkError(texts.NO_SCORE.of(said=plain(said.strip())))
            numbers.append(float(found.group()))
        return statistics.fmean(numbers)

    # --- one completion ---

    def _write(
        self,
        step: str,
        asked: Sequence[Message],
        limit: int,
        accept: Callable[[str], bool],
        *,
        listed: bool = False,
    ) -> str:
        """Text of the model, shown as it comes and then tidied; asked for again when it is not accepted.

        Where none is, the last one with anything in it counts; nothing usable in all tries is an error.
        """
        text = ""
        for attempt in range(_TRIES):
            options = msgspec.structs.replace(
                shots.WRITING,
                max_tokens=limit,
                seed=self.seed + attempt,
                temperature=0.3 + 0.3 * attempt,
                grammar=shots.POINTS_GRAMMAR if listed else None,
            )
            raw = self._ask(step, asked, options).message.text
            if listed:
                text = tidy.points(raw, shots.EXAMPLE_RUNS) or text
            else:
                text = tidy.without_repeats(tidy.to_sentence_end(raw), shots.EXAMPLE_RUNS) or text
            if text and accept(text):
                return text
            if attempt + 1 < _TRIES:
                self.tell(Retrying(attempt=attempt + 1, seconds=0.0, reason=texts.EMPTY_ANSWER.en))
        if not text:
            raise EmptyAnswer(texts.EMPTY_ANSWER)
        return text

    def _ask(self, step: str, asked: Sequence[Message], options: Options, *, shown: bool = True) -> Answer:
        self.tell(ModelStarted(step=step))
        started = time.monotonic()
        assembler = Assembler()
        for delta in self.client.complete(asked, options=options, cancel=self.cancel):
            assembler.add(delta)
            if shown and isinstance(delta, TextDelta):
                self.tell(TextChunk(text=delta.text))
        answer = assembler.answer()
        seconds = time.monotonic() - started
        self.tell(ModelEnded(finish=answer.message.finish, usage=answer.usage, seconds=seconds))
        return answer


def seed_of(prompt: str) -> int:
    """A seed that depends on the prompt only, so that the same prompt gives the same text on the same machine."""
    return zlib.crc32(prompt.encode("utf-8", "replace")) & 0x3FFFFFFF


def _any(text: str) -> bool:
    return bool(text)


def _unlike(before: str) -> Callable[[str], bool]:
    """Accepts what is not nearly the same as before."""
    return lambda text: tidy.alike(text, before) < 0.9
