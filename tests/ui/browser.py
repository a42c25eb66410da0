"""`xuen serve` and a page of a browser without a window, spoken to over its DevTools; for the tests here."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
LIMIT = 60.0


def served(tmp_path, *options, seconds=1):
    """`xuen serve` with an agent that works for so long, and the address that it says, with its token."""
    agent = f'{sys.executable} {ROOT}/tests/agents/researcher.py --idea "idea {{round}}" --sleep {seconds} "$prompt"'
    (tmp_path / "config.yaml").write_text(
        json.dumps({"agent": {"command": agent}, "words": {"pick": 0}, "rounds": {"verify": "off"}})
    )
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XUEN_", "TEXTUAL")) and k != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), "serve", "--port", "0", "--iterations", "inf", *options],
        cwd=tmp_path,
        env={**env, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = ""
    while (found := re.search(r"http://\S+", said)) is None:
        line = process.stdout.readline()
        assert line, said
        said += line
    return process, found[0]


@contextlib.asynccontextmanager
async def connected(url, *, origin=None, cookie=True):
    """A websocket as the page at this address opens it."""
    import aiohttp

    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        if cookie:
            await session.get(url)
        own = url.partition("/?")[0]
        headers = {"Origin": own if origin is None else origin}
        async with session.ws_connect(f"{own}/ws?width=80&height=24", headers=headers) as websocket:
            yield websocket


class Page:
    """A page of a browser without a window, spoken to over its DevTools."""

    def __init__(self, websocket):
        self._websocket = websocket
        self._count = 0
        self.seen = ""
        self.log: list[str] = []  # what the browser has to say of the page, once `Log.enable` was called
        self.size = (0, 0)  # columns and rows, as the page told them

    async def call(self, method, **parameters):
        self._count += 1
        await self._websocket.send_json({"id": self._count, "method": method, "params": parameters})
        while True:
            message = await self._next()
            if message.get("id") == self._count:
                assert "error" not in message, message
                return message["result"]

    async def until(self, text):
        """Until the screen has drawn this text, or what is left of it without colours."""
        async with asyncio.timeout(LIMIT):
            while text not in self.seen:
                await self._next()

    async def _next(self):
        message = await self._websocket.receive_json(timeout=LIMIT)
        if message.get("method") == "Network.webSocketFrameReceived":
            frame = message["params"]["response"]
            data = base64.b64decode(frame["payloadData"]) if frame["opcode"] == 2 else b""
            self.seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode("utf-8", "replace"))
        if message.get("method") == "Log.entryAdded":
            self.log.append(message["params"]["entry"]["text"])
        if message.get("method") == "Network.webSocketFrameSent":
            sent = json.loads(message["params"]["response"]["payloadData"])
            if sent[0] == "resize":
                self.size = (sent[1]["width"], sent[1]["height"])
        return message

    async def evaluate(self, expression):
        """The value of an expression in the page."""
        return (await self.call("Runtime.evaluate", expression=expression, returnByValue=True))["result"].get("value")

    async def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def type(self, text):
        await self.call("Input.insertText", text=text)

    async def enter(self):
        for kind in ("keyDown", "keyUp"):
            await self.call(
                "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13
            )


async def browse(url, folder, steps, *, size=(1000, 600)):
    import aiohttp

    options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0")
    browser = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *options,
        f"--user-data-dir={folder}",
        "about:blank",
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(LIMIT):
            while b"DevTools listening on" not in (line := await browser.stderr.readline()):
                assert line
        port = re.search(rb":(\d+)/", line)[1].decode()
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                target = next(each for each in await answer.json() if each["type"] == "page")
            async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as websocket:
                page = Page(websocket)
                await page.call("Network.enable")
                shape = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
                await page.call("Emulation.setDeviceMetricsOverride", **shape)
                await page.call("Page.navigate", url=url)
                await steps(page)
    finally:
        browser.kill()
        await browser.wait()
