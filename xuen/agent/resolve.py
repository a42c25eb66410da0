"""How settings become the command of an agent.

Owns the choice between a command of the user's, a preset and the built-in agent. Refuses a template through which the
prompt might not arrive whole, and a server that is not wholly named.
"""

from __future__ import annotations

import os
import re
import shlex
import site
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import xuen
from xuen import redact
from xuen.agent.presets import Preset, find
from xuen.agent.template import Template, parse, parse_argv
from xuen.config.model import AgentSettings, XworkSettings
from xuen.errors import ConfigError
from xuen.texts import Text
from xuen.texts import presets as texts
from xuen.texts.config import REMOVE_ONE

EMBEDDED_STATE_CHARS: Final = 3000  # both sections in the 8,192 tokens of the embedded model, Chinese included


@dataclass(frozen=True, slots=True)
class Resolved:
    """What the settings ask for: a template with its name and environment."""

    name: str
    template: Template
    env: Mapping[str, str]
    preset: Preset | None = None
    permits: Text | None = None  # to be shown before the first run
    max_state_chars: int | None = None
    embedded: bool = False  # the language model inside this machine does the work


def resolve(agent: AgentSettings, xwork: XworkSettings) -> Resolved:
    """What `agent:` and `xwork:` ask for; a command, also one without a shell, goes before the preset.

    Raises:
        ConfigError: there is no such preset, the built-in agent's server is not wholly named, or there are two
            commands; `where` is the key.
        TemplateError: the command is no template that a shell could be trusted with.
    """
    if agent.argv is not None:
        if agent.command is not None:
            raise ConfigError(texts.TWO_COMMANDS, where="agent.argv", mend=REMOVE_ONE)
        name = Path(agent.argv[0]).name if agent.argv else ""
        return Resolved(name=name or "agent", template=parse_argv(agent.argv), env=agent.env)
    if agent.command is not None:
        return Resolved(name=name_of(agent.command), template=parse(agent.command), env=agent.env)
    preset = find(agent.preset)
    env = {name: value for name, value in preset.env.items() if name not in os.environ} | agent.env
    permits, room = preset.permits, preset.max_state_chars
    command, embedded = preset.command, preset.built_in and not xwork.base_url
    if preset.built_in:
        _check_server(xwork)
        command = xwork_command(xwork)
        env |= _import_path(agent.env)
        room = EMBEDDED_STATE_CHARS if embedded else None
        if xwork.approval == "read-only":
            permits = texts.PERMITS["nothing_else"].of(name=preset.name)
    return Resolved(
        name=preset.name,
        template=parse(command),
        env=env,
        preset=preset,
        permits=permits,
        max_state_chars=room,
        embedded=embedded,
    )


def _check_server(settings: XworkSettings) -> None:
    """Find what the built-in agent would say in every call before the first one."""
    if settings.base_url is None:
        if settings.model is not None and not settings.model.startswith("script:"):
            raise ConfigError(texts.NO_SERVER, where="xwork.model", mend=texts.NO_SERVER_MEND)
        return
    if not re.match(r"https?://[^/\s]", settings.base_url):
        raise ConfigError(
            texts.BAD_SERVER.of(url=redact.url(settings.base_url)), where="xwork.base_url", mend=texts.BAD_SERVER_MEND
        )
    if settings.model is None:
        raise ConfigError(texts.NO_MODEL, where="xwork.model", mend=texts.NO_MODEL_MEND)


_BEFORE = {"exec", "command", "nohup", "{", "(", "!"}  # what may stand before a program and has no options here


def name_of(command: str) -> str:
    """What a person calls a command: the name of its program."""
    return Path(program_word(command) or "").name or "agent"


def program_word(command: str) -> str | None:
    """The first word of a command that sets no variable and runs no other word; None where none can be read."""
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split = True
    with suppress(ValueError):  # a quote without its end
        return next((word for word in words if "=" not in word.partition("/")[0] and word not in _BEFORE), None)
    return None


def xwork_command(settings: XworkSettings) -> str:
    """The template of the built-in agent: this interpreter, a session of its own for each call.

    `-P` keeps the workspace, the current folder of the call, out of the places that modules are imported from.
    """
    options = {
        "--base-url": settings.base_url,
        "--model": settings.model,
        "--api-key-env": settings.api_key_env,
        "--approval": settings.approval,
        "--sandbox": None if settings.sandbox == "off" else settings.sandbox,
    }
    words = [shlex.quote(sys.executable), "-P", "-m", "xuen.xwork", "run", "--prompt-file", '"$prompt_file"']
    words += ["--workspace", ".", "--session", '".xwork/calls/$XUEN_RUN-$XUEN_ROUND-$XUEN_PURPOSE-$$.jsonl"']
    for option, value in options.items():
        if value is not None:
            words += [option, shlex.quote(value)]
    if settings.sandbox != "off" and settings.sandbox_network:
        words.append("--sandbox-network")
    return " ".join(words)


def _import_path(asked: Mapping[str, str]) -> dict[str, str]:
    """`PYTHONPATH` for a xuen that runs from a checkout; an installed one needs none."""
    home = str(Path(xuen.__file__).resolve().parent.parent)
    installed = {str(Path(place).resolve()) for place in (*site.getsitepackages(), site.getusersitepackages())}
    if home in installed:
        return {}
    before = asked.get("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    return {"PYTHONPATH": os.pathsep.join(part for part in (home, before) if part)}
