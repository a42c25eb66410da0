"""The checks of `xuen doctor`, one function each: what is so, and the mend where something fails.

Owns looking without touching: no model is called, no server is asked for more than a connection, nothing is made,
no suite is run. Raises nothing: whatever is wrong is an answer.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from xuen import redact
from xuen.agent.presets import program_word
from xuen.agent.template import clean_environment
from xuen.cli.assemble import agent_of, judge_of
from xuen.cli.reading import running_pid
from xuen.cli.settings import Settings
from xuen.config.model import Config
from xuen.errors import ConfigError, DamagedResearch, reason_of
from xuen.files.regular import read_regular
from xuen.guard.verify.suite import runners_here
from xuen.texts import Text, plain
from xuen.texts import doctor as texts
from xuen.workspace.paths import Workspace
from xuen.workspace.research import parse as parse_research

State = Literal["good", "note", "bad"]

_CONNECT = 3.0  # seconds for a connection to a model server
_ASK = 15.0  # seconds for a shell or an interpreter to answer one question


@dataclass(frozen=True, slots=True)
class Finding:
    """One row: what was looked at, how it is, and for what fails the mend."""

    name: Text
    state: State
    what: Text
    mend: Text | None = None


def configuration(settings: Settings) -> Iterator[Finding]:
    """The file, which was read without a fault when this is called."""
    if settings.loaded is None:
        yield Finding(texts.CONFIGURATION, "good", texts.NO_FILE)
    else:
        yield Finding(texts.CONFIGURATION, "good", plain(str(settings.loaded.path)))


def agent(settings: Settings) -> Iterator[Finding]:
    """The agent's template and its program, and what unattended work permits it."""
    config = settings.config
    try:
        resolved = agent_of(settings)
    except ConfigError as error:
        yield failed(error, texts.AGENT)
        return
    preset = resolved.preset
    if preset is None:
        yield _program(texts.AGENT, "agent.command", resolved.template.source, config)
    elif preset.built_in:
        yield from built_in(config)
    elif (path := preset.where()) is None:
        what = texts.NOT_ON_PATH.of(name=preset.program)
        yield Finding(texts.AGENT, "bad", what, texts.INSTALL.of(command=preset.install))
    else:
        yield Finding(texts.AGENT, "good", texts.PRESET_AT.of(name=preset.name, path=path))
        yield Finding(texts.AGENT, "note", preset.advice)
    if resolved.permits is not None:
        yield Finding(texts.PERMITS, "note", resolved.permits)


def built_in(config: Config) -> Iterator[Finding]:
    """What the built-in agent needs: a model server that takes connections, or the runtime and the weights."""
    if config.xwork.base_url is not None:
        yield _server(config.xwork.base_url)
        key = config.xwork.api_key_env
        if not os.environ.get(key):
            yield Finding(texts.KEY, "note", texts.NO_KEY.of(name=key))
        return
    from xuen.xwork.errors import ModelMissing
    from xuen.xwork.model.embedded import require_runtime
    from xuen.xwork.model.weights import default_file

    try:
        require_runtime()
    except ModelMissing as missing:
        yield Finding(texts.AGENT, "bad", missing.what, missing.mend)
        return
    named = os.environ.get("XWORK_MODEL_FILE")
    weights = Path(named).expanduser() if named else default_file()
    if os.path.isfile(weights):  # noqa: PTH113 - Path's raises for a folder that cannot be entered
        yield Finding(texts.AGENT, "good", texts.EMBEDDED_AT.of(path=str(weights)))
    elif named:
        yield Finding(texts.AGENT, "bad", texts.WEIGHTS_MISSING.of(path=named), texts.WEIGHTS_MEND)
    else:
        yield Finding(texts.AGENT, "good", texts.EMBEDDED_LATER.of(path=str(weights)))


def judge(settings: Settings) -> Iterator[Finding]:
    """The judge's template and its program, if it has a command of its own."""
    try:
        template = judge_of(settings)
    except ConfigError as error:
        yield failed(error, texts.JUDGE)
        return
    if template is not None:
        yield _program(texts.JUDGE, "rounds.judge_command", template.source, settings.config)


def suite(settings: Settings) -> Iterator[Finding]:
    """The test suite that would judge, by the files that are there."""
    rounds = settings.config.rounds
    if not rounds.enabled or rounds.verify not in ("auto", "tests"):
        how = texts.GUARD_OFF if not rounds.enabled else texts.NOT_ASKED.of(verify=rounds.verify)
        yield Finding(texts.TESTS, "good", how)
        return
    folder = Path(rounds.repo if rounds.repo is not None else settings.config.workspace)
    try:
        if rounds.repo is not None and not folder.is_dir():
            where = settings.where("rounds.repo")
            yield Finding(texts.TESTS, "bad", _placed(where, texts.NO_FOLDER.of(path=str(folder))), texts.REPO_MEND)
            return
        found = runners_here(folder) if folder.is_dir() else []
    except OSError as error:
        yield Finding(texts.TESTS, "bad", _placed(str(error.filename or folder), reason_of(error)))
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
    elif found and rounds.repo is not None:  # who names a repository means its tests
        bypassed = texts.BYPASSED.of(folder=str(folder), fallback=rounds.fallback)
        yield Finding(texts.TESTS, "bad", bypassed, texts.RUNNER_MEND)
    else:
        yield Finding(texts.TESTS, "good", texts.FALLBACK.of(folder=str(folder), fallback=rounds.fallback))


def workspace(settings: Settings) -> Iterator[Finding]:
    """Whether the workspace can be used, or made."""
    place = Workspace(Path(settings.config.workspace).absolute())
    root = place.root
    try:
        is_there = root.is_dir()
    except OSError as error:  # a folder above it cannot be entered, say
        yield Finding(texts.WORKSPACE, "bad", _placed(str(root), reason_of(error)), texts.WORKSPACE_MEND)
        return
    if not is_there:
        above = next((folder for folder in (root, *root.parents) if os.path.lexists(folder)), root)
        if above != root and above.is_dir() and os.access(above, os.W_OK | os.X_OK):
            yield Finding(texts.WORKSPACE, "good", texts.WILL_BE_MADE.of(path=str(root)))
        else:
            yield Finding(texts.WORKSPACE, "bad", texts.CANNOT_BE_MADE.of(path=str(root)), texts.WORKSPACE_MEND)
        return
    if not os.access(root, os.R_OK | os.W_OK | os.X_OK):
        yield Finding(texts.WORKSPACE, "bad", texts.NOT_WRITABLE.of(path=str(root)), texts.WORKSPACE_MEND)
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
    except OSError as error:
        what = _placed(str(place.research), reason_of(error))
        yield Finding(texts.WORKSPACE, "bad", what, texts.WORKSPACE_MEND)


def failed(error: ConfigError, name: Text = texts.CONFIGURATION) -> Finding:
    """The row for settings that are wrong."""
    return Finding(name, "bad", _placed(error.where, error.what), error.mend)


def _placed(where: str, what: Text) -> Text:
    return Text(f"{where}: {what.en}", f"{where}: {what.zh}") if where else what


def _program(name: Text, key: str, command: str, config: Config) -> Finding:
    """Whether the first word of the command at `key`, one of the user's own, can be run; nothing of it is."""
    word = program_word(command)
    if not word or "$" in word:
        return Finding(name, "good", texts.OWN_COMMAND)
    root = config.workspace if os.path.isdir(config.workspace) else None  # noqa: PTH112 - Path's raises
    if "/" in word:
        return _program_file(name, key, os.path.expanduser(word))  # noqa: PTH111 - Path's raises
    env = clean_environment({**os.environ, **config.agent.env})
    asked = ["/bin/sh", "-c", 'command -v -- "$1"', "xuen", word]
    try:
        done = subprocess.run(
            asked, cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_ASK, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(name, "bad", plain(f"/bin/sh: {error}"))
    if done.returncode != 0:
        return Finding(name, "bad", texts.NOT_ON_PATH.of(name=word), texts.COMMAND_MEND.of(key=key))
    path = done.stdout.decode(errors="replace").strip() or word
    return Finding(name, "good", texts.OWN_PROGRAM.of(path=path))


def _program_file(name: Text, key: str, given: str) -> Finding:
    """Whether a program that was given by its path can be run; a relative path would mean another file in each call."""
    if not os.path.isabs(given) or not os.path.isfile(given):  # noqa: PTH117, PTH113 - Path's raises
        return Finding(name, "bad", texts.NO_PROGRAM_FILE.of(path=given), texts.PROGRAM_FILE_MEND.of(key=key))
    if not os.access(given, os.X_OK):
        return Finding(name, "bad", texts.NOT_EXECUTABLE.of(path=given), texts.EXECUTABLE_MEND.of(path=given))
    return Finding(name, "good", texts.OWN_PROGRAM.of(path=given))


def _server(url: str) -> Finding:
    """Whether something takes connections where the model server should be."""
    shown = plain(redact.url(url))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme]
        if not host:
            raise ValueError
    except (ValueError, KeyError):
        return Finding(texts.AGENT, "bad", texts.NO_URL.of(url=shown), texts.URL_MEND)
    try:
        socket.create_connection((host, port), timeout=_CONNECT).close()
    except (OSError, UnicodeError) as error:
        reason = plain(getattr(error, "strerror", None) or str(error))
        return Finding(texts.AGENT, "bad", texts.NO_SERVER.of(url=shown, reason=reason), texts.SERVER_MEND)
    return Finding(texts.AGENT, "good", texts.SERVER_AT.of(url=shown))
