"""The protocols of model servers, for agent_servers.py: OpenAI chat completions and responses, Anthropic, Gemini.

Each reads a request and writes an answer or a failure, the failure in the words that the real services have for it.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """The tool call that a model answers with."""

    name: str
    arguments: Json
    text: str | None = None  # said before it; chat completions only


# --- the failures, in the words of the services ----------------------------------------------------------------------

_OPENAI: dict[str, tuple[int, Json]] = {
    "no key": (
        401,
        {"message": "You didn't provide an API key. You need to provide your API key in an Authorization header."}
        | {"type": "invalid_request_error", "param": None, "code": None},
    ),
    "refused key": (
        401,
        {"message": "Incorrect API key provided: sk-loop****.", "type": "invalid_request_error"}
        | {"param": None, "code": "invalid_api_key"},
    ),
    "quota": (
        429,
        {"message": "You exceeded your current quota, please check your plan and billing details."}
        | {"type": "insufficient_quota", "param": None, "code": "insufficient_quota"},
    ),
    "model": (
        404,
        {"message": "The model `scripted` does not exist or you do not have access to it."}
        | {"type": "invalid_request_error", "param": None, "code": "model_not_found"},
    ),
    "context": (
        400,
        {"message": "This model's maximum context length is 8192 tokens. However, your messages have 40960 tokens."}
        | {"type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"},
    ),
    "overloaded": (503, {"message": "The engine is currently overloaded, please try again later", "type": "server"}),
    "broken": (
        500,
        {"message": "The server had an error while processing your request. Sorry about that!"}
        | {"type": "server_error", "param": None, "code": None},
    ),
}
_ANTHROPIC: dict[str, tuple[int, str, str]] = {
    "no key": (401, "authentication_error", "x-api-key header is required"),
    "refused key": (401, "authentication_error", "invalid x-api-key"),
    "quota": (429, "rate_limit_error", "This request would exceed your organization's rate limit."),
    "model": (404, "not_found_error", "model: scripted"),
    "context": (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "overloaded": (529, "overloaded_error", "Overloaded"),
    "broken": (500, "api_error", "Internal server error"),
}
_GEMINI: dict[str, tuple[int, str, str]] = {
    "no key": (403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers. Please use API Key."),
    "refused key": (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    "quota": (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan."),
    "model": (404, "NOT_FOUND", "models/scripted is not found for API version v1beta, or is not supported."),
    "context": (
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    "overloaded": (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "broken": (500, "INTERNAL", "An internal error has occurred. Please retry or report it."),
}


FAILURES = tuple(_OPENAI)

# --- the protocols ---------------------------------------------------------------------------------------------------


def _texts_of(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


class Chat:
    """OpenAI chat completions."""

    @staticmethod
    def read(body: Json) -> tuple[list[str], dict[str, Json], list[str]]:
        """What users said, the tools that are offered, and what tools answered."""
        said = [text for each in body["messages"] if each["role"] == "user" for text in _texts_of(each["content"])]
        tools = {each["function"]["name"]: each["function"].get("parameters", {}) for each in body.get("tools") or []}
        results = [text for each in body["messages"] if each["role"] == "tool" for text in _texts_of(each["content"])]
        return said, tools, results

    @staticmethod
    def failure(case: str) -> tuple[int, Json]:
        """Status and body of a failure."""
        return _OPENAI[case][0], {"error": _OPENAI[case][1]}

    @staticmethod
    def reply(body: Json, answer: str | Tool) -> tuple[Json, list[Json | str]]:
        """The whole answer, and the same as events."""
        delta: Json = {"role": "assistant", "content": answer}
        finish = "stop"
        if isinstance(answer, Tool):
            function = {"name": answer.name, "arguments": json.dumps(answer.arguments)}
            delta["content"], finish = answer.text, "tool_calls"
            delta["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": function}]

        piece = "chat.completion.chunk"

        def made(kind: str, choice: Json | None) -> Json:
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            choices = [] if choice is None else [{"index": 0, **choice}]
            head = {"id": "chat-1", "object": kind, "created": int(time.time()), "model": body.get("model", "scripted")}
            counted = kind != piece or choice is None  # as the service does: in a stream only the last event counts
            return {**head, "choices": choices, "usage": usage if counted else None}

        events = [made(piece, {"delta": delta, "finish_reason": None})]
        events += [made(piece, {"delta": {}, "finish_reason": finish}), made(piece, None), "[DONE]"]
        return made("chat.completion", {"message": delta, "finish_reason": finish}), events


class Responses:
    """OpenAI responses."""

    failure = Chat.failure

    @staticmethod
    def read(body: Json) -> tuple[list[str], dict[str, Json], list[str]]:
        """As in Chat."""
        items = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
        said = [text for each in items if each.get("role") == "user" for text in _texts_of(each["content"])]
        tools = {each["name"]: each.get("parameters", {}) for each in body.get("tools") or [] if "name" in each}
        results = [str(each.get("output")) for each in items if each.get("type") == "function_call_output"]
        return said, tools, results

    @staticmethod
    def reply(body: Json, answer: str | Tool) -> tuple[Json, list[Json | str]]:
        """As in Chat."""
        if isinstance(answer, Tool):
            item: Json = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": answer.name}
            item |= {"arguments": json.dumps(answer.arguments), "status": "completed"}
        else:
            part = {"type": "output_text", "text": answer, "annotations": []}
            item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part], "status": "completed"}
        usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        output = [item] if answer else []
        whole = {"id": "resp_1", "object": "response", "model": body.get("model"), "status": "completed"}
        done = {**whole, "output": output, "usage": usage}
        events: list[Json | str] = [
            {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
        ]
        for index, each in enumerate(output):
            events.append({"type": "response.output_item.added", "output_index": index, "item": each})
            events.append({"type": "response.output_item.done", "output_index": index, "item": each})
        return done, [*events, {"type": "response.completed", "response": done}]


class Messages:
    """Anthropic messages."""

    @staticmethod
    def read(body: Json) -> tuple[list[str], dict[str, Json], list[str]]:
        """As in Chat."""
        users = [each["content"] for each in body["messages"] if each["role"] == "user"]
        said = [text for content in users for text in _texts_of(content)]
        tools = {each["name"]: each.get("input_schema", {}) for each in body.get("tools") or []}
        parts = [part for content in users if isinstance(content, list) for part in content]
        results = [" ".join(_texts_of(part.get("content"))) for part in parts if part.get("type") == "tool_result"]
        return said, tools, results

    @staticmethod
    def failure(case: str) -> tuple[int, Json]:
        """As in Chat."""
        status, kind, message = _ANTHROPIC[case]
        return status, {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}

    @staticmethod
    def reply(body: Json, answer: str | Tool) -> tuple[Json, list[Json | str]]:
        """As in Chat."""
        usage = {"input_tokens": 100, "output_tokens": 10}
        stop = "tool_use" if isinstance(answer, Tool) else "end_turn"
        if isinstance(answer, Tool):
            block: Json = {"type": "tool_use", "id": "toolu_1", "name": answer.name, "input": {}}
            delta: Json = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
            full = {**block, "input": answer.arguments}
        else:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": answer}
            full = {"type": "text", "text": answer}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model")}
        whole = {**head, "content": [full] if answer else [], "stop_reason": stop, "stop_sequence": None}
        whole["usage"] = usage
        start = {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        events: list[Json | str] = [{"type": "message_start", "message": start}]
        if answer:
            events.append({"type": "content_block_start", "index": 0, "content_block": block})
            events.append({"type": "content_block_delta", "index": 0, "delta": delta})
            events.append({"type": "content_block_stop", "index": 0})
        ended = {"stop_reason": stop, "stop_sequence": None}
        events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 10}})
        return whole, [*events, {"type": "message_stop"}]


class Gemini:
    """Gemini generateContent."""

    @staticmethod
    def read(body: Json) -> tuple[list[str], dict[str, Json], list[str]]:
        """As in Chat."""
        users = [each["parts"] for each in body["contents"] if each.get("role", "user") == "user"]
        said = [text for parts in users for text in _texts_of(parts)]
        declared = [each for group in body.get("tools") or [] for each in group.get("functionDeclarations", [])]
        tools = {each["name"]: each.get("parametersJsonSchema") or each.get("parameters", {}) for each in declared}
        answers = [part["functionResponse"] for parts in users for part in parts if "functionResponse" in part]
        return said, tools, [json.dumps(each.get("response"), ensure_ascii=False) for each in answers]

    @staticmethod
    def failure(case: str) -> tuple[int, Json]:
        """As in Chat."""
        status, kind, message = _GEMINI[case]
        return status, {"error": {"code": status, "message": message, "status": kind}}

    @staticmethod
    def reply(body: Json, answer: str | Tool) -> tuple[Json, list[Json | str]]:  # noqa: ARG004 - one signature
        """As in Chat."""
        part: Json = {"text": answer}
        if isinstance(answer, Tool):
            part = {"functionCall": {"name": answer.name, "args": answer.arguments}}
        content = {"role": "model", "parts": [part] if answer else []}
        counted = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
        candidate = {"content": content, "finishReason": "STOP", "index": 0}
        whole = {"candidates": [candidate], "usageMetadata": counted, "modelVersion": "scripted"}
        return whole, [whole]
