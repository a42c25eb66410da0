"""The screen in a real browser: `xuen serve`, Chromium without a window, its DevTools to type and to see."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
LIMIT = 60.0


def served(tmp_path, *options, seconds=1):
    """`xuen serve` with an agent that works for so long, and the address that it says."""
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
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+/", line)
    assert found is not None, line + process.stdout.read()
    return process, found[0]


class Page:
    """A page of a browser without a window, spoken to over its DevTools."""

    def __init__(self, websocket):
        self._websocket = websocket
        self._count = 0
        self.seen = ""

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
        return message

    async def type(self, text):
        await self.call("Input.insertText", text=text)

    async def enter(self):
        for kind in ("keyDown", "keyUp"):
            await self.call(
                "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13
            )


async def browse(url, folder, steps):
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
                await page.call("Page.navigate", url=url)
                await steps(page)
    finally:
        browser.kill()
        await browser.wait()


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not here")
def test_a_page_loads_the_screen_takes_a_text_and_sees_it_acknowledged(tmp_path):
    process, url = served(tmp_path, "a question")

    async def steps(page):
        await page.until("following")
        await page.call("Runtime.evaluate", expression="document.querySelector('textarea').focus()")
        await page.type("from the browser")
        await page.until("from the browser")
        await page.enter()
        await page.until("your input went into round")

    try:
        asyncio.run(browse(url, tmp_path / "profile", steps))
        assert (tmp_path / "workspace" / "inbox.jsonl").read_bytes() == b""
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT) == 143
        process.stdout.close()
    history = (tmp_path / "workspace" / "rounds" / "history.jsonl").read_text()
    assert json.loads(history.splitlines()[-1])["event"] == "run_finished"


def told(tmp_path, name):
    """The events of this name in the history so far."""
    history = tmp_path / "workspace" / "rounds" / "history.jsonl"
    lines = history.read_text().splitlines() if history.exists() else []
    return [line for line in map(json.loads, lines) if line["event"] == name]


def agents_of(tmp_path):
    """The processes that work in this workspace."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("XUEN_WORKSPACE") == str(tmp_path / "workspace"):
                found.append(process)
    return found


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not here")
def test_closing_the_page_ends_its_run_as_q_would_and_opening_it_again_goes_on(tmp_path):
    process, url = served(tmp_path, "a question", seconds=300)

    async def once(page):
        await page.until("at work")
        await page.call("Page.close")

    async def again(page):
        await page.until("Round 2")
        await page.until("at work")

    async def until(condition):
        async with asyncio.timeout(LIMIT):
            while not condition():
                await asyncio.sleep(0.1)

    try:
        asyncio.run(browse(url, tmp_path / "profile", once))
        asyncio.run(until(lambda: told(tmp_path, "run_finished")))
        assert told(tmp_path, "run_finished")[-1]["exit_code"] == 0
        assert agents_of(tmp_path) == []
        assert process.poll() is None  # the server waits for the next page
        asyncio.run(browse(url, tmp_path / "profile", again))
        asyncio.run(until(lambda: len(told(tmp_path, "run_finished")) == 2))
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT) == 143
        process.stdout.close()
    assert len(told(tmp_path, "run_started")) == 2


def test_a_killed_server_leaves_no_run_and_no_agent_behind(tmp_path):
    import aiohttp

    process, url = served(tmp_path, "a question")

    async def open_and_kill():
        page = f"{url}ws?width=80&height=24"
        async with asyncio.timeout(LIMIT), aiohttp.ClientSession() as session, session.ws_connect(page):
            while not agents_of(tmp_path):
                await asyncio.sleep(0.1)
            process.kill()
            while not told(tmp_path, "run_finished"):
                await asyncio.sleep(0.1)

    try:
        asyncio.run(open_and_kill())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert told(tmp_path, "run_finished")[-1]["exit_code"] == 0
    assert agents_of(tmp_path) == []


@pytest.mark.parametrize("headers", [{"Origin": "http://elsewhere.example"}, {"Host": "elsewhere.example"}])
def test_pages_of_other_origins_and_foreign_names_are_refused(tmp_path, headers):
    import httpx

    process, url = served(tmp_path, "a question")
    try:
        assert httpx.get(url, headers=headers).status_code == 403
        page = httpx.get(url)
        assert page.status_code == 200
        assert not re.search(r'(?:href|src)="https?://(?!127\.0\.0\.1)', page.text)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == 130
        process.stdout.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "99999", "task"], "--port: expected a port"),
        (["--events", "-", "task"], "--events -: the screen stands on standard output here"),
        ([], "no task"),
    ],
)
def test_what_cannot_be_served_is_one_line(xuen, options, said):
    done = xuen("serve", *options, "--language", "en")
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
