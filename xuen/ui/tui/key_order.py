"""Keys act in the order in which they were pressed, also when many arrive at once.

Textual 8.2 sends a key to the widget with the focus at once, and runs its binding only when the key has bubbled up to
the application. Of keys in one burst a letter so overtakes the Backspace or the Enter before it, and reaches the widget
that had the focus then. Here a key waits until the one before it has done all that it does.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from textual import events
from textual.app import App, ScreenStackError
from textual.driver import Driver
from textual.widgets import Input, TextArea

_PATIENCE = 5.0  # seconds that a key waits for a screen that is busy; the longest seen: 0.9, with six times the load


class KeyOrderApp(App[None]):
    """An application that takes its keys one after the other."""

    def __init__(self, driver_class: type[Driver] | None) -> None:
        super().__init__(driver_class=driver_class)
        self._pressed: asyncio.Queue[events.Event] = asyncio.Queue()

    def on_mount(self) -> None:
        """Begin to take keys."""
        self.run_worker(self._take_keys(), group="keys")

    async def on_event(self, event: events.Event) -> None:
        """Let what the user does wait for its turn."""
        if isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded:
            self._pressed.put_nowait(event)
        else:
            await super().on_event(event)

    async def _take_keys(self) -> None:
        settled = True
        while True:
            event = await self._pressed.get()
            light = self._is_light(event)
            if not (light or settled):
                await self._settle()
            self.call_later(super().on_event, event)
            if not light:
                await self._settle()
            settled = not light

    def _is_light(self, event: events.Event) -> bool:
        """Whether events like this one stay in order without a wait: letters in a text box, moves of the mouse."""
        if isinstance(event, events.Key):
            return event.is_printable and isinstance(self.focused, Input | TextArea)
        return not isinstance(event, events.MouseUp)

    async def _settle(self) -> None:
        """Wait until what was done has had its consequences, whichever widgets they pass through."""
        with suppress(TimeoutError, ScreenStackError):
            async with asyncio.timeout(_PATIENCE):
                await self._handled()
                while self._is_busy():
                    await self._handled()

    async def _handled(self) -> None:
        """Wait until the application has handled what it was sent so far; meanwhile each widget handles something."""
        done = asyncio.Event()
        if self.call_later(done.set):
            await done.wait()

    def _is_busy(self) -> bool:
        """Whether a widget has a message, or the palette still searches: Enter is meant for what it finds."""
        return any(node.message_queue_size for node in self.screen.walk_children(with_self=True)) or any(
            worker.node is self.screen and not worker.is_finished for worker in self.workers
        )
