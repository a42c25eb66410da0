"""One MCP server from its start to its end, within the event loop of all of them.

Owns the process and the connection. A server that ended, or hung up, is started anew for the next call. Always holds:
a start takes no longer than its limit and what it takes to end one that was not ready by then (some seconds at most);
the process tree of one that was given up has ended before the next one is started;
no secret of the settings is in what is told of its troubles.
"""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mcp import Client
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolResult, Implementation, Tool

from xuen import __version__, redact
from xuen.errors import XuenError
from xuen.proc.child import Child
from xuen.proc.spawn import start
from xuen.texts import Text, plain
from xuen.texts import mcp as texts
from xuen.xwork.mcp.config import McpServer
from xuen.xwork.mcp.pipes import Incoming, LastWords, Outgoing, streams

_PAGES = 100  # of a server's list of tools
_LEAVES = 2.0  # seconds that a server has to end by itself when its input has ended
_GRACE = 1.0  # … and then, after SIGTERM
_TICK = 0.02
_CONNECT = 30.0  # seconds for a connection over HTTP


class Unavailable(XuenError):
    """The server cannot be started."""

    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


class Server:
    """A server; all methods but `end` belong to one event loop."""

    def __init__(self, config: McpServer, workspace: Path) -> None:
        """A server gets the little of our environment that every program needs."""
        self.config = config
        self.tools: list[Tool] = []
        self._cwd = workspace / (config.cwd or ".")
        self._env = get_default_environment() | config.env
        self._child: Child | None = None
        self._last = LastWords()
        self._client: Client | None = None
        self._life: asyncio.Task[None] | None = None
        self._by_itself = False  # whether the process of the last life ended before it was told to
        self._over = asyncio.Event()

    async def start(self) -> Text | None:
        """Start it unless it runs; why it did not get ready, if so."""
        if self._has_ended():
            await self.stop()
        if self._life is None or self._life.done():
            self._over.clear()
            ready = asyncio.Event()
            self._life = asyncio.create_task(self._live(ready))
            self._life.add_done_callback(_seen)
            waits = asyncio.create_task(ready.wait())
            try:
                await asyncio.wait({self._life, waits}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                waits.cancel()
        return self.why(self._life.exception()) if self._life.done() else None

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Carry out a call; raises Unavailable, or what the package raises."""
        problem = await self.start()
        if problem is not None or self._client is None:
            raise Unavailable(problem or texts.TOO_SLOW.of(seconds=f"{self.config.start_timeout:g}"))
        try:
            return await self._client.call_tool(tool, arguments, read_timeout_seconds=self.config.timeout)
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:  # it may well live on, and will never answer again
                await self.stop()
            raise

    async def stop(self) -> None:
        """End it in order."""
        self._over.set()
        if self._life is not None:
            if self._client is None:  # not ready yet
                self._life.cancel()
            await asyncio.gather(self._life, return_exceptions=True)  # why it ended was told where it mattered

    def end(self) -> None:
        """End all its processes, if any are left; blocks, from any thread."""
        if self._child is not None:
            self._child.end(grace=_GRACE)

    def why(self, error: BaseException | None) -> Text:
        """What became of a start or of a call, in one line."""
        cause = _innermost(error)
        if isinstance(cause, Unavailable):
            return cause.why
        if isinstance(cause, MCPError) and cause.code == REQUEST_TIMEOUT:
            return texts.NO_ANSWER.of(seconds=f"{self.config.timeout:g}")
        if isinstance(cause, TimeoutError):
            what = texts.TOO_SLOW.of(seconds=f"{self.config.start_timeout:g}")
        elif self._by_itself:
            what = texts.ENDED.of(code="?" if self._child is None or self._child.status is None else self._child.status)
        else:
            return plain(" ".join(self._masked(str(cause)).split()) or type(cause).__name__)
        last = self._masked(self._last.line())
        return texts.SAID.of(what=what, last=plain(last)) if last else what

    def _masked(self, text: str) -> str:
        """What others say, without the secrets that they were given; also as they stand in addresses and quotes."""
        if self.config.url:
            text = text.replace(self.config.url, redact.url(self.config.url))
        lines = {line.strip() for secret in self.config.secrets for line in secret.splitlines()}
        forms = {form for line in lines for form in (line, repr(line)[1:-1], quote(line), quote(line, safe=""))}
        for form in sorted(forms - {""}, key=len, reverse=True):
            text = text.replace(form, "***")
        return redact.text(text)

    def _has_ended(self) -> bool:
        return self._child is not None and self._child.ended()

    async def _live(self, ready: asyncio.Event) -> None:
        """From its start to its end, in one task: the package's scopes must be left where they were entered."""
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self.config.start_timeout):
                connection = self._over_pipes() if self.config.command else self._over_http()
                information = Implementation(name="xwork", version=__version__)
                client = await stack.enter_async_context(Client(connection, client_info=information))
                self.tools = await _listed(client)
            self._client = client
            ready.set()
            try:
                await self._over.wait()
            finally:
                self._client = None

    @asynccontextmanager
    async def _over_pipes(self) -> AsyncIterator[tuple[Incoming, Outgoing]]:
        assert self.config.command is not None
        await asyncio.to_thread(self.end)  # what is left of an earlier life
        self._last, self._by_itself = LastWords(), False
        argv = [self.config.command, *self.config.args]
        self._child = start(argv, cwd=self._cwd, env=self._env, stdin=subprocess.PIPE)
        try:
            async with streams(self._child, self._last) as pair:
                yield pair
        finally:
            await asyncio.to_thread(self._leave, self._child)

    @asynccontextmanager
    async def _over_http(self) -> AsyncIterator[Any]:
        import httpx2

        assert self.config.url is not None
        patience = httpx2.Timeout(_CONNECT, read=self.config.timeout)
        async with (
            httpx2.AsyncClient(headers=self.config.headers, timeout=patience) as http,
            streamable_http_client(self.config.url, http_client=http) as pair,
        ):
            yield pair

    def _leave(self, child: Child) -> None:
        until = time.monotonic() + _LEAVES
        while not child.ended() and time.monotonic() < until:
            time.sleep(_TICK)
        self._by_itself = child.ended()
        child.end(grace=_GRACE)


async def _listed(client: Client) -> list[Tool]:
    found: list[Tool] = []
    cursor: str | None = None
    for _ in range(_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def _seen(life: asyncio.Task[None]) -> None:
    """What ended it is told where it matters; the event loop need not say it on standard error."""
    if not life.cancelled():
        life.exception()


def _innermost(error: BaseException | None) -> BaseException | None:
    """The first real cause in groups of groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
