"""`xuen show ID`: one candidate, how it was judged, why it was kept or not, and its diff to its parent."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from xuen.cli.output import Output, Tone
from xuen.cli.parser import Options
from xuen.cli.reading import event_name, points, when, workspace_of
from xuen.cli.settings import Settings
from xuen.guard import report
from xuen.guard.find import find_id
from xuen.guard.report import Story
from xuen.texts import cli as texts
from xuen.texts import plain, shared
from xuen.ui.diff import MAX_LINES
from xuen.ui.shown import shown
from xuen.workspace.paths import Workspace
from xuen.workspace.research import parse_or_none

_SECTIONS = {"idea": texts.S_IDEA, "artifact": texts.S_ARTIFACT}
_OUTCOMES = {
    "passed": texts.O_PASSED,
    "failed": texts.O_FAILED,
    "unknown": texts.O_UNKNOWN,
    "unavailable": texts.O_UNAVAILABLE,
}
_TONES: dict[str, Tone] = {"adopted": "good", "baseline": "good", "rejected": "bad", "pending": "wait", "open": "wait"}


def run(options: Options, settings: Settings, output: Output) -> int:
    """Print the whole story of a candidate.

    Raises:
        WorkspaceError: there is no workspace, or a file in it cannot be read.
        UsageError: no candidate, or several, of that id.
    """
    with workspace_of(settings.config.workspace) as workspace:
        told = report.story(workspace, find_id(workspace, options.id))
    status = event_name(told.status).in_language(output.language)
    output.say(f"{told.id}  {status}", _TONES.get(told.status, "plain"))
    _facts(told, workspace, output)
    for line in told.lines:
        _line(line, told, output)
    sections = _sections(told.data)
    if sections is None:
        output.say()
        output.say(shared.SNAPSHOT_GONE, "bad")
        return 0
    for name, content in sections.items():
        output.say()
        output.say(_SECTIONS[name], "title")
        output.say(content)
    _diff(told, sections, output)
    return 0


def _facts(told: Story, workspace: Workspace, output: Output) -> None:
    output.say(texts.F_ROUND.of(round=told.round), indent="  ")
    if told.words:
        output.say(texts.F_WORDS.of(words=", ".join(told.words)), indent="  ")
    if told.parent:
        output.say(texts.F_PARENT.of(parent=told.parent), indent="  ")
    output.say(texts.F_SNAPSHOT.of(path=str(workspace.candidate(told.id))), indent="  ")
    if told.prompt is not None:
        output.say(texts.F_PROMPT.of(path=str(workspace.prompt(told.id))), indent="  ")
    if told.log is not None:
        output.say(texts.F_LOG.of(path=str(told.log)), indent="  ")


def _line(line: dict[str, Any], told: Story, output: Output) -> None:
    """One line of its history: the judgements that led to it with the verifiers' own words, then what was decided."""
    judgements = line.get("judgements")
    for each in judgements if isinstance(judgements, list) else []:
        if isinstance(each, dict):
            _judgement(each, told, output)
    event = str(line.get("event"))
    name = event_name(event).in_language(output.language)
    rest = [
        points(line.get("score")),
        str(line.get("verify", "")),
        str(line.get("reason") or line.get("comment") or ""),
    ]
    output.say("  ".join([when(line.get("ts")), name, *(part for part in rest if part)]), _TONES.get(event, "plain"))


def _judgement(found: dict[str, Any], told: Story, output: Output) -> None:
    verifier = str(found.get("verifier", ""))
    outcome = _OUTCOMES.get(str(found.get("outcome")), plain(str(found.get("outcome")))).in_language(output.language)
    score = points(found.get("score"))  # a score says itself whether that is enough
    parts = [verifier, score or outcome, str(found.get("reason") or "")]
    output.say("  ".join(part for part in parts if part), indent="  ")
    if told.raw.get(verifier):
        output.say(told.raw[verifier].rstrip("\n"), "muted", indent="  │ ")


def _sections(data: bytes | None) -> dict[str, str] | None:
    found = parse_or_none(data)
    return None if found is None else {"idea": found.sections.idea, "artifact": found.sections.artifact}


def _diff(told: Story, sections: dict[str, str], output: Output) -> None:
    if not told.parent:
        return
    output.say()
    output.say(texts.DIFF.of(parent=told.parent), "title")
    before = _sections(told.parent_data)
    if before is None:
        output.say(texts.PARENT_GONE, "bad")
        return
    if before == sections:
        output.say(texts.NO_DIFFERENCE)
        return
    lines = "\n".join(line for name in sections for line in _section_diff(name, before[name], sections[name]))
    for line in shown(lines, output.language).split("\n"):
        output.say(line, _diff_tone(line))
    if any(max(before[name].count("\n"), sections[name].count("\n")) >= MAX_LINES for name in sections):
        output.say(texts.DIFF_CUT.of(count=MAX_LINES), "wait")


def _section_diff(name: str, before: str, after: str) -> Iterator[str]:
    old, new = (text.split("\n", MAX_LINES)[:MAX_LINES] for text in (before, after))
    return difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm="")


def _diff_tone(line: str) -> Tone:
    if line.startswith(("---", "+++", "@@")):
        return "muted"
    return "added" if line.startswith("+") else "removed" if line.startswith("-") else "plain"
