"""Where the user types: Enter queues, pasted lines stay lines."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from xuen.texts import Language, Text
from xuen.texts import screen as say
from xuen.ui.safe import without_controls


def harmless(strip: Strip) -> Strip:
    """A row of a text box as the terminal may have it: what is edited or pasted there can be anybody's."""
    if strip.text.isprintable():
        return strip
    return Strip([segment._replace(text=without_controls(segment.text)) for segment in strip], strip.cell_length)


class InputBox(TextArea):
    """A text box of a few lines; `input_class` gives it its keys."""

    class Submitted(Message):
        """The user pressed Enter on a text that is not blank."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class Left(Message):
        """The user wants out of the box."""

    def __init__(self, *, id: str, placeholder: str) -> None:
        super().__init__(id=id, compact=True, highlight_cursor_line=False, placeholder=placeholder)
        self.cursor_blink = False  # nothing moves without a reason

    def render_line(self, y: int) -> Strip:
        """One row; a box without room for a wide character has none (Textual 8.2 fails to wrap into it)."""
        return (
            harmless(super().render_line(y))
            if self.content_size.width > 1
            else Strip.blank(self.size.width, self.rich_style)
        )

    def on_key(self, event: events.Key) -> None:
        """Keep Enter from becoming a newline, so that its binding sees it."""
        if event.key == "enter":
            event.prevent_default()

    def action_newline(self) -> None:
        """Begin a new line."""
        self.insert("\n")

    def action_leave(self) -> None:
        """Leave the box as it is."""
        self.post_message(self.Left())

    def action_submit(self) -> None:
        """Hand the text over and empty the box."""
        text = self.text.strip()
        if text:
            self.post_message(self.Submitted(text))
            self.text = ""


def input_class(language: Language, *, submit: Text = say.KEY_SEND, leave: Text | None = None) -> type[InputBox]:
    """The box with its keys described in a language; the key that leaves it is shown where it has a name here."""
    left = leave or say.KEY_LEAVE_INPUT

    class LocalisedInputBox(InputBox):
        BINDINGS: ClassVar[list[BindingType]] = [
            Binding("enter", "submit", submit.in_language(language)),
            Binding("alt+enter,shift+enter,ctrl+j", "newline", say.KEY_NEWLINE.in_language(language), show=False),
            Binding("escape", "leave", left.in_language(language), show=leave is not None),
        ]

    return LocalisedInputBox
