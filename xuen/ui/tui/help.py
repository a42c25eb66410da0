"""All keys and the signs of the chart, on one page over the run."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from xuen.texts import Language, Text
from xuen.texts import screen as say
from xuen.ui.telling import Tone
from xuen.ui.tui.keys import COMMANDS
from xuen.ui.tui.widgets.chart import legend
from xuen.ui.tui.widgets.keys_line import KeysLine
from xuen.ui.tui.widgets.rows import PanelLine, TextRows

_INPUT_KEYS = (
    ("Enter", say.HELP_SEND),
    ("Shift+Enter, Ctrl+J", say.KEY_NEWLINE),
    ("Esc", say.KEY_LEAVE_INPUT),
    ("F4, F5, F8, F9", say.HELP_FUNCTION_KEYS),
)


class HelpScreen(ModalScreen[None]):
    """`help_class` gives it its keys."""

    def __init__(self, language: Language) -> None:
        super().__init__()
        self._language: Language = language
        self._page = TextRows(id="help")

    def compose(self) -> ComposeResult:
        """The page over the keys that leave it."""
        yield self._page
        yield KeysLine()

    def on_mount(self) -> None:
        """Write the page."""
        self._page.border_title = self._say(say.KEY_HELP)
        self._page.set_lines(self._lines())
        self.set_focus(self._page)

    def _say(self, text: Text) -> str:
        return text.in_language(self._language)

    def _lines(self) -> list[PanelLine]:
        keys = [_row("title", each.keys, f"{self._say(each.title)} · {self._say(each.help)}") for each in COMMANDS]
        typing = [_row("title", names, self._say(text)) for names, text in _INPUT_KEYS]
        signs = [_row(tone, sign, self._say(text)) for tone, sign, text in legend(colour=not self.app.no_color)]
        lines: list[PanelLine] = []
        for title, rows in ((say.HELP_OUTSIDE, keys), (say.HELP_INSIDE, typing), (say.HELP_CHART, signs)):
            head = self._say(title)
            lines += [PanelLine("plain", "")] if lines else []
            lines += [PanelLine("section", head, len(head)), *rows]
        return lines

    def action_back(self) -> None:
        """Back to the run."""
        self.dismiss()


def _row(tone: Tone, left: str, right: str) -> PanelLine:
    column = f"  {left}" + " " * max(2, 21 - cell_len(left))
    return PanelLine(tone, column + right, len(column))


def help_class(language: Language) -> type[HelpScreen]:
    """The screen with its keys described in a language."""

    class LocalisedHelpScreen(HelpScreen):
        BINDINGS: ClassVar[list[BindingType]] = [
            Binding("escape,question_mark,f1", "back", say.KEY_BACK.in_language(language))
        ]

    return LocalisedHelpScreen
