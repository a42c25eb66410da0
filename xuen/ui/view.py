"""What a run looks like at this moment: one immutable value, made by folding its events.

Owns the state that both faces draw from; knows no terminal, no clock and no engine. `fold` is pure: the same
view, event and time give the same view. Nothing in a `View` grows with the length of a run except the
pending candidates; of the outcomes the last `MARKS_KEPT` are there.
"""

from __future__ import annotations

from enum import StrEnum
from functools import singledispatch
from typing import Literal

import msgspec
from msgspec.structs import replace

from xuen import events as ev
from xuen.events import Event, Purpose, Section, Why
from xuen.texts import Text

MARKS_KEPT = 200

Kind = Literal["adopted", "rejected", "pending", "failed", "stopped", "still"]
"""What became of a round: still is a heartbeat, failed a damaged file too."""


class Mark(msgspec.Struct, frozen=True):
    """One round's outcome, as the chart shows it."""

    round: int
    kind: Kind
    score: float | None = None
    id: str = ""


class Phase(StrEnum):
    """What is going on."""

    STARTING = "starting"
    WORDS = "words"
    BETWEEN = "between"
    RESEARCH = "research"
    VERIFYING = "verifying"
    JUDGING = "judging"
    FINISHED = "finished"


class View(msgspec.Struct, frozen=True, kw_only=True):
    """A run as a person sees it. Times are seconds of the clock whose readings `fold` was given."""

    workspace: str = ""
    again: tuple[str, str] = ("xuen", "")  # what to type before and after another command for this workspace
    agent: str = ""

    round: int = 0
    left: int | None = None  # rounds left in this call, the present one counted; None = endless or not known
    words: tuple[str, ...] = ()
    phase: Phase = Phase.STARTING
    verifier: str = ""  # who checks, while phase is VERIFYING or JUDGING
    since: float = 0.0  # when this phase began
    heard: float | None = None  # when the agent last printed something in this phase
    pid: int | None = None  # the agent's process while a call is going on
    round_since: float | None = None  # when the present round began
    rounds_timed: int = 0
    seconds_timed: float = 0.0  # how long those took together

    idea: str = ""
    artifact: str = ""
    changed: frozenset[Section] = frozenset()  # overwritten by the agent and not put back since

    base_idea: str = ""  # what the present round began with: the best, where the guard is on
    base_artifact: str = ""
    base_id: str | None = None

    best_id: str | None = None
    best_score: float | None = None
    pending: tuple[str, ...] = ()
    failures: int = 0  # rounds of this run in which the agent failed
    marks: tuple[Mark, ...] = ()  # the outcomes of the last rounds, oldest first
    without_suite: int = 0  # rounds in a row in which no test suite could be run
    guard_off: Text | None = None

    bank_have: int = 0
    bank_want: int = 0
    bank_calls: int = 0  # calls that were made for the bank so far
    bank_lines: int = 0  # lines of the last of them

    taken_round: int | None = None  # the last round that took input
    finished: ev.RunFinished | None = None


def fold(view: View, event: Event, *, now: float = 0.0) -> View:
    """The view after one more event, which was seen at the time `now` (seconds)."""
    return _fold(event, view, now)


def seconds_left(view: View, now: float) -> float | None:
    """An estimate from the rounds so far: how long the rest of this call will take; None where nothing is known."""
    if not view.rounds_timed or view.left is None or view.round_since is None or view.finished is not None:
        return None
    usual = view.seconds_timed / view.rounds_timed
    return usual * (view.left - 1) + max(0.0, usual - (now - view.round_since))


def short_id(candidate: str) -> str:
    """The part of a candidate's id that a person reads: `r3` of `20260101-120000-r3`."""
    return "r" + candidate.rpartition("-r")[2] if "-r" in candidate else candidate


def _enter(view: View, phase: Phase, now: float, *, verifier: str = "") -> View:
    """Into a phase; its clock starts anew unless it goes on."""
    if view.phase is phase and view.verifier == verifier:
        return view
    return replace(view, phase=phase, verifier=verifier, since=now, heard=None)


def _set_base(view: View) -> View:
    """What is shown now is what changes are compared with."""
    return replace(view, base_idea=view.idea, base_artifact=view.artifact, base_id=view.best_id)


def _mark(view: View, mark: Mark) -> View:
    """One more outcome; a decision on an earlier candidate replaces that one's."""
    if mark.id and any(each.id == mark.id for each in view.marks):
        marks = tuple(replace(mark, round=each.round) if each.id == mark.id else each for each in view.marks)
    else:
        marks = (*view.marks, mark)
    return replace(view, marks=marks[-MARKS_KEPT:])


def _without(items: tuple[str, ...], gone: str) -> tuple[str, ...]:
    return tuple(item for item in items if item != gone)


@singledispatch
def _fold(_event: Event, view: View, _now: float) -> View:
    return view


@_fold.register
def _(event: ev.RunStarted, view: View, now: float) -> View:
    return replace(
        view,
        workspace=event.workspace,
        again=event.again,
        agent=event.agent,
        left=event.iterations,
        round=event.round,
        phase=Phase.STARTING,
        since=now,
        finished=None,
    )


@_fold.register
def _(event: ev.RunFinished, view: View, now: float) -> View:
    return replace(_enter(view, Phase.FINISHED, now), finished=event, failures=event.failed)


@_fold.register
def _(event: ev.SectionsShown, view: View, _now: float) -> View:
    view = replace(view, idea=event.idea, artifact=event.artifact, changed=frozenset())
    if not view.round or view.round_since is None:
        view = _set_base(replace(view, best_id=event.best or view.best_id))
    if event.best is not None:
        view = replace(view, best_id=event.best, best_score=event.best_score)
    return view if event.pending is None else replace(view, pending=event.pending)


@_fold.register
def _(event: ev.WordsStarted, view: View, now: float) -> View:
    return replace(_enter(view, Phase.WORDS, now), bank_have=0, bank_want=event.want, bank_calls=0)


@_fold.register
def _(event: ev.WordsProgress, view: View, _now: float) -> View:
    return replace(view, bank_have=event.have, bank_want=event.want)


@_fold.register
def _(event: ev.WordsReady, view: View, now: float) -> View:
    return replace(_enter(view, Phase.BETWEEN, now), bank_have=event.count, bank_want=event.count)


@_fold.register
def _(event: ev.RoundStarted, view: View, now: float) -> View:
    if view.round_since is not None:
        ended = view.since if view.phase is Phase.BETWEEN else now  # a pause after a round is no part of it
        spent = view.seconds_timed + max(0.0, ended - view.round_since)
        view = replace(view, rounds_timed=view.rounds_timed + 1, seconds_timed=spent)
    view = _set_base(_enter(view, Phase.BETWEEN, now))
    return replace(view, round=event.round, words=event.words, left=event.left, changed=frozenset(), round_since=now)


@_fold.register
def _(event: ev.InputTaken, view: View, _now: float) -> View:
    return replace(view, taken_round=event.round)


@_fold.register
def _(event: ev.CallStarted, view: View, now: float) -> View:
    view = replace(view, pid=event.pid)
    if event.purpose is Purpose.JUDGE:
        return _enter(view, Phase.JUDGING, now, verifier=event.agent)
    if event.purpose is Purpose.WORDS:
        view = replace(_enter(view, Phase.WORDS, now), bank_calls=view.bank_calls + 1, bank_lines=0)
    else:
        view = _enter(view, Phase.RESEARCH, now)
    return replace(view, since=now, heard=None)


@_fold.register
def _(event: ev.Output, view: View, now: float) -> View:
    if event.purpose is Purpose.WORDS:
        return replace(view, heard=now, bank_lines=view.bank_lines + 1)
    return replace(view, heard=now)


@_fold.register
def _(event: ev.CallEnded, view: View, now: float) -> View:
    view = replace(view, pid=None)
    return view if event.purpose is Purpose.WORDS else _enter(view, Phase.BETWEEN, now)


@_fold.register
def _(event: ev.SectionChanged, view: View, _now: float) -> View:
    changed = view.changed | {event.section}
    if event.section == "idea":
        return replace(view, idea=event.content, changed=changed)
    return replace(view, artifact=event.content, changed=changed)


@_fold.register
def _(event: ev.Baseline, view: View, _now: float) -> View:
    return replace(view, best_id=event.id, best_score=None)


@_fold.register
def _(event: ev.Verifying, view: View, now: float) -> View:
    return _enter(view, Phase.VERIFYING, now, verifier=event.verifier)


@_fold.register
def _(event: ev.Judged, view: View, _now: float) -> View:
    if event.verifier != "tests":
        return view
    return replace(view, without_suite=view.without_suite + 1 if event.outcome == "unavailable" else 0)


@_fold.register
def _(event: ev.Adopted, view: View, now: float) -> View:
    view = replace(view, best_id=event.id, best_score=event.score, pending=_without(view.pending, event.id))
    view = _mark(view, Mark(event.round, "adopted", event.score, event.id))
    return _enter(view, Phase.BETWEEN, now)


@_fold.register
def _(event: ev.Rejected, view: View, now: float) -> View:
    view = replace(view, pending=_without(view.pending, event.id))
    view = _mark(view, Mark(event.round, "rejected", event.score, event.id))
    return _enter(view, Phase.BETWEEN, now)


@_fold.register
def _(event: ev.Pending, view: View, now: float) -> View:
    pending = view.pending if event.id in view.pending else (*view.pending, event.id)
    view = _mark(view, Mark(event.round, "pending", None, event.id))
    return replace(_enter(view, Phase.BETWEEN, now), pending=pending)


@_fold.register
def _(event: ev.Heartbeat, view: View, _now: float) -> View:
    return _mark(view, Mark(event.round, "still"))


@_fold.register
def _(event: ev.Damaged, view: View, _now: float) -> View:
    return _mark(view, Mark(event.round, "failed"))


@_fold.register
def _(event: ev.AgentFailed, view: View, _now: float) -> View:
    if event.why is Why.STOPPED:
        return _mark(view, Mark(event.round, "stopped"))
    return replace(_mark(view, Mark(event.round, "failed")), failures=view.failures + 1)


@_fold.register
def _(event: ev.Restored, view: View, _now: float) -> View:
    return replace(view, best_id=event.id, best_score=view.best_score if view.best_id == event.id else None)


@_fold.register
def _(event: ev.Recovered, view: View, _now: float) -> View:
    return replace(view, best_id=event.id, best_score=view.best_score if view.best_id == event.id else None)


@_fold.register
def _(event: ev.GuardOff, view: View, _now: float) -> View:
    return replace(view, guard_off=event.reason)


@_fold.register
def _(_event: ev.GuardOn, view: View, _now: float) -> View:
    return replace(view, guard_off=None)
