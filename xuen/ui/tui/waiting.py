"""What waits for the next call: read from the inbox, shown in one row, changed on a screen of its own.

Owns nothing of the queue itself: the file is the truth, so that texts from `xuen say` in another terminal are seen
too. Whatever a call has been given can no longer be changed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from xuen.texts import Language, Text
from xuen.texts import screen as say
from xuen.ui.safe import clean
from xuen.ui.tui.widgets.choices import Choices
from xuen.ui.tui.widgets.input_box import InputBox, input_class
from xuen.ui.tui.widgets.keys_line import KeysLine
from xuen.workspace import inbox
from xuen.workspace.inbox import Entry
from xuen.workspace.paths import Workspace

_ONE_LINE = 500  # characters


class InboxWatch:
    """The entries as they were at the last look; a look that finds the file unchanged costs one `stat`."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._seen: tuple[int, int, int] | None = None
        self.entries: list[Entry] = []

    def look(self) -> bool:
        """Read the file if it has changed; whether the entries are other ones now."""
        try:
            found = self._workspace.inbox.stat()
            seen = (found.st_ino, found.st_mtime_ns, found.st_size)
            if seen == self._seen:
                return False
            entries = inbox.peek(self._workspace) if found.st_size else []
        except OSError:
            seen, entries = None, []
        self._seen = seen
        changed, self.entries = entries != self.entries, entries
        return changed


def one_line(text: str) -> str:
    """The beginning of a text as one line, more of it than a row has room for."""
    words = " ".join(clean(text[:_ONE_LINE]).split())
    return f"{words} …" if len(text) > _ONE_LINE else words


class QueueScreen(ModalScreen[None]):
    """The waiting texts; one can be changed or removed."""

    def __init__(self, workspace: Workspace, language: Language, tell: Callable[[Text], None]) -> None:
        super().__init__()
        self._workspace = workspace
        self._language: Language = language
        self._tell = tell
        self._watch = InboxWatch(workspace)
        self._edited: Entry | None = None
        self._list = _list_class(language)(id="waiting", markup=False)
        self._box: InputBox = input_class(language, submit=say.KEY_SAVE, leave=say.KEY_CANCEL)(
            id="edit", placeholder=""
        )

    def compose(self) -> ComposeResult:
        """The list over the box."""
        with Vertical(id="dialog"):
            yield self._list
            yield Static(Content(self._say(say.QUEUE_EMPTY)), id="nothing", markup=False)
            yield self._box
        yield KeysLine()

    def on_mount(self) -> None:
        """Show what waits, and look again as long as this is open."""
        self._list.border_title = self._say(say.QUEUE_TITLE)
        self._box.border_title = self._say(say.KEY_EDIT)
        self._look()
        self.set_interval(0.3, self._look)
        self.set_focus(self._list)

    def _say(self, text: Text) -> str:
        return clean(text.in_language(self._language))

    def _look(self) -> None:
        chosen = self._chosen()
        if self._watch.look() or not self._list.option_count:
            at = self._list.highlighted or 0
            if chosen in self._watch.entries[:at]:  # others before it went
                at = self._watch.entries.index(chosen)
            self._list.clear_options()
            self._list.add_options([Content(one_line(entry.text)) for entry in self._watch.entries])
            if self._watch.entries:
                self._list.highlighted = min(at, len(self._watch.entries) - 1)
        self.set_class(not self._watch.entries, "-empty")

    def _chosen(self) -> Entry | None:
        at = self._list.highlighted
        return None if at is None or at >= len(self._watch.entries) else self._watch.entries[at]

    @on(OptionList.OptionSelected)
    def action_edit(self) -> None:
        """Put the chosen text into the box."""
        self._edited = self._chosen()
        if self._edited is not None:
            self.set_class(True, "-editing")
            self._box.text = self._edited.text
            self._box.move_cursor(self._box.document.end)
            self.set_focus(self._box)

    def action_remove(self) -> None:
        """Take the chosen text out of the queue."""
        chosen = self._chosen()
        if chosen is not None:
            self._change(chosen, None)

    @on(InputBox.Submitted)
    def _save(self, message: InputBox.Submitted) -> None:
        message.stop()  # the run's own screen would queue it
        if self._edited is None or self._change(self._edited, message.text):
            self.action_back()
        else:
            self._box.text = message.text

    def _change(self, entry: Entry, text: str | None) -> bool:
        """Whether nothing that was typed is lost: what comes too late waits for the next call."""
        try:
            if not inbox.change(self._workspace, entry, text):
                if text is not None and text != entry.text:
                    inbox.put(self._workspace, text)
                    self._tell(say.QUEUE_NEXT_CALL)
                else:
                    self._tell(say.QUEUE_TOO_LATE)
        except OSError as error:
            self._tell(say.NOT_QUEUED.of(error=str(error)))
            return False
        self._look()
        return True

    @on(InputBox.Left)
    def _leave(self, message: InputBox.Left) -> None:
        message.stop()
        self.action_back()

    def action_back(self) -> None:
        """From the box to the list, from the list to the run."""
        if self._edited is not None:
            self.set_class(False, "-editing")
            self._edited = None
            self.set_focus(self._list)
        else:
            self.dismiss()


def _list_class(language: Language) -> type[OptionList]:
    """The list with its key described in a language."""

    class LocalisedList(Choices):
        BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", say.KEY_EDIT.in_language(language))]

    return LocalisedList


def queue_class(language: Language) -> type[QueueScreen]:
    """The screen with its keys described in a language."""

    class LocalisedQueueScreen(QueueScreen):
        BINDINGS: ClassVar[list[BindingType]] = [
            Binding("delete,d", "remove", say.KEY_REMOVE.in_language(language)),
            Binding("escape,e,f4", "back", say.KEY_BACK.in_language(language)),
        ]

    return LocalisedQueueScreen
