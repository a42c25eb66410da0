"""A state machine over the guard: whatever people, agents and crashes do, a small model says what must be the best."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from guard_play import FAILED, Play
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from xuen.workspace.research import parse

IDEAS = st.sampled_from(["alpha", "beta", "gamma", "δ", ""])
SCORES = st.sampled_from([0, 3, 6.9, 7, 8, 10])
ANSWERS = st.sampled_from([2, 6.9, 7, 9, "unknown", "unavailable"])


class GuardMachine(RuleBasedStateMachine):
    """One workspace. `best` is the idea that must be in research.md; `fates` what became of each candidate."""

    @initialize()
    def begin(self) -> None:
        memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
        self.folder = Path(tempfile.mkdtemp(dir=memory))
        self.play = Play(self.folder / "w")
        self.play.start()
        self.best = ""
        self.fates: dict[str, str] = {}
        self.ideas: dict[str, str] = {}
        self.honoured: dict[str, tuple[float, str]] = {}
        self.written: dict[str, tuple[float, str]] = {}
        self.adoptions = 0
        self.seen = b""

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- the model

    def read_verdicts(self) -> None:
        due = [
            (score, place, identity)
            for place, (identity, (score, comment)) in enumerate(self.written.items())
            if self.honoured.get(identity) != (score, comment)
        ]
        self.honoured |= self.written
        good = [each for each in due if each[0] >= 7 and self.fates[each[2]] != "adopted"]
        for score, _, identity in due:
            if score < 7 and self.fates[identity] != "adopted":
                self.fates[identity] = "rejected"
        for _, _, identity in sorted(good):
            self.adopt(identity)

    def adopt(self, identity: str) -> None:
        self.fates[identity] = "adopted"
        self.best = self.ideas[identity]
        self.adoptions += 1

    def was_decided(self, idea: str) -> bool:
        """Whether this text was adopted or rejected before, white space aside; then nobody judges it again."""
        same = (identity for identity, other in self.ideas.items() if other.split() == idea.split())
        return any(self.fates[identity] in ("adopted", "rejected") for identity in same)

    def keep(self, identity: str, idea: str, fate: str) -> None:
        self.ideas[identity] = idea
        self.fates[identity] = fate

    # --- what happens

    @rule(idea=IDEAS, number=st.integers(0, 9), blank=st.sampled_from(["", " "]), answer=ANSWERS)
    def a_round(self, idea: str, number: int, blank: str, answer: float | str) -> None:
        idea = f"{idea} {number}".strip()
        judge = self.play.answers[0]
        judge.answers, calls = [answer], len(judge.asked)
        identity = self.play.round(idea + blank)
        self.read_verdicts()  # they count before the round
        if idea + blank == self.best:
            return
        repeats = self.was_decided(idea)
        assert (len(judge.asked) == calls) == repeats
        self.keep(identity, idea + blank, "pending" if isinstance(answer, str) and not repeats else "rejected")
        if not repeats and not isinstance(answer, str) and answer >= 7:
            self.adopt(identity)

    @rule()
    def a_round_without_change(self) -> None:
        self.play.round(None)
        self.read_verdicts()

    @rule(idea=IDEAS)
    def a_failed_round(self, idea: str) -> None:
        self.play.round(idea + " half", outcome=FAILED)
        self.read_verdicts()

    @rule(data=st.sampled_from([b"", b"x", b"<!-- XUEN:IDEA:BEGIN -->\n", b"\xff\xfe"]))
    def a_round_that_damages(self, data: bytes) -> None:
        self.play.raw_round(data)
        self.read_verdicts()

    @rule(what=st.sampled_from(["everything", "the folder", "candidates", "history"]))
    def a_round_that_deletes(self, what: str) -> None:
        guard, workspace = self.play.guard, self.play.workspace
        assert guard is not None
        number = guard.last_round() + 1
        identity = guard.open_round(number)
        self.read_verdicts()
        if what in ("everything", "the folder"):
            shutil.rmtree(workspace.rounds)
        if what == "the folder":
            workspace.rounds.write_text("mine")
        if what == "candidates":
            for path in workspace.rounds.glob("cand-*.md"):
                path.unlink()
        if what == "history":
            workspace.history.unlink()
        if what != "candidates":
            self.seen = b""  # it comes back without what was damaged in it
        guard.close_round(self.play.report(identity, number))

    @rule(pick=st.integers(0, 99), score=SCORES, comment=st.sampled_from(["", "good", "好"]))
    def a_verdict(self, pick: int, score: float, comment: str) -> None:
        if self.fates:
            identity = sorted(self.fates)[pick % len(self.fates)]
            self.play.verdict(f"{identity} {score} {comment}\n")
            self.written.pop(identity, None)
            self.written[identity] = (float(score), comment)

    @rule(line=st.sampled_from(["20990101-000000-r1 9", "nonsense", "# a comment", "", "\x00\x00"]))
    def a_useless_line(self, line: str) -> None:
        self.play.verdict(line + "\n")

    @rule()
    def another_run(self) -> None:
        self.play.finish()
        self.read_verdicts()
        self.play.start()

    @rule(lost=st.sampled_from(["", "best.json", "best.md", "both", "research", "torn"]))
    def a_crash(self, lost: str) -> None:
        if lost in ("best.json", "both"):
            self.play.workspace.best_json.write_bytes(b'{"id":')
        if lost in ("best.md", "both"):
            self.play.workspace.best.unlink()
        if lost == "research":
            self.play.workspace.research.write_bytes(b"")
        if lost == "torn":
            with self.play.workspace.history.open("ab") as file:
                file.write(b'{"seq":')
        self.play.start()
        self.read_verdicts()

    @rule(number=st.integers(0, 9**9))
    def a_person_edits(self, number: int) -> None:
        before = set(self.play.workspace.rounds.glob("cand-*"))
        self.play.workspace.research.write_bytes(self.play.text(f"mine {number}"))
        self.play.start()
        for path in set(self.play.workspace.rounds.glob("cand-*")) - before:
            self.keep(path.stem.removeprefix("cand-"), f"mine {number}", "pending")
        self.read_verdicts()

    @rule(year=st.sampled_from([1999, 2026, 2098]))
    def the_clock_is_set(self, year: int) -> None:
        self.play.now = self.play.now.replace(year=year)

    # --- what must hold

    @invariant()
    def the_best_is_everywhere(self) -> None:
        if hasattr(self, "play"):
            assert self.play.idea == self.play.best_idea() == self.best
            assert len(self.play.lines("adopted")) == self.adoptions

    @invariant()
    def nothing_is_lost(self) -> None:
        if hasattr(self, "play"):
            for identity, idea in self.ideas.items():
                assert parse(self.play.workspace.candidate(identity).read_bytes()).sections.idea == idea
            now = self.play.workspace.history.read_bytes()
            assert now.startswith(self.seen)
            self.seen = now

    @invariant()
    def numbers_have_no_gaps(self) -> None:
        if hasattr(self, "play"):
            assert [line["seq"] for line in self.play.lines()] == list(range(1, len(self.play.lines()) + 1))


TestGuardMachine = GuardMachine.TestCase
TestGuardMachine.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
