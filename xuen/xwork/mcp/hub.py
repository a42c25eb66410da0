"""All MCP servers of one agent, and their tools among its own.

Owns the event loop on which the servers are spoken with, in a thread of its own, and the border between it and the
agent's thread. What a tool may do is decided here, on the safe side: a tool counts as one that reads only when its
server says so and the settings trust that server in this; all others may do anything.

Always holds: a call ends at once when the agent is cancelled; a failure of a server is a result for the model and
never the end of a run; nothing of a server is left after `close`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import re
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from xuen.texts import Text, plain
from xuen.texts import mcp as texts
from xuen.texts.xwork import INTERRUPTED
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import BadUse, Interrupted
from xuen.xwork.mcp.config import McpServer
from xuen.xwork.messages import ToolDefinition
from xuen.xwork.policy.permission import Resource, Risk
from xuen.xwork.tools.base import Arguments, Tool, without_nulls
from xuen.xwork.tools.outcome import Effect, Outcome, ToolError

if TYPE_CHECKING:
    from mcp.types import Tool as ToolOfServer

    from xuen.xwork.mcp.server import Server

T = TypeVar("T")

_LOOK = 0.05  # seconds between two looks at the cancel token
_CLOSE = 15.0  # seconds that all servers together have to end in order
_NAME = 64  # characters that a tool's name may have for the strictest of providers


class Hub:
    """The servers of one agent."""

    def __init__(self, configs: Iterable[McpServer], workspace: Path, cancel: Cancel) -> None:
        """Begin to start them all.

        Raises:
            BadUse: the package is not installed.
        """
        if find_spec("mcp") is None:
            python = plain(sys.executable)
            raise BadUse(texts.PACKAGE_MISSING.of(python=python), mend=texts.PACKAGE_MEND.of(python=python))
        from xuen.xwork.mcp.server import Server

        logging.getLogger("mcp").addHandler(logging.NullHandler())  # what it logs would land on our standard error
        self._cancel = cancel
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="MCP servers", daemon=True)
        self._thread.start()
        self._servers = [Server(config, workspace) for config in configs]
        self._starting = asyncio.run_coroutine_threadsafe(self._start(), self._loop)

    def ready(self) -> tuple[Sequence[Tool[Any]], Sequence[tuple[str, Text]]]:
        """Wait until each server is ready or given up: all tools, and the names of those not there, each with why.

        Raises:
            Interrupted: the cancel token was set.
        """
        problems = self._awaited(self._starting)
        missing = [
            (server.config.name, texts.NOT_THERE.of(name=plain(server.config.name), reason=problem))
            for server, problem in zip(self._servers, problems, strict=True)
            if problem is not None
        ]
        tools: dict[str, RemoteTool] = {}
        for server in self._servers:
            for told in server.tools:
                name = qualified(server.config.name, told.name, tools)
                tools[name] = RemoteTool(name, told, server, self)
        return list(tools.values()), missing

    def call(self, server: Server, tool: str, arguments: dict[str, Any], effect: Effect) -> Outcome:
        """Carry out a call of a server's tool; whatever the server does is an outcome.

        Raises:
            Interrupted: the cancel token was set; the server has been told.
        """
        from xuen.xwork.mcp.results import outcome

        future = asyncio.run_coroutine_threadsafe(server.call(tool, arguments), self._loop)
        self._wait(future)
        if (error := future.exception()) is not None:
            return Outcome(f"{server.config.name}: {server.why(error).en}", failed=True, effect=effect)
        return outcome(future.result(), effect)

    def close(self) -> None:
        """End all servers with their processes; a second call does nothing."""
        if self._loop.is_closed():
            return
        ending = asyncio.run_coroutine_threadsafe(self._stop(), self._loop)
        concurrent.futures.wait([ending], _CLOSE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        for server in self._servers:
            server.end()

    async def _start(self) -> list[Text | None]:
        return await asyncio.gather(*(server.start() for server in self._servers))

    async def _stop(self) -> None:
        self._starting.cancel()
        await asyncio.gather(*(server.stop() for server in self._servers))

    def _awaited(self, future: concurrent.futures.Future[T]) -> T:
        self._wait(future)
        return future.result()

    def _wait(self, future: concurrent.futures.Future[T]) -> None:
        while not concurrent.futures.wait([future], _LOOK).done:
            if self._cancel.is_set():
                future.cancel()
                raise Interrupted(INTERRUPTED)


class RemoteTool(Tool[Any]):
    """A tool of a server, under a name that says whose it is."""

    def __init__(self, name: str, told: ToolOfServer, server: Server, hub: Hub) -> None:
        reads = told.annotations is not None and told.annotations.read_only_hint is True
        effect = Effect.NONE if reads else Effect.WRITE  # what it changed is not known
        super().__init__(
            name,
            told.description or told.title or told.name,
            Arguments,
            lambda arguments, _context: hub.call(server, told.name, arguments, effect),
            risk=Risk.READ if reads and server.config.trust_read_only else Risk.EXECUTE,
            resources=lambda _arguments: (Resource("server", server.config.name),),
        )
        self.writes = not reads
        self._schema = told.input_schema

    @cached_property
    def definition(self) -> ToolDefinition:
        """The tool as its server tells of it."""
        return ToolDefinition(self.name, self._description, self._schema)

    def decode(self, raw: str) -> dict[str, Any]:
        """The arguments; whether they fit the schema is for the server to say.

        Raises:
            ToolError: they are no JSON object.
        """
        try:
            given = msgspec.json.decode(raw or "{}", type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise ToolError(f"wrong arguments: {error}; they must be one JSON object") from error
        return cast(dict[str, Any], without_nulls(given, self._schema))


def qualified(server: str, tool: str, taken: Mapping[str, object]) -> str:
    """A name that every provider takes and that no other tool has."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{server}__{tool}")
    if len(name) <= _NAME and name not in taken:
        return name
    for number in count():  # a server of the same name may have given this one as well
        mark = blake2b(f"{tool}{number or ''}".encode(), digest_size=4).hexdigest()
        marked = f"{name[: _NAME - len(mark) - 1]}_{mark}"
        if marked not in taken:
            break
    return marked
