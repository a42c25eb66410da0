"""The settings of an agent."""

from __future__ import annotations

from pathlib import Path

import msgspec

from xuen.texts import Language
from xuen.xwork.mcp.config import McpServer
from xuen.xwork.model.client import Options
from xuen.xwork.model.retry import Patience
from xuen.xwork.policy.permission import Approval
from xuen.xwork.request import Request
from xuen.xwork.sandbox.mode import Mode


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of one agent; only `workspace` has no default.

    `base_url` and `model` name an OpenAI-compatible server (`https://api.anthropic.com` is asked in its own
    protocol); they are not needed when the agent is given a client.
    """

    workspace: Path
    session: Path | None = None  # the journal; None: `.xwork/session.jsonl` in the workspace
    base_url: str | None = None
    model: str | None = None
    api_key_env: str = "OPENAI_API_KEY"  # the variable that holds the key; it may be absent
    approval: Approval = Approval.AUTO
    sandbox: Mode = Mode.OFF  # for commands; off, because many of them need the network or the home folder
    sandbox_network: bool = False  # whether commands in a sandbox have a network
    mcp: tuple[McpServer, ...] = ()  # servers whose tools are offered beside the built-in ones
    max_turns: int = 0  # answers of the model in one run; 0 = no limit
    max_repeats: int = 5  # the same batch with the same results; 0 = no limit
    max_failures: int = 12  # failed calls in a row; 0 = no limit
    check_after_write: bool = True  # the completion gate
    reminders: int = 3  # before the gate ends the run
    context_tokens: int | None = None  # None: what the client knows, else an assumed size
    compact_at: float = 0.8  # part of the context at which the conversation is shortened
    keep: float = 0.3  # part of the context that then stays word for word
    options: Options = Options()
    patience: Patience = Patience()
    request: Request | None = None  # what the next prompt asks as data, for the embedded model; others read the prompt
    instructions: str = ""  # added to what the model is told first
    language: Language = "en"  # of events for people

    def __post_init__(self) -> None:
        """Accept modes by name too. An unknown name is an error, never the most permissive mode.

        Raises:
            ValueError: there is no such mode.
        """
        msgspec.structs.force_setattr(self, "approval", Approval(self.approval))
        msgspec.structs.force_setattr(self, "sandbox", Mode(self.sandbox))
        msgspec.structs.force_setattr(self, "workspace", Path(self.workspace))
