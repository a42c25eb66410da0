"""Who may use the page of `xuen serve`: the browser that opened the printed address, and no page but its own.

Always holds: a request without the token gets nothing, since an agent and other users of the machine reach the port
too. A page of another origin gets nothing even in the user's own browser, also under a name that leads here.
"""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

from aiohttp import web

from xuen.cli.serve import LOOPBACK

WEBSOCKET = "/ws"

HEADERS = {
    # All comes from here (textual-serve asks for a font of another host), and no page shows this one in a frame.
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline' data:; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Access:
    """The token of one server, and the names by which it is reached."""

    def __init__(self, host: str) -> None:
        self.token = secrets.token_urlsafe(32)
        self._loopback = host in LOOPBACK
        own = socket.gethostname().lower()
        self._names = LOOPBACK if self._loopback else (*LOOPBACK, host.lower(), own, f"{own}.local")

    def address(self, host: str, port: int) -> str:
        """What to open in a browser, for an address that is listened on; the token is in it."""
        if ip_address(host).is_unspecified:  # all addresses of this machine: none that leads here from elsewhere
            host = socket.gethostname()
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/?token={self.token}"

    def allows(self, request: web.Request) -> bool:
        """Whether a request comes from the user's browser and, where a page sent it, from the page of this server."""
        origin = request.headers.get("Origin")
        if origin is None and request.path == WEBSOCKET:
            return False
        if origin not in (None, f"{request.scheme}://{request.host}"):
            return False
        return self._is_own_name(request.host) and self._has_token(request)

    def remember(self, request: web.Request, response: web.StreamResponse) -> None:
        """Leave the token in the browser, which then needs it in no address any more."""
        response.set_cookie(_cookie(request), self.token, httponly=True, samesite="Strict")

    def _is_own_name(self, host: str) -> bool:
        """Whether a Host header names this machine. A name that its owner leads elsewhere is never an address."""
        with suppress(ValueError):
            parts = urlsplit(f"//{host}")
            name, _port = parts.hostname or "", parts.port  # a malformed one is refused as well
            return name in self._names or (not self._loopback and bool(ip_address(name)))
        return False

    def _has_token(self, request: web.Request) -> bool:
        shown = [request.cookies.get(_cookie(request), "")]
        if request.path == "/":
            shown.append(request.query.get("token", ""))
        return any(secrets.compare_digest(each.encode("utf-8", "replace"), self.token.encode()) for each in shown)


def _cookie(request: web.Request) -> str:
    """Its name: a browser keeps one set of cookies for all ports of a machine."""
    return f"xuen-{urlsplit(f'//{request.host}').port or 80}"
