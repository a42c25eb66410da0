"""Scripted model servers on loopback, for bench/agents.py: four protocols behind one address.

Speaks OpenAI chat completions and responses, Anthropic messages and Gemini generateContent, streamed or not. A
`Script` decides what a request is answered with: a tool call that runs the write command which the prompt itself
names, then a text; or a failure in the words that the real services have for it. What users said is kept.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from xuen.workspace import section_script

Json = dict[str, Any]

# Headings that only these prompts have.
RESEARCH, JUDGE, WORDS = "[How to write]", "[How to answer]", "[Word list]"
BANK = ("insertion sort", "inversion count", "run length", "locality", "adaptive merge", "card game", "natural order")
_ROUND = re.compile(r"^Round (\d+)\.$", re.MULTILINE)
_FILE = re.compile(r"^research\.md\n(```+|<source>)\w*\n(.*?\n)(?:\1|</source>)$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^( *)(\S[^\n]*write_section\.py'? idea <<'(\w+)'\n).*?^\1\3$", re.MULTILINE | re.DOTALL)


def write_command(prompt: str, text: str) -> str:
    """The command with which a prompt says to overwrite the idea, with `text` in it."""
    found = list(_COMMAND.finditer(prompt))
    if not found:
        raise ValueError("the prompt names no write command")
    return f"{found[-1][2]}{text}\n{found[-1][3]}"


def edited(chat: str, text: str) -> str:
    """research.md, as a chat shows it, with another idea, in the form in which such chats take whole files."""
    data = _FILE.findall(chat)[-1][1].encode()
    return f"research.md\n```\n{section_script.with_section(data, 'idea', text.encode()).decode()}```\n"


@dataclass(frozen=True)
class Tool:
    """The tool call that a model answers with."""

    name: str
    arguments: Json
    text: str | None = None  # said before it; chat completions only


@dataclass
class Script:
    """What the model does. `case` is `ok` or a failure; `texts` holds all user messages, in order."""

    case: str = "ok"
    final: str = "I wrote the idea."
    after_write: str = ""  # more shell source for the tool call
    no_tools: bool = False  # the program has no tool for commands: it takes whole files from the text
    last_command: str = ""  # the command with which a program wants its work to be ended
    on_research: Callable[[int], None] = lambda _: None  # gets the number of the round
    texts: list[str] = field(default_factory=list)
    requests: int = 0

    def answer(self, said: list[str], tools: dict[str, Json], results: list[str]) -> str | Tool:
        """The next step of a conversation."""
        self.texts += [text for text in said if text not in self.texts]
        whole = "\n".join(said)
        name = next((name for name in SHELL_TOOLS if name in tools), None)
        if self.case == "empty":
            return ""
        if RESEARCH not in whole or results:
            text = self._closing(whole, results)
            return self._ended(text, name, tools) if name and self.last_command else text
        number = int(_ROUND.findall(whole)[-1])
        self.on_research(number)
        idea = f"an idea through a real agent, number {number}"
        if name is None:
            return f"I write it.\n\n{edited(whole, idea)}" if self.no_tools else self.final
        command = write_command(whole, idea) + self.after_write
        return Tool(name, arguments(tools[name], command))

    def _closing(self, whole: str, results: list[str]) -> str:
        if JUDGE in whole and RESEARCH not in whole:
            return "Clearly better.\nSCORE: 8"
        if WORDS in whole and RESEARCH not in whole:
            return "\n".join(BANK)
        if self.case == "denied":
            return "I could not run the command. The tool answered: " + " ".join(results)[:300]
        return self.final

    def _ended(self, text: str, name: str, tools: dict[str, Json]) -> Tool:
        return Tool(name, arguments(tools[name], self.last_command), text)


SHELL_TOOLS = ("Bash", "bash", "shell", "shell_command", "exec_command", "run_shell_command")


def arguments(schema: Json, command: str) -> Json:
    """What a shell tool of this schema is called with."""
    properties = schema.get("properties", {})
    key = "cmd" if "cmd" in properties else "command"
    as_list = properties.get(key, {}).get("type") == "array"
    made: Json = {key: ["/bin/sh", "-c", command] if as_list else command}
    if "description" in properties:
        made["description"] = "write the section"
    if "is_background" in schema.get("required", []):
        made["is_background"] = False
    return made


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
}
_ANTHROPIC: dict[str, tuple[int, str, str]] = {
    "no key": (401, "authentication_error", "x-api-key header is required"),
    "refused key": (401, "authentication_error", "invalid x-api-key"),
    "quota": (429, "rate_limit_error", "This request would exceed your organization's rate limit."),
    "model": (404, "not_found_error", "model: scripted"),
    "context": (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "overloaded": (529, "overloaded_error", "Overloaded"),
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
}


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

        def made(kind: str, choice: Json | None) -> Json:
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            choices = [] if choice is None else [{"index": 0, **choice}]
            head = {"id": "chat-1", "object": kind, "created": int(time.time()), "model": body.get("model", "scripted")}
            return {**head, "choices": choices, "usage": usage}

        piece = "chat.completion.chunk"
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


class Handler(BaseHTTPRequestHandler):
    """One connection; the server's `script` decides."""

    protocol_version = "HTTP/1.1"
    server: ScriptedServer
    by_path: ClassVar[tuple[tuple[str, Any], ...]] = (
        ("/chat/completions", Chat),
        ("/responses", Responses),
        ("/messages", Messages),
        ("enerateContent", Gemini),
    )

    def do_HEAD(self) -> None:
        """Some programs look first whether anybody is there."""
        self._send(200, b"", "text/plain")

    def do_GET(self) -> None:
        """The list of models."""
        self._json(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []})

    def do_POST(self) -> None:
        """A question to the model."""
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        protocol = next((each for end, each in self.by_path if path.endswith(end)), None)
        if protocol is None:
            token_counts = path.endswith(("countTokens", "count_tokens"))
            self._json(200 if token_counts else 404, {"totalTokens": 100, "input_tokens": 100} if token_counts else {})
            return
        self._question(protocol, json.loads(data), "streamGenerate" in path)

    def _question(self, protocol: Any, body: Json, streamed: bool) -> None:
        script = self.server.script
        with self.server.lock:
            script.requests += 1
            self.server.bodies.append(body)
            said, tools, results = protocol.read(body)
            answer = script.answer(said, tools, results)
        if script.case in _OPENAI:
            self._json(*protocol.failure(script.case))
        elif script.case == "hang":
            self.server.over.wait()
            self.close_connection = True
        elif script.case == "html":
            self._send(200, b"<!doctype html><title>Welcome</title><p>Log in to this network", "text/html")
        elif streamed or body.get("stream"):
            self._stream(protocol.reply(body, answer)[1])
        else:
            self._json(200, protocol.reply(body, answer)[0])

    def _stream(self, events: list[Json | str]) -> None:
        def lines() -> Iterator[str]:
            for event in events:
                if isinstance(event, dict) and "type" in event:
                    yield f"event: {event['type']}\n"
                yield f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n"

        self._send(200, "".join(lines()).encode(), "text/event-stream")

    def _json(self, status: int, body: Json) -> None:
        self._send(status, json.dumps(body).encode(), "application/json")

    def _send(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def handle(self) -> None:
        """A client that hangs up is not worth a traceback."""
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error."""


class ScriptedServer(ThreadingHTTPServer):
    """Serves in a thread of its own until it is closed."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.bodies: list[Json] = []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """Let hanging requests go and stop."""
        self.over.set()
        self.shutdown()
        self.server_close()
