"""A scrolling panel of text lines: wrapped, selectable, bounded, never markup.

Owns the rows that stand on the screen. Lines come in whole; they are wrapped when the width is known and again
when it changes. Only the newest `max_rows` rows are kept. Selected text is what the lines said, without the
breaks that wrapping made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from xuen.ui.safe import clean
from xuen.ui.telling import Tone
from xuen.ui.tui.wrap import wrap

GUTTER = "▏ "  # beside what an agent said, so that it cannot pass for ours
_SLACK = 500  # rows over the bound before the oldest are dropped, so that dropping is rare
_TONES: tuple[Tone, ...] = ("title", "agent", "section", "good", "bad", "wait", "muted", "warning", "plain")


class PanelLine(NamedTuple):
    """One line: its first `mark` characters in the tone's colour, the rest ordinary."""

    tone: Tone
    text: str
    mark: int = 0


class _Row(NamedTuple):
    line: PanelLine
    text: str
    start: int  # where in the line the row begins
    last: bool  # whether the line ends here


class TextRows(ScrollView, can_focus=True):
    """Lines of text in a panel."""

    COMPONENT_CLASSES = {f"rows--{tone}" for tone in _TONES} | {"rows--gutter"}

    def __init__(self, *, id: str, max_rows: int = 100_000) -> None:
        super().__init__(id=id)
        self._max_rows = max_rows
        self._lines: deque[tuple[PanelLine, int]] = deque()  # each with the number of its rows
        self._rows: list[_Row] = []
        self._wrapped_for = 0

    @property
    def lines(self) -> list[str]:
        """What the panel holds, line by line."""
        return [line.text for line, _ in self._lines]

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
                rows = self._wrap(part) if self._wrapped_for else []
                self._rows.extend(rows)
                self._lines.append((part, len(rows)))
        self._drop_old()
        self._measure()

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
        self._rows.clear()
        for index, (line, _) in enumerate(self._lines):
            rows = self._wrap(line) if self._wrapped_for else []
            self._rows.extend(rows)
            self._lines[index] = (line, len(rows))
        self._drop_old()
        self._measure()

    def _split(self, line: PanelLine) -> list[PanelLine]:
        parts = clean(line.text).expandtabs(4).split("\n")
        return [line._replace(text=part, mark=line.mark if not index else 0) for index, part in enumerate(parts)]

    def _wrap(self, line: PanelLine) -> list[_Row]:
        width = self._wrapped_for - (len(GUTTER) if line.tone == "agent" else 0)
        pieces = wrap(line.text, max(1, width))
        rows: list[_Row] = []
        start = 0
        for number, piece in enumerate(pieces, start=1):
            rows.append(_Row(line, piece, start, last=number == len(pieces)))
            start += len(piece)
        return rows

    def _drop_old(self) -> None:
        if max(len(self._rows), len(self._lines)) <= self._max_rows + _SLACK:
            return
        gone = 0
        while len(self._lines) > 1 and max(len(self._rows) - gone, len(self._lines)) > self._max_rows:
            gone += self._lines.popleft()[1]
        del self._rows[:gone]
        self.rows_dropped(gone)

    def rows_dropped(self, count: int) -> None:
        """Told after the oldest rows went, so that a scrolled panel can stay where it is read."""

    def _measure(self) -> None:
        self.virtual_size = Size(self._wrapped_for, len(self._rows))
        self.refresh()

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"rows--{name}")

    def _segments(self, row: _Row, index: int) -> list[Segment]:
        """The row cut where its colours change: mark, rest, selection."""
        mark = min(max(row.line.mark - row.start, 0), len(row.text))
        whole = self._style(row.line.tone)
        rest = whole if not row.line.mark and row.line.tone in ("muted", "agent", "title") else self._style("plain")
        segments = [Segment(row.text[:mark], whole), Segment(row.text[mark:], rest)]
        selection = self.text_selection
        span = selection.get_span(index) if selection is not None else None
        if span is not None:
            segments = _select(segments, span, self.screen.get_component_rich_style("screen--selection"))
        return [segment for segment in segments if segment.text]


def _select(segments: list[Segment], span: tuple[int, int], style: Style) -> list[Segment]:
    """The segments with the characters of `span` (end -1: to the end) in the style of a selection."""
    start, end = span
    cut: list[Segment] = []
    position = 0
    for text, own, _ in segments:
        size = len(text)
        first = min(max(start - position, 0), size)
        last = size if end == -1 else min(max(end - position, first), size)
        over = own + style if own is not None else style
        cut += [Segment(text[:first], own), Segment(text[first:last], over), Segment(text[last:], own)]
        position += size
    return cut
