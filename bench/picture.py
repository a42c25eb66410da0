"""Draws the screen of a recorded run: `python bench/picture.py EVENTS.jsonl OUT.svg [--size 120x40] …`.

The recording is what `--events FILE` wrote. The events are folded at their own times, so that the clock on the
picture is the clock of the run. The picture needs no font from anywhere: it takes the reader's monospace.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from datetime import datetime
from html import escape, unescape
from itertools import groupby
from pathlib import Path

from msgspec import MsgspecError
from rich.cells import cell_len

from xuen.events import Event, RunStarted, from_json
from xuen.sink import Sink
from xuen.stop import Stop
from xuen.texts import Language
from xuen.ui.tui.app import app_class
from xuen.workspace.paths import Workspace

_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_FAMILY = re.compile(r"font-family: Fira Code, monospace;|font-family: arial;")
_TEXT = re.compile(r'<text class="([^"]+)" x="([^"]+)" y="([^"]+)" textLength="([^"]+)"([^>]*)>([^<]*)</text>')
_MONOSPACE = "font-family: 'DejaVu Sans Mono', Menlo, Consolas, 'Noto Sans Mono CJK SC', monospace;"


def read_recording(path: Path, until: int | None) -> list[tuple[float, Event]]:
    """The events with their times in seconds, the first `until` of them; lines of no known event are left out."""
    events: list[tuple[float, Event]] = []
    for line in path.read_bytes().splitlines():
        try:
            event = from_json(line)
        except MsgspecError:
            continue
        events.append((datetime.fromisoformat(json.loads(line)["ts"]).timestamp(), event))
    return events[:until]


def svg_of(events: list[tuple[float, Event]], size: tuple[int, int], *, language: Language, theme: str) -> str:
    """The screen after all events, as SVG."""

    async def draw() -> str:
        now = [0.0]

        def replay(sink: Sink) -> int:
            for seen, event in events:
                sink.emit(event)
                now[0] = seen
            return 0

        nowhere = Workspace(Path("workspace-of-the-picture"))  # its run is over: nothing waits there
        app = app_class(language)(replay, stop=Stop(), workspace=nowhere, language=language, clock=lambda: now[0])
        async with app.run_test(size=size) as pilot:
            app.theme = theme
            while app.running is None or not app.running.done():
                await pilot.pause(0.05)
            await pilot.pause(0.2)
            title = next((event.task for _, event in events if isinstance(event, RunStarted)), "xuen")
            return app.export_screenshot(title=f"xuen · {title}")

    svg = asyncio.run(draw())
    return _TEXT.sub(_on_the_grid, _FAMILY.sub(_MONOSPACE, _FONT_FACE.sub("", svg)))


def _on_the_grid(element: re.Match[str]) -> str:
    """One element of text as several, wide and narrow apart.

    The export counts characters where it should count cells, which squeezes Chinese; and a browser spreads a
    mixed text evenly, which moves every sign off its column.
    """
    kind, x, y, length, rest, escaped = element.groups()
    text = unescape(escaped)
    if text.isascii() or not text:
        return element.group()
    cell = float(length) / len(text)
    parts: list[str] = []
    column = 0
    for _wide, group in groupby(text, key=lambda character: cell_len(character) > 1):
        run = "".join(group)
        width = cell_len(run)
        parts.append(
            f'<text class="{kind}" x="{float(x) + column * cell:g}" y="{y}" '
            f'textLength="{width * cell:g}"{rest}>{escape(run).replace(" ", "&#160;")}</text>'
        )
        column += width
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--size", default="120x40", help="columns x rows")
    parser.add_argument("--until", type=int, default=None, help="stop after so many events: a picture of the middle")
    parser.add_argument("--language", choices=("zh", "en"), default=None, help="default: the run's own")
    parser.add_argument("--theme", default="textual-dark")
    arguments = parser.parse_args()
    columns, _, rows = arguments.size.partition("x")
    events = read_recording(arguments.recording, arguments.until)
    spoken: Language = next((event.language for _, event in events if isinstance(event, RunStarted)), "en")
    svg = svg_of(events, (int(columns), int(rows)), language=arguments.language or spoken, theme=arguments.theme)
    arguments.picture.write_text(svg, encoding="utf-8")
    print(f"{arguments.picture}: {len(events)} events", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
