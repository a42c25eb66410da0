"""The chat format of OpenAI's `chat/completions`, as pure functions: a request's body, the pieces of a chunk.

Shared by every server that speaks it and by the embedded model, whose runtime takes and gives the same JSON.
Owns the field names and nothing of the transport. Tolerant in what it reads: a field that is missing, null or of
another type counts as not there, because servers differ; it never raises for a chunk.

Source: https://platform.openai.com/docs/api-reference/chat-streaming
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xuen.xwork.messages import Assistant, Finish, Message, System, ToolDefinition, ToolResult, Usage, User
from xuen.xwork.model.client import CallDelta, Delta, Options, ReasoningDelta, TextDelta, UsageDelta

_FINISH = {
    "stop": Finish.STOP,
    "length": Finish.LENGTH,
    "tool_calls": Finish.CALLS,
    "function_call": Finish.CALLS,
    "content_filter": Finish.REFUSED,
}


def request_body(messages: Sequence[Message], tools: Sequence[ToolDefinition], options: Options) -> dict[str, Any]:
    """The body of a streamed request, without the model's name and without what only some servers take."""
    body: dict[str, Any] = {
        "messages": [_message(message) for message in messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in tools
        ]
    plain = {
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "seed": options.seed,
        "stop": list(options.stop) or None,
    }
    return body | {name: value for name, value in plain.items() if value is not None}


def pieces(chunk: object) -> list[Delta]:
    """The pieces that one decoded chunk of a stream holds, its end excepted (see `finish_of`)."""
    found: list[Delta] = []
    delta = _dict(_choice(chunk).get("delta"))
    reasoning = _text(delta.get("reasoning_content")) or _text(delta.get("reasoning"))
    if reasoning:
        found.append(ReasoningDelta(reasoning))
    if text := _text(delta.get("content")):
        found.append(TextDelta(text))
    calls = delta.get("tool_calls")
    for place, call in enumerate(calls if isinstance(calls, list) else []):
        function = _dict(_dict(call).get("function"))
        index = _dict(call).get("index")
        found.append(
            CallDelta(
                index=index if isinstance(index, int) else place,
                id=_text(_dict(call).get("id")),
                name=_text(function.get("name")),
                arguments=_text(function.get("arguments")),
            )
        )
    if usage := _dict(_dict(chunk).get("usage")):
        found.append(UsageDelta(_usage(usage)))
    return found


def finish_of(chunk: object) -> Finish | None:
    """Why the model stopped, if this chunk says so; the usage may still follow in a later one."""
    reason = _choice(chunk).get("finish_reason")
    return _FINISH.get(reason, Finish.STOP) if isinstance(reason, str) else None


def _message(message: Message) -> dict[str, Any]:
    match message:
        case System(text):
            return {"role": "system", "content": text}
        case User(text):
            return {"role": "user", "content": text}
        case ToolResult():
            return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
        case Assistant():
            said: dict[str, Any] = {"role": "assistant", "content": message.text}
            if message.calls:
                said["tool_calls"] = [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments},
                    }
                    for call in message.calls
                ]
            return said


def _usage(usage: dict[str, Any]) -> Usage:
    return Usage(
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(_dict(usage.get("prompt_tokens_details")).get("cached_tokens")),
        reasoning_tokens=_count(_dict(usage.get("completion_tokens_details")).get("reasoning_tokens")),
        cost=_money(usage.get("cost")),  # OpenRouter and the like tell
    )


def _choice(chunk: object) -> dict[str, Any]:
    choices = _dict(chunk).get("choices")
    return _dict(choices[0]) if isinstance(choices, list) and choices else {}


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _money(value: object) -> float | None:
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    return number if number is not None and 0 <= number < float("inf") else None
