"""The chat format of OpenAI's `chat/completions`, as pure functions: a request's body, the pieces of a chunk.

Shared by every server that speaks it and by the embedded model, whose runtime takes and gives the same JSON.
Owns the field names and nothing of the transport. Tolerant in what it reads, because servers differ: it never raises
for a chunk, and a field in another form than OpenAI's is read by what it holds. What is not understood is kept, so that
it is never taken for an empty answer.

Source: https://platform.openai.com/docs/api-reference/chat-streaming
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

from xuen.xwork.messages import Assistant, Message, System, ToolDefinition, ToolResult, Usage, User
from xuen.xwork.model.client import CallDelta, Delta, Options, ReasoningDelta, TextDelta, UsageDelta

_TEXTS = ("text", "thinking", "reasoning", "summary", "content", "refusal", "value")
"""Under which names the parts of a text hold their own."""
_DEEPEST = 5  # levels of parts within parts


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


class Stream:
    """What the chunks of one answer have said so far; an answer in one piece is one chunk."""

    def __init__(self) -> None:
        self.finish: str | None = None  # the server's word for why the model stopped
        self.unread = ""  # something that was sent and is not understood
        self._begun = False

    def pieces(self, chunk: object) -> list[Delta]:
        """The pieces that one decoded chunk holds, the end excepted; its usage may follow in a later one."""
        choice = _choice(chunk)
        delta = _dict(choice.get("delta"))
        if not delta and not self._begun:  # some servers repeat the whole message at the end of a stream
            delta = _dict(choice.get("message"))
        found = [*_thoughts(delta), *_said(delta.get("content")), *_said(delta.get("refusal"))]
        found += [*_said(choice.get("text")), *_calls(delta)]
        self._begun = self._begun or bool(found)
        usage = _dict(_dict(chunk).get("usage")) or _dict(choice.get("usage"))
        if usage:
            found.append(UsageDelta(_usage(usage)))
        self.finish = _word(choice.get("finish_reason")) or self.finish
        if not found and (rest := _rest(chunk, delta)):
            self.unread = json.dumps(rest, ensure_ascii=False)
        return found


def _thoughts(delta: dict[str, Any]) -> Iterator[Delta]:
    """What the model thought; servers that say it under several names say the same."""
    for name in ("reasoning_content", "reasoning", "thinking", "reasoning_details"):
        if text := _text(delta.get(name)):
            yield ReasoningDelta(text)
            return


def _said(content: object) -> Iterator[Delta]:
    """What the model said: a text, a part, or a list of these; parts of its thinking are among them."""
    for part in content if isinstance(content, list) else [content]:
        if text := _text(part):
            kind = _dict(part).get("type")
            thought = isinstance(kind, str) and ("think" in kind or "reason" in kind)
            yield ReasoningDelta(text) if thought else TextDelta(text)


def _calls(delta: dict[str, Any]) -> Iterator[Delta]:
    calls = delta.get("tool_calls")
    if not calls and delta.get("function_call"):  # the older form
        calls = [{"function": delta["function_call"]}]
    for place, call in enumerate(calls if isinstance(calls, list) else [calls] if calls else []):
        outer = _dict(call)
        function = _dict(outer.get("function")) or outer
        index = outer.get("index")
        arguments = next((function[name] for name in ("arguments", "parameters", "input") if name in function), None)
        yield CallDelta(
            index=int(str(index)) if str(index).isdecimal() else place,
            id=_word(outer.get("id")),
            name=_word(function.get("name")),
            arguments=as_arguments(arguments),
        )


def as_arguments(value: object) -> str:
    """The arguments of a call as text: servers send them in pieces of JSON, or as the object itself."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if value else ""


def _rest(chunk: object, delta: dict[str, Any]) -> object:
    """What a chunk without pieces holds that should not be empty."""
    if "choices" not in _dict(chunk):
        return chunk
    return {name: value for name, value in delta.items() if name != "role" and value}


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
    return _dict(choices[0]) if isinstance(choices, list) and choices else _dict(choices)


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object, level: int = 0) -> str:
    """The text of a value, of a part that holds one under a name for its kind, or of a list of both."""
    if level < _DEEPEST and isinstance(value, list):
        return "".join(_text(part, level + 1) for part in value)
    if level < _DEEPEST and isinstance(value, dict):
        return next((text for name in _TEXTS if (text := _text(value.get(name), level + 1))), "")
    return value if isinstance(value, str) else str(value) if _is_number(value) else ""


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _word(value: object) -> str:
    """A word, which may be a number, or stand in an object as its `type`."""
    if isinstance(value, dict):
        value = value.get("type")
    return "" if value in ("null", "none") else _text(value)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _money(value: object) -> float | None:
    number = float(value) if _is_number(value) else None
    return number if number is not None and 0 <= number < float("inf") else None
