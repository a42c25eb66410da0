"""`xuen status`: the best, what waits for a verdict, the rounds so far, what failed, what is queued."""

from __future__ import annotations

from typing import Any

import msgspec

from xuen.cli.again import again
from xuen.cli.layout import cells
from xuen.cli.output import Output, Tone
from xuen.cli.parser import Options
from xuen.cli.reading import event_name, points, running_pid, when, workspace_of
from xuen.cli.settings import Settings
from xuen.guard import report
from xuen.guard.report import Overview
from xuen.texts import Text, plain, shared
from xuen.texts import cli as texts
from xuen.workspace import inbox
from xuen.workspace.research import title_of

_SHOWN = 10
_COUNTED = ("adopted", "rejected", "pending", "heartbeat", "damaged", "agent_failed", "stopped")


def run(options: Options, settings: Settings, output: Output) -> int:
    """Print the state of the workspace, for people or as one JSON object.

    Raises:
        WorkspaceError: there is no workspace, or a file in it cannot be read.
    """
    with workspace_of(settings.config.workspace) as workspace:
        pid = running_pid(workspace)
        seen = report.overview(workspace, running=pid is not None)
        queued = inbox.peek(workspace)
    if options.json:
        value: dict[str, Any] = {"workspace": str(workspace.root), "running": pid is not None, "pid": pid or None}
        value |= msgspec.to_builtins(seen)
        value["queued"] = [entry.text for entry in queued]
        output.json(value)
        return 0
    _label(output, texts.L_WORKSPACE, str(workspace.root))
    if seen.task is not None:
        _label(output, texts.L_TASK, title_of(seen.task))
    running = texts.NO_RUN if pid is None else texts.RUN_IS.of(pid=pid or "?")
    _label(output, texts.L_RUN, running, "plain" if pid is None else "good")
    _best(output, seen)
    _label(output, texts.L_ROUNDS, _rounds(seen))
    for id in seen.judging:
        _label(output, texts.L_JUDGING, id)
    _pending(output, seen, again(options))
    if seen.noted:
        _label(output, texts.L_NOTED, str(len(seen.noted)), "good")
        for id, score in seen.noted.items():
            output.say(texts.WAITING_VERDICT.of(id=id, score=points(score)), "good", indent="  ")
    _failures(output, seen)
    if queued:
        _label(output, texts.L_QUEUED, str(len(queued)))
        for entry in queued:
            output.say(entry.text, "muted", indent="  ")
    return 0


def _label(output: Output, label: Text, value: Text | str, tone: Tone = "plain") -> None:
    name = label.in_language(output.language)
    shown = value if isinstance(value, str) else value.in_language(output.language)
    output.say(f"{name}{' ' * (12 - cells(name))}{shown}", tone)


def _rounds(seen: Overview) -> Text:
    """How many rounds there were, and what became of them."""
    counts = [
        texts.COUNTED.of(event=event_name(name), count=seen.counts[name]) for name in _COUNTED if seen.counts.get(name)
    ]
    if not counts:
        return plain(str(seen.rounds))
    joined = Text(", ".join(each.en for each in counts), "，".join(each.zh for each in counts))
    return texts.ROUNDS_WITH.of(rounds=seen.rounds, counts=joined)


def _best(output: Output, seen: Overview) -> None:
    best = seen.best
    if best is None:
        _label(output, texts.L_BEST, shared.NO_BEST, "wait")
        return
    how = shared.SCORED.of(score=points(best.score), by=best.verify) if best.score is not None else plain(best.verify)
    shown = f"{best.id}  {how.in_language(output.language)}  {when(best.adopted_at)}".rstrip()
    _label(output, texts.L_BEST, shown, "good")


def _pending(output: Output, seen: Overview, call: tuple[str, str]) -> None:
    _label(output, texts.L_PENDING, str(len(seen.pending)), "wait" if seen.pending else "plain")
    for each in seen.pending[-_SHOWN:]:
        output.say(f"{each.id}  {' '.join(each.reason.split())}".rstrip(), "wait", indent="  ")
    _left_out(output, len(seen.pending))
    if seen.pending:
        program, own = call
        score = f"{program} score {seen.pending[-1].id} 8{own}"
        output.say(texts.HOW_TO_SCORE.of(score=score), "muted", indent="  ")


def _failures(output: Output, seen: Overview) -> None:
    _label(output, texts.L_FAILURES, str(len(seen.failures)), "bad" if seen.failures else "plain")
    for each in seen.failures[-_SHOWN:]:
        name = event_name(each.event).in_language(output.language)
        output.say(f"r{each.round}  {when(each.ts)}  {name}  {' '.join(each.reason.split())}", "bad", indent="  ")
    _left_out(output, len(seen.failures))


def _left_out(output: Output, count: int) -> None:
    if count > _SHOWN:
        output.say(shared.EARLIER_ONES.of(count=count - _SHOWN), "muted", indent="  ")
