"""A small MCP server for tests, of the official package.

Usage: python mcp_server.py [--slow-start S] [--noise] [--http]

Its tools echo, add, fail, wait, die, send pictures and leave daemons. `pid` is in the file that MCP_PID names, and
what became of the last `wait` in the one that MCP_WAITED names. Over HTTP it prints the port that it found free.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import uvicorn
from mcp.server.mcpserver import Image, MCPServer
from mcp.types import BlobResourceContents, EmbeddedResource, TextContent, TextResourceContents, ToolAnnotations

parser = argparse.ArgumentParser()
parser.add_argument("--slow-start", type=float, default=0)
parser.add_argument("--noise", action="store_true")
parser.add_argument("--http", action="store_true")
options = parser.parse_args()

if "MCP_PID" in os.environ:
    with Path(os.environ["MCP_PID"]).open("a") as file:
        file.write(f"{os.getpid()}\n")
print("a word on standard error", file=sys.stderr, flush=True)
if options.noise:
    print("this is no JSON\n{}", flush=True)
time.sleep(options.slow_start)

server = MCPServer("small", log_level="CRITICAL")
READS = ToolAnnotations(read_only_hint=True)


@server.tool(annotations=READS)
def echo(text: str) -> str:
    """Says the text again."""
    return text


@server.tool(structured_output=False)
def add(a: int, b: int) -> str:
    return str(a + b)


@server.tool(name="with.dots and " + "x" * 80, structured_output=False)
def named_oddly() -> str:
    return "odd"


@server.tool()
def fail(reason: str) -> str:
    raise ValueError(reason)


@server.tool(structured_output=False)
async def wait(seconds: float) -> str:
    noted = Path(os.environ.get("MCP_WAITED", os.devnull))
    noted.write_text("waiting")
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        noted.write_text("cancelled")
        raise
    return "waited"


@server.tool(structured_output=False)
def die(code: int) -> str:
    print("I give up", file=sys.stderr, flush=True)
    os._exit(code)


@server.tool(structured_output=False)
def picture() -> Image:
    return Image(data=b"\x89PNG" + b"0" * 96, format="png")


@server.tool(structured_output=False)
def mixed() -> list[TextContent | EmbeddedResource]:
    blob = BlobResourceContents(uri="file:///b", blob="AAAA", mime_type="application/zip")
    text = TextResourceContents(uri="file:///t", text="in a resource")
    return [
        TextContent(text="first"),
        EmbeddedResource(resource=text),
        EmbeddedResource(resource=blob),
    ]


@server.tool(structured_output=False)
def much(count: int) -> str:
    return "much " * count


@server.tool(structured_output=False)
def repeat(text: str, times: int = 2, mark: str | None = "!") -> str:
    return text * times + str(mark)


@server.tool(structured_output=False)
def environment(name: str) -> str:
    return os.environ.get(name, "(not set)")


@server.tool(structured_output=False)
def daemon(word: str) -> str:
    """Leaves a process behind that is no child, in a session of its own, deaf to SIGTERM."""
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(300)"
    line = f"setsid {sys.executable} -c '{code}' {word} </dev/null >/dev/null 2>&1 &"
    subprocess.run(["sh", "-c", line], check=True, stdout=subprocess.DEVNULL)
    return "left"


if options.http:
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    app = server.streamable_http_app(host="127.0.0.1")
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])
else:
    server.run("stdio")
