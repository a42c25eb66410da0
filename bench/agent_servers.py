"""Scripted model servers on loopback, for bench/agents.py: four protocols behind one address.

Speaks OpenAI chat completions and responses, Anthropic messages and Gemini generateContent, streamed or not. A
`Script` decides what a request is answered with: a tool call that runs the write command which the prompt itself
names, then a text; or a failure in the words that the real services have for it. What users said is kept.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from agent_protocols import FAILURES, Chat, Gemini, Json, Messages, Responses, Tool

from xuen.workspace import section_script

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
            return "Clearly better.\nSCORE " + re.findall(r"SCORE ([0-9a-f]+):", whole)[-1] + ": 8"
        if WORDS in whole and RESEARCH not in whole:
            return "WORDS " + re.findall(r"WORDS ([0-9a-f]+)", whole)[-1] + "\n" + json.dumps(BANK)
        if self.case == "denied":
            return "I could not run the command. The tool answered: " + " ".join(results)[:300]
        return self.final

    def _ended(self, text: str, name: str, tools: dict[str, Json]) -> Tool:
        return Tool(name, arguments(tools[name], self.last_command), text)


SHELL_TOOLS = ("Bash", "bash", "shell", "shell_command", "exec_command", "run_shell_command", "Execute", "run_commands")


def arguments(schema: Json, command: str) -> Json:
    """What a shell tool of this schema is called with."""
    properties = schema.get("properties", {})
    key = next(name for name in ("cmd", "commands", "command") if name in properties)
    as_list = properties.get(key, {}).get("type") == "array"
    words = [command] if key == "commands" else ["/bin/sh", "-c", command]
    made: Json = {key: words if as_list else command}
    if "description" in properties:
        made["description"] = "write the section"
    if "summary" in properties:
        made |= {"summary": "Write the section", "riskLevel": "low", "riskLevelReason": "It writes one section."}
    if "is_background" in schema.get("required", []):
        made["is_background"] = False
    return made


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
        if script.case in FAILURES:
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
