"""The keys of the screen, described in a language for its footer."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from xuen.texts import Language, Text
from xuen.texts import screen as say

INTERRUPT = 130
"""What Ctrl+C ends with, as SIGINT would."""


def bindings(language: Language) -> list[BindingType]:
    """All keys but those of the input box. Plain letters work outside of it only."""

    def key(keys: str, action: str, text: Text, *, priority: bool = False) -> Binding:
        return Binding(keys, action, text.in_language(language), priority=priority)

    return [
        key("ctrl+q", "quit_run(0)", say.KEY_QUIT, priority=True),
        Binding("ctrl+c", f"quit_run({INTERRUPT})", show=False, priority=True),
        Binding("q", "quit_run(0)", show=False),
        key("tab", "app.focus_next", say.KEY_PANELS, priority=True),
        key("i", "type", say.KEY_INPUT),
        key("f", "follow", say.KEY_FOLLOW),
        key("c", "copy", say.KEY_COPY),
        key("t", "theme", say.KEY_THEME),
        key("ctrl+p", "command_palette", say.KEY_COMMANDS, priority=True),
        Binding("1", "panel('idea')", show=False),
        Binding("2", "panel('artifact')", show=False),
        Binding("3", "panel('log')", show=False),
    ]
