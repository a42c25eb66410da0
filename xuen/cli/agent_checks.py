"""Whether the agent and the judge could be called: their templates, their programs, the model behind them.

Owns looking without a call: nothing of a command is run, and a model server is asked for no more than a connection,
by `agent` alone. Raises nothing: whatever is wrong is an answer.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from xuen import redact
from xuen.agent.resolve import Resolved, program_word
from xuen.agent.template import Template, clean_environment
from xuen.cli.assemble import agent_of, judge_of
from xuen.cli.finding import Finding, failed
from xuen.cli.settings import Settings
from xuen.config.model import Config
from xuen.errors import ConfigError
from xuen.texts import Text, plain
from xuen.texts import doctor as texts

_CONNECT = 3.0  # seconds for a connection to a model server
_ASK = 15.0  # seconds for a shell to answer one question
_PLAIN_WORD = re.compile(r"[\w@%+=:,./~-]+")  # means to a shell what it says


def agent(settings: Settings) -> Iterator[Finding]:
    """The agent's template and its program, and what unattended work permits it."""
    try:
        resolved = agent_of(settings)
    except ConfigError as error:
        yield failed(error, texts.AGENT)
        return
    program = agent_program(settings, resolved)
    works, preset, xwork = program.state == "good", resolved.preset, settings.config.xwork
    url = xwork.base_url if works and preset is not None and preset.built_in else None
    yield program if url is None else _connected(url, program)
    if url is not None and not os.environ.get(xwork.api_key_env):
        yield Finding(texts.KEY, "note", texts.NO_KEY.of(name=xwork.api_key_env))
    if works and preset is not None and not preset.built_in:
        yield Finding(texts.AGENT, "note", preset.advice)
    if resolved.permits is not None:
        yield Finding(texts.PERMITS, "note", resolved.permits)


def agent_program(settings: Settings, agent: Resolved) -> Finding:
    """Whether what the agent needs is on this machine."""
    config, preset = settings.config, agent.preset
    if preset is None and agent.template.words:
        return _program_word(texts.AGENT, "agent.argv", agent.template.words[0], config, shell=False)
    if preset is None:
        return _program(texts.AGENT, "agent.command", agent.template.source, config)
    if preset.built_in:
        return _built_in(config.xwork.base_url)
    path = preset.where(config.agent.env.get("PATH"))
    if path is None:
        what = texts.NOT_ON_PATH.of(name=preset.program)
        return Finding(texts.AGENT, "bad", what, texts.INSTALL.of(command=preset.install), "agent.preset")
    return Finding(texts.AGENT, "good", texts.PRESET_AT.of(name=preset.name, path=path))


def _built_in(url: str | None) -> Finding:
    """What the built-in agent needs: the address of a model server, or the runtime and the weights."""
    if url is not None:
        if _host_and_port(url) is None:
            return Finding(texts.AGENT, "bad", texts.NO_URL.of(url=plain(redact.url(url))), texts.URL_MEND)
        return Finding(texts.AGENT, "good", texts.SERVER_AT.of(url=plain(redact.url(url))))
    from xuen.xwork.errors import ModelMissing
    from xuen.xwork.model.embedded import require_runtime
    from xuen.xwork.model.weights import default_file

    try:
        require_runtime()
    except ModelMissing as missing:
        return Finding(texts.AGENT, "bad", missing.what, missing.mend)
    named = os.environ.get("XWORK_MODEL_FILE")
    weights = Path(named).expanduser() if named else default_file()
    if os.path.isfile(weights):  # noqa: PTH113 - Path's raises for a folder that cannot be entered
        return Finding(texts.AGENT, "good", texts.EMBEDDED_AT.of(path=str(weights)))
    if named:
        return Finding(texts.AGENT, "bad", texts.WEIGHTS_MISSING.of(path=named), texts.WEIGHTS_MEND)
    return Finding(texts.AGENT, "good", texts.EMBEDDED_LATER.of(path=str(weights)))


def judge(settings: Settings) -> Iterator[Finding]:
    """The judge's template and its program, if it has a command of its own."""
    try:
        template = judge_of(settings)
    except ConfigError as error:
        yield failed(error, texts.JUDGE)
        return
    if template is not None:
        yield judge_program(settings, template)


def judge_program(settings: Settings, template: Template) -> Finding:
    """Whether the program of the judge's own command is on this machine."""
    return _program(texts.JUDGE, "rounds.judge_command", template.source, settings.config)


def _program(name: Text, key: str, command: str, config: Config) -> Finding:
    """Whether the first word of the command at `key`, one of the user's own, can be run; nothing of it is.

    Only a plain word tells something: what a shell would make of any other, or of a PATH that the command sets,
    shows in the first call.
    """
    word = program_word(command)
    if word is None or not _PLAIN_WORD.fullmatch(word) or "PATH=" in command:
        return Finding(name, "good", texts.OWN_COMMAND)
    return _program_word(name, key, word, config, shell=True)


def _program_word(name: Text, key: str, word: str, config: Config, *, shell: bool) -> Finding:
    """Whether a program of this name can be run: by a shell, which knows `~` and commands of its own, or without."""
    if "/" in word:
        return _program_file(name, key, os.path.expanduser(word) if shell else word)  # noqa: PTH111 - Path's raises
    env = clean_environment(os.environ, config.agent.env)
    path = shutil.which(word, path=env.get("PATH")) or (_of_the_shell(word, env) if shell else None)
    if path is None:
        return Finding(name, "bad", texts.NOT_ON_PATH.of(name=word), texts.COMMAND_MEND.of(key=key), key)
    return Finding(name, "good", texts.OWN_PROGRAM.of(path=path))


def _of_the_shell(word: str, env: Mapping[str, str]) -> str | None:
    """A word that is the shell's own; None for one that it does not know. Nothing is run."""
    asked = ["/bin/sh", "-c", 'command -v -- "$1"', "xuen", word]
    try:
        done = subprocess.run(asked, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_ASK, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return word  # nobody can tell, so the first call will
    return word if done.returncode == 0 else None


def _program_file(name: Text, key: str, path: str) -> Finding:
    """Whether a program that was given by its path can be run; a call has a current folder that is not the user's."""
    if not os.path.isabs(path):  # noqa: PTH117 - all of these are of `os.path`, which never raises
        mend = texts.RELATIVE_MEND.of(key=key, path=os.path.abspath(path))  # noqa: PTH100
        return Finding(name, "bad", texts.RELATIVE_PROGRAM.of(path=path), mend, key)
    if not os.path.isfile(path):  # noqa: PTH113
        return Finding(name, "bad", texts.NO_PROGRAM_FILE.of(path=path), texts.PROGRAM_FILE_MEND.of(key=key), key)
    if not os.access(path, os.X_OK):
        return Finding(name, "bad", texts.NOT_EXECUTABLE.of(path=path), texts.EXECUTABLE_MEND.of(path=path), key)
    return Finding(name, "good", texts.OWN_PROGRAM.of(path=path))


def _host_and_port(url: str) -> tuple[str, int] | None:
    """Where a model server listens; None for what is no address of one."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    except (ValueError, KeyError):
        return None
    return (parts.hostname, port) if parts.hostname else None


def _connected(url: str, server: Finding) -> Finding:
    """The row of a model server if it takes a connection; else why it takes none now, which may pass."""
    try:
        socket.create_connection(_host_and_port(url) or ("", 0), timeout=_CONNECT).close()
    except (OSError, UnicodeError) as error:
        reason = plain(getattr(error, "strerror", None) or str(error))
        what = texts.NO_SERVER.of(url=plain(redact.url(url)), reason=reason)
        return Finding(texts.AGENT, "bad", what, texts.SERVER_MEND, may_pass=True)
    return server
