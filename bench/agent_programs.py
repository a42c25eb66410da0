"""How each real agent program is pointed at a model server on loopback, for bench/agents.py.

Only what a person has in the program's own configuration or environment; the commands are those of the presets.
Telemetry and updates are off, and retries few where the program lets one say so.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

KEY: Final = "sk-loopback"  # no key of anything
CONTEXT: Final = 1_000_000

_CAUSES: Final = {
    "no key": "CAUSE_NO_KEY",
    "refused key": "CAUSE_REFUSED_KEY",
    "quota": "CAUSE_QUOTA",
    "model": "CAUSE_MODEL",
    "refused port": "CAUSE_SERVER",
    "context": "CAUSE_CONTEXT",
    "overloaded": "CAUSE_OVERLOADED",
    "broken": "CAUSE_OVERLOADED",
    "denied": "CAUSE_PERMISSION",
    "empty": "CAUSE_SILENT",
}


@dataclass(frozen=True)
class Program:
    """One program. `prepare(home, url, key)` writes its configuration and returns its environment variables."""

    name: str
    prepare: Callable[..., dict[str, str]]
    denied: str = ""  # a command without the flags for unattended work
    denied_env: Mapping[str, str] = field(default_factory=dict)
    no_tools: bool = False
    last_command: str = ""  # with which its model ends the work
    as_argument: bool = False  # takes its prompt as an argument
    reads_mentions: bool = False  # puts a blank before each @name, and adds the file of that name
    never_ends: tuple[str, ...] = ()  # failures at which it goes on trying
    not_applicable: tuple[str, ...] = ()
    other_causes: Mapping[str, str] = field(default_factory=dict)

    @property
    def causes(self) -> dict[str, str]:
        """The cause that xuen should name in each case."""
        return {**_CAUSES, **self.other_causes}


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def _opencode(home: Path, url: str, *, key: bool) -> dict[str, str]:  # noqa: ARG001 - one signature
    options = {"baseURL": f"{url}/v1"} | ({"apiKey": KEY} if key else {})
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": options,
        "models": {"scripted": {"limit": {"context": CONTEXT, "output": 4_000}}},
    }
    content = {"model": "local/scripted", "small_model": "local/scripted", "share": "disabled", "autoupdate": False}
    return {"OPENCODE_CONFIG_CONTENT": json.dumps({**content, "provider": {"local": provider}})}


def _claude(home: Path, url: str, *, key: bool) -> dict[str, str]:  # noqa: ARG001
    return {"ANTHROPIC_BASE_URL": url, "CLAUDE_CODE_MAX_RETRIES": "1"} | ({"ANTHROPIC_API_KEY": KEY} if key else {})


def _codex(home: Path, url: str, *, key: bool) -> dict[str, str]:
    _write(
        home / ".codex" / "config.toml",
        f"""model = "scripted"
model_provider = "local"
check_for_update_on_startup = false
[model_providers.local]
name = "local"
base_url = "{url}/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
""",
    )
    return {"LOCAL_KEY": KEY} if key else {}


def _gemini(home: Path, url: str, *, key: bool) -> dict[str, str]:
    auth = {"security": {"auth": {"selectedType": "gemini-api-key"}}} if key else {}
    general = {"maxAttempts": 1, "disableAutoUpdate": True, "enableAutoUpdate": False}
    privacy = {"privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}
    _write(home / ".gemini" / "settings.json", {**auth, **privacy, "general": general, "model": {"name": "scripted"}})
    return {"GOOGLE_GEMINI_BASE_URL": url} | ({"GEMINI_API_KEY": KEY} if key else {})


def _qwen(home: Path, url: str, *, key: bool) -> dict[str, str]:
    general = {"disableAutoUpdate": True, "enableAutoUpdate": False}
    model = {"generationConfig": {"maxRetries": 0}}
    privacy = {"privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}
    _write(home / ".qwen" / "settings.json", {**privacy, "general": general, "model": model})
    said = {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "scripted"}
    return said | ({"OPENAI_API_KEY": KEY} if key else {})


def _pi(home: Path, url: str, *, key: bool) -> dict[str, str]:
    model = {"id": "scripted", "contextWindow": CONTEXT, "maxTokens": 4000}
    provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": KEY, "models": [model]}
    folder = home / ".pi" / "agent"
    if key:
        _write(folder / "models.json", {"providers": {"local": provider}})
    chosen = {"defaultProvider": "local", "defaultModel": "scripted"} if key else {}
    retry = {"enabled": False}
    _write(folder / "settings.json", {**chosen, "retry": retry, "enableInstallTelemetry": False})
    return {"PI_OFFLINE": "1"}


def _aider(home: Path, url: str, *, key: bool) -> dict[str, str]:
    # Else it looks for a table of prices in the network.
    _write(home / ".aider" / "caches" / "model_prices_and_context_window.json", {"scripted": {}})
    said = {"OPENAI_API_BASE": f"{url}/v1", "AIDER_MODEL": "openai/scripted", "AIDER_ANALYTICS": "false"}
    return said | ({"OPENAI_API_KEY": KEY} if key else {})


def _mini(home: Path, url: str, *, key: bool) -> dict[str, str]:  # noqa: ARG001
    said = {"OPENAI_API_BASE": f"{url}/v1", "MSWEA_MODEL_NAME": "openai/scripted"}
    said |= {"MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "1"}
    return said | ({"OPENAI_API_KEY": KEY} if key else {})


def _copilot(home: Path, url: str, *, key: bool) -> dict[str, str]:  # noqa: ARG001
    said = {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_MODEL": "scripted", "COPILOT_OFFLINE": "true"}
    return said | ({"COPILOT_PROVIDER_API_KEY": KEY} if key else {})


def _droid(home: Path, url: str, *, key: bool) -> dict[str, str]:
    model = {"model": "scripted", "displayName": "scripted", "baseUrl": f"{url}/v1", "maxOutputTokens": 4000}
    model |= {"provider": "generic-chat-completion-api", "apiKey": KEY if key else ""}
    chosen = {"sessionDefaultSettings": {"model": "custom:scripted-0"}, "enableTelemetry": False}
    _write(home / ".factory" / "settings.json", {"customModels": [model], **chosen})
    return {"FACTORY_API_KEY": "fk-loopback"}


def _cline(home: Path, url: str, *, key: bool) -> dict[str, str]:
    words = ["cline", "auth", "openai-compatible", "-m", "scripted", "-b", f"{url}/v1", "-k", KEY if key else ""]
    subprocess.run(words, env={**os.environ, "HOME": str(home)}, stdin=subprocess.DEVNULL, check=False)
    return {}


def _cn(home: Path, url: str, *, key: bool) -> dict[str, str]:
    model = {"name": "scripted", "provider": "openai", "model": "scripted", "apiBase": f"{url}/v1"}
    model |= {"roles": ["chat"], "capabilities": ["tool_use"], "apiKey": KEY if key else ""}
    # YAML takes JSON.
    _write(home / ".continue" / "config.yaml", {"name": "local", "version": "1", "schema": "v1", "models": [model]})
    return {"CONTINUE_TELEMETRY_ENABLED": "0"}


_ROWS: Final = (
    Program(
        "opencode",
        _opencode,
        denied='opencode run --title xuen < "$prompt_file"',
        denied_env={"OPENCODE_PERMISSION": '{"bash":"ask"}'},
    ),
    Program("claude", _claude, denied='claude -p --no-session-persistence < "$prompt_file"'),
    Program(
        "codex",
        _codex,
        denied='codex exec --skip-git-repo-check --ephemeral -c analytics.enabled=false - < "$prompt_file"',
        never_ends=("refused port",),
    ),
    Program(
        "gemini",
        _gemini,
        denied='gemini --skip-trust < "$prompt_file"',
        reads_mentions=True,
        # Without approvals its model has no tool for commands at all, and can only talk.
        other_causes={"denied": "CAUSE_ONLY_TALKED", "empty": "CAUSE_EMPTY"},
    ),
    Program(
        "qwen",
        _qwen,
        denied='qwen --auth-type openai < "$prompt_file"',
        reads_mentions=True,
        never_ends=("quota",),
        # As with gemini; and while it tries again, it says nothing.
        other_causes={"denied": "CAUSE_ONLY_TALKED", "empty": "CAUSE_EMPTY", "quota": ""},
    ),
    # It has no approvals, and not a word for a prompt that is too long.
    Program("pi", _pi, not_applicable=("denied",), other_causes={"context": "CAUSE_SILENT"}),
    Program(
        "aider",
        _aider,
        no_tools=True,
        other_causes={"empty": "CAUSE_EMPTY"},
        not_applicable=("denied",),  # the preset lets it run no command; it edits the file
    ),
    Program(
        "mini",
        _mini,
        denied='mini --exit-immediately -t "$prompt"',
        as_argument=True,
        other_causes={"empty": "CAUSE_ONLY_TALKED"},  # each answer must be a command there
        last_command="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
    ),
    Program(
        "copilot",
        _copilot,
        not_applicable=("denied",),  # without its flag it waits for an answer on a terminal
        other_causes={"no key": "CAUSE_REFUSED_KEY", "empty": ""},
    ),
    Program(
        "droid",
        _droid,
        not_applicable=("denied",),  # without its flag it runs a command that its model calls harmless
        other_causes={**dict.fromkeys(_CAUSES, ""), "empty": "CAUSE_SILENT"},  # else it says "Exec failed" and no more
    ),
    Program(
        "cline",
        _cline,
        denied='cline --auto-approve false -- "$prompt" < /dev/null',
        as_argument=True,
        not_applicable=("no key",),  # it takes no server without one
        other_causes={"empty": "CAUSE_EMPTY"},
    ),
    Program("cn", _cn, not_applicable=("denied",)),  # its read-only mode runs commands too
)
PROGRAMS: Final = {row.name: row for row in _ROWS}
