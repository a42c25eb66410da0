"""The keys that work now, in one row.

A key stands there whole or not at all: where the row is too narrow for all, those go first that are best known or are
said elsewhere. Whatever is left out is in the command palette and in the help.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

FIRST_TO_GO = (
    "raw",
    "next_panel",
    "help",
    "find",
    "diff",
    "submit",
    "step(False)",
    "step(True)",
    "type",
    "candidates",
    "whole",
    "remove",
    "leave",
)
"""Actions in the order in which their keys make room for others."""


class KeysLine(Footer):
    """Textual's footer without half words."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False, compact=True)

    def compose(self) -> ComposeResult:
        """The keys of what has the focus, then those of the screen and the run."""
        keys = list(super().compose())
        self._fit(keys, self.app.size.width)
        yield from keys

    def on_resize(self, event: events.Resize) -> None:
        """More room, more keys."""
        self._fit(list(self.children), event.size.width)

    def _fit(self, shown: Sequence[Widget], width: int) -> None:
        keys = [each for each in shown if isinstance(each, FooterKey)]
        over = sum(_cells(key) for key in keys) - 1 - width  # the last one needs no blank behind it
        by_rank = sorted(keys, key=lambda key: _rank(key.action))
        for key in by_rank:
            key.display = over <= 0 or _rank(key.action) == len(FIRST_TO_GO)
            over -= 0 if key.display else _cells(key)


def _rank(action: str) -> int:
    return FIRST_TO_GO.index(action) if action in FIRST_TO_GO else len(FIRST_TO_GO)


def _cells(key: FooterKey) -> int:
    """The key, a blank, its name, a blank."""
    return cell_len(key.key_display) + cell_len(key.description) + 2
