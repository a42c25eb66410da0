"""The protocol's messages, one a line, over standard input and output, whatever these are: pipes, files, a terminal.

Owns both streams. A thread of its own waits at each of them, because asyncio can wait neither at a file nor at
/dev/null. Always holds: a line that is no message gets an error as its answer and never ends the conversation; no more
than a few lines wait in memory; the threads hold up no end.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

import acp

from xuen.texts import acp as texts
from xuen.texts import plain
from xuen.xwork.errors import BadUse, XworkError

_WAITING = 100  # lines that were read and not yet handled
_PIECE = 65_536  # bytes
_GRACE = 1.0  # seconds for the last answers
_LOOK = 0.02  # seconds between two looks whether they are there


class StandardStreams:
    """What the package calls a transport."""

    def __init__(self) -> None:
        """Begin to read.

        Raises:
            BadUse: one of the streams is closed.
        """
        if sys.__stdin__ is None or sys.__stdout__ is None:
            raise BadUse(texts.CLOSED)
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(_WAITING)
        self._outgoing: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        self._unanswered = 0
        self.failure: OSError | None = None  # why no message can be written any more
        for work, stream in ((self._read, sys.__stdin__), (self._write, sys.__stdout__)):
            os.set_blocking(stream.fileno(), True)
            threading.Thread(target=work, args=(stream.fileno(),), name="protocol", daemon=True).start()

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None when the client has gone."""
        while (line := await self._lines.get()) is not None:
            message = _decoded(line)
            if isinstance(message, acp.RequestError):
                number = None
            elif _is_message(message):
                self._unanswered += "method" in message and "id" in message
                return cast(dict[str, Any], message)
            else:
                number, message = _number(message), acp.RequestError.invalid_request()
            with suppress(OSError):
                await self._sent({"jsonrpc": "2.0", "id": number, "error": message.to_error_obj()})
        until = self._loop.time() + _GRACE
        while self._unanswered and self._loop.time() < until:  # requests may come out of a file that is over
            await asyncio.sleep(_LOOK)
        return None

    async def send(self, message: dict[str, Any]) -> None:
        """Write a message; returns once the client can read it.

        Raises:
            OSError: it cannot be written.
        """
        await self._sent(message)
        self._unanswered -= "method" not in message

    async def close(self) -> None:
        """Wait until everything is written."""
        with suppress(OSError):
            await self._sent(None)

    def check(self) -> None:
        """Look whether all could be written to a client that is there.

        Raises:
            XworkError: not all of it.
        """
        if self.failure is not None and self.failure.errno != errno.EPIPE:
            raise XworkError(texts.UNWRITABLE.of(reason=plain(str(self.failure))))

    async def _sent(self, message: dict[str, Any] | None) -> None:
        data = b"" if message is None else json.dumps(message, separators=(",", ":")).encode() + b"\n"
        written: asyncio.Future[None] = self._loop.create_future()
        self._outgoing.put((data, written))
        await written

    # --- the threads ---

    def _read(self, source: int) -> None:
        for line in _lines(source):
            self._arrived(line)
        self._arrived(None)

    def _arrived(self, line: bytes | None) -> None:
        putting = self._lines.put(line)
        try:
            asyncio.run_coroutine_threadsafe(putting, self._loop).result()
        except RuntimeError:  # the loop is over
            putting.close()

    def _write(self, target: int) -> None:
        while True:
            data, written = self._outgoing.get()
            try:
                while data and self.failure is None:
                    data = data[os.write(target, data) :]
            except OSError as error:
                self.failure = error
            with suppress(RuntimeError):  # the loop is over
                self._loop.call_soon_threadsafe(_settle, written, self.failure)


def _settle(future: asyncio.Future[None], failure: OSError | None) -> None:
    if future.done():  # its sender was cancelled
        return
    if failure is None:
        future.set_result(None)
    else:
        future.set_exception(failure)


def _lines(source: int) -> Iterator[bytes]:
    """Lines that are not blank; read without Python's buffer, which a waiting thread would lock for ever."""
    begun: list[bytes] = []
    with suppress(OSError):  # a terminal that went away
        while piece := os.read(source, _PIECE):
            first, *others = piece.split(b"\n")
            begun.append(first)
            if others:
                yield from filter(bytes.strip, (b"".join(begun), *others[:-1]))
                begun = others[-1:]
    yield from filter(bytes.strip, [b"".join(begun)])


def _decoded(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return acp.RequestError.parse_error()


def _is_message(message: Any) -> bool:
    """Whether it is a request, a notification or an answer, which is as much as the package takes for granted."""
    if not isinstance(message, dict) or not isinstance(message.get("id"), str | int | None):
        return False
    if "method" in message:
        return isinstance(message["method"], str)
    return "id" in message and ("result" in message or isinstance(message.get("error"), dict))


def _number(message: Any) -> str | int | None:
    """The id of a request that is none; None where it has none that could be repeated."""
    number = message.get("id") if isinstance(message, dict) and "method" in message else None
    return number if isinstance(number, str | int) else None
