"""Any server that speaks OpenAI's `chat/completions`, streamed: hosted ones, Ollama, LM Studio, llama.cpp, vLLM.

Owns the address, and what differs from server to server; the form is `openai_format`, the connection `server`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xuen.xwork.messages import Message, ToolDefinition
from xuen.xwork.model import openai_format
from xuen.xwork.model.client import Options
from xuen.xwork.model.server import ServerModel


class OpenAICompatible(ServerModel):
    """A model of such a server."""

    KEY = "OPENAI_API_KEY"

    @staticmethod
    def _endpoint(base: str) -> str:
        return base if base.endswith("/chat/completions") else base + "/chat/completions"

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def _body(self, messages: Sequence[Message], tools: Sequence[ToolDefinition], options: Options) -> dict[str, Any]:
        return openai_format.request_body(messages, tools, options)

    def _stream(self) -> openai_format.Stream:
        return openai_format.Stream()
