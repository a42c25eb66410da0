"""`xuen ci restore|pick-model|checkpoint`: the steps of an unattended run on a machine that is thrown away afterwards.

Owns their options, and the two files by which GitHub Actions hears from a step: `GITHUB_OUTPUT` gets the picked models,
`GITHUB_STEP_SUMMARY` the page. Outside of GitHub both are left out. What is said goes to standard output, where a
picked model is the last line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from random import Random

from xuen.cli.output import Output
from xuen.cli.parser import Options
from xuen.cli.settings import Settings
from xuen.errors import ConfigError, UsageError, UserError, WorkspaceError, reason_of
from xuen.files.regular import read_regular
from xuen.guard import report
from xuen.signals import signals_stop
from xuen.stop import Stop
from xuen.texts import Text, plain
from xuen.texts import ci as texts
from xuen.workspace.paths import Workspace

BRANCH = "xuen-loop"
PREFER = "deepseek-v4.1-flash-free,big-pickle"
JUDGE = "deepseek-v4.1-flash-free"
DEAD_HOURS = 3
"""Less than the four hours of the schedule: when all models were out for a while, its next start tries them anew."""


def run(options: Options, settings: Settings, output: Output) -> int:
    """Do the step that was asked for; the exit code.

    Raises:
        UserError: what went wrong.
    """
    steps = {"ci restore": _restore, "ci pick-model": _pick_model}
    if options.command not in steps:
        return _checkpoint(options, settings, output)
    try:
        return steps[options.command](options, settings, output)
    except UserError as error:
        from xuen.ci.summary import safe

        _add_to_summary(f"**{safe(error.line(output.language))}**\n\n", output)
        raise


def _restore(options: Options, settings: Settings, output: Output) -> int:
    from xuen.ci.branch import restore
    from xuen.ci.git import Remote

    with Remote(Path.cwd(), *_remote(options), os.environ) as remote:
        restore(Path(settings.config.workspace), remote, output.say)
    return 0


def _checkpoint(options: Options, settings: Settings, output: Output) -> int:
    """Push, and write the summary whatever came of it.

    Raises:
        UserError: as `restore`, and GitFailed when the branch was not pushed.
    """
    from xuen.ci.branch import checkpoint
    from xuen.ci.git import Remote

    attempts = _number(options.given, "attempts", 5, 1, 50)
    code = _number(options.given, "exit_code", -1, 0, 255)
    trouble: UserError | None = None
    name, branch = _remote(options)
    try:
        with Remote(Path.cwd(), name, branch, os.environ) as remote:
            kept = checkpoint(Path(settings.config.workspace), remote, output.say, attempts=attempts)
        if kept is None:
            output.say(texts.NOTHING_TO_KEEP)
        elif kept.commit is None:
            output.say(texts.NOTHING_NEW.of(branch=branch))
        else:
            output.say(texts.PUSHED.of(count=kept.changed, branch=branch, commit=kept.commit[:9]), "good")
    except UserError as error:
        trouble = error
        raise
    finally:
        _summarise(settings, output, branch, None if code < 0 else code, trouble)
    return 0


def _summarise(settings: Settings, output: Output, branch: str, code: int | None, trouble: UserError | None) -> None:
    """Add the page to the step's summary. One that cannot be made is said and no more."""
    if not os.environ.get("GITHUB_STEP_SUMMARY"):
        return
    from xuen.ci.summary import Place, page

    workspace = Workspace(Path(settings.config.workspace).absolute())
    try:
        seen, lines = report.overview(workspace), report.history(workspace)
        started = [line.get("language") for line in lines if line.get("event") == "run_started"]
        best = None if seen.best is None else read_regular(workspace.candidate(seen.best.id))
        text = page(
            seen,
            lines,
            best,
            code=code,
            trouble=None if trouble is None else plain(trouble.line(output.language)),
            threshold=settings.config.rounds.adopt_score,
            place=Place(os.environ.get("GITHUB_SERVER_URL", ""), os.environ.get("GITHUB_REPOSITORY", ""), branch),
            language="zh" if started[-1:] == ["zh"] else output.language if not started else "en",
        )
    except OSError as error:
        _say_unreadable(error, output)
    else:
        _add_to_summary(text, output)


def _add_to_summary(text: str, output: Output) -> None:
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if not target:
        return
    try:
        with Path(target).open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        _say_unreadable(error, output)


def _say_unreadable(error: OSError, output: Output) -> None:
    where = plain(str(error.filename))
    output.say(texts.AT.of(where=where, what=_unreadable(error)), "bad")


def _pick_model(options: Options, settings: Settings, output: Output) -> int:
    """Find the models and tell them to the steps that follow.

    Raises:
        UserError: the command takes no model, none is listed, or none answers.
    """
    from xuen.ci.models import VARIABLE, NoModel, Picker, Wish, list_models
    from xuen.cli.assemble import commands_of

    given = options.given
    wish = Wish(
        prefer=_names(given.get("prefer", PREFER)),
        judge=_names(given.get("judge", JUDGE)),
        only=given.get("only", "*"),
        timeout=_number(given, "timeout", 120, 1, 3600),
        dead_hours=_number(given, "dead_hours", DEAD_HOURS, 0, 8760),
    )
    agent = commands_of(settings).agent
    if agent.template.words or VARIABLE not in agent.template.source:  # without a shell it stays as it is
        where = settings.where("agent.command")
        raise ConfigError(texts.NO_MODEL_VARIABLE, where=where, mend=texts.NO_MODEL_VARIABLE_MEND)
    stop = Stop()
    with signals_stop(stop):
        picker = Picker(
            agent,
            wish,
            Path(settings.config.workspace),
            stop=stop,
            say=output.say,
            random=Random(),
            language=output.language,
        )
        try:
            model, judge = picker.pick(list_models(given.get("list", "opencode models"), os.environ, stop))
        except OSError as error:
            raise WorkspaceError(_unreadable(error), where=str(error.filename)) from None
        except NoModel:
            if stop.exit_code is not None:
                return stop.exit_code
            raise
    output.say(texts.PICKED.of(model=model, judge=judge), "good")
    output.say(model)
    _tell_steps(model, judge)
    return 0


def _tell_steps(model: str, judge: str) -> None:
    """Give the models to the steps that follow.

    Raises:
        WorkspaceError: GITHUB_OUTPUT names a file that cannot be written.
    """
    target = os.environ.get("GITHUB_OUTPUT")
    if target:
        try:
            with Path(target).open("a", encoding="utf-8") as file:
                file.write(f"model={model}\njudge={judge}\n")
        except OSError as error:
            raise WorkspaceError(_unreadable(error), where=target) from None


def _remote(options: Options) -> tuple[str, str]:
    return options.given.get("remote", "origin"), options.given.get("branch", BRANCH)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _number(given: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = given.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
        where = "--" + name.replace("_", "-")
        raise UsageError(texts.NOT_IN_RANGE.of(low=low, high=high, found=plain(text)), where=where)
    return int(text)


def _unreadable(error: OSError) -> Text:
    return texts.UNREADABLE.of(reason=reason_of(error))
