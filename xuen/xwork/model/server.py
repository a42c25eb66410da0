"""A streamed request to a model server: the connection, and what HTTP does translated into the errors of xwork.

Owns what all protocols of such servers share. Reading happens on a thread of its own, because a read of the network
cannot be cancelled and a caller must be free within half a second. Always holds: the answer does not depend on how the
bytes were cut; the key stands in one header and in no message, nor
does a password in the address; a thread that dies of anything ends the wait as well.
"""

from __future__ import annotations

import json
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from xuen import redact
from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import BadUse, Interrupted, ModelError, Retryable
from xuen.xwork.model.server_errors import refusal, told

if TYPE_CHECKING:
    import httpx

_POLL = 0.05  # seconds between two looks at the cancel token
_CONNECT = 30.0  # seconds
SILENCE = 600.0  # seconds between two pieces: a local model may read a long prompt for minutes
_LOOPBACK = {"localhost", "127.0.0.1", "::1", "[::1]"}


class ServerModel(ABC):
    """The base of the clients for such servers: an address, a model's name, a key, and open connections."""

    KEY: ClassVar[str]
    """The environment variable in which people usually have the key."""

    WINDOW: ClassVar[int | None] = None
    """Tokens of the context where the settings do not say."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        key_variable: str | None = None,
        context_tokens: int | None = None,
        silence: float = SILENCE,
    ) -> None:
        """`key` may be absent, `key_variable` is what a person is told to set, `silence` is in seconds.

        Raises:
            BadUse: `base_url` is no address, or the key cannot be sent.
        """
        self.url = self._endpoint(checked(base_url))  # where requests go
        self._model = model
        self._key_variable = key_variable or self.KEY
        self._key = sendable(key, self._key_variable)
        self._context_tokens = context_tokens or self.WINDOW
        self._silence = silence
        self._client: httpx.Client | None = None

    @staticmethod
    @abstractmethod
    def _endpoint(base: str) -> str:
        """The address that requests go to."""

    @property
    def name(self) -> str:
        """The model's name on the server."""
        return self._model

    @property
    def context_tokens(self) -> int | None:
        """What it was made with; the protocols do not tell."""
        return self._context_tokens

    def close(self) -> None:
        """Close the connections; a second call does nothing."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _asked(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Reading:
        """A request for an answer of this model."""
        if self._client is None:
            self._client = _client_for(self.url, self._silence)
        data = json.dumps({**body, "model": self._model}).encode()
        return Reading(self._client, self.url, data, headers, key=self._key, key_variable=self._key_variable)

    def _refused(self, event: Mapping[str, Any]) -> ModelError:
        """The error that a stream reported."""
        return refusal(0, _without(self._key, told(event)), self._key_variable, has_key=bool(self._key))


def checked(base_url: str) -> str:
    """The address without a slash at its end.

    Raises:
        BadUse: it is no http(s) address.
    """
    try:
        parts = urlsplit(base_url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good or any(character.isspace() for character in base_url):
        raise BadUse(texts.BAD_URL.of(url=plain(redact.url(base_url))), mend=texts.BAD_URL_MEND)
    return base_url.rstrip("/")


def sendable(key: str | None, variable: str) -> str | None:
    """The key without the newline that files with a secret mostly end with; None for one that is empty.

    Raises:
        BadUse: a header cannot carry it. The key itself is not told.
    """
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise BadUse(texts.BAD_KEY.of(variable=plain(variable)))
    return key or None


def _client_for(url: str, silence: float) -> httpx.Client:
    """An HTTP client for one server; a server on this machine is never asked through a proxy."""
    import httpx

    local = httpx.URL(url).host in _LOOPBACK
    return httpx.Client(
        timeout=httpx.Timeout(silence, connect=_CONNECT),
        trust_env=not local,
        # Without TLS the certificates need not be read, which takes longer than the rest of the start.
        verify=not url.lower().startswith("http://"),
    )


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
    ) -> None:
        """`headers` hold the key already, in the way of the protocol; `key` is what no message may hold."""
        self._client = client
        self._url = url
        self._body = body
        self._headers = {"Content-Type": "application/json", "Accept": "text/event-stream", **headers}
        self._key = key
        self._key_variable = key_variable
        self._arrived: queue.SimpleQueue[dict[str, Any] | ModelError | None] = queue.SimpleQueue()
        self._hang_up: Callable[[], None] = lambda: None
        self._given_up = threading.Event()
        self.done = False  # the server sent its end marker

    def chunks(self, cancel: Cancel) -> Iterator[dict[str, Any]]:
        """The decoded events of the stream as they come.

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
        """The thread's whole life: events into the queue, then None or the error that ended them."""
        import httpx
        import httpx_sse

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
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, httpx_sse.SSEError) as error:
            end = Retryable(texts.BROKEN_STREAM.of(reason=plain(_why(error))))
        except RuntimeError as error:  # the client was closed around us
            end = Retryable(texts.BROKEN_STREAM.of(reason=plain(_why(error))))
        finally:
            self._arrived.put(end)  # the caller waits for it

    def _take(self, response: httpx.Response) -> None:
        import httpx_sse

        put = self._arrived.put
        if response.status_code != 200:
            response.read()
            put(refusal_of(response, self._key, self._key_variable))
            return
        kind = response.headers.get("content-type", "")
        if "application/json" in kind:  # a server that does not stream
            self.done = True
            self._put_json(response.read().decode("utf-8", "replace"))
            return
        if "text/event-stream" not in kind:
            response.headers["content-type"] = "text/event-stream"  # some servers forget to say it
        for event in httpx_sse.EventSource(response).iter_sse():
            if event.data.strip() == "[DONE]":
                self.done = True
                return
            if event.data.strip() and not self._put_json(event.data):
                return

    def _put_json(self, text: str) -> bool:
        try:
            chunk = json.loads(text)
        except ValueError:
            self._arrived.put(Retryable(texts.BROKEN_STREAM.of(reason=texts.UNREADABLE_CHUNK)))
            return False
        if isinstance(chunk, dict):
            self._arrived.put(chunk)
        return True

    def _trouble(self, error: httpx.TransportError) -> Retryable:
        import httpx

        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            what = texts.UNREACHABLE.of(url=plain(redact.url(self._url)), reason=plain(_why(error)))
            return Retryable(what, mend=texts.UNREACHABLE_MEND)
        return Retryable(texts.BROKEN_STREAM.of(reason=plain(_why(error))))


def refusal_of(response: httpx.Response, key: str | None, key_variable: str) -> ModelError:
    """What an answer that is no success means; some servers repeat the key in it."""
    try:
        reason = told(response.json())
    except ValueError:
        reason = ""
    reason = reason or " ".join(response.text.split())[:300] or response.reason_phrase
    after = response.headers.get("retry-after"), response.headers.get("retry-after-ms")
    return refusal(response.status_code, _without(key, reason), key_variable, has_key=bool(key), after=after)


def _without(key: str | None, text: str) -> str:
    return text.replace(key, "***") if key else text


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
