"""Who may use the page of `xuen serve`: the browser that opened the printed address, and no other page or program."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import aiohttp
import httpx
import pytest
from browser import BROWSERS, LIMIT, browse, connected, served

from xuen.workspace.paths import Workspace


@pytest.fixture
def server(tmp_path, request):
    """The address that a server printed; `request.param` is its `--host`."""
    host = ("--host", request.param) if hasattr(request, "param") else ()
    process, url = served(tmp_path, "a question", *host, seconds=300)
    yield url
    process.send_signal(signal.SIGTERM)
    assert process.wait(LIMIT) == 143
    with process.stdout:
        assert "Traceback" not in process.stdout.read()


def bare(url):
    return url.partition("?")[0]


def own(url):
    """The origin of the page."""
    return url.partition("/?")[0]


def here(url):
    """The printed address, from this machine."""
    return str(httpx.URL(url).copy_with(host="127.0.0.1"))


def runs(tmp_path):
    history = Workspace(tmp_path / "workspace").history
    return history.read_text().count('"run_started"') if history.exists() else 0


async def enter(url, **how):
    async with asyncio.timeout(LIMIT), connected(url, **how):
        pass


def test_the_printed_address_opens_the_page_and_leaves_the_token_in_a_cookie_that_only_this_page_sends(server):
    page = httpx.get(server)
    assert page.status_code == 200
    assert not re.search(r'(?:href|src)="https?://(?!127\.0\.0\.1)', page.text)
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    cookie = page.headers["Set-Cookie"].lower()
    assert "; httponly" in cookie
    assert "; samesite=strict" in cookie
    with httpx.Client() as browser:
        browser.get(server)
        assert browser.get(bare(server)).status_code == 200


def test_without_the_token_there_is_a_short_page_that_says_what_to_open(server):
    name = f"xuen-{httpx.URL(server).port}"
    for path in ("", "?token=", "?token=wrong", "?token=%F0%9F", "static/js/textual.js", "download/x", "ws"):
        for cookie in ("", f"{name}=", f"{name}=wrong", f"{name}=\u00e9"):
            page = httpx.get(bare(server) + path, headers={"Cookie": cookie.encode(), "Origin": own(server)})
            assert page.status_code == 403
            assert "Open the address that `xuen serve` printed" in page.text
            assert len(page.text) < 200
            assert "Set-Cookie" not in page.headers


def test_a_page_of_another_origin_gets_nothing_with_the_cookie_either(server, tmp_path):
    for origin in ("http://elsewhere.example", "null", "http://127.0.0.1:1", own(server).replace("http", "https"), ""):
        assert httpx.get(server, headers={"Origin": origin}).status_code == 403
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            asyncio.run(enter(server, origin=origin))
    assert runs(tmp_path) == 0


def test_a_websocket_without_the_cookie_or_without_an_origin_is_refused(server, tmp_path):
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        asyncio.run(enter(server, cookie=False))
    with httpx.Client() as browser:
        browser.get(server)
        assert browser.get(bare(server) + "ws").status_code == 403
        assert browser.get(bare(server) + "ws", headers={"Origin": own(server)}).status_code != 403
    with_token = httpx.get(bare(server) + "ws", params=httpx.URL(server).params, headers={"Origin": own(server)})
    assert with_token.status_code == 403
    assert runs(tmp_path) == 0


NAMES = ("elsewhere.example", "elsewhere.example:80", "127.0.0.1.elsewhere.example", "localhost:x", "[", "")


@pytest.mark.parametrize("server", ["127.0.0.1", "0.0.0.0"], indirect=True)
def test_a_name_that_its_owner_leads_to_this_machine_is_refused(server):
    for host in NAMES:
        for headers in ({"Host": host}, {"Host": host, "Origin": f"http://{host}"}):
            assert httpx.get(here(server), headers=headers).status_code == 403


@pytest.mark.parametrize("server", ["0.0.0.0"], indirect=True)
def test_a_server_for_others_is_reached_by_its_name_and_by_its_addresses(server):
    assert httpx.URL(server).host == socket.gethostname().lower()
    for name in (socket.gethostname(), "192.0.2.7", "[2001:db8::1]", "localhost"):
        assert httpx.get(here(server), headers={"Host": f"{name}:{httpx.URL(server).port}"}).status_code == 200


@pytest.mark.needs("|".join(BROWSERS))
def test_the_token_leaves_the_address_and_a_reload_does_without_it(server, tmp_path):
    async def steps(page):
        await page.call("Log.enable")
        await page.until("at work")
        assert await page.evaluate("location.href") == bare(server)
        assert await page.evaluate("document.cookie") == ""
        page.seen = ""
        await page.call("Page.reload")
        await page.until("at work")
        await page.type("after the reload")
        await page.until("after the reload")
        assert [text for text in page.log if "Content Security Policy" in text] == []

    asyncio.run(browse(server, tmp_path / "profile", steps))


class Elsewhere(BaseHTTPRequestHandler):
    """A page that does what it can with the address of the screen."""

    target = ""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        socket_address = bare(self.target).replace("http", "ws") + "ws?width=80&height=24"
        page = f"""<iframe src="{self.target}"></iframe><iframe src="{bare(self.target)}"></iframe><script>
            window.heard = []
            const socket = new WebSocket("{socket_address}")
            socket.onopen = () => heard.push("open")
            socket.onclose = () => heard.push("closed")
            fetch("{bare(self.target)}", {{credentials: "include"}})
                .then(() => heard.push("read"), () => heard.push("unread"))
        </script>"""
        self.wfile.write(page.encode())

    def log_message(self, *_):
        """Nothing."""


@pytest.mark.needs("|".join(BROWSERS))
def test_a_page_of_another_port_can_neither_frame_the_screen_nor_speak_to_it(server, tmp_path, monkeypatch):
    """In the browser that has the cookie; for a page of this machine the cookie is no foreign one."""
    monkeypatch.setattr(Elsewhere, "target", server)
    other = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    Thread(target=other.serve_forever, daemon=True).start()

    async def steps(page):
        await page.until("at work")
        await page.call("Log.enable")
        await page.call("Page.navigate", url=f"http://127.0.0.1:{other.server_port}/")
        async with asyncio.timeout(LIMIT):
            while len(heard := await page.evaluate("window.heard || []")) < 2:
                await asyncio.sleep(0.1)
            assert sorted(heard) == ["closed", "unread"]
            while sum("frame-ancestors" in text for text in page.log) < 2:
                await page.evaluate("0")
                await asyncio.sleep(0.1)

    try:
        asyncio.run(browse(server, tmp_path / "profile", steps))
    finally:
        other.shutdown()
        other.server_close()
    assert runs(tmp_path) == 1
