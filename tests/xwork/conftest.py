"""What the tests of xwork share: scripted models, a loopback model server, agents that are closed again."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from xuen.xwork import Agent, AgentConfig
from xuen.xwork.events import AnyEvent
from xuen.xwork.model.retry import Patience
from xuen.xwork.model.scripted import ScriptedAnswer, ScriptedCall, ScriptedModel
from xuen.xwork.policy.paths import Workspace
from xuen.xwork.tools.artifacts import Artifacts
from xuen.xwork.tools.command import environment
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.processes import ProcessTable


def calls(*named: tuple[str, object], **fields: object) -> ScriptedAnswer:
    """An answer with these tool calls, each a name and its arguments."""
    made = tuple(ScriptedCall(name=name, arguments=arguments) for name, arguments in named)
    return ScriptedAnswer(calls=made, **fields)


class Play:
    """One agent with a scripted model in a workspace, and what it told."""

    def __init__(self, workspace: Path, answers: list, **settings: object) -> None:
        self.model = ScriptedModel(answers, context_tokens=settings.pop("window", None))
        self.events: list[AnyEvent] = []
        extra = {name: settings.pop(name) for name in ("cancel", "on_permission", "hooks", "tools") if name in settings}
        settings.setdefault("patience", Patience(first=0.0))
        config = AgentConfig(workspace=workspace, **settings)
        self.agent = Agent(config, client=self.model, listener=self.events.append, **extra)

    def results(self) -> list[str]:
        """The texts of all tool results that the model would be sent next."""
        return [message.text for message in self.agent.session.ledger.view if hasattr(message, "call_id")]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Callable[..., Play]]:
    """Makes agents in `tmp_path / "work"`; a second one only after the first was closed."""
    made: list[Play] = []
    folder = tmp_path / "work"
    folder.mkdir()

    def make(*answers: object, **settings: object) -> Play:
        made.append(Play(folder, list(answers), **settings))
        return made[-1]

    yield make
    for each in made:
        each.agent.close()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder that `play` and `context` work in."""
    return tmp_path / "work"


@pytest.fixture
def context(work: Path) -> Iterator[ToolContext]:
    """What tools work with, in the folder `work`."""
    import os

    work.mkdir(exist_ok=True)
    workspace = Workspace(work)
    shelf = ProcessTable()
    yield ToolContext(workspace, threading.Event(), Artifacts(workspace), shelf, environment(os.environ))
    shelf.close()
    workspace.close()


class ModelServer:
    """A loopback server that answers request number N with the N-th of its replies: a function of the handler."""

    def __init__(self) -> None:
        self.replies: list[Callable[[BaseHTTPRequestHandler], None]] = []
        self.requests: list[dict] = []
        self.headers: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append(json.loads(body))
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                outer.replies[min(len(outer.requests), len(outer.replies)) - 1](self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def stream(*chunks: bytes, kind: str = "text/event-stream") -> Callable[[BaseHTTPRequestHandler], None]:
    """A reply that sends these bytes, each in a write of its own."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Connection", "close")
        handler.end_headers()
        for chunk in chunks:
            handler.wfile.write(chunk)
            handler.wfile.flush()
        handler.close_connection = True

    return reply


def refuse(status: int, body: object, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    """A reply that is an error."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return reply


def sse(*events: object) -> bytes:
    """Events of a stream, with its end."""
    lines = [f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A loopback server without replies yet."""
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def say() -> type:
    """The helpers of this file, for tests that import nothing."""

    class Say:
        pass

    for helper in (calls, stream, refuse, sse):
        setattr(Say, helper.__name__, staticmethod(helper))
    return Say
