"""One request to a model server: what arrives, and what HTTP does translated into the errors of xwork.

Reading happens on a thread of its own, because a read of the network cannot be cancelled and a caller must be free
within half a second. Always holds: a thread that dies of anything ends the wait as well; the key is in no message, nor
is a password in the address.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from xuen import redact
from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import Interrupted, ModelError, Retryable
from xuen.xwork.model.body import UnreadableBody, parts
from xuen.xwork.model.server_errors import refusal_of, shown, without

if TYPE_CHECKING:
    import httpx

_POLL = 0.05  # seconds between two looks at the cancel token


class Reading:
    """One request on a thread of its own; what arrives goes to the caller through a queue."""

    def __init__(
        self,
        client: httpx.Client,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        key: str | None,
        key_variable: str,
        proxy_variable: str = "",
    ) -> None:
        """`headers` hold the key already, in the way of the protocol; `key` is what no message may hold.

        The variables are those of the environment that a user is told to look at.
        """
        self._client = client
        self._url = url
        self._body = body
        self._headers = {"Content-Type": "application/json", "Accept": "text/event-stream", **headers}
        self._key = key
        self._key_variable = key_variable
        self._proxy_variable = proxy_variable
        self._arrived: queue.SimpleQueue[dict[str, Any] | ModelError | None] = queue.SimpleQueue()
        self._hang_up: Callable[[], None] = lambda: None
        self._given_up = threading.Event()
        self.done = False  # the server sent its end marker
        self.unread = ""  # something that it sent and that is no part of an answer

    def chunks(self, cancel: Cancel) -> Iterator[dict[str, Any]]:
        """The decoded objects of the answer as they come.

        Raises:
            Interrupted, ModelError: as `ModelClient.complete`.
        """
        threading.Thread(target=self._read, name="model-server", daemon=True).start()
        try:
            while (chunk := self._next(cancel)) is not None:
                yield chunk
        finally:
            self._given_up.set()
            self._hang_up()

    def _next(self, cancel: Cancel) -> dict[str, Any] | None:
        while not cancel.is_set():
            with suppress(queue.Empty):
                arrived = self._arrived.get(timeout=_POLL)
                if isinstance(arrived, ModelError):
                    raise arrived
                return arrived
        raise Interrupted(texts.INTERRUPTED)

    def _read(self) -> None:
        """The thread's whole life: objects into the queue, then None or the error that ended them."""
        import httpx

        end: ModelError | None = ModelError(texts.BROKEN_STREAM.of(reason=texts.OWN_FAULT))
        try:
            with self._client.stream("POST", self._url, content=self._body, headers=self._headers) as response:
                self._hang_up = _hang_up(response)
                if self._given_up.is_set():
                    return
                self._take(response)
            end = None
        except httpx.TransportError as error:
            end = self._trouble(error)
        except UnreadableBody as error:
            end = Retryable(texts.BROKEN_STREAM.of(reason=texts.UNREADABLE_CHUNK.of(part=plain(self._shown(error)))))
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            end = Retryable(texts.BROKEN_STREAM.of(reason=plain(_why(error))))
        except RuntimeError as error:  # the client was closed around us
            end = Retryable(texts.BROKEN_STREAM.of(reason=plain(_why(error))))
        finally:
            self._arrived.put(end)  # the caller waits for it

    def _take(self, response: httpx.Response) -> None:
        if response.status_code != 200:
            response.read()
            self._arrived.put(refusal_of(response, self._key, self._key_variable))
            return
        for part in parts(response.iter_bytes()):
            if part is None:
                self.done = True
                return
            if isinstance(part, str):
                self.unread = self._shown(part)
            else:
                self._arrived.put(part)

    def _shown(self, part: object) -> str:
        return shown(without(self._key, str(part)))

    def _trouble(self, error: httpx.TransportError) -> Retryable:
        import httpx

        if not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
            return Retryable(texts.BROKEN_STREAM.of(reason=plain(_why(error))))
        mend = texts.UNREACHABLE_MEND
        if "CERTIFICATE_VERIFY" in str(error):
            mend = texts.UNTRUSTED_MEND
        elif self._proxy_variable:
            mend = texts.PROXY_MEND.of(variable=plain(self._proxy_variable))
        return Retryable(texts.UNREACHABLE.of(url=plain(redact.url(self._url)), reason=plain(_why(error))), mend=mend)


def _hang_up(response: httpx.Response) -> Callable[[], None]:
    """Wakes a thread that waits for the next byte of this answer."""
    stream = response.extensions.get("network_stream")

    def shut() -> None:
        import socket

        connection = None if stream is None else stream.get_extra_info("socket")
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    return shut


def _why(error: Exception) -> str:
    return redact.text(str(error)) or type(error).__name__
