"""The guard's start: everything that `recovery.survey` found is mended, and the best is fixed.

It may be killed at any point and is then run again: what was mended by then is no longer found, the rest is. Nothing
is deleted; damaged files are renamed.
"""

from __future__ import annotations

from contextlib import suppress
from functools import reduce

from xuen.errors import DamagedResearch
from xuen.events import Adopted, Baseline, Candidate, Event, Pending, Recovered, Verdict
from xuen.files.aside import keep_aside
from xuen.files.regular import read_regular
from xuen.guard.best import Best
from xuen.guard.candidates import Snapshot, content_digest, digest, round_of, save
from xuen.guard.desk import Desk
from xuen.guard.history import Anchor, anchor_of
from xuen.guard.policy import Policy
from xuen.guard.recovery import Found, survey
from xuen.guard.verdicts import due
from xuen.guard.verdicts import parse as parse_verdicts
from xuen.texts import Text
from xuen.texts import guard as texts
from xuen.workspace.research import Research, Sections, new_research, parse, parse_or_none

_RECENT = 3
"""How many of the latest bests and candidates a research.md is compared with, section by section."""


def open_workspace(desk: Desk, task: str, policy: Policy, left: Research | None = None) -> tuple[Best, Sections | None]:
    """Find or make the best, fix what is broken, keep the user's edits; the best, and the sections of research.md.

    `left` is what a killed run left in the work folder; it is kept as well. research.md itself is published later.

    Raises:
        OSError: the guard cannot work now; to be run again.
    """
    workspace = desk.workspace
    found = survey(workspace, desk.index)
    state = _look_at_research(desk)
    best = _first_best(desk, found, state, task) if found.anchor is None else _mend(desk, found, found.anchor, state)
    _record_unrecorded(desk, found, best)
    if found.rescued is not None:
        _rescue(desk, best, found.rescued)
    if found.unrecorded:
        _hold_verdicts(desk, policy)
    for found_state in (state, left):
        if isinstance(found_state, Research) and found_state.sections != best.sections:
            keep_edit(desk, best, found_state)
    return best, state.sections if isinstance(state, Research) else None


def _look_at_research(desk: Desk) -> Research | DamagedResearch:
    try:
        return parse(desk.research.read())
    except DamagedResearch as damage:
        return damage


def _first_best(desk: Desk, found: Found, state: Research | DamagedResearch, task: str) -> Best:
    """Nothing is left of any best: research.md as it is becomes the baseline, or an empty one does."""
    for path in found.damaged:
        keep_aside(path, desk.clock())
    data = state.data if isinstance(state, Research) else new_research(task)
    sha256 = digest(data)
    # A start that was killed between the snapshot and its line left one that only needs the line.
    left = [each for each, kept in found.orphans.items() if round_of(each) == 0 and digest(kept) == sha256]
    identity = left[0] if left else desk.free_id(0)
    found.orphans.pop(identity, None)
    save(desk.workspace.candidate(identity), Snapshot(identity, 0, data, sha256))
    line = desk.record(Baseline(round=0, id=identity, sha256=sha256, content_sha256=content_digest(data)))[0]
    if found.findings:
        desk.record(Recovered(round=desk.index.last_round, id=identity, reason=_told(found.findings, identity)))
    return Best.of(anchor_of(line), data)


def _mend(desk: Desk, found: Found, anchor: Anchor, state: Research | DamagedResearch) -> Best:
    """There is a best; bring everything else after it. The history says so before anything is moved."""
    findings = list(found.findings) if found.needs_mending else []
    if isinstance(state, DamagedResearch):
        findings.append(texts.RESEARCH_DAMAGED.of(reason=state.reason))
    identity = anchor.id or desk.free_id(0)
    if findings:
        desk.record(Recovered(round=desk.index.last_round, id=identity, reason=_told(findings, identity)))
    for path in found.damaged:
        keep_aside(path, desk.clock())
    if found.remake:
        save(desk.workspace.candidate(identity), Snapshot(identity, 0, found.data, anchor.sha256))
    if found.unrecorded:
        anchor = _record_again(desk, anchor, identity)
    return Best.of(anchor, found.data)


def _record_again(desk: Desk, anchor: Anchor, identity: str) -> Anchor:
    """Give a best that the history does not know (any more) its line."""
    event: Event = Adopted(
        round=round_of(identity), id=identity, sha256=anchor.sha256, score=anchor.score, verify=anchor.verify
    )
    if anchor.is_baseline or not anchor.id:
        event = Baseline(round=round_of(identity), id=identity, sha256=anchor.sha256)
    return anchor_of(desk.record(event)[0])


def _record_unrecorded(desk: Desk, found: Found, best: Best) -> None:
    """Candidates without a record or without a decision wait for a person from now on."""
    events: list[Event] = []
    for identity, data in found.orphans.items():
        number = round_of(identity)
        events.append(_candidate(identity, data, best))
        events.append(
            Pending(round=number, id=identity, verify="recovery", reason=texts.FOUND_WITHOUT_RECORD.of(id=identity))
        )
    events += [
        Pending(round=known.round, id=known.id, verify="recovery", reason=texts.NEVER_DECIDED.of(id=known.id))
        for known in desk.index.known.values()
        if known.status == "open"
    ]
    if events:
        desk.record(*events)


def _candidate(identity: str, data: bytes, best: Best) -> Candidate:
    return Candidate(
        round=round_of(identity),
        id=identity,
        sha256=digest(data),
        parent=best.anchor.id,
        content_sha256=content_digest(data),
    )


def _hold_verdicts(desk: Desk, policy: Policy) -> None:
    """After the history lost lines, verdicts that seem new may be old ones: to repeat them could undo a better best."""
    data = b""
    with suppress(OSError):
        data = read_regular(desk.workspace.verdicts)
    lines = parse_verdicts(data)
    for each in due(lines, desk.index, desk.is_intact, policy.reaches)[0]:
        known = each.known
        verdict = Verdict(round=desk.index.last_round, id=known.id, score=each.score, comment=each.comment)
        if known.was_best:
            desk.record(verdict)
            continue
        reason = texts.VERDICT_MAY_BE_OLD.of(id=known.id, score=f"{each.score:g}")
        desk.record(verdict, Pending(round=known.round, id=known.id, verify="user", reason=reason))


def keep_edit(desk: Desk, best: Best, state: Research) -> None:
    """Keep a research.md that is not the best as a pending candidate, unless it is a state that is kept already.

    Raises:
        OSError: it may not be kept.
    """
    sha256 = digest(state.data)
    if desk.index.kept_as(sha256) is not None or _is_recent(desk, state):
        return
    _keep_for_person(desk, best, state.data, reason=texts.FOUND_AT_START, notice=texts.EDITED_KEPT)


def _rescue(desk: Desk, best: Best, data: bytes) -> None:
    """Keep the last copy of a lost snapshot, before best.md is overwritten, under a name of its own."""
    _keep_for_person(desk, best, data, reason=texts.RESCUED, notice=texts.RESCUED_KEPT)


def _keep_for_person(desk: Desk, best: Best, data: bytes, *, reason: Text, notice: Text) -> None:
    number = desk.index.last_round
    identity = desk.free_id(number)
    save(desk.workspace.candidate(identity), Snapshot(identity, number, data, digest(data), best.anchor.id))
    desk.record(
        _candidate(identity, data, best),
        Pending(round=number, id=identity, verify="user", reason=reason),
    )
    desk.notice(notice.of(id=identity))


def _is_recent(desk: Desk, state: Research) -> bool:
    index = desk.index
    recent = [each.id for each in index.anchors[-_RECENT:]] + list(index.known)[-_RECENT:]
    for known in (index.known[each] for each in recent):
        with suppress(OSError):  # one that cannot be read is no trouble of the guard's
            kept = parse_or_none(desk.snapshot(known))
            if kept is not None and kept.sections == state.sections:
                return True
    return False


def _told(findings: list[Text], identity: str) -> Text:
    return texts.RECOVERED_TO.of(
        findings=reduce(lambda first, following: texts.NEXT_FINDING.of(first=first, next=following), findings),
        id=identity,
    )
