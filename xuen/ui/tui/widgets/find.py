"""The line in which the user types what to find."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class FindLine(Input):
    """Hidden until it is needed; tells each change, each step and its end."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,up", "step(True)", show=False),
        Binding("shift+enter,down", "step(False)", show=False),
        Binding("escape", "leave", show=False),
    ]

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

    def action_step(self, up: bool) -> None:
        """Find another one."""
        self.post_message(self.Step(up=up))

    def action_leave(self) -> None:
        """Close the line."""
        self.post_message(self.Left())
