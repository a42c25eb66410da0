"""`xuen history`: everything that happened to the candidates, in the order in which it happened."""

from __future__ import annotations

from typing import Any

from xuen.cli.layout import cells
from xuen.cli.output import Output, Tone
from xuen.cli.parser import Options
from xuen.cli.reading import event_name, points, when, workspace_of
from xuen.cli.settings import Settings
from xuen.guard import report
from xuen.texts import cli as texts

_TONES: dict[str, Tone] = {
    "adopted": "good",
    "baseline": "good",
    "rejected": "bad",
    "agent_failed": "bad",
    "damaged": "bad",
    "pending": "wait",
    "run_started": "title",
    "run_finished": "title",
}
_DETAILS = ("reason", "comment", "cause", "task")


def run(options: Options, settings: Settings, output: Output) -> int:
    """Print the history, as lines or as one JSON array of its own objects.

    Raises:
        WorkspaceError: there is no workspace, or its history cannot be read.
    """
    with workspace_of(settings.config.workspace) as workspace:
        lines = report.history(workspace)
    if options.json:
        output.json(lines)
        return 0
    if not lines:
        output.say(texts.NOTHING_YET)
    for line in lines:
        output.say(_row(line, output), _TONES.get(str(line.get("event")), "plain"))
    return 0


def _row(line: dict[str, Any], output: Output) -> str:
    name = event_name(line.get("event")).in_language(output.language)
    time, number = when(line.get("ts")), str(line.get("round", "?"))
    parts = [f"{line.get('seq', ''):>5}  {time}  r{number:<4} {name}{' ' * (14 - cells(name))}"]
    parts.append(str(line.get("id", "")))
    parts.append(" ".join(part for part in (points(line.get("score")), str(line.get("verify", ""))) if part))
    parts.append(next((" ".join(str(line[key]).split()) for key in _DETAILS if line.get(key)), ""))
    return "  ".join(part for part in parts if part).rstrip()
