"""Which MCP servers an agent uses, in the form of file that other programs use as well.

Owns reading that file. Keys that are not ours are passed over, since one file serves several programs. `${NAME}` and
`${NAME:-otherwise}` stand for environment variables, so that no secret has to be in a file. Refuses a variable that is
not set or blank, and what a header cannot carry, without saying what is in it. Imports nothing heavy: the settings of
every agent hold these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from xuen.texts import mcp as texts
from xuen.texts import plain
from xuen.xwork.errors import BadUse

_NAME = re.compile(r"(?!.*__)[A-Za-z0-9_-]{1,32}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")

_SECRET = 8  # characters from which a word in `env` or in a header counts as a secret


class McpServer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One server: a `command` that is spoken with over its standard streams, or the `url` of a streamable HTTP one."""

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}  # beside the few variables that a server always gets: HOME, PATH and the like
    cwd: str | None = None  # None: the workspace
    url: str | None = None
    headers: dict[str, str] = {}  # for `url`
    timeout: float = 120.0  # seconds for one call
    start_timeout: float = 60.0  # seconds until it must be ready
    trust_read_only: bool = False  # believe it when it says that a tool only reads
    disabled: bool = False
    secrets: tuple[str, ...] = ()  # values inside the other fields that must not be shown

    def __post_init__(self) -> None:
        """Refuse what could never work.

        Raises:
            BadUse: an impossible name or header, or not exactly one of `command` and `url`.
        """
        if not _NAME.fullmatch(self.name):
            raise BadUse(texts.BAD_NAME.of(name=plain(self.name)))
        if bool((self.command or "").strip()) == bool((self.url or "").strip()):
            raise BadUse(texts.NO_WAY.of(name=plain(self.name)))
        for header, value in self.headers.items():
            if not _sendable(header + value):
                raise BadUse(texts.BAD_HEADER.of(name=plain(self.name), header=plain(ascii(header)[1:-1])))


class _File(msgspec.Struct, rename="camel"):
    mcp_servers: dict[str, msgspec.Raw]


def read(path: Path, env: Mapping[str, str]) -> tuple[McpServer, ...]:
    """The servers of a file that are not disabled, in its order.

    Raises:
        BadUse: the file cannot be read, is none of this kind, or names a variable that is not set.
    """
    try:
        servers = msgspec.json.decode(path.read_bytes(), type=_File).mcp_servers
        found = [_server(name, raw) for name, raw in servers.items()]
    except OSError as error:
        raise BadUse(texts.FILE_UNREADABLE.of(reason=plain(str(error)))) from error
    except msgspec.DecodeError as error:
        raise BadUse(
            texts.FILE_WRONG.of(reason=plain(str(error))), where=str(path), mend=texts.FILE_MEND.of()
        ) from error
    return tuple(filled(server, env) for server in found if not server.disabled)


def _server(name: str, raw: msgspec.Raw) -> McpServer:
    fields = msgspec.json.decode(raw, type=dict[str, object])
    return msgspec.convert(fields | {"name": name}, McpServer)


def filled(server: McpServer, env: Mapping[str, str]) -> McpServer:
    """The same with its variables put in; their values are secrets, and so is what its `env` and headers hold.

    Raises:
        BadUse: a variable is not set or blank, or cannot be sent where it is to be sent.
    """
    secrets: list[str] = []

    def value(found: re.Match[str]) -> str:
        name, otherwise = found[1], found[2]
        text = env.get(name, "").strip()  # files with a secret mostly end with a newline
        if text:
            secrets.append(text)
            return text
        if otherwise is None:
            raise BadUse(texts.NO_VARIABLE.of(name=plain(server.name), variable=plain(name)))
        return otherwise

    def sent(found: re.Match[str]) -> str:
        text = value(found)
        if not _sendable(text):
            raise BadUse(texts.BAD_VARIABLE.of(name=plain(server.name), variable=plain(found[1])))
        return text

    def fill(text: str) -> str:
        return _VARIABLE.sub(value, text)

    def fill_sent(text: str) -> str:
        return _VARIABLE.sub(sent, text)

    whole = msgspec.structs.replace(
        server,
        command=_maybe(fill, server.command),
        args=tuple(map(fill, server.args)),
        env={name: fill(text) for name, text in server.env.items()},
        url=_maybe(fill_sent, server.url),
        headers={name: fill_sent(text) for name, text in server.headers.items()},
    )
    return msgspec.structs.replace(whole, secrets=(*server.secrets, *secrets, *_likely_secrets(whole)))


def _likely_secrets(server: McpServer) -> Iterator[str]:
    """What is written out in the file where keys belong; short words like `true` and `debug` are none."""
    words = [*server.env.values(), *(word for value in server.headers.values() for word in value.split())]
    return (word for word in words if len(word) >= _SECRET)


def _sendable(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _maybe(fill: Callable[[str], str], text: str | None) -> str | None:
    return None if text is None else fill(text)
