"""The HTTP client for one model server: its address, its proxy, its certificates.

Owns what the environment says about both (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`, `SSL_CERT_FILE`,
`SSL_CERT_DIR`). Always holds: a server on this machine is never asked through a proxy; what the library refuses is one
line that names the variable and the fix.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from xuen import redact
from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.errors import BadUse

if TYPE_CHECKING:
    import ssl

    import httpx

_CONNECT = 30.0  # seconds
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_SHOWN = 200  # characters of an address


class Proxy(msgspec.Struct, frozen=True):
    """A proxy, and the environment variable that names it."""

    url: str
    variable: str


def bad_url(url: str) -> BadUse:
    """The error for what is no address of a server."""
    return BadUse(texts.BAD_URL.of(url=plain(redact.url(url)[:_SHOWN])), mend=texts.BAD_URL_MEND)


def client_for(url: str, silence: float, proxy: Proxy | None) -> httpx.Client:
    """A client for requests to this address; `silence` is how many seconds may pass between two pieces of an answer.

    Raises:
        BadUse: the address, the proxy or the certificates cannot be used.
    """
    import httpx

    try:
        address = httpx.URL(url)
        address.raw_host.decode().encode("idna")  # as the system's own look-up does
        if not address.host:
            raise ValueError("no host")
    except (httpx.InvalidURL, ValueError) as error:  # the latter of idna as well
        raise bad_url(url) from error
    # Without TLS the certificates need not be read, which takes longer than the rest of the start.
    verify = _certificates() if url.lower().startswith("https:") else False
    timeout = httpx.Timeout(silence, connect=_CONNECT)
    if proxy is None:
        return httpx.Client(timeout=timeout, trust_env=False, verify=verify)
    named = plain(proxy.variable)
    try:
        return httpx.Client(timeout=timeout, trust_env=False, verify=verify, proxy=proxy.url)
    except ImportError as error:
        python = plain(sys.executable)
        what = texts.SOCKS_MISSING.of(variable=named, python=python)
        raise BadUse(what, mend=texts.SOCKS_MEND.of(variable=named, python=python)) from error
    except (httpx.InvalidURL, ValueError) as error:
        what = texts.BAD_PROXY.of(variable=named, url=plain(redact.url(proxy.url)[:_SHOWN]))
        raise BadUse(what, mend=texts.BAD_PROXY_MEND.of(variable=named)) from error


def proxy_for(url: str) -> Proxy | None:
    """The proxy that the environment names for this address."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    named = getproxies()
    kind = next((kind for kind in (parts.scheme, "all") if named.get(kind)), None)
    if kind is None or parts.hostname in _LOOPBACK or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    names = (f"{kind}_proxy", f"{kind.upper()}_PROXY")
    proxy = named[kind] if "://" in named[kind] else f"http://{named[kind]}"
    if proxy.startswith("socks:"):  # desktops write it so
        proxy = proxy.replace("socks:", "socks5:", 1)
    return Proxy(proxy, next((name for name in names if os.environ.get(name)), names[0]))


def _certificates() -> ssl.SSLContext:
    import httpx

    try:
        return httpx.create_ssl_context()
    except OSError as error:  # of ssl as well
        logs = error.filename is not None and error.filename == os.environ.get("SSLKEYLOGFILE")
        names = ("SSLKEYLOGFILE",) if logs else ("SSL_CERT_FILE", "SSL_CERT_DIR")
        named = next((name for name in names if os.environ.get(name)), "certifi")
        what = texts.BAD_TLS_FILE.of(variable=plain(named), reason=plain(str(error)))
        raise BadUse(what, mend=texts.BAD_TLS_FILE_MEND.of(variable=plain(named))) from error
