"""The verifier `ai`: an agent that compares two snapshots and gives a score.

Owns the call and what its outcome means. Refuses to read research.md: what the judge sees are the snapshots. Always:
a judge that fails, takes too long, is not there or cannot be understood leaves the candidate pending, never rejected.
"""

from __future__ import annotations

from dataclasses import replace
from secrets import token_hex
from typing import Protocol

from xuen.agent.call import Agent, Call
from xuen.agent.causes import remember, why_failed
from xuen.errors import DamagedResearch, PromptTooLong
from xuen.events import Purpose, Why
from xuen.guard.candidates import Snapshot
from xuen.guard.score import read_score
from xuen.guard.verify import Judgement
from xuen.guard.verify.excerpt import excerpt
from xuen.texts import Language, Text
from xuen.texts import verify as texts
from xuen.workspace.research import Sections, parse


class JudgePrompt(Protocol):
    """What the judge is asked; the parameters are those of `xuen.prompt.judge_prompt`."""

    def __call__(self, *, candidate: Sections, best: Sections, nonce: str, again: bool) -> str:
        """The question of one call."""
        ...


class AiVerifier:
    """Asks `agent` what `prompt` writes; `language` is that of a note within what is kept for people."""

    name = "ai"

    def __init__(self, agent: Agent, *, prompt: JudgePrompt, language: Language = "en") -> None:
        self._agent = agent
        self._prompt = prompt
        self._language: Language = language

    def verify(self, candidate: Snapshot, best: Snapshot) -> Judgement:
        """Ask for a score of the candidate beside the best; `passed` with the score, or `unknown` with the reason.

        An answer that cannot be read is asked for once more.
        """
        try:
            shown = parse(candidate.data).sections, parse(best.data).sections
        except DamagedResearch as error:
            return Judgement(self.name, "unknown", None, texts.JUDGE_DAMAGED.of(reason=error.reason))
        found, can_be_read = self._ask(candidate, *shown, again=False)
        return found if can_be_read else self._ask(candidate, *shown, again=True)[0]

    def _ask(self, candidate: Snapshot, new: Sections, old: Sections, *, again: bool) -> tuple[Judgement, bool]:
        """The finding of one call, and whether there is nothing more to be had by asking again."""
        nonce = token_hex(4)
        question = self._prompt(candidate=new, best=old, nonce=nonce, again=again)
        data = {"candidate": new, "best": old, "nonce": nonce}
        try:
            outcome = self._agent.call(Call(question, Purpose.JUDGE, candidate.round, data=data))
        except PromptTooLong as error:
            return self._failure(texts.JUDGE_FAILED.of(reason=error.what)), True
        said = outcome.stdout if outcome.worked else f"{outcome.stdout}\n{outcome.stderr}".strip()
        raw = excerpt(said, self._language)
        if not outcome.worked:
            reason = texts.JUDGE_FAILED.of(reason=why_failed(outcome, self._agent.name))
            return replace(self._failure(reason, raw), is_failure=outcome.why is not Why.STOPPED), True
        # Only standard output: agents print banners, the question and the output of tools on the other stream.
        reading = read_score(outcome.stdout, nonce, candidate.data.decode(errors="replace"))
        if reading.score is None:
            return self._failure(reading.reason, raw), False
        remember(outcome, self._agent.name)
        return Judgement(self.name, "passed", reading.score, reading.reason, raw), True

    def _failure(self, reason: Text, raw: str = "") -> Judgement:
        return Judgement(self.name, "unknown", None, reason, raw, is_failure=True)
