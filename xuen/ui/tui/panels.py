"""The panels of the screen and what a reader does with them: choose, find, copy, compare, follow.

Owns which panel is in use and in which way the sections are shown; knows nothing of the loop.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from textual import events, on
from textual.containers import Container
from textual.driver import Driver
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from xuen.events import Section
from xuen.texts import Language, Text, plain
from xuen.texts import screen as say
from xuen.ui.safe import clean
from xuen.ui.tui.driver import HangupProofDriver
from xuen.ui.tui.key_order import KeyOrderApp
from xuen.ui.tui.widgets.find import FindLine, find_class
from xuen.ui.tui.widgets.input_box import input_class
from xuen.ui.tui.widgets.log import Log
from xuen.ui.tui.widgets.rows import TextRows
from xuen.ui.tui.widgets.section import Mode, SectionPanel

_SETTLED = 0.3  # seconds after the last change of size; tmux passes sizes on for up to a quarter of a second


class PanelsApp(KeyOrderApp):
    """The part of the application that works without a run."""

    def __init__(self, language: Language, driver_class: type[Driver] | None) -> None:
        super().__init__(driver_class)
        self._language: Language = language
        # Held here rather than looked up, so that drawing works whatever else stands over or after the screen.
        self._panels: dict[Section, SectionPanel] = {
            "idea": SectionPanel(language, id="idea"),
            "artifact": SectionPanel(language, id="artifact"),
        }
        self._sections = Container(id="sections")
        self._log_panel = Log(id="log")
        self._current: TextRows = self._log_panel  # the panel that was last used
        self._box = input_class(language)(id="input", placeholder=self._say(say.PLACEHOLDER))
        self._find = find_class(language)(id="find", placeholder=self._say(say.FIND_HINT))
        self._redrawing: Timer | None = None
        self._undrawn: ExitStack | None = None  # while the terminal reads too slowly

    def on_resize(self) -> None:
        """Draw everything once more when the sizes have settled.

        A terminal that becomes smaller and larger again loses what stood there, and Textual draws only what it thinks
        has changed. Under load a drawing for one size may also meet a terminal of another.
        """
        if self._redrawing is not None:
            self._redrawing.stop()
        self._redrawing = self.set_timer(_SETTLED, partial(self.refresh, layout=True))

    def _wait_for_terminal(self) -> None:
        """Draw nothing until the terminal has read what was drawn, and then all anew, as it has become meanwhile."""
        behind = isinstance(self._driver, HangupProofDriver) and self._driver.is_behind()
        if behind and self._undrawn is None:
            self._undrawn = ExitStack()
            self._undrawn.enter_context(self.batch_update())
        elif not behind and self._undrawn is not None:
            self._undrawn.close()
            self._undrawn = None
            self.refresh(layout=True)

    def modes_changed(self) -> None:
        """Told when the sections are shown in another way."""

    def _say(self, text: Text) -> str:
        return clean(text.in_language(self._language))

    def _tell(self, text: Text) -> None:
        self.notify(self._say(text), timeout=4, markup=False)

    @on(Log.FollowingChanged)
    def _show_follow(self) -> None:
        show_subtitle(self._log_panel, self._say(say.FOLLOWING if self._log_panel.following else say.NOT_FOLLOWING))

    # --- how the sections are shown --------------------------------------------------------------------------------

    def action_diff(self) -> None:
        """From the sections to their changes and back."""
        self._change_mode("diff")

    def action_raw(self) -> None:
        """From formatted to plain text and back."""
        self._change_mode("raw")

    def _change_mode(self, mode: Mode) -> None:
        for panel in self._panels.values():
            panel.set_mode("formatted" if panel.mode == mode else mode)
        if not self._sections.display or not self._sections.region.height:  # a low terminal that shows the log
            self.action_panel("idea")
        self.modes_changed()

    def action_panel(self, panel: str) -> None:
        """To a panel."""
        chosen = next(each for each in self._text_rows() if each.id == panel)
        self._make_current(chosen)
        chosen.focus()

    def action_next_panel(self, step: int = 1) -> None:
        """To the next panel or the input box, also where only one panel is shown; on another screen, on that one."""
        places: list[Widget] = [*self._text_rows(), self._box]
        if len(self.screen_stack) > 1 or self.focused not in places:
            (self.screen.focus_next if step > 0 else self.screen.focus_previous)()
            return
        place = places[(places.index(self.focused) + step) % len(places)]
        if isinstance(place, TextRows):
            self._make_current(place)
        self.screen.set_focus(place)

    def action_follow(self) -> None:
        """To the end of the log, and stay."""
        self._log_panel.follow()

    def action_copy(self) -> None:
        """The selected text, or all of the panel in use, to the clipboard of the terminal."""
        selected = self.screen.get_selected_text()
        panel = self._current
        whole = panel.content if isinstance(panel, SectionPanel) else "\n".join(panel.lines)
        self.copy_to_clipboard(selected or clean(whole))
        self._tell(say.COPIED if selected else say.COPIED_ALL)

    def action_theme(self) -> None:
        """Light to dark and back."""
        self.theme = "textual-dark" if not self.current_theme.dark else "textual-light"

    # --- keys: finding -------------------------------------------------------------------------------------------

    def action_find(self) -> None:
        """Ask what to find in the panel in use."""
        self._find.display = True
        self.screen.set_focus(self._find)

    def action_find_next(self, up: bool) -> None:
        """To the next place, upwards or down."""
        if self._find.value and not self._current.find(backwards=up):
            self._tell(say.NOT_FOUND_TEXT.of(text=plain(self._find.value)))

    @on(Input.Changed, "#find")
    def _look_for(self) -> None:
        self._current.look_for(clean(self._find.value))
        self._current.find()

    @on(FindLine.Step)
    def _find_another(self, message: FindLine.Step) -> None:
        self.action_find_next(message.up)

    @on(FindLine.Left)
    def _stop_finding(self) -> None:
        self._find.display = False
        self._current.focus()

    # --- which panel is in use -----------------------------------------------------------------------------------

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """On a low terminal only the panel that was last used is shown."""
        if event.widget in self._text_rows() and isinstance(event.widget, TextRows):
            self._make_current(event.widget)

    def _text_rows(self) -> tuple[TextRows, ...]:
        return (*self._panels.values(), self._log_panel)

    def _make_current(self, panel: TextRows) -> None:
        if panel is not self._current:
            self._current.look_for("")
            self._current = panel
        for each in self._text_rows():
            each.set_class(each is panel, "-current")
        self._sections.set_class(isinstance(panel, SectionPanel), "-current")


def show_subtitle(panel: TextRows, text: str) -> None:
    """Set only if it differs: setting it draws the panel anew."""
    if panel.border_subtitle != text:
        panel.border_subtitle = text
