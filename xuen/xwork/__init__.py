"""xwork: a small agent runtime of its own; xuen runs it as a subprocess like any other agent.

As a library: `from xuen.xwork import Agent, AgentConfig`. Importing the package itself costs nothing; the agent is
loaded when it is first named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xuen.xwork.agent import Agent, RunResult
    from xuen.xwork.config import AgentConfig

__all__ = ["Agent", "AgentConfig", "RunResult"]


def __getattr__(name: str) -> Any:
    if name == "AgentConfig":
        from xuen.xwork.config import AgentConfig

        return AgentConfig
    if name in __all__:
        from xuen.xwork import agent

        return getattr(agent, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
