"""The log: what the agent prints and what the loop says; it follows its end until someone scrolls up."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cached_cell_len
from textual import events
from textual.message import Message
from textual.reactive import var
from textual.strip import Strip

from xuen.events import Event, Output, Pending, RunStarted, SectionChanged
from xuen.texts import Language
from xuen.texts.screen import PENDING_KEYS, SECTION_SIZE
from xuen.ui.safe import clean
from xuen.ui.telling import tell
from xuen.ui.tui.widgets.rows import PanelLine, TextRows
from xuen.ui.view import View

MAX_ROWS = 5000
_FORGET_AFTER = 1000
"""Lines after which two caches are emptied: how wide a text is, and how a style is written (each row has one of its
own, for the mouse to find it). They are made for what comes again; rows of a log do not, and hold megabytes there."""


def log_lines(event: Event, view: View, language: Language) -> list[PanelLine]:
    """What the log says about an event that `view` already holds. Contents of sections stand in their panels."""
    if isinstance(event, Output):
        return [PanelLine("agent", event.line)]
    lines: list[PanelLine] = []
    for tone, mark, text in tell(event, view):
        if isinstance(event, Pending) and not mark.en:
            text = PENDING_KEYS  # noqa: PLW2901 - here a key does what the console's lines explain
        head = clean(mark.in_language(language))
        if isinstance(event, SectionChanged):
            text = SECTION_SIZE.of(count=f"{len(event.content):,}")  # noqa: PLW2901 - its own text is the content
        if tone == "title" and not isinstance(event, RunStarted):
            lines.append(PanelLine("plain", ""))  # rounds stand apart
        lines.append(PanelLine(tone, head + text.in_language(language), mark=len(head)))
    return lines


class Log(TextRows):
    """A bounded log. Scrolling up stops following, coming back to the end goes on with it."""

    following: var[bool] = var(True)

    class FollowingChanged(Message):
        """The log began or ceased to follow its end."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, max_rows=MAX_ROWS)
        self._unforgotten = 0

    def append(self, lines: Iterable[PanelLine]) -> None:
        """Add lines, and show the end if it is being followed."""
        added = list(lines)
        super().append(added)
        self._unforgotten += len(added)
        if self._unforgotten > _FORGET_AFTER:
            self._unforgotten = 0
            Strip.render_ansi.cache_clear()
            cached_cell_len.cache_clear()
        self._keep_up()

    def rewrap(self) -> None:
        """Wrap anew; who read the end still reads it."""
        super().rewrap()
        self._keep_up()

    def on_resize(self, _event: events.Resize) -> None:
        """A log that lost or won rows still shows its end; wrapping for another width is the base's."""
        self._keep_up()

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.following = True
        self._keep_up()

    def rows_dropped(self, count: int) -> None:
        """Keep what is being read where it is."""
        if not self.following:
            self.scroll_to(y=max(0, self.scroll_y - count), animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolling decides whether the end is followed."""
        super().watch_scroll_y(old_value, new_value)
        if new_value != old_value:
            self.following = new_value >= self.max_scroll_y

    def watch_following(self) -> None:
        """Tell the screen."""
        self.post_message(self.FollowingChanged())

    def _keep_up(self) -> None:
        if self.following:
            self.scroll_end(animate=False, immediate=True, x_axis=False)
