"""The agent's side of the protocol over standard input and output.

Owns the sessions of one client. Their journals are in `.xwork/acp` of the folder that the client names, so a session
can be loaded again by its id. Always holds: when the client goes, or a signal comes, all sessions end with everything
that they started; standard output carries the protocol and nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import acp
import msgspec
from acp import schema

from xuen import __version__
from xuen.errors import UserError
from xuen.stop import Stop
from xuen.texts import acp as texts
from xuen.texts import language_here, plain
from xuen.xwork.acp import content
from xuen.xwork.acp.conversation import Conversation
from xuen.xwork.acp.streams import StandardStreams
from xuen.xwork.commands import settings
from xuen.xwork.config import AgentConfig
from xuen.xwork.errors import BadUse
from xuen.xwork.policy.paths import STATE

FOLDER = f"{STATE}/acp"
"""Where the journals of a client's sessions are, in their workspace."""

_ID = re.compile(r"[0-9a-f]{32}")
_FLUSH = 1.0  # seconds for the last answers
_LOOK = 0.1  # seconds between two looks at the stop token


def run(options: argparse.Namespace, stop: Stop) -> int:
    """Serve one client until it goes or `stop` is set; the exit code.

    Raises:
        BadUse: the options make no sense, or standard input or output is closed.
        XworkError: standard output cannot be written.
    """
    logging.getLogger().addHandler(logging.NullHandler())  # the package logs what a client does wrong
    pattern = settings(options, Path.cwd(), session=None, language=language_here(os.environ))
    return asyncio.run(_serve(Service(pattern), stop))


async def _serve(service: Service, stop: Stop) -> int:
    streams = StandardStreams()
    listening = asyncio.create_task(acp.run_agent(cast(acp.Agent, service), streams, use_unstable_protocol=True))
    while not listening.done() and not stop.is_set() and streams.failure is None:
        await asyncio.wait({listening}, timeout=_LOOK)
    await service.close()
    while not listening.done():  # the first time it sends what it still has, unless the client does not read any more
        listening.cancel()
        await asyncio.wait({listening}, timeout=_FLUSH)
    streams.check()
    return stop.exit_code or 0


class Service:
    """What the package calls for a client's requests; `pattern` holds the settings of all sessions."""

    def __init__(self, pattern: AgentConfig) -> None:
        self._pattern = pattern
        self._client: acp.Client | None = None
        self._open: dict[str, Conversation] = {}

    def on_connect(self, conn: acp.Client) -> None:
        """Called once, with the connection to the client."""
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        """Tell the version and the capabilities; there is one version, whatever the client asks for."""
        del protocol_version
        capabilities = schema.AgentCapabilities(
            load_session=True,
            prompt_capabilities=schema.PromptCapabilities(embedded_context=True),
            mcp_capabilities=schema.McpCapabilities(http=True),
            session_capabilities=schema.SessionCapabilities(close=schema.SessionCloseCapabilities()),
        )
        return schema.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_capabilities=capabilities,
            agent_info=schema.Implementation(name="xwork", version=__version__),
            auth_methods=[],
        )

    async def authenticate(self, method_id: str, **_: Any) -> schema.AuthenticateResponse:
        """No authentication is needed."""
        del method_id
        return schema.AuthenticateResponse()

    async def new_session(
        self, cwd: str, mcp_servers: Sequence[content.Server] | None = None, **_: Any
    ) -> schema.NewSessionResponse:
        """Begin a session in a folder."""
        name = secrets.token_hex(16)
        await self._opened(name, cwd, mcp_servers or ())
        return schema.NewSessionResponse(session_id=name)

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[content.Server] | None = None, **_: Any
    ) -> schema.LoadSessionResponse:
        """Open a session of that folder again and tell all of it."""
        while session_id in self._open:  # again, for another request may have opened it meanwhile
            await self._closed(self._open[session_id])
        if not _ID.fullmatch(session_id) or not Path(cwd, FOLDER, f"{session_id}.jsonl").is_file():
            missing = BadUse(texts.NO_SESSION.of(name=plain(session_id)))
            raise content.refusal(missing, self._pattern.language)
        conversation = await self._opened(session_id, cwd, mcp_servers or ())
        await conversation.tell_history()
        return schema.LoadSessionResponse()

    async def prompt(self, session_id: str, prompt: Sequence[content.Block], **_: Any) -> schema.PromptResponse:
        """Carry out a turn."""
        conversation = self._conversation(session_id)
        try:
            return schema.PromptResponse(stop_reason=await conversation.prompt(content.prompt_text(prompt)))
        except UserError as error:
            raise content.refusal(error, self._pattern.language) from error

    async def cancel(self, session_id: str, **_: Any) -> None:
        """End the turn that runs."""
        if session_id in self._open:
            self._open[session_id].cancel()

    async def close_session(self, session_id: str, **_: Any) -> schema.CloseSessionResponse:
        """End a session with everything that it started; its journal stays."""
        await self._closed(self._conversation(session_id))
        return schema.CloseSessionResponse()

    async def close(self) -> None:
        """End all sessions."""
        await asyncio.gather(*map(self._closed, list(self._open.values())))

    async def _closed(self, conversation: Conversation) -> None:
        await conversation.close()
        if self._open.get(conversation.name) is conversation:
            del self._open[conversation.name]

    def _conversation(self, session_id: str) -> Conversation:
        if session_id not in self._open:
            missing = BadUse(texts.NO_SESSION.of(name=plain(session_id)))
            raise content.refusal(missing, self._pattern.language)
        return self._open[session_id]

    async def _opened(self, name: str, cwd: str, named: Sequence[content.Server]) -> Conversation:
        assert self._client is not None
        try:
            workspace = Path(cwd)
            if not workspace.is_absolute() or not workspace.is_dir():
                raise BadUse(texts.NO_FOLDER.of(path=plain(cwd)))
            config = msgspec.structs.replace(
                self._pattern,
                workspace=workspace,
                session=workspace / FOLDER / f"{name}.jsonl",
                mcp=(*self._pattern.mcp, *content.servers(named)),
            )
            conversation = self._open[name] = Conversation(name, config, self._client)
            try:
                await conversation.open()
            except BaseException:
                await self._closed(conversation)
                raise
        except UserError as error:
            raise content.refusal(error, self._pattern.language) from error
        return conversation
