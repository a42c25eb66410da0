"""The checks of `xuen doctor` and of a run that starts, one function each: what is so, and the fix for what fails.

Owns looking without touching: no model is called, no server is asked for more than a connection, nothing is made,
no suite is run. What fails ends a run before its first call (`refuse_what_fails`), save what may pass by itself.
Only that function raises: whatever else is wrong is an answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from xuen.cli.agent_checks import agent_program, judge_program
from xuen.cli.assemble import Commands
from xuen.cli.finding import Finding, placed
from xuen.cli.reading import running_pid
from xuen.cli.settings import Settings
from xuen.errors import DamagedResearch, UsageError, reason_of
from xuen.files.regular import NotAFile, read_regular
from xuen.guard.verify.suite import runners_here
from xuen.proc.spawn import sees_processes
from xuen.texts import doctor as texts
from xuen.texts import plain
from xuen.texts.proc import NO_PROC, NO_PROC_MEND
from xuen.workspace.paths import Workspace
from xuen.workspace.research import parse as parse_research


def refuse_what_fails(settings: Settings, commands: Commands) -> None:
    """What a run looks at before it makes or calls anything: the checks of `doctor` that need no wait.

    Raises:
        UsageError: the first thing without which no call, or no judgement, could work.
    """
    for finding in _of_a_run(settings, commands):
        if finding.stops_a_run:
            where = settings.where(finding.key) if finding.key else ""
            raise UsageError(finding.what, where=where, mend=finding.mend)


def _of_a_run(settings: Settings, commands: Commands) -> Iterator[Finding]:
    yield from system()
    yield agent_program(settings, commands.agent)
    if commands.judge is not None:
        yield judge_program(settings, commands.judge)
    rounds = settings.config.rounds
    if rounds.repo is not None or rounds.verify == "tests":  # else a suite that is missing is no failure
        yield from suite(settings)
    yield from workspace(settings)


def system() -> Iterator[Finding]:
    """Nothing, unless this system does not show what a command leaves behind."""
    if not sees_processes():
        yield Finding(texts.SYSTEM, "bad", NO_PROC, NO_PROC_MEND)


def configuration(settings: Settings) -> Iterator[Finding]:
    """The file, which was read without a fault when this is called."""
    if settings.loaded is None:
        yield Finding(texts.CONFIGURATION, "good", texts.NO_FILE)
    else:
        yield Finding(texts.CONFIGURATION, "good", plain(str(settings.loaded.path)))


def suite(settings: Settings) -> Iterator[Finding]:
    """The test suite that would judge, by the files that are there."""
    rounds = settings.config.rounds
    if not rounds.enabled or rounds.verify not in ("auto", "tests"):
        how = texts.GUARD_OFF if not rounds.enabled else texts.NOT_ASKED.of(verify=rounds.verify)
        yield Finding(texts.TESTS, "good", how)
        return
    if rounds.repo is None:
        yield from _no_repository(settings)
    else:
        yield from _suite_in(Path(rounds.repo), settings)


def _suite_in(folder: Path, settings: Settings) -> Iterator[Finding]:
    rounds = settings.config.rounds
    try:
        if not folder.is_dir():
            where = settings.where("rounds.repo")
            yield Finding(texts.TESTS, "bad", placed(where, texts.NO_FOLDER.of(path=str(folder))), texts.REPO_MEND)
            return
        found = runners_here(folder)
    except OSError as error:
        yield Finding(texts.TESTS, "bad", placed(str(error.filename or folder), reason_of(error)))
        return
    doubtful = False
    for here, installed in found:
        if not installed:
            yield Finding(texts.TESTS, "note", texts.RUNNER_MISSING.of(runner=here.name))
        elif here.doubt is None:
            yield Finding(texts.TESTS, "good", texts.SUITE_IN.of(runner=here.name, folder=str(folder)))
            return
        else:
            doubtful = True
            yield Finding(texts.TESTS, "note", here.doubt)
    if doubtful:
        return
    if rounds.verify == "tests":
        yield Finding(texts.TESTS, "bad", texts.NO_SUITE.of(folder=str(folder)), texts.SUITE_MEND)
    elif found:
        bypassed = texts.BYPASSED.of(folder=str(folder), fallback=rounds.fallback)
        yield Finding(texts.TESTS, "bad", bypassed, texts.RUNNER_MEND)
    else:
        yield Finding(texts.TESTS, "good", texts.FALLBACK.of(folder=str(folder), fallback=rounds.fallback))


def _no_repository(settings: Settings) -> Iterator[Finding]:
    """Without a repository there is no suite: tests that lie in the agent's own folder prove nothing."""
    rounds = settings.config.rounds
    if rounds.verify == "tests":
        what = placed(settings.where("rounds.verify"), texts.NO_REPO)
        yield Finding(texts.TESTS, "bad", what, texts.NO_REPO_MEND)
    else:
        yield Finding(texts.TESTS, "good", texts.NO_REPO_FALLBACK.of(fallback=rounds.fallback))


def workspace(settings: Settings) -> Iterator[Finding]:
    """Whether the workspace can be used, or made."""
    place = Workspace(Path(settings.config.workspace).absolute())
    root = place.root
    try:
        is_there = root.is_dir()
    except OSError as error:  # a folder above it cannot be entered, say
        yield Finding(texts.WORKSPACE, "bad", placed(str(root), reason_of(error)), texts.WORKSPACE_MEND)
        return
    if not is_there:
        yield _new_workspace(root)
        return
    for path in _not_usable(place):
        yield Finding(texts.WORKSPACE, "bad", texts.NOT_WRITABLE.of(path=str(path)), texts.WORKSPACE_MEND)
        return
    yield Finding(texts.WORKSPACE, "good", plain(str(root)))
    if (pid := running_pid(place)) is not None:
        yield Finding(texts.WORKSPACE, "note", texts.RUN_IS.of(pid=pid or "?"))
    try:
        parse_research(read_regular(place.research))
    except FileNotFoundError:
        return
    except DamagedResearch as error:
        yield Finding(texts.WORKSPACE, "note", texts.DAMAGED.of(reason=error.reason))
    except NotAFile as error:
        yield Finding(texts.WORKSPACE, "note", texts.DAMAGED.of(reason=reason_of(error)))
    except OSError as error:
        what = placed(str(place.research), reason_of(error))
        yield Finding(texts.WORKSPACE, "bad", what, texts.WORKSPACE_MEND)


def _new_workspace(root: Path) -> Finding:
    """Whether a workspace can be made at a place where there is none."""
    above = next((folder for folder in (root, *root.parents) if os.path.lexists(folder)), root)
    if not above.is_dir():
        what = placed("" if above == root else str(root), texts.NO_FOLDER.of(path=str(above)))
        return Finding(texts.WORKSPACE, "bad", what, texts.WORKSPACE_MEND)
    if not os.access(above, os.W_OK | os.X_OK):
        return Finding(texts.WORKSPACE, "bad", texts.CANNOT_BE_MADE.of(path=str(root)), texts.WORKSPACE_MEND)
    return Finding(texts.WORKSPACE, "good", texts.WILL_BE_MADE.of(path=str(root)))


def _not_usable(place: Workspace) -> Iterator[Path]:
    """The folders and the files that a run adds to, of those that are there and may not be written: another user's."""
    for folder in (place.root, place.rounds, place.prompts, place.logs):
        if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):  # noqa: PTH112
            yield folder
    for file in (place.run_lock, place.research_lock, place.inbox, place.history):
        if os.path.isfile(file) and not os.access(file, os.R_OK | os.W_OK):  # noqa: PTH113
            yield file
