"""Textual's driver for a browser, made to outlive the server between them.

A server that is killed closes both pipes. Textual would die of the one and not notice the other, and the run would go
on with nobody to end it; here its end is a page that is closed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from textual import events
from textual.drivers.web_driver import WebDriver
from textual.messages import ExitApp


class ServerProofDriver(WebDriver):
    """The browser's driver; what a server that is gone does not read goes nowhere."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._write: Any = self._write_if_possible

    def start_application_mode(self) -> None:
        """Begin with the focus: the page gives it to the terminal before there is a connection to say so."""
        super().start_application_mode()
        self._app.call_later(self._app.post_message, events.AppFocus())  # after Textual's blur

    def run_input_thread(self) -> None:
        """Read what the page sends; when nothing more can come, leave."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self.send_message(ExitApp())

    def _write_if_possible(self, data: bytes) -> None:
        with suppress(OSError):
            os.write(self.fileno, data)
