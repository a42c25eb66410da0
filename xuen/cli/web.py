"""The web server of `xuen serve`: one page, one run at a time."""

from __future__ import annotations

import asyncio
import re
import signal
from contextlib import suppress
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

from xuen.cli.output import Output
from xuen.cli.web_access import HEADERS, Access
from xuen.errors import UsageError, reason_of
from xuen.texts import plain
from xuen.texts import serve as texts

# The terminal has the keyboard at once (textual-serve waits for a click), and the token leaves the address.
_ON_LOAD = """<script>addEventListener('load', () => {
  document.querySelector('#terminal textarea').focus()
  const here = new URL(location)
  here.searchParams.delete('token')
  history.replaceState(null, '', here)
})</script></body>"""
_WAIT = 10.0  # seconds that a page waits for the one before it to be closed
_STEP = 0.1


class OnePage(Server):
    """textual-serve's server, for one page at a time and for its own origin only."""

    def __init__(self, command: str, host: str, port: int, output: Output) -> None:
        super().__init__(command, host=host, port=port, title="xuen")
        self.access = Access(host)
        self._output = output
        self._page: web.WebSocketResponse | None = None

    async def application(self) -> web.Application:
        """The server as aiohttp wants it."""
        app = await self._make_app()
        app.middlewares.append(self._own_page_only)
        app.on_response_prepare.append(_add_headers)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing: `serve` tells the address when it is listened on."""

    async def on_shutdown(self, app: web.Application) -> None:  # noqa: ARG002 - the base's
        """Close the page, and wait for its run to end."""
        if self._page is not None:
            await self._page.close()
        while self._page is not None:
            await asyncio.sleep(_STEP)

    @web.middleware
    async def _own_page_only(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not self.access.allows(request):
            raise web.HTTPForbidden(text=texts.USE_PRINTED_ADDRESS.in_language(self._output.language))
        return await handler(request)

    async def handle_index(self, request: web.Request) -> web.StreamResponse:
        """The page, once the run of an earlier one has ended."""
        for _ in range(round(_WAIT / _STEP)):
            if self._page is None:
                break
            await asyncio.sleep(_STEP)
        else:
            return web.Response(status=409, text=texts.BUSY.in_language(self._output.language))
        self.public_url = f"http://{request.host}"
        page: Any = await super().handle_index(request)
        foreign = rf'<link[^>]*href="(?!{re.escape(self.public_url)}/)[^>]*>'  # a font that the browser is denied
        page.text = re.sub(foreign, "", page.text).replace("</body>", _ON_LOAD)
        self.access.remember(request, page)
        return page  # type: ignore[no-any-return]

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """One run, from the opening of the page to its close."""
        if self._page is not None:
            raise web.HTTPConflict
        websocket = self._page = web.WebSocketResponse(heartbeat=15)

        async def close() -> None:
            await websocket.close()

        try:
            await websocket.prepare(request)
            session = AppService(
                self.command,
                write_bytes=websocket.send_bytes,
                write_str=websocket.send_str,
                close=close,
                download_manager=self.download_manager,
            )
            await session.start(to_int(request.query.get("width", ""), 80), to_int(request.query.get("height", ""), 24))
            run = session._task  # textual-serve has no other way to learn that the run has ended
            closing = asyncio.create_task(_close_after(run, websocket))
            try:
                await self._process_messages(websocket, session)
            finally:
                await session.stop()
                closing.cancel()
        finally:
            self._page = None
        return websocket


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


async def _close_after(run: asyncio.Task[None] | None, websocket: web.WebSocketResponse) -> None:
    """A run that ended, or never began, closes its page."""
    if run is not None:
        with suppress(ConnectionError):
            await asyncio.wait([run])
            await websocket.close()


def serve(command: str, host: str, port: int, output: Output) -> int:
    """Listen and serve until a signal ends it; 130 for Ctrl+C, 143 for SIGTERM.

    Raises:
        UsageError: the address or the port cannot be had.
    """
    return asyncio.run(_serve(command, host, port, output))


async def _serve(command: str, host: str, port: int, output: Output) -> int:
    server = OnePage(command, host, port, output)
    runner = web.AppRunner(await server.application(), access_log=None)
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def end(number: int) -> None:
        if not ended.done():
            ended.set_result(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            reason = reason_of(error)
            raise UsageError(
                texts.CANNOT_LISTEN.of(reason=reason), where=f"{host}:{port}", mend=texts.OTHER_PORT
            ) from None
        url = server.access.address(*runner.addresses[0][:2])
        output.say(texts.LISTENING.of(url=plain(url)), "good")
        return await ended
    finally:
        await runner.cleanup()
