"""`xuen score ID X [COMMENT]`: a person's verdict, which decides every candidate that is not adopted yet."""

from __future__ import annotations

from xuen.cli.output import Output
from xuen.cli.parser import Options
from xuen.cli.reading import points, running_pid, workspace_of
from xuen.cli.settings import Settings
from xuen.guard import report
from xuen.guard.find import find_id
from xuen.texts import cli as texts


def run(options: Options, settings: Settings, output: Output) -> int:
    """Append the verdict to verdicts.txt and say when it will be honoured.

    Raises:
        WorkspaceError: there is no workspace, or verdicts.txt cannot be written.
        UsageError: no candidate, or several, of that id.
    """
    assert options.score is not None
    with workspace_of(settings.config.workspace) as workspace:
        id = find_id(workspace, options.id)
        counts = report.add_verdict(workspace, id, options.score, options.comment)
        noted = texts.NOTED_RUNNING if running_pid(workspace) is not None else texts.NOTED
    said = noted if counts else texts.NOTED_IN_VAIN
    output.say(said.of(score=points(options.score), id=id), "good" if counts else "wait")
    return 0
