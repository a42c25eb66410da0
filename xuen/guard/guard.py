"""The round guard: progress is never lost and never goes backwards.

Owns the order in which things happen to a round (`close_round` below is that order). What always holds:

- A changed state is durable as a candidate before anything else is done with it.
- The `adopted` line in the history is the commit point; best.md, best.json and research.md follow from it, and the
  person is told of an adoption only when it is durable.
- What the disk holds of the best (its snapshot, best.md, best.json, the history) and of the latest other candidates is
  looked at after every call, and written again where an agent or a judge deleted or changed it. So a kill loses the
  best only where it comes within the very call that deleted all of it.
- The next round starts from the best, unless the guard cannot write: then it starts from the newest state, which may
  exist in the work folder only. What waits (`Steps`) is done before anything new.
- No trouble of the guard's own files leaves this module as an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec

from xuen.config.model import RoundsSettings
from xuen.errors import DamagedResearch
from xuen.events import (
    Adopted,
    Candidate,
    Damaged,
    Event,
    Pending,
    Recovered,
    Rejected,
    Restored,
    RunFinished,
    RunStarted,
    SectionsShown,
)
from xuen.guard.best import LATEST, Best, Followers, read_record
from xuen.guard.candidates import Snapshot, content_digest, digest, kept_ids, last_round_of
from xuen.guard.desk import Desk
from xuen.guard.history import Known, Ledger, anchor_of
from xuen.guard.judging import Findings, Judging
from xuen.guard.kept_texts import KeptTexts
from xuen.guard.no_guard import NoGuard
from xuen.guard.opening import keep_edit, open_workspace
from xuen.guard.person import Person
from xuen.guard.policy import Decision, Policy
from xuen.guard.repeat import repeated
from xuen.guard.round import RoundReport, agent_failed, heartbeat
from xuen.guard.steps import Steps
from xuen.guard.verify import Judgement, Verifier
from xuen.sink import Sink
from xuen.stop import Stop
from xuen.texts import Language, Text
from xuen.texts import guard as texts
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Research, Sections, parse, parse_or_none
from xuen.workspace.research_file import ResearchFile

_SHOWN = 6
"""How many names of files are told at once."""


def utc_now() -> datetime:
    """The clock of a real run."""
    return datetime.now(UTC)


class RoundGuard:
    """Guards one workspace for one run. `clock` answers in UTC; times name things, they never order them."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        settings: RoundsSettings,
        language: Language,
        verifiers: Mapping[str, Verifier],
        sink: Sink,
        stop: Stop,
        research: ResearchFile | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        research = research or ResearchFile(workspace)
        ledger = Ledger(workspace.history, language=language, clock=clock)
        self._desk = Desk(workspace, research, ledger, Followers(workspace, research, clock), sink, clock)
        self._language: Language = language
        self._policy = Policy.of(settings)
        self._person = Person(self._desk, self._policy)
        self._sink = sink
        self._kept_texts = KeptTexts(self._desk)
        self._judging = Judging(self._policy, verifiers, self._kept_texts, sink, stop)
        self._steps = Steps(sink, first=self._make_room)
        self._bare = NoGuard(research, root=workspace.root, sink=sink, clock=clock, steps=self._steps)
        self._best: Best | None = None  # None: the start has not worked yet
        self._unseen: list[Known] = []  # of the latest candidates of earlier runs, those not looked at yet
        self._now: Sections | None = None  # what the last round, or the start, left; None for nothing well-formed
        self._published: Sections | None = None  # what this guard last saw to in research.md
        self._given: Sections | None = None  # what the next round starts from, where that is not the best
        self._left: Research | None = None  # what a killed run left in the work folder
        self._task = ""
        self._agent = ""
        self._round = 0
        self._streak = 0  # heartbeats in a row

    # --- one round -------------------------------------------------------------------------------------------------

    def close_round(self, report: RoundReport) -> Sequence[Judgement]:
        """Decide what becomes of a round, then read the verdicts and publish the best. Raises nothing."""
        if self._best is None:
            return self._bare.close_round(report)
        judgements: tuple[Judgement, ...] = ()
        best = self._best
        if self._steps.run():  # before anybody judges: the agent may have deleted everything that the guard keeps
            self._steps.attempt(partial(self._secure, best))
        self._kept_texts.keep_prompt_again()
        left = parse_or_none(report.data)
        self._now = left.sections if left else None
        if not report.outcome.worked:
            self._failed(report)
        else:
            try:
                state = report.research().sections
            except DamagedResearch as damage:
                self._damaged(report, damage.reason)
            else:
                if state in (best.sections, self._given):
                    self._unchanged(report)
                else:
                    judgements = self._consider(report, best)
        self._come_to_rest(report.round)
        return judgements

    def _consider(self, report: RoundReport, best: Best) -> tuple[Judgement, ...]:
        """Keep the candidate, have it judged unless its text was decided before, decide.

        One that could not be kept in time waits for a person.
        """
        self._streak = 0
        data = report.data or b""
        identity = self._unused_id(report)
        candidate = Snapshot(identity, report.round, data, digest(data), best.anchor.id, report.words)
        if not self._steps.run(partial(self._keep, candidate)):
            decision: Decision | None = Decision("pending", "none", None, texts.KEPT_LATE)
        else:
            decision = self._steps.result(lambda: repeated(candidate, best, self._desk.index, self._policy))
        findings = Findings(decision) if decision else self._judging.judge(candidate, best.snapshot)
        self._decide(candidate, findings)
        return findings.judgements

    def _decide(self, candidate: Snapshot, findings: Findings) -> None:
        """Make the decision durable, then tell it."""
        decision = findings.decision
        number, identity, verify = candidate.round, candidate.id, decision.verify
        event: Event
        if decision.what == "adopted":
            self._steps.run(partial(self._adopt, candidate, findings))
            return
        if decision.what == "rejected":
            event = Rejected(round=number, id=identity, score=decision.score, verify=verify, reason=decision.reason)
        else:
            event = Pending(round=number, id=identity, verify=verify, reason=decision.reason)
        judgements = findings.lines(self._language)
        keep = partial(self._desk.followers.keep, candidate)  # its judge may have deleted it
        self._steps.run(keep, partial(self._desk.record, event, judgements=judgements))

    def _keep(self, candidate: Snapshot) -> None:
        self._desk.followers.keep(candidate)
        self._desk.record(
            Candidate(
                round=candidate.round,
                id=candidate.id,
                sha256=candidate.sha256,
                parent=candidate.parent,
                words=candidate.words,
                content_sha256=content_digest(candidate.data),
            )
        )

    def _adopt(self, candidate: Snapshot, findings: Findings) -> None:
        decision = findings.decision
        adopted = Adopted(
            round=candidate.round,
            id=candidate.id,
            sha256=candidate.sha256,
            score=decision.score,
            verify=decision.verify,
        )
        reason = decision.reason.in_language(self._language)
        self._desk.followers.keep(candidate)  # its judge may have deleted it
        line = self._desk.record(adopted, reason=reason, judgements=findings.lines(self._language))[0]
        self._best = Best.of(anchor_of(line), candidate.data)

    def _failed(self, report: RoundReport) -> None:
        self._streak = 0
        self._record_now(agent_failed(report, self._agent))

    def _unchanged(self, report: RoundReport) -> None:
        self._streak += 1
        self._record_now(heartbeat(report, self._streak, self._agent))

    def _damaged(self, report: RoundReport, reason: Text) -> None:
        self._streak = 0
        data = report.data
        kept = None if data is None else self._steps.result(partial(self._desk.research.keep_copy, data))
        self._record_now(Damaged(round=report.round, reason=reason, kept=self._relative(kept)))

    # --- what happens between rounds -------------------------------------------------------------------------------

    def start(self, started: RunStarted, left: bytes | None = None) -> None:
        """Emit and record the start, recover, fix the best, read the verdicts. Raises nothing."""
        self._task, self._agent, self._left = started.task, started.agent, parse_or_none(left)
        with suppress(OSError):  # told by `_begin`, after the start was
            self._look_back()
        started = msgspec.structs.replace(started, round=self._round)
        self._sink.emit(started)
        self._steps.later(partial(self._desk.ledger.append, started))
        if not self._begin():
            self._bare.take_over(started)

    def last_round(self) -> int:
        """The highest round number that this workspace has seen."""
        return self._round

    def open_round(self, round: int) -> str:
        """A new id; what had to wait is tried again first, and verdicts count at once. Raises nothing."""
        self._round = max(self._round, round)
        if self._best is None:
            self._begin()
        elif self._steps.run():
            self._come_to_rest(round)
        try:
            return self._desk.free_id(round)
        except OSError:
            return self._bare.open_round(round)

    def sections(self) -> Sections:
        """The state that the next round starts from: the best, or the newest one while the guard cannot write."""
        if self._best is None:
            return self._bare.sections()
        return self._given or self._best.sections

    def document(self) -> bytes:
        """These sections, and what the user wrote around them. Raises nothing."""
        if self._best is None:
            return self._bare.document()
        try:
            around = parse(self._desk.research.read())
        except (DamagedResearch, OSError):
            around = parse(self._best.snapshot.data)
        return around.with_sections(self.sections())

    def shown(self) -> SectionsShown:
        """The sections as an event, with the best and what is pending while the guard works."""
        best, now = self._best, self.sections()
        if best is None:
            return self._bare.shown()
        pending = self._steps.result(lambda: self._desk.index.pending())  # noqa: PLW0108 - the index may fail
        return SectionsShown(
            idea=now.idea,
            artifact=now.artifact,
            best=best.anchor.id,
            best_score=best.anchor.score,
            pending=pending,
        )

    def keep_prompt(self, id: str, text: str) -> None:
        """Keep what the agent is asked as `rounds/prompts/<id>.txt`. Raises nothing."""
        self._kept_texts.keep_prompt(id, text)

    def log_path(self, id: str) -> Path | None:
        """Where the agent's output of that round goes; None where the folder cannot be made."""
        return self._kept_texts.log_path(id)

    def finish(self, finished: RunFinished) -> None:
        """Do what waits, read the verdicts a last time, tell and record the end. Raises nothing."""
        if self._best is None:
            self._begin()
        else:
            self._steps.run()
            self._come_to_rest(self._round)
        self._record_now(finished)

    # --- parts of the above ----------------------------------------------------------------------------------------

    def _look_back(self) -> None:
        """Read the ledger, and what it may not know: a higher seq in best.json, rounds that were killed early."""
        index, workspace = self._desk.index, self._desk.workspace
        record = read_record(workspace.best_json)
        if record is not None and all(each.sha256 != record.sha256 for each in index.anchors):
            self._desk.ledger.start_above(record.seq)
        asked = (path.stem for path in workspace.prompts.glob("*.txt"))  # also in rounds that were killed early
        self._round = max(self._round, index.last_round, last_round_of([*kept_ids(workspace.rounds), *asked]))

    def _begin(self) -> bool:
        """The start proper, tried until it works; whether it has."""
        if self._steps.attempt(self._look_back) and self._steps.run() and self._steps.attempt(self._open):
            self._come_to_rest(self._round)
        return self._best is not None

    def _open(self) -> None:
        self._best, self._now = open_workspace(self._desk, self._task, self._policy, self._left)
        self._unseen = list(self._desk.index.known.values())[-LATEST:]
        self._streak = self._desk.index.streak

    def _look_at(self, known: Known) -> bool:
        """Count one of an earlier run's candidates among the latest if it is whole; False where that cannot be seen."""
        try:
            data = self._desk.snapshot(known)
            if data is not None:
                self._desk.followers.keep(Snapshot(known.id, known.round, data, known.sha256))
        except OSError:  # one that cannot be read is no trouble of the guard's, and to be tried again
            return False
        return True

    def _make_room(self) -> None:
        """Once there is a best, rounds/ is the guard's own; before that, what stands there is somebody else's."""
        if self._best is not None:
            self._desk.followers.make_room()

    def _come_to_rest(self, number: int) -> None:
        """Read the verdicts, then bring best.md, best.json and research.md after the best.

        Neither is done while something waits to be made durable: the state that a round left may exist nowhere else,
        so the next round starts from it.
        """
        read = not self._steps.waiting and self._steps.attempt(partial(self._honour, number))
        if not self._follow():
            self._given = self._now
            return
        assert self._best is not None
        if self._now != self._best.sections:
            self._record_now(Restored(round=number, id=self._best.anchor.id))
        self._now, self._given = self._best.sections, None
        if read:
            self._steps.all_well()

    def _honour(self, number: int) -> None:
        assert self._best is not None
        for best in self._person.honour(self._best, number):
            self._best = best

    def _follow(self) -> bool:
        """Bring the three files after the best, each as far as it goes; whether all could be."""
        best = self._best
        assert best is not None
        if self._steps.waiting:
            return False
        recorded = self._steps.attempt(partial(self._secure, best))
        return self._steps.attempt(partial(self._publish, best)) and recorded

    def _secure(self, best: Best) -> None:
        """Make sure that the disk holds the best and how it became that; somebody may have deleted or changed it."""
        self._unseen = [known for known in self._unseen if not self._look_at(known)]
        changed = self._desk.followers.bring_record(best)
        if self._desk.ledger.mend():
            changed.append(self._desk.workspace.history.name)
        if changed:
            more = f", … (+{len(changed) - _SHOWN})" if len(changed) > _SHOWN else ""
            reason = texts.WRITTEN_AGAIN.of(files=", ".join(changed[:_SHOWN]) + more)
            self._desk.record(Recovered(round=self._round, id=best.anchor.id, reason=reason))

    def _publish(self, best: Best) -> None:
        """Bring research.md after the best; sections that the user wrote there become a candidate first."""
        done = self._desk.followers.publish(best, self._published)
        if done.edit is not None:
            keep_edit(self._desk, best, done.edit)
            done = self._desk.followers.publish(best, done.edit.sections)
        if done.kept is not None:
            text = texts.RESEARCH_EDITED if done.edited else texts.RESEARCH_KEPT_ASIDE
            self._desk.notice(text.of(kept=self._relative(done.kept)))
        self._published = best.sections

    def _record_now(self, event: Event) -> None:
        """Tell an event that is a fact already, and record it; its line waits when it has to."""
        self._steps.run(partial(self._desk.ledger.append, event))
        self._sink.emit(event)

    def _unused_id(self, report: RoundReport) -> str:
        """The round's id, or the next one where some other process was faster."""
        try:
            taken = self._desk.workspace.candidate(report.id).exists()
            return self._desk.free_id(report.round) if taken else report.id
        except OSError:
            return report.id

    def _relative(self, path: Path | None) -> str | None:
        return None if path is None else path.relative_to(self._desk.workspace.root).as_posix()
