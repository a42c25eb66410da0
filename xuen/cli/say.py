"""`xuen say TEXT`: queue input for the next research call, with a run going on or none."""

from __future__ import annotations

from pathlib import Path

from xuen.cli.output import Output
from xuen.cli.parser import Options
from xuen.cli.settings import Settings
from xuen.errors import WorkspaceError, reason_of
from xuen.texts import cli as texts
from xuen.workspace import inbox
from xuen.workspace.setup import find_workspace


def run(options: Options, settings: Settings, output: Output) -> int:
    """Queue the text and say how many wait.

    Raises:
        WorkspaceError: there is no workspace, or its inbox cannot be written.
    """
    workspace = find_workspace(Path(settings.config.workspace))
    try:
        inbox.put(workspace, options.text)
        waiting = len(inbox.peek(workspace))
    except OSError as error:
        reason = reason_of(error)
        raise WorkspaceError(texts.CANNOT_QUEUE.of(reason=reason), where=str(workspace.inbox)) from None
    output.say(texts.QUEUED if waiting <= 1 else texts.QUEUED_MORE.of(count=waiting), "good")
    return 0
