"""The screen in a real browser: `xuen serve`, Chromium without a window, its DevTools to type and to see."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal

import psutil
import pytest
from browser import BROWSERS, LIMIT, browse, connected, served

GEOMETRY = """(() => {
    const screen = document.querySelector('.xterm-screen').getBoundingClientRect()
    return {
        bottom: screen.bottom, right: screen.right, width: screen.width, height: screen.height,
        page: document.documentElement.scrollHeight, wide: document.documentElement.scrollWidth, scrolled: scrollY,
        focus: document.activeElement.matches('#terminal textarea'),
    }
})()"""


@pytest.mark.needs("|".join(BROWSERS))
def test_a_page_loads_the_screen_takes_a_text_and_sees_it_acknowledged(tmp_path):
    process, url = served(tmp_path, "a question")

    async def steps(page):
        await page.until("following")
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


@pytest.mark.needs("|".join(BROWSERS))
@pytest.mark.parametrize("size", [(1000, 600), (1280, 800)])
def test_the_screen_fits_the_window_has_the_keyboard_and_is_hit_where_it_is_clicked(tmp_path, size):
    process, url = served(tmp_path, "a question", seconds=300)

    async def steps(page):
        await page.until("at work")
        await page.until("⏎ Queue")  # the keys of the input box: it has the focus
        await page.type(" blank")
        await page.until(" blank")
        seen = await page.evaluate(GEOMETRY)
        assert (seen["wide"], seen["page"], seen["scrolled"]) == (*size, 0)
        assert seen["right"] <= size[0]
        assert seen["bottom"] <= size[1]
        assert seen["focus"]
        columns, rows = page.size
        cell = seen["width"] / columns, seen["height"] / rows
        keys = page.seen[page.seen.rindex("⏎ Queue") :]
        page.seen = ""
        await page.click(cell[0] * (keys.index("Candidates") + 3.5), cell[1] * (rows - 0.5))
        await page.until("Back")  # the list of candidates

    try:
        asyncio.run(browse(url, tmp_path / "profile", steps, size=size))
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT) == 143
        process.stdout.close()


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
            if process.environ().get("XUEN_WORKSPACE") == str(tmp_path / "workspace" / "work"):
                found.append(process)
    return found


@pytest.mark.needs("|".join(BROWSERS))
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
    process, url = served(tmp_path, "a question")

    async def open_and_kill():
        async with asyncio.timeout(LIMIT), connected(url):
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
