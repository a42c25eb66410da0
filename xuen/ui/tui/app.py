"""The screen as an application: from events to widgets, from keys to the loop.

Owns what the user sees and presses. It draws a `View` and holds no state of the run of its own. Ten times
a second it takes what the bridge has; nothing it does waits for the loop, and the loop never waits for it.
What is queued and what was decided it reads from the workspace's files, as any other program could.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.content import Content
from textual.driver import Driver
from textual.screen import Screen
from textual.widgets import Input, Static, TextArea

from xuen.errors import UserError, XuenError
from xuen.events import (
    Adopted,
    Baseline,
    Event,
    InputTaken,
    Output,
    Pending,
    Purpose,
    Rejected,
    RoundStarted,
    RunFinished,
    RunStarted,
    Section,
    SectionChanged,
    SectionsShown,
)
from xuen.stop import Stop
from xuen.texts import Language, Text, plain
from xuen.texts import screen as say
from xuen.texts.console import ARTIFACT_UPDATED, IDEA_UPDATED
from xuen.ui.past import past_marks
from xuen.ui.telling import first_line
from xuen.ui.tui import Work
from xuen.ui.tui.bridge import Bridge
from xuen.ui.tui.candidates import CandidatesScreen, candidates_class
from xuen.ui.tui.driver import terminal_hung_up
from xuen.ui.tui.help import help_class
from xuen.ui.tui.idle import IdleWatch
from xuen.ui.tui.keys import COMMANDS, Palette, bindings, provider_class
from xuen.ui.tui.panels import PanelsApp, show_subtitle
from xuen.ui.tui.waiting import InboxWatch, one_line, queue_class
from xuen.ui.tui.widgets.input_box import InputBox
from xuen.ui.tui.widgets.keys_line import KeysLine
from xuen.ui.tui.widgets.log import log_lines
from xuen.ui.tui.widgets.rows import PanelLine
from xuen.ui.tui.widgets.section import Mode
from xuen.ui.tui.widgets.status import SILENT_AFTER, Status
from xuen.ui.view import Phase, View, fold, short_id
from xuen.workspace import inbox
from xuen.workspace.paths import Workspace

DRAWS_PER_SECOND = 10
FLOOD = 100  # events at once from which the next draws are left out
FLOOD_RESTS = 2
HANGUP = 129

# From so many columns or rows on, the screen has the class of that name; screen.tcss says what it means.
_COLUMNS = [(0, "-narrow"), (100, "-wide")]
_ROWS = [(0, "-tiny"), (8, "-low"), (18, "-medium"), (30, "-tall")]

_EVERYWHERE = ("quit_run", "next_panel", "theme", "find_next")
"""Actions that also work over another screen."""

_WHILE_IT_RUNS = ("pause", "go_on", "skip_call")

_MARKS: dict[Section, Text] = {"idea": IDEA_UPDATED, "artifact": ARTIFACT_UPDATED}


class LoopApp(PanelsApp):
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
        workspace: Workspace,
        language: Language,
        clock: Callable[[], float] = time.monotonic,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(language, driver_class)
        self._work = work
        self._stop = stop
        self._workspace = workspace
        self._clock_now = clock
        self._bridge = Bridge()
        self.view = View(marks=past_marks(workspace))
        self._waiting = InboxWatch(workspace)
        self._idle = IdleWatch()
        self._resting = 0  # draws still to be left out
        self._held = False  # whether the keys show a pause
        self.running: Future[int] | None = None
        self._headline = Static(id="title", markup=False)
        self._status = Status(language, stop)
        self._queue = Static(id="queue", markup=False)

    # --- what is on it -----------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """From top to bottom as they stand on the screen."""
        yield self._headline
        with self._sections:
            yield from self._panels.values()
        yield self._log_panel
        yield self._find
        yield self._status
        yield self._queue
        yield self._box
        yield KeysLine()

    def on_mount(self) -> None:
        """Name the panels, start the loop and the drawing."""
        self._panels["idea"].border_title = self._say(say.IDEA)
        self._panels["artifact"].border_title = self._say(say.ARTIFACT)
        self._log_panel.border_title = self._say(say.LOG)
        self._box.border_title = self._say(say.INPUT)
        self._make_current(self._log_panel)
        self._find.display = False
        self._show_sections(("idea", "artifact"))
        self._show_follow()
        self._show_rest()
        self.set_interval(1 / DRAWS_PER_SECOND, self._tick_or_rest)
        self.set_interval(0.5, self._look_at_inbox)
        self.set_interval(1, self._watch_terminal)
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        """Begin the work once the screen stands; a screen that cannot start leaves it to the console."""
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="xuen-loop")
        self.running = pool.submit(self._work, self._bridge)
        pool.shutdown(wait=False)

    # --- events in ---------------------------------------------------------------------------------------------

    def _tick_or_rest(self) -> None:
        """Of a flood nobody reads more when it is drawn more often; the loop has the time instead."""
        self._wait_for_terminal()
        self._resting -= 1
        if self._resting < 0:
            self._resting = FLOOD_RESTS if self._tick() > FLOOD else 0

    def _tick(self) -> int:
        """Draw what has come; how many events that were."""
        done = self.running is not None and self.running.done()  # asked first: its last events are then waiting
        drained = self._bridge.drain()
        if drained.skipped:
            text = self._say(say.LINES_SKIPPED.of(count=drained.skipped))
            self._log_panel.append([PanelLine("warning", text, mark=len(text))])
        self._take(drained.events)
        self._show_rest()
        if done and self.running is not None and (self._stop.is_set() or self.running.exception() is not None):
            self.exit()
        return len(drained.events)

    def _take(self, happened: list[Event]) -> None:
        now = self._clock_now()
        lines: list[PanelLine] = []
        stale: set[Section] = set()
        for event in happened:
            heard = isinstance(event, Output) and event.purpose is not Purpose.WORDS and self.view.heard == now
            if not heard:  # a flood is heard once a draw
                self.view = fold(self.view, event, now=now)
            lines += log_lines(event, self.view, self._language)
            if isinstance(event, SectionChanged):
                stale.add(event.section)
            elif not isinstance(event, Output):
                stale |= self._notice(event)
        if lines:
            self._log_panel.append(lines)
        self._show_sections(sorted(stale))

    def _notice(self, event: Event) -> set[Section]:
        """Whatever an event means for the screen beyond the view and the log; the panels that it touches."""
        match event:
            case SectionsShown() | RoundStarted():
                return {"idea", "artifact"}
            case RunFinished():
                if not self._box.text:
                    self._log_panel.focus()  # so that q leaves
                self.refresh_bindings()
            case RunStarted():
                self._headline.update(self._plain(say.TITLE.of(task=first_line(event.task))))
            case InputTaken():
                self._look_at_inbox()
            case Adopted() | Rejected() | Pending() | Baseline():
                self._tell_decision(event)
            case _:
                pass
        return set()

    def _tell_decision(self, event: Adopted | Rejected | Pending | Baseline) -> None:
        """A list of candidates that is open shows the decision; one by the user is told wherever one looks."""
        if isinstance(event, Adopted | Rejected) and event.verify == "user":
            text = say.OVERTURNED if isinstance(event, Adopted) else say.CONFIRMED_REJECTED
            self._tell(text.of(id=short_id(event.id)))
        for screen in self.screen_stack:
            if isinstance(screen, CandidatesScreen):
                screen.reload()

    def _show_sections(self, sections: Iterable[Section]) -> None:
        for section in sections:
            idea = section == "idea"
            content, base = (
                (self.view.idea, self.view.base_idea) if idea else (self.view.artifact, self.view.base_artifact)
            )
            mark = self._say(_MARKS[section]) if section in self.view.changed else ""
            self._panels[section].show(content, mark=mark, base=base)

    def _show_rest(self) -> None:
        """Whatever may have changed with the view or with time; each part redraws itself only if it did."""
        now = self._clock_now()
        quiet = self.view.pid is not None and now - (self.view.heard or self.view.since) >= SILENT_AFTER
        self._status.show(self.view, now, idle=quiet and self._idle.is_idle(self.view.pid, now))
        for section, panel in self._panels.items():
            show_subtitle(panel, self._say(self._about(section, panel.mode)))
        self._show_queue()
        if self._held != self._stop.is_paused():
            self._held = self._stop.is_paused()
            self.refresh_bindings()

    def modes_changed(self) -> None:
        """The feet of the sections say how they are shown."""
        self._show_rest()

    def _about(self, section: Section, mode: Mode) -> Text:
        """What stands at the foot of a section: what is shown, and of which round."""
        if mode == "diff":
            base = self.view.base_id
            return say.AGAINST_START if base is None else say.AGAINST.of(id=short_id(base))
        what = plain("")
        if section in self.view.changed:
            what = say.CHANGED.of(round=self.view.round)
        elif self.view.best_id is not None:
            what = say.OF_BEST.of(id=short_id(self.view.best_id))
        if mode == "raw":
            what = Text(f"{say.RAW.en} · {what.en}", f"{say.RAW.zh} · {what.zh}") if what.en else say.RAW
        return what

    def _look_at_inbox(self) -> None:
        if self._waiting.look():
            self._show_queue()

    def _show_queue(self) -> None:
        content = Content("")
        entries = self._waiting.entries
        if entries:
            count = self._say(say.QUEUED.of(count=len(entries)))
            texts = " · ".join(one_line(entry.text) for entry in entries[:20])
            hint = f"  ({self._say(say.HOW_TO_EDIT)})"
            content = Content.assemble((count, "bold"), (hint, "$foreground-muted"), f"  {texts}")
        elif self.view.taken_round is not None and self.view.taken_round == self.view.round:
            content = Content(self._say(say.TAKEN.of(round=self.view.taken_round)))
        if str(content) != str(self._queue.content):
            self._queue.update(content)
            self._queue.set_class(bool(str(content)), "-some")

    def _plain(self, text: Text) -> Content:
        return Content(self._say(text))

    # --- keys: the run -------------------------------------------------------------------------------------------

    @on(InputBox.Submitted)
    def _queue_text(self, message: InputBox.Submitted) -> None:
        try:
            inbox.put(self._workspace, message.text)
        except (OSError, XuenError) as error:
            self._box.text = message.text
            reason = error.line(self._language) if isinstance(error, UserError) else str(error)
            self.notify(self._say(say.NOT_QUEUED.of(error=reason)), severity="error", markup=False)
            return
        self._look_at_inbox()

    def action_quit_run(self, exit_code: int = 0) -> None:
        """Ask the loop to end; the screen leaves when it has."""
        self._stop.request(exit_code)
        self._show_rest()

    def _watch_terminal(self) -> None:
        """A terminal that hung up ends the run as SIGHUP would."""
        if not self._stop.is_set() and terminal_hung_up():
            self._stop.request(HANGUP)

    def action_pause(self) -> None:
        """Let the loop wait when this round is over."""
        self._stop.pause()
        self._show_rest()
        if not self._stop.is_waiting():
            self._tell(say.PAUSED_NOW)

    def action_go_on(self) -> None:
        """End the pause, or take it back."""
        self._stop.go_on()
        self._show_rest()

    def action_skip_call(self) -> None:
        """End only what runs now."""
        if self.view.pid is None and self.view.phase is not Phase.VERIFYING:
            self._tell(say.NOTHING_RUNS)
            return
        self._stop.skip_call()
        self._tell(say.CALL_SKIPPED)
        self._show_rest()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Keys of the run are not there over another screen, nor where they would do nothing."""
        if not self._has_meaning(action):
            return False
        if action == "find" and isinstance(self.focused, TextArea | Input):
            return False  # it is a letter there; Textual 8.2 does not know that of "slash" and shows it among the keys
        return action in _EVERYWHERE or len(self.screen_stack) == 1

    def _has_meaning(self, action: str) -> bool:
        """Whether an action can do something in this state of the run; of pause and go on one can."""
        if action in ("pause", "go_on") and (action == "go_on") != self._stop.is_paused():
            return False
        return action not in _WHILE_IT_RUNS or self.view.finished is None

    # --- keys: other screens -------------------------------------------------------------------------------------

    def pop_screen(self) -> AwaitComplete:
        """Back to the run; a screen that is left twice at once, as by a double click beside it, is left once."""
        return super().pop_screen() if len(self.screen_stack) > 1 else AwaitComplete()

    async def action_candidates(self) -> None:
        """All candidates, to open, compare and score."""
        ended = self.view.finished is not None
        await self.push_screen(candidates_class(self._language)(self._workspace, self._language, self._tell, ended))

    async def action_edit_queue(self) -> None:
        """What waits, to be changed."""
        await self.push_screen(queue_class(self._language)(self._workspace, self._language, self._tell))

    async def action_help(self) -> None:
        """All keys."""
        await self.push_screen(help_class(self._language)(self._language))

    def action_leave_input(self) -> None:
        """From the input box to the log."""
        self._log_panel.focus()

    @on(InputBox.Left)
    def _left_input(self) -> None:
        self.action_leave_input()

    def action_type(self) -> None:
        """To the input box."""
        self.screen.set_focus(self._box)

    # --- the command palette -------------------------------------------------------------------------------------

    def action_command_palette(self) -> None:
        """All of it by name."""
        self.push_screen(Palette(placeholder=self._say(say.SEARCH_COMMANDS), id="--command-palette"))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:  # noqa: ARG002 - Textual's
        """What the command palette offers."""
        for command in COMMANDS:
            if not self._has_meaning(command.action):
                continue
            act = getattr(self, f"action_{command.action}")
            text = f"{self._say(command.help)}  ({command.keys})"  # Textual reads markup here
            yield SystemCommand(
                self._say(command.title), text, act if command.argument is None else partial(act, command.argument)
            )


def app_class(language: Language) -> type[LoopApp]:
    """The application with its keys described in a language."""

    class LocalisedApp(LoopApp):
        BINDINGS: ClassVar[list[BindingType]] = bindings(language)
        ENABLE_COMMAND_PALETTE = True
        COMMANDS = {provider_class(language)}  # noqa: RUF012 - Textual's

    return LocalisedApp
