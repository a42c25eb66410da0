"""`xuen TASK`: find what is wrong, take the workspace, choose the screen or the console, run the loop.

Owns the order of a start: faults of arguments, configuration and templates are found before anything is made, and
nothing in the workspace is touched before this run owns it.
"""

from __future__ import annotations

import os
import secrets
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from xuen.cli.again import again
from xuen.cli.assemble import Run, commands_of, kit_of, words_of
from xuen.cli.checks import refuse_what_fails
from xuen.cli.other_task import task_before
from xuen.cli.parser import Options
from xuen.cli.settings import Settings, spoken_language
from xuen.cli.task import read_task, terminal
from xuen.errors import DamagedResearch
from xuen.events import RunStarted
from xuen.guard.report import last_task
from xuen.proc.leftovers import end_leftovers
from xuen.proc.private import remove_stale_folders
from xuen.runner.loop import Loop
from xuen.signals import signals_stop
from xuen.sink import FanOut, Sink
from xuen.stop import Stop
from xuen.texts import Language, Text, language_of, plain, presets
from xuen.texts import run as texts
from xuen.ui.console import Console, LastWords, wants_colour
from xuen.ui.jsonl import JsonLines, open_events
from xuen.ui.tui import ScreenUnusable, no_screen_because, run_screen
from xuen.workspace.paths import Workspace
from xuen.workspace.research import parse, title_of
from xuen.workspace.research_file import ResearchFile
from xuen.workspace.run_lock import RunLock
from xuen.workspace.setup import furnish, make_workspace


def run(options: Options, settings: Settings, asking: Language) -> int:
    """Everything from the task to the exit code; `asking` is the language until the task is known.

    Raises:
        UserError: nothing was started.
    """
    config = settings.config
    task = read_task(options, asking, terminal())
    language = spoken_language(config, os.environ, task)
    commands = commands_of(settings)
    refuse_what_fails(settings, commands)
    before = task_before(options, config, task, language, terminal())
    if before is not None:
        options = replace(options, regen_words=True)
    stop, token = Stop(), secrets.token_hex(16)
    with ExitStack() as stack:
        events = open_events(options.events, language) if options.events else None
        if events is not None:
            stack.callback(events.close)
        workspace = make_workspace(Path(config.workspace))
        lock = stack.enter_context(RunLock(workspace, token))
        stack.enter_context(signals_stop(stop))
        prepared = Run(config, task, language, commands, workspace, token, stop, options.seed, lock)
        return _with_a_face(prepared, options, events, _prepare(prepared, before))


def _prepare(run: Run, before: str | None) -> list[Text]:
    """Bring the workspace in order, after a killed run too; what the user should read about it.

    `before` is the title of the task that this run's replaces.
    """
    workspace, agent = run.workspace, run.commands.agent
    said = []
    ended = end_leftovers(workspace.root, run.token)
    if ended:
        said.append(texts.LEFTOVERS_ENDED.of(count=ended))
    remove_stale_folders(workspace.root)
    if before is not None:
        said.append(texts.NEW_TASK.of(old=plain(before)))
    elif (title := _other_title(workspace, run.task)) is not None:
        said.append(texts.OTHER_TASK.of(old=plain(title)))
    if furnish(workspace, run.task) and agent.permits is not None:
        said.append(agent.permits)
    preset = agent.preset
    if run.config.xwork.base_url is not None and (preset is None or not preset.built_in):
        said.append(presets.SERVER_UNUSED.of(name=agent.name))
    if agent.embedded:
        said.append(texts.SMALL_MODEL_CHINESE if language_of(run.task) == "zh" else texts.SMALL_MODEL)
    return said


def _other_title(workspace: Workspace, task: str) -> str | None:
    """The title of a research.md without a history, if it is not this task's."""
    if last_task(workspace) is not None:
        return None
    try:
        title = parse(ResearchFile(workspace).read()).title
    except (DamagedResearch, OSError):
        return None
    return title if title != title_of(task) else None


def _with_a_face(run: Run, options: Options, events: JsonLines | None, said: list[Text]) -> int:
    """Run the loop under the screen, or under the console where there can be no screen or nobody wants one."""
    browser = bool(os.environ.get("TEXTUAL_DRIVER"))  # standard output is then the way to a browser
    on_stdout = options.events == "-"

    def work(face: Sink) -> int:
        return _loop(run, options, FanOut([face, events] if events else [face]), said)

    def on_console(*reasons: Text) -> int:
        stream = sys.stderr if on_stdout else sys.stdout
        colour = not options.no_color and wants_colour(stream, os.environ)
        said[:0] = reasons
        return work(Console(stream, run.language, colour=colour))

    if options.no_tui or on_stdout:
        return on_console()
    reason = no_screen_because(sys.stdin, sys.stdout, os.environ)
    if reason is not None:
        return on_console(reason)
    wanted = not os.environ.get("NO_COLOR") if browser else wants_colour(sys.stdout, os.environ)
    colour = wanted and not options.no_color
    last_words = LastWords(Console(sys.stdout, run.language, colour=colour))
    try:
        code = run_screen(
            lambda face: work(FanOut([face, last_words])),
            stop=run.stop,
            workspace=run.workspace,
            language=run.language,
            colour=colour,
        )
    except ScreenUnusable as error:
        return on_console(error.reason)
    if not browser:
        last_words.say()
    return code


def _loop(run: Run, options: Options, sink: Sink, said: list[Text]) -> int:
    config = run.config
    kit = kit_of(run, sink)
    loop = Loop(kit, loop=config.loop, words=words_of(run, anew=options.regen_words))
    iterations = config.loop.iterations
    return loop.run(
        RunStarted(
            round=0,
            task=run.task,
            workspace=str(run.workspace.root),
            language=run.language,
            agent=kit.agent.name,
            verify=config.rounds.verify if config.rounds.enabled else "off",
            iterations=None if iterations == "inf" else iterations,
            again=again(options),
        ),
        said,
    )
