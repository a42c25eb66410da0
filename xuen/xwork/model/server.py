"""Model servers: an address, a model's name, a key, and the way of a request to its answer.

Owns what the protocols of such servers share. Always holds: the answer does not depend on how the bytes were cut; the
key stands in one header and in no message, nor does a password in the address; what is not understood is never taken
for an empty answer.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from urllib.parse import urlsplit

from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel
from xuen.xwork.errors import BadUse, EmptyAnswer, ModelError, Retryable
from xuen.xwork.messages import Finish, Message, ToolDefinition
from xuen.xwork.model.client import CallDelta, Delta, Finished, Options, TextDelta
from xuen.xwork.model.endings import ending
from xuen.xwork.model.http import bad_url, client_for, proxy_for
from xuen.xwork.model.reading import Reading
from xuen.xwork.model.server_errors import is_error, refusal, shown, status_of, told, without

if TYPE_CHECKING:
    import httpx

SILENCE = 600.0  # seconds between two pieces: a local model may read a long prompt for minutes


class Stream(Protocol):
    """What the parts of one answer have said so far."""

    finish: str | None
    """The server's word for why the model stopped; None before that, empty where it gave none."""
    unread: str
    """Something that was sent and is not understood."""

    def pieces(self, chunk: dict[str, Any]) -> list[Delta]:
        """The pieces that one part holds, the end excepted."""
        ...


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
            BadUse: `base_url` is no address, the key cannot be sent, or the proxy or the certificates that the
                environment names cannot be used.
        """
        self.url = self._endpoint(checked(base_url))  # where requests go
        self._model = model
        self._key_variable = key_variable or self.KEY
        self._key = sendable(key, self._key_variable)
        self._context_tokens = context_tokens or self.WINDOW
        self._silence = silence
        self._proxy = proxy_for(self.url)
        self._client: httpx.Client | None = client_for(self.url, silence, self._proxy)

    @staticmethod
    @abstractmethod
    def _endpoint(base: str) -> str:
        """The address that requests go to."""

    @abstractmethod
    def _headers(self) -> dict[str, str]:
        """What the protocol wants beside the usual ones, the key among it."""

    @abstractmethod
    def _body(self, messages: Sequence[Message], tools: Sequence[ToolDefinition], options: Options) -> dict[str, Any]:
        """A request in the form of the protocol, without the model's name."""

    @abstractmethod
    def _stream(self) -> Stream:
        """A reader for the parts of one answer."""

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

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        *,
        options: Options,
        cancel: Cancel,
    ) -> Iterator[Delta]:
        """See `ModelClient.complete`."""
        if self._client is None:
            self._client = client_for(self.url, self._silence, self._proxy)
        data = json.dumps({**self._body(messages, tools, options), "model": self._model}).encode()
        reading = Reading(
            self._client,
            self.url,
            data,
            self._headers(),
            key=self._key,
            key_variable=self._key_variable,
            proxy_variable=self._proxy.variable if self._proxy else "",
        )
        stream, said = self._stream(), False
        for chunk in reading.chunks(cancel):
            if is_error(chunk):
                raise self._refused(chunk)
            found = stream.pieces(chunk)
            said = said or any(isinstance(delta, TextDelta | CallDelta) for delta in found)
            yield from found
        yield self._end(reading, stream, said=said)

    def _end(self, reading: Reading, stream: Stream, *, said: bool) -> Finished:
        """The last piece of an answer in which something was `said`, or nothing.

        Raises:
            ModelError: it is not an answer.
        """
        unread = reading.unread or shown(without(self._key, stream.unread))
        if stream.finish is None and not reading.done:
            missing = texts.NO_END_BUT.of(part=plain(unread)) if unread else texts.NO_END
            raise Retryable(texts.BROKEN_STREAM.of(reason=missing))
        word = stream.finish or ""
        finish = ending(word)
        if unread and not said and finish is not Finish.REFUSED:
            raise EmptyAnswer(texts.NOT_UNDERSTOOD.of(part=plain(unread)))
        return Finished(finish, word)

    def _refused(self, event: Mapping[str, Any]) -> ModelError:
        """The error that an answer reported."""
        reason = without(self._key, told(event))
        return refusal(status_of(event), reason, self._key_variable, has_key=bool(self._key))


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
        raise bad_url(base_url)
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
