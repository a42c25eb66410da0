"""A scripted model server on loopback that speaks the OpenAI chat-completions format.

Usage: python openai_server.py LOG [--command SHELL_COMMAND] [--text TEXT]

Prints its base URL, then serves until it is ended. The first request of a conversation that offers a shell tool is
answered with one call of that tool, everything else with TEXT. Every request body is appended to LOG as a line.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SHELL_TOOLS = ("bash", "shell", "exec_command", "run_shell_command")


def shell_tool(request: dict) -> tuple[str, dict] | None:
    """The name and the parameters of the first shell tool that the request offers."""
    for tool in request.get("tools") or []:
        function = tool.get("function", {})
        if function.get("name") in SHELL_TOOLS:
            return function["name"], function.get("parameters", {}).get("properties", {})
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    options: argparse.Namespace

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.options.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(request) + "\n")
        tool = shell_tool(request)
        called = any(message["role"] == "tool" for message in request["messages"])
        if self.options.command and tool and not called:
            name, parameters = tool
            arguments = {"command": self.options.command}
            if "description" in parameters:
                arguments["description"] = "write the section"
            call = {"index": 0, "id": "call_1", "type": "function"}
            call["function"] = {"name": name, "arguments": json.dumps(arguments)}
            self._answer(request, {"tool_calls": [call]}, "tool_calls")
        else:
            self._answer(request, {"content": self._text(request)}, "stop")

    def _text(self, request: dict) -> str:
        """The text, NONCE replaced by what the conversation last asked to be repeated."""
        found = re.findall(r"(?:SCORE|WORDS) ([0-9a-f]{8})", json.dumps(request["messages"]))
        return self.options.text.replace("NONCE", found[-1] if found else "")

    def _answer(self, request: dict, delta: dict, finish: str) -> None:
        if not request.get("stream"):
            message = {"role": "assistant", "content": None} | delta
            self._json(self._body("chat.completion", [{"index": 0, "message": message, "finish_reason": finish}]))
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for part, end in (({"role": "assistant"} | delta, None), ({}, finish)):
            choices = [{"index": 0, "delta": part, "finish_reason": end}]
            data = json.dumps(self._body("chat.completion.chunk", choices))
            self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _body(self, kind: str, choices: list[dict]) -> dict:
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return {"id": "x", "object": kind, "created": 0, "model": "scripted", "choices": choices, "usage": usage}

    def _json(self, body: dict) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path)
    parser.add_argument("--command")
    parser.add_argument("--text", default="done")
    Handler.options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
