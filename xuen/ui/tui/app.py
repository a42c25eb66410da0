"""The screen as an application: from events to widgets, from keys to the loop.

Owns what the user sees and presses. It draws a `View` and holds no state of the run of its own. Thirty times
a second it takes what the bridge has; nothing it does waits for the loop, and the loop never waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ClassVar

from textual import events, on
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.command import CommandPalette
from textual.containers import Container
from textual.content import Content
from textual.driver import Driver
from textual.screen import Screen
from textual.widgets import Footer, Static

from xuen.errors import UserError, XuenError
from xuen.events import Event, Output, RunFinished, RunStarted, Section, SectionChanged, SectionsShown
from xuen.stop import Stop
from xuen.texts import Language, Text
from xuen.texts import screen as say
from xuen.texts.console import ARTIFACT_UPDATED, IDEA_UPDATED
from xuen.ui.safe import clean
from xuen.ui.telling import first_line
from xuen.ui.tui import Work
from xuen.ui.tui.bridge import Bridge
from xuen.ui.tui.driver import terminal_hung_up
from xuen.ui.tui.keys import bindings
from xuen.ui.tui.widgets.input_box import InputBox, input_class
from xuen.ui.tui.widgets.log import Log, log_lines
from xuen.ui.tui.widgets.rows import PanelLine, TextRows
from xuen.ui.tui.widgets.section import SectionPanel
from xuen.ui.tui.widgets.status import Status
from xuen.ui.view import View, fold, queue_input, short_id

DRAWS_PER_SECOND = 30
HANGUP = 129

# From so many columns or rows on, the screen has the class of that name; screen.tcss says what it means.
_COLUMNS = [(0, "-narrow"), (100, "-wide")]
_ROWS = [(0, "-tiny"), (8, "-low"), (18, "-medium"), (30, "-tall")]

_MARKS: dict[Section, Text] = {"idea": IDEA_UPDATED, "artifact": ARTIFACT_UPDATED}


class LoopApp(App[None]):
    """The screen of one run; `app_class` gives it the keys of a language."""

    TITLE = "xuen"
    CSS_PATH = "screen.tcss"
    AUTO_FOCUS = "#input"
    HORIZONTAL_BREAKPOINTS = _COLUMNS
    VERTICAL_BREAKPOINTS = _ROWS

    def __init__(
        self,
        work: Work,
        *,
        stop: Stop,
        submit: Callable[[str], None],
        language: Language,
        queued: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class=driver_class)
        self._work = work
        self._stop = stop
        self._submit = submit
        self._language: Language = language
        self._clock_now = clock
        self._bridge = Bridge()
        self.view = View(queue=tuple(queued))
        self.running: Future[int] | None = None
        # Held here rather than looked up, so that drawing works whatever else stands over or after the screen.
        self._headline = Static(id="title", markup=False)
        self._panels: dict[Section, SectionPanel] = {
            "idea": SectionPanel(id="idea"),
            "artifact": SectionPanel(id="artifact"),
        }
        self._sections = Container(id="sections")
        self._log_panel = Log(id="log")
        self._status = Status(language)
        self._queue = Static(id="queue", markup=False)
        self._input = input_class(language)(id="input", placeholder=self._say(say.PLACEHOLDER))

    # --- what is on it -----------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """From top to bottom as they stand on the screen."""
        yield self._headline
        with self._sections:
            yield from self._panels.values()
        yield self._log_panel
        yield self._status
        yield self._queue
        yield self._input
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Name the panels, start the loop and the drawing."""
        self._panels["idea"].border_title = self._say(say.IDEA)
        self._panels["artifact"].border_title = self._say(say.ARTIFACT)
        self._log_panel.border_title = self._say(say.LOG)
        self._input.border_title = self._say(say.INPUT)
        self._make_current(self._log_panel)
        self._show_sections(("idea", "artifact"))
        self._show_follow()
        self._show_rest()
        self.set_interval(1 / DRAWS_PER_SECOND, self._tick)
        self.set_interval(1, self._watch_terminal)
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        """Begin the work once the screen stands; a screen that cannot start leaves it to the console."""
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="xuen-loop")
        self.running = pool.submit(self._work, self._bridge)
        pool.shutdown(wait=False)

    # --- events in ---------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        done = self.running is not None and self.running.done()  # asked first: its last events are then waiting
        drained = self._bridge.drain()
        if drained.skipped:
            text = self._say(say.LINES_SKIPPED.of(count=drained.skipped))
            self._log_panel.append([PanelLine("warning", text, mark=len(text))])
        self._take(drained.events)
        self._show_rest()
        if done and self.running is not None and (self._stop.is_set() or self.running.exception() is not None):
            self.exit()

    def _take(self, happened: list[Event]) -> None:
        now = self._clock_now()
        lines: list[PanelLine] = []
        stale: set[Section] = set()
        for event in happened:
            if not (isinstance(event, Output) and self.view.heard == now):  # a flood is heard once a draw
                self.view = fold(self.view, event, now=now)
            lines += log_lines(event, self.view, self._language)
            if isinstance(event, SectionsShown):
                stale |= {"idea", "artifact"}
            elif isinstance(event, SectionChanged):
                stale.add(event.section)
            elif isinstance(event, RunFinished) and not self._input.text:
                self._log_panel.focus()  # so that q leaves
            elif isinstance(event, RunStarted):
                self._headline.update(self._plain(say.TITLE.of(task=first_line(event.task))))
        if lines:
            self._log_panel.append(lines)
        self._show_sections(sorted(stale))

    def _show_sections(self, sections: Iterable[Section]) -> None:
        for section in sections:
            panel = self._panels[section]
            content = self.view.idea if section == "idea" else self.view.artifact
            changed = section in self.view.changed
            panel.show(content, mark=self._say(_MARKS[section]) if changed else "", empty=self._say(say.EMPTY))

    def _show_rest(self) -> None:
        """Whatever may have changed with the view or with time; each part redraws itself only if it did."""
        self._status.show(self.view, self._clock_now(), ending=self._stop.is_set())
        for section, panel in self._panels.items():
            subtitle = ""
            if section in self.view.changed:
                subtitle = self._say(say.CHANGED.of(round=self.view.round))
            elif self.view.best_id is not None:
                subtitle = self._say(say.OF_BEST.of(id=short_id(self.view.best_id)))
            _subtitle(panel, subtitle)
        self._show_queue()

    def _show_queue(self) -> None:
        content = Content("")
        if self.view.queue:
            count = self._say(say.QUEUED.of(count=len(self.view.queue)))
            texts = " · ".join(" ".join(clean(text).split()) for text in self.view.queue)
            content = Content.assemble((count, "bold"), f"  {texts}")
        elif self.view.taken_round is not None and self.view.taken_round == self.view.round:
            content = Content(self._say(say.TAKEN.of(round=self.view.taken_round)))
        if str(content) != str(self._queue.content):
            self._queue.update(content)
            self._queue.set_class(bool(str(content)), "-some")

    @on(Log.FollowingChanged)
    def _show_follow(self) -> None:
        _subtitle(self._log_panel, self._say(say.FOLLOWING if self._log_panel.following else say.NOT_FOLLOWING))

    def _say(self, text: Text) -> str:
        return clean(text.in_language(self._language))

    def _plain(self, text: Text) -> Content:
        return Content(self._say(text))

    # --- keys out ----------------------------------------------------------------------------------------------

    @on(InputBox.Submitted)
    def _queue_text(self, message: InputBox.Submitted) -> None:
        try:
            self._submit(message.text)
        except (OSError, XuenError) as error:
            self._input.text = message.text
            reason = error.line(self._language) if isinstance(error, UserError) else str(error)
            self.notify(self._say(say.NOT_QUEUED.of(error=reason)), severity="error", markup=False)
            return
        self.view = queue_input(self.view, message.text)
        self._show_queue()

    def action_quit_run(self, exit_code: int = 0) -> None:
        """Ask the loop to end; the screen leaves when it has."""
        self._stop.request(exit_code)
        self._show_rest()

    def _watch_terminal(self) -> None:
        """A terminal that hung up ends the run as SIGHUP would."""
        if not self._stop.is_set() and terminal_hung_up():
            self._stop.request(HANGUP)

    def action_leave_input(self) -> None:
        """From the input box to the log."""
        self._log_panel.focus()

    def action_type(self) -> None:
        """To the input box."""
        self._input.focus()

    def action_panel(self, panel: str) -> None:
        """To a panel."""
        chosen = next(each for each in self._text_rows() if each.id == panel)
        self._make_current(chosen)
        chosen.focus()

    def action_follow(self) -> None:
        """To the end of the log, and stay."""
        self._log_panel.follow()

    def action_copy(self) -> None:
        """The selected text to the clipboard of the terminal."""
        selected = self.screen.get_selected_text()
        if selected:
            self.copy_to_clipboard(selected)
        self.notify(self._say(say.COPIED if selected else say.NOTHING_SELECTED), timeout=2, markup=False)

    def action_theme(self) -> None:
        """Light to dark and back."""
        self.theme = "textual-dark" if not self.current_theme.dark else "textual-light"

    def action_command_palette(self) -> None:
        """All of it by name."""
        if len(self.screen_stack) == 1:
            self.push_screen(CommandPalette(placeholder=self._say(say.SEARCH_COMMANDS), id="--command-palette"))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:  # noqa: ARG002 - Textual's
        """What the command palette offers."""
        commands = (
            (say.KEY_QUIT, say.HELP_QUIT, self.action_quit_run),
            (say.KEY_INPUT, say.HELP_INPUT, self.action_type),
            (say.KEY_FOLLOW, say.HELP_FOLLOW, self.action_follow),
            (say.KEY_COPY, say.HELP_COPY, self.action_copy),
            (say.KEY_THEME, say.HELP_THEME, self.action_theme),
        )
        for title, help_text, action in commands:
            yield SystemCommand(self._say(title), self._say(help_text), action)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """On a low terminal only the panel that was last used is shown."""
        if isinstance(event.widget, TextRows):
            self._make_current(event.widget)

    def _text_rows(self) -> tuple[TextRows, ...]:
        return (*self._panels.values(), self._log_panel)

    def _make_current(self, panel: TextRows) -> None:
        for each in self._text_rows():
            each.set_class(each is panel, "-current")
        self._sections.set_class(isinstance(panel, SectionPanel), "-current")


def _subtitle(panel: TextRows, text: str) -> None:
    """Set only if it differs: setting it draws the panel anew."""
    if panel.border_subtitle != text:
        panel.border_subtitle = text


def app_class(language: Language) -> type[LoopApp]:
    """The application with its keys described in a language."""

    class LocalisedApp(LoopApp):
        BINDINGS: ClassVar[list[BindingType]] = bindings(language)
        ENABLE_COMMAND_PALETTE = True

    return LocalisedApp
