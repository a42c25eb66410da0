"""A scrolling panel of text lines: wrapped, selectable, bounded, never markup.

Owns the rows that stand on the screen. Lines come in whole; they are wrapped when the width is known and again
when it changes. Only the newest `max_rows` rows are kept. Selected text is what the lines said, without the
breaks that wrapping made. Text that is searched for is marked wherever it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from xuen.ui.diff import Span
from xuen.ui.safe import clean
from xuen.ui.telling import Tone
from xuen.ui.tui.wrap import wrap

GUTTER = "▏ "  # beside what an agent said, so that it cannot pass for ours
_SLACK = 500  # rows over the bound before the oldest are dropped, so that dropping is rare
_TONES: tuple[Tone, ...] = ("title", "agent", "section", "good", "bad", "wait", "muted", "warning", "plain")
_WHOLE_LINES = ("muted", "agent", "title", "good", "bad")  # tones that colour a line without a mark


class PanelLine(NamedTuple):
    """One line: its first `mark` characters in the tone's colour, the rest ordinary; `spans` stand out."""

    tone: Tone
    text: str
    mark: int = 0
    spans: tuple[Span, ...] = ()


class Row(NamedTuple):
    """One row on the screen."""

    line: PanelLine
    text: str
    start: int = 0  # where in the line the row begins
    last: bool = True  # whether the line ends here
    segments: tuple[Segment, ...] | None = None  # how the text is styled, where the line does not say it


class TextRows(ScrollView, can_focus=True):
    """Lines of text in a panel."""

    COMPONENT_CLASSES = {f"rows--{tone}" for tone in _TONES} | {"rows--gutter", "rows--found", "rows--changed"}

    def __init__(self, *, id: str, max_rows: int = 100_000) -> None:
        super().__init__(id=id)
        self._max_rows = max_rows
        self._lines: deque[PanelLine] = deque()
        self._rows: list[Row] = []
        self._wrapped_for = 0
        self._wanted: re.Pattern[str] | None = None
        self._wanted_length = 0  # characters of what is looked for
        self._found: tuple[PanelLine, int] | None = None  # the last find: its line and where in it

    @property
    def lines(self) -> list[str]:
        """What the panel holds, line by line."""
        return [line.text for line in self._lines]

    def set_lines(self, lines: Iterable[PanelLine]) -> None:
        """Replace everything and go to the top."""
        self._lines.clear()
        self._rows.clear()
        self.append(lines)
        self.scroll_home(animate=False, immediate=True)

    def append(self, lines: Iterable[PanelLine]) -> None:
        """Add lines at the end; text with newlines becomes several."""
        for line in lines:
            for part in self._split(line):
                self._lines.append(part)
                self._rows += self._wrap(part)
        self._drop_old()
        self._measure()

    def look_for(self, text: str) -> None:
        """Mark a text wherever it stands; upper and lower case are the same, no text marks nothing."""
        self._wanted, self._wanted_length = re.compile(re.escape(text), re.IGNORECASE) if text else None, len(text)
        self._found = None
        self.refresh()

    def find(self, *, backwards: bool = True) -> bool:
        """Go to the next place of the text that is looked for, round the end if need be; whether there is one."""
        places = list(self._places())
        if not places:
            return False
        at = next((i for i, (_, line, start) in enumerate(places) if self._is_found(line, start)), None)
        step = -1 if backwards else 1
        index = (len(places) - 1 if backwards else 0) if at is None else (at + step) % len(places)
        y, line, start = places[index]
        self._found = (line, start)
        self.scroll_to(y=max(0, y - self.scrollable_content_region.height // 2), animate=False, immediate=True)
        self.refresh()
        return True

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, rows of one line joined."""
        parts: list[str] = []
        for y, row in enumerate(self._rows):
            span = selection.get_span(y)
            if span is not None:
                start, end = span
                parts.append(row.text[start:] if end == -1 else row.text[start:end])
                if row.last:
                    parts.append("\n")
        return ("".join(parts).removesuffix("\n"), "\n") if parts else None

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002 - Textual's
        """Draw the selection."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row of the visible part."""
        width = self.scrollable_content_region.width
        index = self.scroll_offset.y + y
        if not 0 <= index < len(self._rows):
            return Strip.blank(width, self.rich_style)
        row = self._rows[index]
        strip = Strip(self._segments(row, index)).apply_offsets(0, index)
        if row.line.tone == "agent":
            strip = Strip([Segment(GUTTER, self._style("gutter")), *strip])
        return strip.adjust_cell_length(width, self.rich_style)

    def on_resize(self, _event: events.Resize) -> None:
        """Wrap anew when the width has changed."""
        if self.scrollable_content_region.width != self._wrapped_for:
            self.rewrap()

    def rewrap(self) -> None:
        """Wrap every line for the present width."""
        self._wrapped_for = self.scrollable_content_region.width
        self._rows[:] = [row for line in self._lines for row in self._wrap(line)]
        self._drop_old()
        self._measure()

    def _split(self, line: PanelLine) -> list[PanelLine]:
        parts = clean(line.text).expandtabs(4).split("\n")
        return [line._replace(text=part, mark=line.mark if not index else 0) for index, part in enumerate(parts)]

    def _wrap(self, line: PanelLine) -> list[Row]:
        if not self._wrapped_for:
            return []
        width = self._wrapped_for - (len(GUTTER) if line.tone == "agent" else 0)
        pieces = wrap(line.text, max(1, width))
        rows: list[Row] = []
        start = 0
        for number, piece in enumerate(pieces, start=1):
            rows.append(Row(line, piece, start, last=number == len(pieces)))
            start += len(piece)
        return rows

    def _drop_old(self) -> None:
        if max(len(self._rows), len(self._lines)) <= self._max_rows + _SLACK:
            return
        gone = 0
        while len(self._lines) > 1 and max(len(self._rows) - gone, len(self._lines)) > self._max_rows:
            self._lines.popleft()
            gone = next((place for place in range(gone, len(self._rows)) if self._rows[place].last), gone - 1) + 1
        del self._rows[:gone]
        self._keep_selection(gone)
        self.rows_dropped(gone)

    def _keep_selection(self, gone: int) -> None:
        """What was selected stays so when rows above it go, and loses what goes of itself."""
        if self.text_selection is None:
            return
        start, end = (None if at is None else at - (0, gone) for at in self.text_selection)
        others = {widget: each for widget, each in self.screen.selections.items() if widget is not self}
        if end is None or end.y >= 0:
            others[self] = Selection(None if start is None or start.y < 0 else start, end)
        self.screen.selections = others

    def rows_dropped(self, count: int) -> None:
        """Told after the oldest rows went, so that a scrolled panel can stay where it is read."""

    def _measure(self) -> None:
        self.virtual_size = Size(self._wrapped_for, len(self._rows))
        self.refresh()

    def _places(self) -> Iterator[tuple[int, PanelLine, int]]:
        """Where the text that is looked for begins: row, line, place in the line."""
        if self._wanted is None:
            return
        for y, row in enumerate(self._rows):
            starts = _starts(self._wanted, _text_of(row))
            first, end = (bisect_left(starts, place) for place in (row.start, row.start + len(row.text)))
            for start in starts[first:end]:
                yield y, row.line, start

    def _is_found(self, line: PanelLine, start: int) -> bool:
        return self._found is not None and self._found[0] is line and self._found[1] == start

    def _mark_found(self, segments: list[Segment], row: Row) -> list[Segment]:
        if self._wanted is None:
            return segments
        length = self._wanted_length
        starts = _starts(self._wanted, _text_of(row))
        first, end = bisect_right(starts, row.start - length), bisect_left(starts, row.start + len(row.text))
        for start in starts[first:end]:
            span = (max(0, start - row.start), min(len(row.text), start + length - row.start))
            style = self._style("found") + Style(reverse=self._is_found(row.line, start))
            segments = restyle(segments, span, style)
        return segments

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"rows--{name}")

    def _segments(self, row: Row, index: int) -> list[Segment]:
        """The row cut where its colours change: mark, rest, selection."""
        if row.segments is not None:
            plain = self._style("plain")
            segments = [Segment(text, plain + style if style else plain) for text, style, _ in row.segments]
        else:
            mark = min(max(row.line.mark - row.start, 0), len(row.text))
            whole = self._style(row.line.tone)
            rest = whole if not row.line.mark and row.line.tone in _WHOLE_LINES else self._style("plain")
            segments = [Segment(row.text[:mark], whole), Segment(row.text[mark:], rest)]
        for start, end in row.line.spans:
            if start < row.start + len(row.text) and end > row.start:
                style = self.get_component_rich_style("rows--changed", partial=True)
                segments = restyle(segments, (max(0, start - row.start), end - row.start), style)
        segments = self._mark_found(segments, row)
        selection = self.text_selection
        span = selection.get_span(index) if selection is not None else None
        if span is not None:
            segments = restyle(segments, span, self.screen.get_component_rich_style("screen--selection"))
        return [segment for segment in segments if segment.text]


@lru_cache(maxsize=64)
def _starts(wanted: re.Pattern[str], text: str) -> list[int]:
    """Where a text is found. Remembered, for a long line is asked for by each of its rows."""
    return [found.start() for found in wanted.finditer(text)]


def _text_of(row: Row) -> str:
    """What a search reads: the whole line, so that a break of wrapping hides nothing."""
    return row.text if row.segments is not None else row.line.text


def restyle(segments: list[Segment], span: tuple[int, int], style: Style) -> list[Segment]:
    """The segments with a style over the characters of `span` (end -1: to the end)."""
    start, end = span
    cut: list[Segment] = []
    position = 0
    for text, own, _ in segments:
        size = len(text)
        first = min(max(start - position, 0), size)
        last = size if end == -1 else min(max(end - position, first), size)
        over = own + style if own is not None else style
        pieces = (Segment(text[:first], own), Segment(text[first:last], over), Segment(text[last:], own))
        cut += [piece for piece in pieces if piece.text]  # empty ones would be cut in three by every later span
        position += size
    return cut
