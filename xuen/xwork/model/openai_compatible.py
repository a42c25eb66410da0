"""Any server that speaks OpenAI's `chat/completions`, streamed: hosted ones, Ollama, LM Studio, llama.cpp, vLLM.

Owns the address, and what differs from server to server; the form is `openai_format`, the connection `server`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import Retryable
from xuen.xwork.messages import Finish, Message, ToolDefinition
from xuen.xwork.model.client import Delta, Finished, Options
from xuen.xwork.model.openai_format import finish_of, pieces, request_body
from xuen.xwork.model.server import ServerModel


class OpenAICompatible(ServerModel):
    """A model of such a server."""

    KEY = "OPENAI_API_KEY"

    @staticmethod
    def _endpoint(base: str) -> str:
        return base if base.endswith("/chat/completions") else base + "/chat/completions"

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        *,
        options: Options,
        cancel: Cancel,
    ) -> Iterator[Delta]:
        """See `ModelClient.complete`."""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        reading = self._asked(request_body(messages, tools, options), headers)
        finish: Finish | None = None
        for chunk in reading.chunks(cancel):
            if chunk.get("error"):
                raise self._refused(chunk)
            yield from pieces(_as_delta(chunk))
            finish = finish_of(chunk) or finish
        if finish is None and not reading.done:
            raise Retryable(texts.BROKEN_STREAM.of(reason=texts.NO_END))
        yield Finished(finish or Finish.STOP)


def _as_delta(chunk: dict[str, Any]) -> dict[str, Any]:
    """A whole answer in the form of a stream's piece."""
    choices = chunk.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict) and "delta" not in choices[0]:
        return chunk | {"choices": [choices[0] | {"delta": choices[0].get("message")}]}
    return chunk
