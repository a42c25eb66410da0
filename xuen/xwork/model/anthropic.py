"""Anthropic's Messages API, streamed.

Owns the translation between its form and ours: system text apart, results of tools as blocks of a user's message,
thinking as signed blocks that go back as they came (`Assistant.replay`). The connection is that of
`server`. Always holds: roles alternate and every call is followed by its result, as this API demands.

Source: https://docs.anthropic.com/en/api/messages-streaming
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from xuen.xwork.messages import Assistant, Message, System, ToolDefinition, ToolResult, Usage, User
from xuen.xwork.model.client import (
    CallDelta,
    Delta,
    Options,
    ReasoningDelta,
    ReplayDelta,
    TextDelta,
    UsageDelta,
)
from xuen.xwork.model.openai_format import as_arguments
from xuen.xwork.model.server import ServerModel

_VERSION: Final = "2023-06-01"
_MAX_TOKENS: Final = 16_000  # the API wants a number


class Anthropic(ServerModel):
    """A model of the Messages API."""

    KEY = "ANTHROPIC_API_KEY"
    WINDOW = 200_000

    @staticmethod
    def _endpoint(base: str) -> str:
        return (base if base.endswith("/v1") else f"{base}/v1") + "/messages"

    def _headers(self) -> dict[str, str]:
        return {"anthropic-version": _VERSION} | ({"x-api-key": self._key} if self._key else {})

    def _body(self, messages: Sequence[Message], tools: Sequence[ToolDefinition], options: Options) -> dict[str, Any]:
        return request_body(messages, tools, options)

    def _stream(self) -> Stream:
        return Stream()


class Stream:
    """What the events of one answer have said so far; an answer in one piece is one event."""

    def __init__(self) -> None:
        self.finish: str | None = None  # the server's word for why the model stopped
        self.unread = ""  # something that was sent and is not understood
        self._thinking: dict[int, dict[str, Any]] = {}
        self._calls: dict[int, int] = {}
        self._inputs: dict[int, str] = {}  # of calls that came with their whole input
        self._block = 0

    def pieces(self, event: dict[str, Any]) -> list[Delta]:
        """The pieces that one event holds."""
        index = event.get("index")
        self._block = index if isinstance(index, int) else self._block
        found: list[Delta] = []
        match event:
            case {"type": "message_start", "message": dict(message)}:
                found = _counted(message)
            case {"type": "message"}:
                found = self._whole(event)
            case {"type": "content_block_start", "content_block": dict(block)}:
                found = self._begun(self._block, block)
            case {"type": "content_block_delta", "delta": dict(delta)}:
                found = self._grown(self._block, delta)
            case {"type": "content_block_stop"}:
                found = self._ended(self._block)
            case {"type": "message_delta", "delta": dict(delta)}:
                self._stopped(delta)
                found = _counted(event)
            case {"type": "message_stop"}:
                self.finish = self.finish or ""
            case {"type": "ping"}:
                pass
            case _:
                self._pass_over(event)
        return found

    def _whole(self, message: dict[str, Any]) -> list[Delta]:
        """The pieces of an answer that was not streamed."""
        found = _counted(message)
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else [{"type": "text", "text": content}]):
            found += self._begun(index, block) + self._ended(index) if isinstance(block, dict) else []
        self._stopped(message)
        self.finish = self.finish or ""
        return found

    def _begun(self, index: int, block: dict[str, Any]) -> list[Delta]:
        match block:
            case {"type": "tool_use"}:
                self._calls[index] = len(self._calls)
                self._inputs[index] = as_arguments(block.get("input"))
                return [CallDelta(self._calls[index], id=str(block.get("id", "")), name=str(block.get("name", "")))]
            case {"type": "thinking" | "redacted_thinking"}:
                self._thinking[index] = dict(block)
                return [ReasoningDelta(text)] if isinstance(text := block.get("thinking"), str) and text else []
            case {"type": "text", "text": str(text)}:
                return [TextDelta(text)] if text else []
        self._pass_over(block)
        return []

    def _grown(self, index: int, delta: dict[str, Any]) -> list[Delta]:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                return [TextDelta(text)]
            case {"type": "input_json_delta", "partial_json": part} if index in self._calls:
                self._inputs.pop(index, None)
                return [CallDelta(self._calls[index], arguments=as_arguments(part))]
            case {"type": "thinking_delta", "thinking": str(text)} if index in self._thinking:
                self._thinking[index]["thinking"] = self._thinking[index].get("thinking", "") + text
                return [ReasoningDelta(text)]
            case {"type": "signature_delta", "signature": str(text)} if index in self._thinking:
                self._thinking[index]["signature"] = self._thinking[index].get("signature", "") + text
                return []
        self._pass_over(delta)
        return []

    def _ended(self, index: int) -> list[Delta]:
        if index in self._thinking:
            return [ReplayDelta(json.dumps(list(self._thinking.values()), ensure_ascii=False))]
        arguments = self._inputs.pop(index, "")
        return [CallDelta(self._calls[index], arguments=arguments)] if arguments else []

    def _stopped(self, holder: dict[str, Any]) -> None:
        reason = holder.get("stop_reason")
        self.finish = reason if isinstance(reason, str) else self.finish

    def _pass_over(self, part: dict[str, Any]) -> None:
        self.unread = json.dumps(part, ensure_ascii=False)


def request_body(messages: Sequence[Message], tools: Sequence[ToolDefinition], options: Options) -> dict[str, Any]:
    """The body of a streamed request, without the model's name; the last block of the past is marked for the cache."""
    system = "\n\n".join(message.text for message in messages if isinstance(message, System))
    turns: list[dict[str, Any]] = []
    for message in messages:
        role, blocks = _blocks(message)
        if not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    if turns and turns[-1]["content"][-1]["type"] in ("text", "tool_result"):
        turns[-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
    body: dict[str, Any] = {"messages": turns, "stream": True, "max_tokens": options.max_tokens or _MAX_TOKENS}
    if system:
        body["system"] = system
    if tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in tools
        ]
    plain_options = {
        "temperature": options.temperature,
        "top_p": options.top_p,
        "stop_sequences": list(options.stop) or None,
    }
    return body | {name: value for name, value in plain_options.items() if value is not None}


def _blocks(message: Message) -> tuple[str, list[dict[str, Any]]]:
    match message:
        case System():
            return "user", []
        case User(text):
            return "user", [{"type": "text", "text": text or " "}]
        case ToolResult():
            content = message.text or "(nothing)"
            block = {"type": "tool_result", "tool_use_id": message.call_id, "content": content}
            return "user", [block | ({"is_error": True} if message.failed else {})]
        case Assistant():
            blocks = _replayed(message.replay)
            if message.text.strip():  # an empty text is refused
                blocks.append({"type": "text", "text": message.text})
            for call in message.calls:
                blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)})
            return "assistant", blocks


def _replayed(replay: str) -> list[dict[str, Any]]:
    """Signed thinking of this provider; what another one wanted back is not for it."""
    try:
        blocks = json.loads(replay) if replay else []
    except ValueError:
        return []
    known = ("thinking", "redacted_thinking")
    if not isinstance(blocks, list):
        return []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") in known]


def _input(arguments: str) -> dict[str, Any]:
    try:
        value = json.loads(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _counted(holder: dict[str, Any]) -> list[Delta]:
    usage = holder.get("usage")
    return [UsageDelta(_usage(usage))] if isinstance(usage, dict) else []


def _usage(usage: dict[str, Any]) -> Usage:
    """Their input count leaves out what came from or went into the cache; ours is the whole prompt."""
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    counts = [count for name in names if isinstance(count := usage.get(name), int)]
    output, cached = usage.get("output_tokens"), usage.get("cache_read_input_tokens")
    return Usage(
        input_tokens=sum(counts) if isinstance(usage.get("input_tokens"), int) else None,
        output_tokens=output if isinstance(output, int) else None,
        cached_tokens=cached if isinstance(cached, int) else None,
    )
