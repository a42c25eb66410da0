"""One round, from the draw to the guard's decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xuen.agent.call import Call, Outcome
from xuen.agent.causes import is_failure, remember
from xuen.agent.template import clean_prompt
from xuen.errors import LockTimeout
from xuen.events import SECTIONS, InputTaken, Notice, Purpose, RoundStarted, SectionChanged, SectionsShown, Why
from xuen.guard.round import RoundReport
from xuen.guard.verify import Judgement
from xuen.prompt import research_prompt
from xuen.runner.kit import Kit
from xuen.texts import plain
from xuen.texts import run as texts
from xuen.words import draw
from xuen.workspace import inbox
from xuen.workspace.research import Research, Sections, parse_or_none


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a round: how its research call ended, whether that changed research.md (damage is a change), and
    what was found out about the change.
    """

    outcome: Outcome
    changed: bool
    judgements: Sequence[Judgement] = ()


def play(kit: Kit, round: int, *, bank: Sequence[str], pick: int, left: int | None) -> Played:
    """Draw, ask, look at what changed, let the guard decide.

    Raises:
        PromptTooLong: nothing was started and nothing taken out of the inbox.
    """
    words = draw(bank, pick, kit.random(round))
    id, before = _open(kit, round)
    kit.sink.emit(RoundStarted(round=round, words=words, left=left))
    prepare(kit)
    outcome = _ask(kit, id, round, words, before)
    data = kit.work.capture()
    research = parse_or_none(data)
    changed = outcome.worked and (research is None or research.sections != before)
    if outcome.worked and not changed and is_failure(outcome, kit.agent.name):
        outcome = replace(outcome, why=Why.FAILED)
    if changed:
        remember(outcome, kit.agent.name)
    seen = _show_changes(kit, round, before, research) if outcome.worked else before
    judgements = kit.guard.close_round(RoundReport(id=id, round=round, words=words, outcome=outcome, data=data))
    prepare(kit)
    now = kit.guard.sections()
    if now != seen:
        kit.sink.emit(SectionsShown(idea=now.idea, artifact=now.artifact))
    return Played(outcome, changed, judgements)


def prepare(kit: Kit) -> None:
    """Put the state that the next call starts from into the work folder.

    Where that fails the call starts from what is there: its prompt shows the right state, and agents overwrite whole
    sections. The user is informed once.
    """
    reported = kit.work.trouble
    try:
        kit.work.materialise(kit.guard.document())
    except (LockTimeout, OSError) as error:
        if not reported:
            kit.sink.emit(Notice(level="warning", text=texts.WORK_NOT_READY.of(error=plain(str(error)))))


def _open(kit: Kit, round: int) -> tuple[str, Sections]:
    """The round's id, and the sections that it begins with; shown, where a late verdict has just changed them."""
    seen = kit.guard.sections()
    id = kit.guard.open_round(round)
    before = kit.guard.sections()
    if before != seen:
        kit.sink.emit(kit.guard.shown())
    return id, before


def _ask(kit: Kit, id: str, round: int, words: Sequence[str], state: Sections) -> Outcome:
    with inbox.Handover(kit.workspace, kit.sent) as handover:
        if handover.trouble is not None:
            told = texts.INBOX_UNREADABLE.of(error=plain(str(handover.trouble)))
            kit.sink.emit(Notice(level="warning", text=told))
        inputs = tuple(entry.text for entry in handover.entries)
        prompt = clean_prompt(research_prompt(kit.setting, round=round, words=words, state=state, inputs=inputs))
        kit.guard.keep_prompt(id, prompt)

        def taken() -> None:
            if not inputs:
                return
            kit.sink.emit(InputTaken(round=round, texts=inputs))
            try:
                handover.take()
            except (LockTimeout, OSError) as error:
                kit.sink.emit(Notice(level="error", text=texts.INPUT_NOT_TAKEN.of(error=plain(str(error)))))

        data = {"words": words, "idea": state.idea, "artifact": state.artifact, "inputs": inputs}
        return kit.agent.call(Call(prompt, Purpose.RESEARCH, round, kit.guard.log_path(id), data), on_started=taken)


def _show_changes(kit: Kit, round: int, before: Sections, research: Research | None) -> Sections:
    """Tell which sections are not what they were; the sections as they are now (`before` in a damaged file)."""
    if research is None:
        return before
    after = research.sections
    for section in SECTIONS:
        content: str = getattr(after, section)
        if content != getattr(before, section):
            kit.sink.emit(SectionChanged(round=round, section=section, content=content))
    return after
