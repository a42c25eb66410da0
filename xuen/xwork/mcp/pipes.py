"""The standard streams of a process as the message streams that the MCP package speaks over.

Owns the lines: one JSON-RPC message each. What a server prints beside them is passed over, since many do so. Refuses
a line without an end. Always holds: a server that closes its output, or takes no input any more, ends the stream, so
that nobody waits for its answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from xuen.proc.child import Child

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]
ToUs = MemoryObjectSendStream[SessionMessage | Exception]
ToThem = MemoryObjectReceiveStream[SessionMessage]

_LONGEST = 64 << 20  # bytes of one message
_CHUNK = 1 << 16
_KEPT = 2000  # bytes of what a server wrote last on its standard error
_LAST = 0.5  # seconds for the rest of it, once the server has closed its output


class LastWords:
    """The end of what a process writes on its standard error."""

    def __init__(self) -> None:
        self._kept = b""

    def add(self, chunk: bytes) -> None:
        """Take a piece."""
        self._kept = (self._kept + chunk)[-_KEPT:]

    def line(self) -> str:
        """The last line that says anything."""
        lines = [line.strip() for line in self._kept.decode("utf-8", "replace").splitlines()]
        return next((line for line in reversed(lines) if line), "")


@asynccontextmanager
async def streams(process: Child, last: LastWords) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Speak with a process; closes its input at the end, but does not end the process."""
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    output, errors, writer = await _reader(process.stdout), await _reader(process.stderr), await _writer(process.stdin)
    to_us, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, to_them = anyio.create_memory_object_stream[SessionMessage](0)
    work = (_receive(output, to_us), _send(to_them, writer, to_us), _listen(errors, last))
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield incoming, outgoing
    finally:
        if tasks[0].done():
            await asyncio.wait(tasks[-1:], timeout=_LAST)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)  # what ended them is told by the streams' ends
        for stream in (incoming, outgoing, to_us, to_them):
            stream.close()
        writer.close()


async def _receive(output: asyncio.StreamReader, to_us: ToUs) -> None:
    async with to_us:
        async for line in _lines(output):
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                continue
            await to_us.send(SessionMessage(message))


async def _send(to_them: ToThem, writer: asyncio.StreamWriter, to_us: ToUs) -> None:
    try:
        async with to_them:
            async for told in to_them:
                writer.write(told.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                await writer.drain()
    except OSError:  # it reads no more, so no answer will come either
        to_us.close()


async def _listen(errors: asyncio.StreamReader, last: LastWords) -> None:
    while chunk := await errors.read(_CHUNK):
        last.add(chunk)


async def _reader(file: IO[bytes]) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    return reader


async def _writer(file: IO[bytes]) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()  # reads nothing; its protocol knows how to wait for a full pipe
    transport, protocol = await loop.connect_write_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    return asyncio.StreamWriter(transport, protocol, None, loop)


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    kept: list[bytes] = []
    size = 0
    while chunk := await reader.read(_CHUNK):
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            yield b"".join([*kept, part])
            kept, size = [], 0
        kept.append(rest)
        size += len(rest)
        if size > _LONGEST:
            return
