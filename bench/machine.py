"""The guard's state machine, with crashes in the middle of things. `python bench/machine.py [--examples N] [--steps N]`

Builds on tests/guard/test_guard_machine.py (rounds, damage, verdicts, edits, restarts, files lost in a crash, the
clock set to any year) and adds: a run killed at any of its operations, in a round or in a start, a disk that is full
for a while or until the next start, a second run, and a helper of a run that is over. A model says what the best must
be; where a kill or a full disk leaves a choice, it takes what the disk shows, within what the promises allow.
What happened is counted, and a run in which something of it never did has shown nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench"), str(ROOT / "tests" / "guard")]

import guard_points  # noqa: E402
from test_guard_machine import ANSWERS, IDEAS, GuardMachine  # noqa: E402

from xuen.errors import WorkspaceBusy  # noqa: E402
from xuen.workspace import section_script, section_writer  # noqa: E402
from xuen.workspace.research import parse  # noqa: E402
from xuen.workspace.run_lock import RunLock  # noqa: E402

STRIKE = guard_points.Operations(Path("/nowhere"), "", 0, 0)
"""Sees all operations of this process; aimed anew each time, because such a hook cannot be taken away."""


class WorkspaceMachine(GuardMachine):
    """The same model, under more that can happen."""

    happened: ClassVar[Counter[str]] = Counter()

    def teardown(self) -> None:
        """Count and clean up."""
        self.happened["workspaces"] += 1
        if hasattr(self, "fates"):
            self.happened.update(self.fates.values())
        super().teardown()

    # --- what happens

    @rule(idea=IDEAS, number=st.integers(100, 199), answer=ANSWERS, at=st.integers(1, 45))
    def a_kill_in_a_round(self, idea: str, number: int, answer: float | str, at: int) -> None:
        """The run dies at its `at`-th operation, or after the round."""
        before = self.candidates()
        self.play.answers[0].answers = [answer]
        told = self.in_a_fork(lambda: self.struck_round(f"{idea} {number}", "kill", at, 1))
        self.play.start()
        self.take_what_is_there(before, told, answer)

    @rule(at=st.integers(1, 30))
    def a_kill_in_a_start(self, at: int) -> None:
        """A new run dies before its first round."""
        before = self.candidates()
        told = self.in_a_fork(lambda: self.struck(self.play.start, "kill", at, 1))
        self.play.start()
        self.take_what_is_there(before, told, "none")

    @rule(
        idea=IDEAS,
        number=st.integers(200, 299),
        answer=ANSWERS,
        at=st.integers(1, 45),
        lasting=st.sampled_from([1, 5, 10**9]),
    )
    def a_full_disk_in_a_round(self, idea: str, number: int, answer: float | str, at: int, lasting: int) -> None:
        """For a while nothing can be written; afterwards there is room again."""
        before, seen = self.candidates(), len(self.play.ears.events)
        self.play.answers[0].answers = [answer]
        self.struck_round(f"{idea} {number}", "fail", at, lasting)
        self.play.round(None)
        told = [event.id for event in self.play.ears.events[seen:] if type(event).__name__ == "Adopted"]
        self.take_what_is_there(before, told, answer)

    @rule(at=st.integers(1, 30), lasting=st.sampled_from([1, 5, 10**9]))
    def a_full_disk_at_a_start(self, at: int, lasting: int) -> None:
        """The run begins without a guard, and has one from the moment that there is room."""
        before = self.candidates()
        self.struck(self.play.start, "fail", at, lasting)
        self.play.round(None)
        self.take_what_is_there(before, [], "none")

    @rule()
    def a_second_run(self) -> None:
        """It is told that the workspace is taken, and changes nothing."""
        with RunLock(self.play.workspace, "first"):
            try:
                RunLock(self.play.workspace, "second", patience=0).acquire()
            except WorkspaceBusy:
                self.happened["second runs"] += 1
                return
        raise AssertionError("two runs own the workspace")

    @rule(section=st.sampled_from(["idea", "artifact"]))
    def a_helper_of_a_run_that_is_over(self, section: str) -> None:
        """What it wants to write is refused."""
        section_writer.install(self.play.workspace)
        try:
            section_script.write_section(self.play.workspace.root, section, b"too late", "a token of old")
        except section_script.Refused as refused:
            assert refused.code == 4
            self.happened["late helpers"] += 1
            return
        raise AssertionError("it was written")

    # --- how

    def candidates(self) -> set[Path]:
        """The snapshots that there are."""
        return set(self.play.workspace.rounds.glob("cand-*.md"))

    def struck(self, call: Callable[..., Any], mode: str, at: int, lasting: int, *arguments: Any) -> Any:
        """A call during which the `at`-th operation is fatal or fails; less what was counted before."""
        STRIKE.root, STRIKE.mode, STRIKE.at, STRIKE.lasting = str(self.play.workspace.root), mode, at, lasting
        STRIKE.count, STRIKE.armed = 0, True
        try:
            return call(*arguments)
        finally:
            STRIKE.armed = False
            self.happened["failures"] += mode == "fail" and STRIKE.count >= at

    def struck_round(self, idea: str, mode: str, at: int, lasting: int) -> None:
        """A round in which only the guard is struck, not the agent."""
        guard = self.play.guard
        assert guard is not None
        number = guard.last_round() + 1
        identity = self.struck(guard.open_round, mode, at, lasting, number)
        left = max(at - STRIKE.count, 1)
        self.play.prepare_work()
        self.play.work_file.write_bytes(self.play.text(idea))
        report = self.play.report(identity, number)
        self.struck(guard.close_round, mode, left, lasting, report)

    def in_a_fork(self, call: Callable[[], object]) -> list[str]:
        """Let it happen in a copy of this process that does not come back; the ids of the adoptions that it told."""
        said = self.folder / "said"
        said.unlink(missing_ok=True)
        pid = os.fork()
        if pid == 0:
            try:
                heard = guard_points.Acknowledged(said)
                self.play.ears.emit = heard.emit  # type: ignore[method-assign]
                call()
            finally:
                os._exit(0)
        self.happened["kills"] += os.WIFSIGNALED(os.waitpid(pid, 0)[1])
        lines = said.read_bytes().splitlines() if said.exists() else []
        return [each["id"] for each in map(json.loads, lines) if each["event"] == "Adopted"]

    def take_what_is_there(self, before: set[Path], told: list[str], answer: float | str) -> None:
        """Learn the new candidates; then what the verdicts say of the old ones."""
        verdicts = {identity for identity in self.written if self.honoured.get(identity) != self.written[identity]}
        adoptions = self.adoptions
        decided = {idea for idea in self.ideas.values() if self.was_decided(idea)}
        for path in sorted(self.candidates() - before):
            identity = path.stem.removeprefix("cand-")
            fates = [
                line["event"]
                for line in self.play.lines("adopted", "rejected", "pending")
                if line.get("id") == identity
            ]
            assert fates, f"nobody knows what became of {identity}"
            self.keep(identity, parse(path.read_bytes()).sections.idea, fates[-1])
            if fates[-1] == "adopted":
                assert not isinstance(answer, str), "adopted without a score"
                assert answer >= 7, "adopted with a low score"
                assert self.ideas[identity] not in decided, "adopted although its text was decided before"
                self.adopt(identity)
        for identity in told:
            assert self.fates[identity] == "adopted" or identity in verdicts, "an adoption that was told is lost"
        by_judge = [self.best] if self.adoptions > adoptions else []
        self.read_verdicts()
        if by_judge:  # verdicts count before the round or, where the disk was full then, after it
            last = self.ideas[self.play.lines("adopted")[-1]["id"]]
            assert last in (*by_judge, self.best), "the best is neither of the two"
            self.best = last


MUST_HAPPEN = ["adopted", "rejected", "pending", "kills", "failures", "second runs", "late helpers"]


def examples(count: int, steps: int) -> tuple[Counter[str], str]:
    """What happened, and what went wrong."""
    chosen = settings(
        max_examples=count,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(WorkspaceMachine, settings=chosen)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is being looked for
        notes = "\n".join(getattr(error, "__notes__", []))
        return WorkspaceMachine.happened, f"{error!r}\n{notes}"
    return WorkspaceMachine.happened, ""


def main(arguments: Sequence[str]) -> int:
    """Play; 0 when the model was always right."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--examples", type=int, default=2000, help="how many workspaces")
    parser.add_argument("--steps", type=int, default=60, help="how much happens in each")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    asked = parser.parse_args(arguments)
    began = time.monotonic()
    share = -(-asked.examples // (asked.jobs * 4))
    with ProcessPoolExecutor(asked.jobs, max_tasks_per_child=1) as pool:
        results = list(pool.map(examples, [share] * (asked.jobs * 4), [asked.steps] * (asked.jobs * 4)))
    broken = [wrong for _, wrong in results if wrong]
    happened = sum((some for some, _ in results), Counter[str]())
    told = ", ".join(f"{happened[name]} {name}" for name in MUST_HAPPEN)
    print(
        f"machine: {happened['workspaces']} workspaces of up to {asked.steps} steps ({told}); "
        f"{len(broken)} broken promises ({time.monotonic() - began:.0f} s)"
    )
    if happened["workspaces"] < asked.examples or not all(happened[name] for name in MUST_HAPPEN):
        broken.append("not all of this happened, so nothing was shown")
    for wrong in broken[:3]:
        print(wrong)
    print("a goal was missed" if broken else "goals met")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
