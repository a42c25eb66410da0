"""Runs the screen without a terminal, for the tests here."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Awaitable, Callable
from pathlib import Path

import story

from xuen.stop import Stop
from xuen.ui.tui.app import LoopApp, app_class
from xuen.workspace import inbox
from xuen.workspace.paths import Workspace
from xuen.workspace.research import new_research

Steps = Callable[["Stage"], Awaitable[None]]


class Stage:
    """An app under a pilot, with a loop that tells `events` and then works until it is let go or stopped."""

    def __init__(self, events=(), *, language="en", endless=True, workspace=None, exit_code=0, work=None):
        """`work` takes this stage and the sink, and ends with an exit code; without it, it is the loop above."""
        work = work or Stage.loop
        self.events = list(events)
        self.language = language
        self.stop = Stop()
        if workspace is None:
            workspace = Path(tempfile.mkdtemp())
            weakref.finalize(self, shutil.rmtree, workspace, ignore_errors=True)
        self.workspace = Workspace(workspace)
        self.let_go = threading.Event()
        self.ended = threading.Event()
        self.sink = None
        self._endless = endless
        self._exit_code = exit_code
        self.now = 0.0
        self.app: LoopApp = app_class(language)(
            lambda sink: work(self, sink),
            stop=self.stop,
            workspace=self.workspace,
            language=language,
            clock=lambda: self.now,
        )
        self.pilot = None

    def loop(self, sink):
        """Tells the events, then works on."""
        self.sink = sink
        for event in self.events:
            sink.emit(event)
        while self._endless and not self.let_go.is_set() and not self.stop.wait(0.01):
            pass
        self.ended.set()
        return self._exit_code if self.stop.exit_code is None else self.stop.exit_code

    async def settle(self):
        """Until everything that was told is drawn."""
        await self.until(lambda: self.app.running is not None and self.sink is not None)
        if not self._endless:
            await self.until(self.app.running.done)
        if self.app.is_running:
            self.app._tick()
        await self.pilot.pause()
        await self.pilot.pause(0.05)

    async def until(self, condition):
        """Until the condition holds; a machine may be slow, so the limit is far away."""
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "it never came to hold"
            await self.pilot.pause(0.02)

    async def closed(self):
        """Until the screen has left."""
        await self.until(lambda: not self.app.is_running)

    @property
    def queued(self):
        """What waits in the workspace."""
        return [entry.text for entry in inbox.peek(self.workspace)]

    def tell(self, *events):
        for event in events:
            self.sink.emit(event)

    def text_of(self, panel):
        return "\n".join(self.app.query_one(panel).lines)

    def drawn(self):
        """The characters on the screen, row by row."""
        height = self.app.size.height
        rows = []
        for y in range(height):
            strips = self.app.screen._compositor.render_strips()
            rows.append("".join(segment.text for segment in strips[y]) if y < len(strips) else "")
        return rows

    def run(self, steps: Steps, *, size=(80, 24)):
        async def go():
            async with self.app.run_test(size=size, notifications=True) as pilot:
                self.pilot = pilot
                await self.settle()
                await steps(self)
                self.let_go.set()

        try:
            asyncio.run(go())
        finally:
            self.let_go.set()
        if self.app.running is not None:
            self.app.running.exception(timeout=60)
        return self


def kept_workspace(folder):
    """A folder with a baseline, a best and a pending candidate, as the guard would have left it."""
    workspace = Workspace(folder)
    workspace.rounds.mkdir()
    lines = []
    states = [(story.BASE, 0, "", ""), (story.R1, 1, "old idea\nsame", "a"), (story.R2, 2, "new idea\nsame", "a [/b]")]
    for id_, round_, idea, artifact in states:
        data = new_research("task")
        for name, text in (("IDEA", idea), ("ARTIFACT", artifact)):
            begin = f"<!-- XUEN:{name}:BEGIN -->\n"
            data = data.replace(begin.encode(), f"{begin}{text}\n".encode() if text else begin.encode())
        workspace.candidate(id_).write_bytes(data)
        known = {"round": round_, "id": id_, "sha256": hashlib.sha256(data).hexdigest()}
        lines.append({"event": "candidate" if round_ else "baseline", **known, "parent": story.BASE, "words": ["tide"]})
        if round_ == 1:
            lines.append({"event": "adopted", **known, "score": 8.0, "verify": "ai", "reason": "clear"})
    lines.append({"event": "pending", "round": 2, "id": story.R2, "verify": "ai", "reason": "no score"})
    text = "".join(json.dumps({"seq": n, "ts": "t", **line}) + "\n" for n, line in enumerate(lines, start=1))
    workspace.history.write_text(text)
    return folder
