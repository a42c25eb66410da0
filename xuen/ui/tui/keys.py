"""The keys of the screen, described in a language for its footer.

Always holds: whatever a key does has a name in the command palette too; letters work outside of text boxes only,
function keys everywhere (F6 and F7 are taken: a text box selects with them).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from textual.binding import Binding, BindingType
from textual.command import CommandPalette, Hit, Hits
from textual.content import Content
from textual.system_commands import SystemCommandsProvider

from xuen.texts import Language, Text
from xuen.texts import screen as say

INTERRUPT = 130
"""What Ctrl+C ends with, as SIGINT would."""


class Command(NamedTuple):
    """What a key does, by name."""

    keys: str  # as a person reads them
    title: Text
    help: Text
    action: str
    argument: str | bool | None = None


COMMANDS: tuple[Command, ...] = (
    Command("p, F5", say.KEY_PAUSE, say.HELP_PAUSE, "pause"),
    Command("p, F5", say.KEY_GO_ON, say.HELP_GO_ON, "go_on"),
    Command("x, F8", say.KEY_SKIP, say.HELP_SKIP, "skip_call"),
    Command("q, Ctrl+Q, Ctrl+C", say.KEY_QUIT, say.HELP_QUIT, "quit_run"),
    Command("v, F9", say.KEY_CANDIDATES, say.HELP_CANDIDATES, "candidates"),
    Command("i", say.KEY_INPUT, say.HELP_INPUT, "type"),
    Command("e, F4", say.KEY_QUEUE, say.HELP_QUEUE, "edit_queue"),
    Command("d", say.KEY_DIFF, say.HELP_DIFF, "diff"),
    Command("m", say.KEY_RAW, say.HELP_RAW, "raw"),
    Command("/", say.KEY_FIND, say.HELP_FIND, "find"),
    Command("n, N", say.KEY_NEXT, say.HELP_NEXT, "find_next", True),
    Command("f", say.KEY_FOLLOW, say.HELP_FOLLOW, "follow"),
    Command("c", say.KEY_COPY, say.HELP_COPY, "copy"),
    Command("t", say.KEY_THEME, say.HELP_THEME, "theme"),
    Command("1", say.IDEA, say.HELP_PANEL, "panel", "idea"),
    Command("2", say.ARTIFACT, say.HELP_PANEL, "panel", "artifact"),
    Command("3", say.LOG, say.HELP_PANEL, "panel", "log"),
    Command("Tab", say.KEY_PANELS, say.HELP_PANELS, "next_panel"),
    Command("?, F1", say.KEY_HELP, say.HELP_HELP, "help"),
)
"""What the command palette and the help offer."""


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
        key("slash", "find", say.KEY_FIND),
        key("tab", "next_panel", say.KEY_PANELS, priority=True),
        key("shift+tab", "next_panel(-1)", say.KEY_PANELS, priority=True, show=False),
        key("i", "type", say.KEY_INPUT),
        key("question_mark,f1", "help", say.KEY_HELP),
        key("ctrl+p", "command_palette", say.KEY_COMMANDS, priority=True),
        key("e,f4", "edit_queue", say.KEY_QUEUE, show=False),
        key("f", "follow", say.KEY_FOLLOW, show=False),
        key("c", "copy", say.KEY_COPY, show=False),
        key("t", "theme", say.KEY_THEME, show=False),
        key("n", "find_next(True)", say.KEY_NEXT, show=False),
        key("N", "find_next(False)", say.KEY_NEXT, show=False),
        Binding("1", "panel('idea')", show=False),
        Binding("2", "panel('artifact')", show=False),
        Binding("3", "panel('log')", show=False),
    ]


class Palette(CommandPalette):
    """The command palette. In a list that is not shown yet a page is nothing, and what was typed just before it was
    left is not looked for any more; Textual 8.2 ends the program there."""

    def _gather_commands(self, search_value: str) -> Any:
        return super()._gather_commands(search_value) if self in self.app.screen_stack else None

    def _action_command_list(self, action: str) -> None:
        with suppress(KeyError):
            super()._action_command_list(action)


def provider_class(language: Language) -> type[SystemCommandsProvider]:
    """Where the command palette has its commands from."""

    class LocalisedProvider(SystemCommandsProvider):
        async def search(self, query: str) -> Hits:
            """What fits; that nothing does is said here, since Textual knows it in English only."""
            nothing = True
            async for hit in super().search(query):
                nothing = False
                yield hit
            if nothing:
                yield Hit(1, Content(say.NO_COMMAND.in_language(language)), lambda: None)

    return LocalisedProvider
