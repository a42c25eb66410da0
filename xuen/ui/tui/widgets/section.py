"""A section of research.md in its panel: formatted, as plain text, or as its changes against the best."""

from __future__ import annotations

from typing import ClassVar, Literal

from rich.segment import Segment
from textual import events
from textual.theme import Theme
from textual.timer import Timer

from xuen.texts import Language
from xuen.texts import screen as say
from xuen.ui.diff import diff
from xuen.ui.safe import clean
from xuen.ui.telling import Tone
from xuen.ui.tui.markdown import MAX_CHARACTERS, MIN_WIDTH, Part, render
from xuen.ui.tui.widgets.rows import PanelLine, Row, TextRows, restyle

Mode = Literal["formatted", "raw", "diff"]

_RESIZE_REST = 0.1  # seconds without another resize after which Markdown is laid out anew
_PARTS: tuple[Part, ...] = ("heading", "code", "quote", "bullet", "rule")


class SectionPanel(TextRows):
    """One of the two sections. `lines` are always those of the plain text or of the diff."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"section--{part}" for part in _PARTS}

    def __init__(self, language: Language, *, id: str) -> None:
        super().__init__(id=id)
        self._language: Language = language
        self._content = ""
        self._base = ""
        self._mark = ""
        self._shown: tuple[str, str, str] | None = None
        self._later: Timer | None = None
        self.mode: Mode = "formatted"

    def on_mount(self) -> None:
        """Hear of another theme."""
        self.app.theme_changed_signal.subscribe(self, self._recolour)

    @property
    def content(self) -> str:
        """What the panel shows, as the agent wrote it."""
        return self._content

    def show(self, content: str, *, mark: str = "", base: str = "") -> None:
        """Show a content. `mark` stands directly before an overwritten one; a diff is against `base`."""
        if (content, mark, base) == self._shown:
            return
        read = self.scroll_y if content == self._content else 0  # who reads it stays where they are
        self._shown = self._content, self._mark, self._base = content, mark, base
        self.set_class(bool(mark), "-changed")
        self._show()
        self.scroll_to(y=read, animate=False, immediate=True)

    def set_mode(self, mode: Mode) -> None:
        """Change between the three ways to show it."""
        self.mode = mode
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Formatting takes its time and so does a long text: they wait until the size rests."""
        if not (self._is_formatted() or len(self._content) > MAX_CHARACTERS) or not self._rows:
            super().on_resize(event)
        elif self.scrollable_content_region.width != self._wrapped_for:
            if self._later is not None:
                self._later.stop()
            self._later = self.set_timer(_RESIZE_REST, self.rewrap)

    def rewrap(self) -> None:
        """Lay everything out for the present width."""
        width = self.scrollable_content_region.width
        if not self._is_formatted() or width < MIN_WIDTH:
            super().rewrap()
            return
        self._wrapped_for = width
        styles = {part: self.get_component_rich_style(f"section--{part}", partial=True) for part in _PARTS}
        text = clean(self._content).expandtabs(4)
        rendered = render(text, width, styles, mark=self._mark)
        self._rows[:] = [self._row(row, self._mark if not number else "") for number, row in enumerate(rendered)]
        self._measure()

    def _row(self, segments: list[Segment], mark: str) -> Row:
        text = "".join(segment.text for segment in segments).rstrip()
        if mark and text.startswith(mark):
            segments = restyle(segments, (0, len(mark)), self._style("section"))
        return Row(PanelLine("plain", text), text, segments=tuple(segments))

    def _is_formatted(self) -> bool:
        return self.mode == "formatted" and bool(self._content) and len(self._content) <= MAX_CHARACTERS

    def _show(self) -> None:
        width, self._wrapped_for = self._wrapped_for, 0 if self._is_formatted() else self._wrapped_for
        if self.mode == "diff":
            self.set_lines(diff_lines(self._base, self._content, self._language))
        elif self._content or self._mark:
            self.set_lines(
                [PanelLine("section" if self._mark else "plain", self._mark + self._content, len(self._mark))]
            )
        else:
            self.set_lines([PanelLine("muted", say.EMPTY.in_language(self._language))])
        if width and not self._wrapped_for:
            self.rewrap()

    def _recolour(self, _theme: Theme) -> None:
        """Formatted rows hold their colours, so another theme needs them anew."""
        if self._wrapped_for and self._is_formatted():
            self.rewrap()


def diff_lines(old: str, new: str, language: Language) -> list[PanelLine]:
    """A diff as lines of a panel."""
    signs: dict[str, tuple[Tone, str]] = {"same": ("muted", "  "), "added": ("good", "+ "), "removed": ("bad", "- ")}
    lines: list[PanelLine] = []
    for what, text, spans in diff(clean(old).expandtabs(4), clean(new).expandtabs(4)):
        if what in signs:
            tone, sign = signs[what]
            shifted = tuple((start + len(sign), end + len(sign)) for start, end in spans)
            lines.append(PanelLine(tone, sign + text, spans=shifted))
        else:
            said = say.DIFF_GAP if what == "gap" else say.DIFF_CUT
            lines.append(PanelLine("muted", said.in_language(language)))
    return lines or [PanelLine("muted", say.DIFF_NONE.in_language(language))]
