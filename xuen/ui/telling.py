"""What a person is told about each event, line by line: the console prints it, the screen logs it.

Pure: an event and the view that already holds it in, lines out, in both languages. Text of agents and files
in a line is as it came; the faces clean it when they draw.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Literal, NamedTuple

from xuen import events as ev
from xuen.agent.call import ending
from xuen.events import Event, Purpose, Why
from xuen.texts import Text, plain
from xuen.texts import console as say
from xuen.ui.view import View

Tone = Literal["title", "agent", "section", "good", "bad", "wait", "muted", "warning", "plain"]
"""What a line means; each face has one colour for it."""

_NOTHING = plain("")


class Line(NamedTuple):
    """One message: a coloured `mark`, then `text` in the face's ordinary colour. Either may be empty."""

    tone: Tone
    mark: Text
    text: Text = _NOTHING


Lines = tuple[Line, ...]

_VERIFIERS = {
    "tests": say.BY_TESTS,
    "ai": say.BY_AI,
    "user": say.BY_USER,
    "off": say.BY_OFF,
    "auto": say.BY_AUTO,
    "repeat": say.BY_REPEAT,
}
_OUTCOMES = {"passed": say.PASSED, "failed": say.FAILED, "unknown": say.UNKNOWN, "unavailable": say.UNAVAILABLE}
_CALLS = {
    Purpose.WORDS: say.CALL_WORDS,
    Purpose.RESEARCH: say.CALL_RESEARCH,
    Purpose.JUDGE: say.CALL_JUDGE,
}
_SECTION_MARKS = {"idea": say.IDEA_UPDATED, "artifact": say.ARTIFACT_UPDATED}


@singledispatch
def tell(event: Event, view: View) -> Lines:  # noqa: ARG001 - each kind of event has its own below
    """The lines for one event; `view` is the state after it. An event that needs no words has none."""
    return ()


def score_text(score: float | None) -> Text:
    """A score of 0 to 10 in words."""
    return say.SCORE_NONE if score is None else say.SCORE.of(score=f"{score:g}")


def verifier_name(verifier: str) -> Text:
    """What a person calls a verifier."""
    return _VERIFIERS.get(verifier, plain(verifier))


def duration(seconds: float) -> Text:
    """A time span for reading; tenths of a second only below ten seconds."""
    if seconds < 10:
        return say.SECONDS.of(seconds=f"{seconds:.1f}")
    if seconds < 60:
        return say.SECONDS.of(seconds=round(seconds))
    minutes, rest = divmod(round(seconds), 60)
    return say.MINUTES.of(minutes=minutes, seconds=f"{rest:02d}")


def join(*parts: Text) -> Text:
    """Texts one after the other."""
    return Text("".join(part.en for part in parts), "".join(part.zh for part in parts))


def first_line(text: str) -> str:
    """The first line of a text, with an ellipsis if there is more."""
    head, *more = text.strip().splitlines() or [""]
    return f"{head} …" if more else head


def joined_words(words: tuple[str, ...]) -> Text:
    """Words as one list, each language with its own comma."""
    return Text(say.WORDS_JOINT.en.join(words), say.WORDS_JOINT.zh.join(words))


# --- the run -------------------------------------------------------------------------------------------------------


@tell.register
def _(event: ev.RunStarted, _view: View) -> Lines:
    rounds = say.ROUNDS_ENDLESS if event.iterations is None else plain(str(event.iterations))
    if event.round:
        rounds = join(rounds, say.ROUNDS_BEFORE.of(done=event.round))
    return (
        Line("title", say.HEADER, say.HEADER_TASK.of(task=first_line(event.task))),
        Line("muted", say.LABEL_WORKSPACE, plain(event.workspace)),
        Line("muted", say.LABEL_AGENT, plain(event.agent)),
        Line("muted", say.LABEL_VERIFY, verifier_name(event.verify)),
        Line("muted", say.LABEL_ROUNDS, rounds),
    )


@tell.register
def _(event: ev.RunFinished, view: View) -> Lines:
    result = say.RESULT.of(succeeded=event.succeeded, failed=event.failed)
    if event.unchanged:
        result = join(result, say.RESULT_UNCHANGED.of(unchanged=event.unchanged))
    lines = [
        Line("title", say.FINISHED, say.FINISHED_WHY.of(reason=event.reason)),
        Line("muted", say.LABEL_RESULT, result),
    ]
    files = say.FILES.of(workspace=view.workspace)
    if view.best_id is not None:  # else no guard was at work
        best = say.BEST.of(id=view.best_id, score=score_text(view.best_score))
        lines.append(Line("muted", say.LABEL_BEST, best))
        files = join(files, say.FILES_ROUNDS.of(workspace=view.workspace))
    if view.pending:
        lines.append(Line("muted", say.LABEL_PENDING, joined_words(view.pending)))
    return (*lines, Line("muted", say.LABEL_FILES, files))


@tell.register
def _(event: ev.Notice, _view: View) -> Lines:
    if event.level == "info":
        return (Line("plain", _NOTHING, event.text),)
    return (Line("warning" if event.level == "warning" else "bad", say.WARNING, event.text),)


# --- the word bank -------------------------------------------------------------------------------------------------


@tell.register
def _(event: ev.WordsStarted, _view: View) -> Lines:
    return (Line("muted", say.WORDS, say.WORDS_STARTED.of(want=event.want)),)


@tell.register
def _(event: ev.WordsProgress, _view: View) -> Lines:
    if event.have >= event.want:
        return ()  # WordsReady follows
    return (Line("muted", say.WORDS, say.WORDS_PROGRESS.of(have=event.have, want=event.want)),)


@tell.register
def _(event: ev.WordsReady, _view: View) -> Lines:
    texts = {"made": say.WORDS_MADE, "reused": say.WORDS_REUSED, "old": say.WORDS_OLD, "none": say.WORDS_NONE}
    tone: Tone = "muted" if event.source in ("made", "reused") else "warning"
    return (Line(tone, say.WORDS, texts[event.source].of(count=event.count)),)


# --- a round -------------------------------------------------------------------------------------------------------


@tell.register
def _(event: ev.RoundStarted, _view: View) -> Lines:
    parts = []
    if event.left is not None:
        parts.append(say.ROUND_LEFT.of(left=event.left - 1) if event.left > 1 else say.ROUND_LAST)
    if event.words:
        parts.append(say.ROUND_WORDS.of(words=joined_words(event.words)))
    return (Line("title", say.ROUND.of(round=event.round), join(*parts)),)


@tell.register
def _(event: ev.InputTaken, _view: View) -> Lines:
    return tuple(Line("good", say.INPUT, say.INPUT_TAKEN.of(round=event.round, text=text)) for text in event.texts)


@tell.register
def _(event: ev.CallStarted, _view: View) -> Lines:
    return (Line("muted", _CALLS[event.purpose].of(agent=event.agent, pid=event.pid)),)


@tell.register
def _(event: ev.Output, _view: View) -> Lines:
    return (Line("agent", _NOTHING, plain(event.line)),)


@tell.register
def _(event: ev.CallEnded, _view: View) -> Lines:
    if event.why is Why.OK:
        return (Line("muted", say.CALL_DONE.of(time=duration(event.seconds))),)
    if event.purpose is Purpose.RESEARCH:
        return ()  # AgentFailed follows and says why
    why = ending(event.why, event.code, event.seconds)
    return (Line("warning", say.CALL_BROKEN, say.CALL_WHY.of(why=why)),)


@tell.register
def _(event: ev.SectionChanged, _view: View) -> Lines:
    return (Line("section", _SECTION_MARKS[event.section], plain(event.content)),)


# --- the guard -----------------------------------------------------------------------------------------------------


@tell.register
def _(event: ev.Baseline, _view: View) -> Lines:
    return (Line("muted", say.BASELINE, say.BASELINE_KEPT.of(id=event.id)),)


@tell.register
def _(event: ev.Candidate, _view: View) -> Lines:
    return (Line("muted", say.CANDIDATE.of(id=event.id)),)


@tell.register
def _(event: ev.Verifying, view: View) -> Lines:
    if event.verifier == "user" or (event.verifier == "tests" and view.without_suite):
        return ()  # the person is not asked now; that no suite is there was said in the round before
    return (Line("muted", say.VERIFYING.of(verifier=verifier_name(event.verifier), id=event.id)),)


@tell.register
def _(event: ev.Judged, view: View) -> Lines:
    if event.verifier == "user" or (event.verifier == "tests" and view.without_suite > 1):
        return ()
    outcome = _OUTCOMES[event.outcome] if event.score is None else score_text(event.score)
    text = say.JUDGED.of(verifier=verifier_name(event.verifier), outcome=outcome)
    if event.reason.en and event.outcome in ("passed", "unavailable"):  # else the decision that follows says it
        text = join(text, say.JUDGED_WHY.of(reason=event.reason))
    return (Line("muted", text),)


@tell.register
def _(event: ev.Adopted, _view: View) -> Lines:
    verifier = verifier_name(event.verify)
    text = say.ADOPTED_BEST.of(id=event.id, score=score_text(event.score), verifier=verifier)
    return (Line("good", say.ADOPTED, text),)


@tell.register
def _(event: ev.Rejected, _view: View) -> Lines:
    text = say.REJECTED_WHY.of(
        id=event.id, score=score_text(event.score), verifier=verifier_name(event.verify), reason=event.reason
    )
    return (Line("bad", say.REJECTED, text),)


@tell.register
def _(event: ev.Pending, view: View) -> Lines:
    program, options = view.again
    score = f"{program} score {event.id} 8{options}"
    return (
        Line("wait", say.PENDING, say.PENDING_WHY.of(id=event.id, reason=event.reason)),
        Line("muted", _NOTHING, say.PENDING_HOW.of(id=event.id, workspace=view.workspace, score=score)),
    )


@tell.register
def _(event: ev.Heartbeat, _view: View) -> Lines:
    text = say.HEARTBEAT_ONCE if event.streak < 2 else say.HEARTBEAT_STREAK.of(streak=event.streak)
    lines = [Line("wait", say.HEARTBEAT, text)]
    if event.cause is not None:
        lines.append(Line("wait", _NOTHING, say.HEARTBEAT_CAUSE.of(cause=event.cause)))
    return tuple(lines)


@tell.register
def _(event: ev.Damaged, _view: View) -> Lines:
    text = say.DAMAGED_WHY.of(reason=event.reason)
    if event.kept is not None:
        text = join(text, say.DAMAGED_KEPT.of(kept=event.kept))
    return (Line("bad", say.DAMAGED, text),)


@tell.register
def _(event: ev.AgentFailed, _view: View) -> Lines:
    if event.why is Why.STOPPED:
        return (Line("wait", say.ROUND_STOPPED, say.ROUND_STOPPED_WHY.of(round=event.round)),)
    return (Line("bad", say.AGENT_FAILED, say.AGENT_FAILED_WHY.of(reason=event.reason)),)


@tell.register
def _(event: ev.Restored, _view: View) -> Lines:
    return (Line("muted", say.RESTORED.of(id=event.id)),)


@tell.register
def _(event: ev.Verdict, _view: View) -> Lines:
    text = say.VERDICT_SCORE.of(id=event.id, score=score_text(event.score))
    if event.comment:
        text = join(text, say.VERDICT_COMMENT.of(comment=event.comment))
    return (Line("good", say.VERDICT, text),)


@tell.register
def _(event: ev.Recovered, _view: View) -> Lines:
    return (Line("warning", say.RECOVERED, say.RECOVERED_WHY.of(reason=event.reason, id=event.id)),)


@tell.register
def _(event: ev.GuardOff, _view: View) -> Lines:
    return (Line("warning", say.GUARD_OFF, say.GUARD_OFF_WHY.of(reason=event.reason)),)


@tell.register
def _(_event: ev.GuardOn, _view: View) -> Lines:
    return (Line("good", say.GUARD_ON, say.GUARD_ON_WHY),)
