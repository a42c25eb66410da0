"""The line in which the user types what to find."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input

from xuen.texts import Language
from xuen.texts import screen as say
from xuen.ui.tui.widgets.input_box import harmless


class FindLine(Input):
    """Hidden until it is needed; tells each change, each step and its end. `find_class` gives it its keys."""

    class Step(Message):
        """To the next place: upwards, or down."""

        def __init__(self, *, up: bool) -> None:
            self.up = up
            super().__init__()

    class Left(Message):
        """The user is done."""

    def __init__(self, *, id: str, placeholder: str) -> None:
        super().__init__(id=id, placeholder=placeholder, compact=True, select_on_focus=True)
        self.cursor_blink = False

    def render_line(self, y: int) -> Strip:
        """The row, less what a terminal would obey."""
        return harmless(super().render_line(y))

    def action_step(self, up: bool) -> None:
        """Find another one."""
        self.post_message(self.Step(up=up))

    def action_leave(self) -> None:
        """Close the line."""
        self.post_message(self.Left())


def find_class(language: Language) -> type[FindLine]:
    """The line with its keys described in a language."""

    class LocalisedFindLine(FindLine):
        BINDINGS: ClassVar[list[BindingType]] = [
            Binding("enter,up", "step(True)", say.KEY_UPWARDS.in_language(language)),
            Binding("shift+enter,down", "step(False)", say.KEY_DOWNWARDS.in_language(language), key_display="↓"),
            Binding("escape", "leave", say.KEY_BACK.in_language(language)),
        ]

    return LocalisedFindLine
