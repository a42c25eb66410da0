"""A list to choose from."""

from __future__ import annotations

from contextlib import suppress

from textual.widgets import OptionList


class Choices(OptionList):
    """Textual's list; in one without room a page is nothing (Textual 8.2 ends the program there)."""

    def action_page_up(self) -> None:
        """A page upwards."""
        with suppress(KeyError):
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        """A page down."""
        with suppress(KeyError):
            super().action_page_down()  # type: ignore[no-untyped-call]
