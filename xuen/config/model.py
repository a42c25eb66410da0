"""The settings: fields, defaults, ranges. Contract for `load`, the command line and `config.example.yaml`.

Values are immutable; whoever overrides one makes a new `Config` with `msgspec.structs.replace`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, field

from xuen.texts import Language

Verify = Literal["auto", "tests", "user", "ai", "off"]
Fallback = Literal["ai", "user"]
Approval = Literal["auto", "ask", "read-only"]
Sandbox = Literal["off", "auto", "on"]

Natural = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(ge=0, le=1_000_000_000)]
"""Seconds, at most some thirty years (a wait takes no more); where the field says so, 0 means no limit."""
Score = Annotated[float, Meta(ge=0, le=10)]


class _Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all sections share: immutable, by name, nothing unknown."""


class AgentSettings(_Settings, frozen=True, kw_only=True):
    """`agent:` the program that does the thinking. A `command` or `argv` goes before the `preset`."""

    preset: str = "xwork"
    command: str | None = None
    argv: tuple[str, ...] | None = None  # instead of `command`: words that no shell reads
    timeout: Seconds = 1800.0  # 0 = no limit
    idle_timeout: Seconds = 0.0  # 0 = off
    env: dict[str, str] = field(default_factory=dict)


class WordsSettings(_Settings, frozen=True, kw_only=True):
    """`words:` the bank that the inspiration words are drawn from."""

    pick: Natural = 3  # 0 = no word bank at all
    count: Positive = 200
    batch: Positive = 50
    reuse: bool = True


class LoopSettings(_Settings, frozen=True, kw_only=True):
    """`loop:` how long it goes on."""

    iterations: Positive | Literal["inf"] = 10
    max_failures: Positive = 3
    max_unchanged: Positive = 5


class PromptSettings(_Settings, frozen=True, kw_only=True):
    """`prompt:` what the agent is given."""

    max_state_chars: Natural = 60000  # code points of both sections together; 0 = no limit


class RoundsSettings(_Settings, frozen=True, kw_only=True):
    """`rounds:` the guard."""

    enabled: bool = True
    verify: Verify = "auto"
    fallback: Fallback = "ai"
    adopt_score: Score = 7.0
    repo: str | None = None  # relative to the config file's folder, like the workspace
    test_timeout: Seconds = 900.0
    judge_command: str | None = None  # None = the agent's own
    judge_timeout: Seconds = 600.0


class XworkSettings(_Settings, frozen=True, kw_only=True):
    """`xwork:` the built-in agent's model server; without `base_url` the embedded model serves."""

    base_url: str | None = None
    model: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    approval: Approval = "auto"
    sandbox: Sandbox = "off"  # installing, git over the network and caches at home are what it stops
    sandbox_network: bool = False


class Config(_Settings, frozen=True, kw_only=True):
    """All settings of one run."""

    workspace: str = "workspace"
    language: Literal["auto"] | Language = "auto"
    extra_notes: str = ""
    agent: AgentSettings = AgentSettings()
    words: WordsSettings = WordsSettings()
    loop: LoopSettings = LoopSettings()
    prompt: PromptSettings = PromptSettings()
    rounds: RoundsSettings = RoundsSettings()
    xwork: XworkSettings = XworkSettings()
