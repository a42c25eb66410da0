"""The loop's own rules, with an agent that follows a script and a guard in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from xuen.agent.call import Call, Outcome
from xuen.agent.scripted import ScriptedAgent, failed, worked
from xuen.config.model import LoopSettings, WordsSettings
from xuen.events import Event, Heartbeat, Notice, Purpose, RoundStarted, RunFinished, RunStarted, Why
from xuen.guard.memory import MemoryGuard
from xuen.guard.verify import Judgement
from xuen.prompt import Setting
from xuen.runner.kit import Kit
from xuen.runner.loop import Loop
from xuen.stop import Stop
from xuen.texts import plain
from xuen.texts import run as texts
from xuen.words import write_bank
from xuen.workspace.paths import Workspace

BETTER = Judgement("ai", "passed", 8, plain("better"))
JUDGEMENTS = {
    "j": Judgement("ai", "unknown", None, plain("the judge is out"), is_failure=True),
    "t": Judgement("ai", "unknown", None, plain("stopped")),
    "w": Judgement("ai", "failed", None, plain("worse")),
}
STOPPED = Outcome(Why.STOPPED, None, 0.0, "", "")
REFUSED = worked("litellm.AuthenticationError: Error code: 401 - no such key")
OUTCOMES = {"f": failed(7, "no luck"), "s": STOPPED, "q": STOPPED, "r": REFUSED, "R": REFUSED}


@dataclass
class Run:
    """One run, and what was seen of it."""

    folder: Path
    stop: Stop = field(default_factory=Stop)
    events: list[Event] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    on: Callable[[Event], None] = lambda event: None
    code: int = -1
    letter: str = ""

    def emit(self, event: Event) -> None:
        self.events.append(event)
        self.on(event)

    def play(self, script: str, *, words: int = 0, seed: int | None = None, before: int = 0, **loop: Any) -> Run:
        """Play a round for each letter.

        `c` changes, `u` changes nothing, `f` fails, `s` is stopped, `q` quits; `r` changes nothing because the model
        server refuses, `R` is refused once and then changes; `j` changes and the judge fails, `t` changes and the
        judge is stopped, `w` changes and the judge finds it worse.
        """
        guard = MemoryGuard(self, judge=lambda _new, _best: JUDGEMENTS.get(self.letter, BETTER), last_round=before)
        letters = iter(script)

        def answer(call: Call) -> Outcome:
            assert call.purpose is Purpose.RESEARCH
            self.letter = letter = next(letters)
            if letter in "cRjtw":
                guard.write(f"idea of round {call.round}")
            if letter == "q":
                self.stop.request(130)
            return OUTCOMES.get(letter, worked("said much"))

        self.agent = ScriptedAgent(answer)
        kit = Kit(
            setting=Setting("a task", "en", "", "python3", "write_section.py", str(self.folder), 0),
            workspace=Workspace(self.folder),
            work=guard,
            agent=self.agent,
            guard=guard,
            sink=self,
            stop=self.stop,
            seed=seed,
        )
        if words:
            self.folder.mkdir(exist_ok=True)
            write_bank(kit.workspace.words, [f"word {number}" for number in range(40)], "a task")
        loop.setdefault("iterations", len(script))
        started = RunStarted(
            round=0, task="a task", workspace="", language="en", agent="scripted", verify="off", iterations=None
        )
        settings = LoopSettings(**loop)
        self.code = Loop(kit, loop=settings, words=WordsSettings(pick=words), wait=self.waits.append).run(started)
        assert self.events[-1] is self.finished
        return self

    def seen(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def finished(self) -> RunFinished:
        (found,) = self.seen(RunFinished)
        assert found.exit_code == self.code
        return found

    @property
    def rounds(self) -> int:
        return len(self.seen(RoundStarted))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


@pytest.mark.parametrize(
    ("script", "code", "rounds", "reason"),
    [
        ("ccc", 0, 3, "3 of 3 rounds done"),
        ("cu", 0, 2, "2 of 2 rounds done"),
        ("cffcffc", 0, 7, "7 of 7 rounds done"),
        ("ffuffc", 0, 6, "6 of 6 rounds done"),
        ("ffsfc", 1, 4, "the agent failed 3 times in a row; the last time: exit code 7; it said: no luck"),
        ("fffc", 1, 3, "the agent failed 3 times in a row; the last time: exit code 7; it said: no luck"),
        ("cfffc", 0, 4, "the agent failed 3 times in a row; the last time: exit code 7; it said: no luck"),
        ("uuuuuc", 1, 5, "research calls in a row that changed nothing: 5; likely because: "),
        ("cuuuuuc", 0, 6, "research calls in a row that changed nothing: 5; likely because: "),
        ("uuuucuuuuc", 0, 10, "10 of 10 rounds done"),
        ("uufuusuc", 1, 7, "research calls in a row that changed nothing: 5; likely because: "),
        ("uuu", 1, 3, "no round succeeded; research calls in a row that changed nothing: 3; likely because: "),
        ("rrrc", 1, 3, "the agent failed 3 times in a row; the last time: exit code 0, but nothing was changed"),
        ("crrr", 0, 4, "the agent failed 3 times in a row; the last time: exit code 0, but nothing was changed"),
        ("rrRrrR", 0, 6, "6 of 6 rounds done"),
        ("jjjc", 1, 3, "the evaluation failed 3 times in a row; the last time: the judge is out"),
        ("cjjjc", 0, 4, "the evaluation failed 3 times in a row; the last time: the judge is out"),
        ("jufjtujc", 0, 7, "the evaluation failed 3 times in a row; the last time: the judge is out"),
        ("jjcjjwjj", 0, 8, "8 of 8 rounds done"),
        ("www", 0, 3, "3 of 3 rounds done"),
        ("jj", 1, 2, "no round succeeded; the evaluation failed 2 times in a row; the last time: the judge is out"),
        ("ff", 1, 2, "no round succeeded; the agent failed 2 times in a row; the last time: exit code 7"),
        ("ufu", 1, 3, "no round succeeded; research calls in a row that changed nothing: 2; likely because"),
        ("s", 1, 1, "no round succeeded"),
        ("q", 130, 1, "stopped"),
        ("cuqc", 130, 3, "stopped"),
    ],
)
def test_how_a_run_ends(run: Run, script: str, code: int, rounds: int, reason: str) -> None:
    run.play(script)
    assert (run.code, run.rounds) == (code, rounds)
    assert run.finished.reason.en.startswith(reason)
    played = script[:rounds].translate(str.maketrans("rRjtw", "fcccc"))
    counted = (run.finished.succeeded, run.finished.failed, run.finished.unchanged)
    assert counted == (played.count("c"), played.count("f"), played.count("u"))


@pytest.mark.parametrize(("script", "rounds"), [("ffffc", 4), ("uuc", 2)])
def test_the_limits_are_settings_and_hold_in_an_endless_loop(run: Run, script: str, rounds: int) -> None:
    run.play(script, iterations="inf", max_failures=4, max_unchanged=2)
    assert run.rounds == rounds


def test_the_likely_cause_ends_the_reason(run: Run) -> None:
    run.play("uuuuu", iterations="inf")
    assert run.finished.reason.en.endswith("Its last line: said much")
    assert [beat.streak for beat in run.seen(Heartbeat)] == [1, 2, 3, 4, 5]


def test_the_pause_grows_with_each_call_without_a_change_and_a_long_one_is_said(run: Run) -> None:
    run.play("uuuucuuc")
    assert run.waits == [0.5, 1.0, 2.0, 4.0, 0.5, 1.0]
    told = [notice.text for notice in run.seen(Notice)]
    assert told == [texts.RESTS.of(seconds="2"), texts.RESTS.of(seconds="4")]


def test_the_pause_has_a_limit(run: Run) -> None:
    run.play("u" * 12, max_unchanged=20)
    assert run.waits[-4:] == [60, 60, 60, 60]


def test_a_stop_ends_a_pause_at_once(run: Run) -> None:
    def stop_when_waiting(event: Event) -> None:
        if isinstance(event, Notice) and event.text == texts.RESTS.of(seconds="2"):
            run.stop.request(0)

    run.on = stop_when_waiting
    run.play("uuuuc")
    assert (run.code, run.rounds) == (0, 3)


def test_a_run_that_is_stopped_does_not_rest_first(run: Run) -> None:
    def stop_in_round_three(event: Event) -> None:
        if isinstance(event, Heartbeat) and event.round == 3:
            run.stop.request(0)

    run.on = stop_in_round_three
    run.play("uuuuc")
    assert (run.code, run.rounds, run.waits) == (0, 3, [0.5, 1])
    assert not run.seen(Notice)


def test_a_pause_asked_for_stands_between_two_rounds(run: Run) -> None:
    def pause_in_round_two(event: Event) -> None:
        if isinstance(event, RoundStarted) and event.round == 2:
            run.stop.pause()
        if isinstance(event, Notice) and event.text == texts.PAUSED:
            assert run.rounds == 2
            run.stop.go_on()

    run.on = pause_in_round_two
    run.play("ccc")
    assert [notice.text for notice in run.seen(Notice)] == [texts.PAUSED, texts.GOES_ON]
    assert (run.code, run.rounds) == (0, 3)


def test_each_round_says_how_many_are_left(run: Run) -> None:
    assert [event.left for event in run.play("ccc").seen(RoundStarted)] == [3, 2, 1]


def test_an_endless_loop_has_no_last_round(run: Run) -> None:
    run.play("ccq", iterations="inf")
    assert [event.left for event in run.seen(RoundStarted)] == [None] * 3


def test_rounds_go_on_from_the_last_one_and_a_seed_draws_the_same_words_for_each(tmp_path: Path) -> None:
    whole = Run(tmp_path / "whole").play("cccc", words=3, seed=7)
    rest = Run(tmp_path / "rest").play("cc", words=3, seed=7, before=2)
    other = Run(tmp_path / "other").play("cccc", words=3, seed=8)
    drawn = {event.round: event.words for event in whole.seen(RoundStarted)}
    assert {event.round: event.words for event in rest.seen(RoundStarted)} == {n: drawn[n] for n in (3, 4)}
    assert {event.round: event.words for event in other.seen(RoundStarted)} != drawn
    assert all(len(set(words)) == 3 for words in drawn.values())
    assert len(set(drawn.values())) == 4, "each round draws anew"


def test_each_round_starts_from_the_best(run: Run) -> None:
    run.play("cfc")
    prompts = [call.prompt for call in run.agent.calls]
    assert ["idea of round 1" in prompt for prompt in prompts] == [False, True, True]
