"""The agent programs that xuen knows, as one table, and how settings become a template.

Owns the table and `resolve`. Refuses names that are not in it. Always: login and choice of model stay in the
agent's own configuration; a preset adds only what unattended work needs, and says in plain words what that permits.
The facts were measured with the programs of November 2026.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import site
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import xuen
from xuen import redact
from xuen.agent.template import Template, clean_environment, parse
from xuen.config.model import AgentSettings, XworkSettings
from xuen.config.values import nearest
from xuen.errors import ConfigError
from xuen.proc.command import Listener, run
from xuen.proc.output import clean_text
from xuen.proc.pipes import Stream
from xuen.stop import Stop
from xuen.texts import Text
from xuen.texts import presets as texts

_VERSION: Final = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[.+-]?\w+)*")
_VERSION_SECONDS: Final = 20.0
EMBEDDED_STATE_CHARS: Final = 3000  # both sections in the 8,192 tokens of the embedded model, Chinese included


@dataclass(frozen=True, slots=True)
class Preset:
    """One program. `command` is a template; that of xwork is built from its settings and therefore empty here."""

    name: str
    program: str  # what must be on PATH
    command: str
    install: str
    permits: Text
    advice: Text
    version: tuple[str, ...] = ("--version",)
    env: Mapping[str, str] = field(default_factory=dict)  # defaults: what is in the environment goes before
    max_state_chars: int | None = None  # what fits where the prompt is an argument or the model is small
    built_in: bool = False  # xwork, which this interpreter runs: there is nothing to install

    def where(self, path: str | None = None) -> str | None:
        """The path of its program, None when it is not on `path` (default: PATH)."""
        return sys.executable if self.built_in else shutil.which(self.program, path=path)

    def version_number(self) -> str | None:
        """What the program says about its version, at most 20 s long; None when it does not tell."""
        program = self.where()
        if program is None:
            return None
        if self.built_in:
            return xuen.__version__
        heard, code = _Said(), None
        env = clean_environment({**os.environ, **self.env, "NO_COLOR": "1"})
        env.pop("MSWEA_SILENT_STARTUP", None)  # mini tells its version in the greeting that this suppresses
        with suppress(OSError), tempfile.TemporaryDirectory(prefix="xuen-") as folder:  # not started, or a full disk
            argv = [program, *self.version]
            code = run(argv, cwd=Path(folder), env=env, listener=heard, stop=Stop(), timeout=_VERSION_SECONDS).code
        # One that fails may well tell a version, but that of an interpreter it does not like.
        found = _VERSION.search(clean_text(bytes(heard.said))) if code == 0 else None
        return found[0] if found else None


class _Said(Listener):
    def __init__(self) -> None:
        self.said = bytearray()

    def output(self, stream: Stream, chunk: bytes) -> None:  # noqa: ARG002 - either stream will do
        self.said += chunk[: max(0, 65_536 - len(self.said))]


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


_WIDE: Final = {"COLUMNS": "200"}  # else they break their lines at 80, and with them what they say of an error
_AIDER_NOTE: Final = (
    "No shell command can be run in this chat. Where sections are to be overwritten, answer with the whole of "
    "research.md: your new text between the marker lines of each section, and everything else as it is. "
    "Where only an answer is asked for, change no file."
)
_LITELLM: Final = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # else it fetches a table from the network at each start

_ROWS: Final = (
    Preset(
        name="xwork",
        program="",
        command="",
        install="",
        permits=texts.PERMITS_WORKSPACE,
        advice=texts.EMBEDDED,
        built_in=True,
    ),
    Preset(
        name="opencode",
        program="opencode",
        # A title of our own saves the request that would make one.
        command='opencode run --auto --title xuen < "$prompt_file"',
        install="npm install -g opencode-ai",
        permits=texts.PERMITS_COMMANDS,
        advice=texts.NAME_A_MODEL.of(flag="-m PROVIDER/MODEL"),
    ),
    Preset(
        name="claude",
        program="claude",
        # Its flag for skipping all permissions is refused for root; allowing one tool is not.
        command='claude -p --allowedTools Bash --no-session-persistence < "$prompt_file"',
        install="npm install -g @anthropic-ai/claude-code",
        permits=texts.PERMITS_SHELL_TOOL,
        advice=texts.LOGIN_FIRST.of(program="claude"),
        env={"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    ),
    Preset(
        name="codex",
        program="codex",
        # With its sandbox the section writer could not lock; analytics cost five seconds at the end when offline.
        command="codex exec --skip-git-repo-check --ephemeral --dangerously-bypass-approvals-and-sandbox "
        '-c analytics.enabled=false - < "$prompt_file"',
        install="npm install -g @openai/codex",
        permits=texts.PERMITS_NO_SANDBOX,
        advice=texts.LOGIN_FIRST.of(program="codex"),
    ),
    Preset(
        name="gemini",
        program="gemini",
        command='gemini --yolo --skip-trust < "$prompt_file"',
        install="npm install -g @google/gemini-cli",
        permits=texts.PERMITS_COMMANDS,
        advice=texts.LOGIN_FIRST.of(program="gemini"),
    ),
    Preset(
        name="qwen",
        program="qwen",
        command='qwen --auth-type openai --yolo < "$prompt_file"',
        install="npm install -g @qwen-code/qwen-code",
        permits=texts.PERMITS_COMMANDS,
        advice=texts.KEY_IN_ENVIRONMENT.of(names="OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL"),
    ),
    Preset(
        name="pi",
        program="pi",
        command='pi --no-session -p < "$prompt_file"',
        install="npm install -g @mariozechner/pi-coding-agent",
        permits=texts.PERMITS_COMMANDS,
        advice=texts.LOGIN_FIRST.of(program="pi"),
    ),
    Preset(
        name="aider",
        program="aider",
        # It has no tool for commands: it would run each line of a suggested one by itself, the lines of the new text
        # too. So it suggests none and edits research.md; what it is told last says how. Nothing that it asks itself
        # may fetch a page or open a browser either, and with no terminal every question means yes.
        command="{ cat \"$prompt_file\"; printf '\\n\\n%s\\n' '" + _AIDER_NOTE + "'; } | "
        "aider --no-git --no-check-update --no-show-release-notes --analytics-disable --no-show-model-warnings "
        "--no-pretty --no-detect-urls --no-suggest-shell-commands --edit-format whole "
        "--max-chat-history-tokens 10000000 "  # else it has a long prompt summarised, for nothing
        "--chat-history-file /dev/null --input-history-file /dev/null --message-file /dev/stdin research.md",
        install="pip install aider-chat",
        permits=texts.PERMITS_EDITS,
        advice=texts.KEY_IN_ENVIRONMENT.of(names="OPENAI_API_BASE, OPENAI_API_KEY, AIDER_MODEL"),
        env={**_LITELLM, **_WIDE, "BROWSER": "true"},  # it opens pages that explain an error
    ),
    Preset(
        name="mini",
        program="mini",
        # It takes its task as an argument only, so the system's limit for one argument holds.
        command='mini -y --exit-immediately -t "$prompt" < /dev/null',
        install="pip install mini-swe-agent",
        permits=texts.PERMITS_COMMANDS,
        advice=texts.KEY_IN_ENVIRONMENT.of(names="OPENAI_API_BASE, OPENAI_API_KEY, MSWEA_MODEL_NAME"),
        version=("--help",),
        env={
            **_LITELLM,
            "MSWEA_CONFIGURED": "true",
            "MSWEA_COST_TRACKING": "ignore_errors",
            "MSWEA_SILENT_STARTUP": "1",
            **_WIDE,
        },
        max_state_chars=24_000,
    ),
)
PRESETS: Final[Mapping[str, Preset]] = {row.name: row for row in _ROWS}


def find(name: str) -> Preset:
    """The preset of that name.

    Raises:
        ConfigError: there is none; names the nearest one.
    """
    if name in PRESETS:
        return PRESETS[name]
    names = ", ".join(PRESETS)
    near = nearest(name, list(PRESETS))
    mend = (
        texts.UNKNOWN_PRESET_MEND.of(names=names)
        if near is None
        else texts.NEAREST_PRESET_MEND.of(nearest=near, names=names)
    )
    raise ConfigError(texts.UNKNOWN_PRESET.of(name=name), where="agent.preset", mend=mend)


def resolve(agent: AgentSettings, xwork: XworkSettings) -> Resolved:
    """What `agent:` and `xwork:` ask for; a command goes before the preset.

    Raises:
        ConfigError: there is no such preset, or the built-in agent's server is not wholly named; `where` is the key.
        TemplateError: the command is no template that a shell could be trusted with.
    """
    if agent.command is not None:
        return Resolved(name=name_of(agent.command), template=parse(agent.command), env=agent.env)
    preset = find(agent.preset)
    env = {name: value for name, value in preset.env.items() if name not in os.environ} | agent.env
    permits, room = preset.permits.of(name=preset.name), preset.max_state_chars
    command, embedded = preset.command, preset.built_in and not xwork.base_url
    if preset.built_in:
        _check_server(xwork)
        command = xwork_command(xwork)
        env |= _import_path(agent.env)
        room = EMBEDDED_STATE_CHARS if embedded else None
        if xwork.approval == "read-only":
            permits = texts.PERMITS_NOTHING_ELSE.of(name=preset.name)
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
