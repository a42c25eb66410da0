"""One session of a client: an agent on a thread of its own, and the delivery of its updates to the client.

Owns the border between that thread and the event loop. Always holds: updates arrive in their order, all of a turn
before its answer and those of a call before the question about it; a client that reads slowly slows the agent down
and never fills the memory; a cancelled turn ends at once; nothing is left of a session that was closed, also while
it opened.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import acp
from acp import schema

from xuen.texts import acp as texts
from xuen.texts import xwork as agent_texts
from xuen.xwork.acp import content
from xuen.xwork.agent import Agent, Stopped
from xuen.xwork.config import AgentConfig
from xuen.xwork.errors import BadUse, Interrupted, ModelError
from xuen.xwork.events import AnyEvent
from xuen.xwork.policy.permission import Approval, Request, Risk, Verdict

T = TypeVar("T")

_UPDATES = 1000  # that wait for the client at most
_LOOK = 0.05  # seconds between two looks at the cancel token


class Conversation:
    """A session; its methods belong to the event loop."""

    def __init__(self, name: str, config: AgentConfig, client: acp.Client) -> None:
        """Nothing is opened yet; `config` names the journal."""
        self.name = name
        self._config = config
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._thread = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix=f"session {name[:8]}")
        self._updates: asyncio.Queue[content.Update] = asyncio.Queue(_UPDATES)
        self._sender = asyncio.create_task(self._send())
        self._cancel = threading.Event()
        self._busy = False
        self._knows_commands = False
        self._always: set[str] = set()  # tools that were allowed for good
        self._agent: Agent | None = None
        self._closing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the journal, connect the model, start the servers.

        Raises:
            UserError: one of them cannot be used, or the session was closed meanwhile.
        """
        await self._in_thread(self._make)
        if self._closing is not None:
            raise Interrupted(agent_texts.INTERRUPTED)

    async def tell_history(self) -> None:
        """Tell the client the whole conversation so far, and whether work waits."""
        assert self._agent is not None
        ledger = self._agent.session.ledger
        for update in content.replay(ledger.messages, self._config.workspace):
            await self._put(update)
        if ledger.interrupted:
            waits = texts.WAITS.in_language(self._config.language)
            await self._put(acp.update_agent_message_text(waits))
        await self._tell_commands()
        await self._told()

    async def prompt(self, text: str) -> schema.StopReason:
        """Carry out a turn.

        Raises:
            UserError: the model gave no answer, or the session is busy.
        """
        if self._busy or self._closing is not None:
            raise BadUse(texts.BUSY)
        self._busy = True
        self._cancel.clear()
        try:
            await self._tell_commands()
            await self._in_thread(lambda: self._turn(text))
            return "end_turn"
        except Interrupted:
            return "cancelled"
        except Stopped as error:
            await self._put(acp.update_agent_message_text(error.line(self._config.language)))
            turns_over = error.what == agent_texts.TURNS_OVER.of(count=self._config.max_turns)
            return "max_turn_requests" if turns_over else "end_turn"
        except ModelError as error:
            if error.what == agent_texts.WITHHELD:
                return "refusal"
            raise
        finally:
            self._busy = False
            await self._told()

    def cancel(self) -> None:
        """End the turn that runs, if one does."""
        self._cancel.set()

    async def close(self) -> None:
        """End everything of it, also while it opens; a second call waits for the first."""
        if self._closing is None:
            self._cancel.set()
            self._closing = asyncio.create_task(self._end())
        await asyncio.shield(self._closing)

    # --- in the agent's thread ---

    def _make(self) -> None:
        asks = self._ask if self._config.approval is Approval.ASK else None
        self._agent = Agent(self._config, listener=self._listen, cancel=self._cancel, on_permission=asks)

    def _let_go(self) -> None:
        if self._agent is not None:
            self._agent.close()

    def _turn(self, text: str) -> None:
        assert self._agent is not None
        match text.strip():
            case "/resume":
                self._agent.resume()
            case "/compact":
                self._agent.compact()
            case _:
                self._agent.abandon()
                self._agent.run(text)

    def _listen(self, event: AnyEvent) -> None:
        for update in content.updates(event, self._config.workspace):
            self._wait(asyncio.run_coroutine_threadsafe(self._updates.put(update), self._loop), patient=True)

    def _ask(self, request: Request) -> Verdict:
        if request.risk is Risk.READ:
            return Verdict.DEFAULT
        if request.tool in self._always:
            return Verdict.ALLOW
        answer = self._wait(asyncio.run_coroutine_threadsafe(self._asked(request), self._loop))
        match answer.outcome:
            case schema.AllowedOutcome(option_id=content.ALWAYS):
                self._always.add(request.tool)
                return Verdict.ALLOW
            case schema.AllowedOutcome(option_id=content.ALLOW):
                return Verdict.ALLOW
            case schema.DeniedOutcome():  # the client's word for a turn that was cancelled meanwhile
                raise Interrupted(agent_texts.INTERRUPTED)
            case _:
                return Verdict.DENY

    def _wait(self, future: concurrent.futures.Future[T], *, patient: bool = False) -> T:
        while not concurrent.futures.wait([future], _LOOK).done:
            if self._cancel.is_set() and not patient:
                future.cancel()
                raise Interrupted(agent_texts.INTERRUPTED)
        return future.result()

    # --- in the event loop ---

    async def _asked(self, request: Request) -> schema.RequestPermissionResponse:
        await self._told()  # the client knows the call before it is asked about it
        call = content.asked(request, self._config.workspace)
        return await self._client.request_permission(
            self.name, call, content.options(request.tool, self._config.language)
        )

    async def _end(self) -> None:
        self._sender.cancel()
        discards = asyncio.create_task(self._discard())  # a client that does not read any more must not hold it up
        await self._in_thread(self._let_go)  # runs once the thread is free; what runs there watches the cancel token
        self._thread.shutdown()
        discards.cancel()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await self._loop.run_in_executor(self._thread, work)

    async def _tell_commands(self) -> None:
        """Once, and not before the client has heard of the session."""
        if not self._knows_commands:
            self._knows_commands = True
            await self._put(content.commands(self._config.language))

    async def _put(self, update: content.Update) -> None:
        if self._closing is None:  # else nothing would take it out of the queue
            await self._updates.put(update)

    async def _told(self) -> None:
        """Wait until the client has heard everything."""
        if self._closing is None:
            await self._updates.join()

    async def _send(self) -> None:
        while True:
            update = await self._updates.get()
            try:
                with suppress(OSError):  # the client has gone; its end is seen where it is read from
                    await self._client.session_update(self.name, update)
            finally:
                self._updates.task_done()

    async def _discard(self) -> None:
        while True:
            await self._updates.get()
            self._updates.task_done()
