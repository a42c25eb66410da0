"""`xuen score ID X [COMMENT]`: a person's verdict, which decides every candidate that is not adopted yet."""

from __future__ import annotations

from xuen.cli.output import Output
from xuen.cli.parser import Options
from xuen.cli.reading import points, running_pid, workspace_of
from xuen.cli.settings import Settings
from xuen.guard import report
from xuen.texts import cli as texts


def run(options: Options, settings: Settings, output: Output) -> int:
    """Append the verdict to verdicts.txt and say when it will be honoured.

    Raises:
        WorkspaceError: there is no workspace, or verdicts.txt cannot be written.
        UsageError: no candidate of that id.
    """
    assert options.score is not None
    with workspace_of(settings.config.workspace) as workspace:
        report.add_verdict(workspace, options.id, options.score, options.comment)
        going_on = running_pid(workspace) is not None
    noted = texts.NOTED_RUNNING if going_on else texts.NOTED
    output.say(noted.of(score=points(options.score), id=options.id), "good")
    return 0
