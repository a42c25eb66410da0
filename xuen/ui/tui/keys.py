"""The keys of the screen, described in a language for its footer.

Always holds: whatever a key does has a name in the command palette too; letters work outside of text boxes only,
function keys everywhere (F6 and F7 are taken: a text box selects with them).
"""

from __future__ import annotations

from textual.binding import Binding, BindingType

from xuen.texts import Language, Text
from xuen.texts import screen as say

INTERRUPT = 130
"""What Ctrl+C ends with, as SIGINT would."""

COMMANDS: tuple[tuple[Text, Text, str], ...] = (
    (say.KEY_PAUSE, say.HELP_PAUSE, "pause"),
    (say.KEY_GO_ON, say.HELP_GO_ON, "go_on"),
    (say.KEY_SKIP, say.HELP_SKIP, "skip_call"),
    (say.KEY_QUIT, say.HELP_QUIT, "quit_run"),
    (say.KEY_CANDIDATES, say.HELP_CANDIDATES, "candidates"),
    (say.KEY_DIFF, say.HELP_DIFF, "diff"),
    (say.KEY_RAW, say.HELP_RAW, "raw"),
    (say.KEY_FIND, say.HELP_FIND, "find"),
    (say.KEY_QUEUE, say.HELP_QUEUE, "edit_queue"),
    (say.KEY_INPUT, say.HELP_INPUT, "type"),
    (say.KEY_FOLLOW, say.HELP_FOLLOW, "follow"),
    (say.KEY_COPY, say.HELP_COPY, "copy"),
    (say.KEY_THEME, say.HELP_THEME, "theme"),
)
"""What the command palette offers: title, help, action."""


def bindings(language: Language) -> list[BindingType]:
    """All keys but those of the input box."""

    def key(keys: str, action: str, text: Text, *, priority: bool = False, show: bool = True) -> Binding:
        return Binding(keys, action, text.in_language(language), priority=priority, show=show)

    return [
        key("ctrl+q", "quit_run(0)", say.KEY_QUIT, priority=True),
        Binding("ctrl+c", f"quit_run({INTERRUPT})", show=False, priority=True),
        Binding("q", "quit_run(0)", show=False),
        key("p,f5", "pause", say.KEY_PAUSE),
        key("p,f5", "go_on", say.KEY_GO_ON),
        key("x,f8", "skip_call", say.KEY_SKIP),
        key("v,f9", "candidates", say.KEY_CANDIDATES),
        key("d", "diff", say.KEY_DIFF),
        key("m", "raw", say.KEY_RAW),
        key("slash", "find", say.KEY_FIND, priority=True),
        key("tab", "app.focus_next", say.KEY_PANELS, priority=True),
        key("i", "type", say.KEY_INPUT, priority=True),
        key("ctrl+p", "command_palette", say.KEY_COMMANDS, priority=True),
        key("e", "edit_queue", say.KEY_QUEUE, show=False),
        key("f", "follow", say.KEY_FOLLOW, show=False),
        key("c", "copy", say.KEY_COPY, show=False),
        key("t", "theme", say.KEY_THEME, show=False),
        key("n", "find_next(True)", say.KEY_NEXT, show=False),
        key("N", "find_next(False)", say.KEY_NEXT, show=False),
        Binding("1", "panel('idea')", show=False),
        Binding("2", "panel('artifact')", show=False),
        Binding("3", "panel('log')", show=False),
    ]
