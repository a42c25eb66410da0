"""The screen. Importing this package is cheap; only `run_screen` brings Textual in.

Owns the decision whether a screen is possible here. The loop runs in one worker thread, the screen in the
main thread; nothing of the screen can block or stop the loop except by asking its `Stop` token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TextIO

from xuen.errors import XuenError
from xuen.sink import Sink
from xuen.stop import Stop
from xuen.texts import Language, Text
from xuen.texts import screen as say
from xuen.workspace.paths import Workspace

Work = Callable[[Sink], int]
"""The loop: takes where to tell its events, returns the exit code."""


class ScreenUnusable(XuenError):
    """The screen could not start; the work has not begun. `reason` is one line for a person."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.en)
        self.reason = reason


def no_screen_because(stdin: TextIO | None, stdout: TextIO | None, environ: Mapping[str, str]) -> Text | None:
    """Why there can be no screen here, as one line for a person; None if there can."""
    if find_spec("textual") is None:
        return say.NO_TEXTUAL
    if environ.get("TEXTUAL_DRIVER"):  # a browser or a test stands where the terminal would be
        return None
    if stdin is None or stdout is None or not (stdin.isatty() and stdout.isatty()):
        return say.NO_TERMINAL
    term = environ.get("TERM", "")
    if term in ("", "dumb"):
        return say.DUMB_TERMINAL.of(term=term or say.TERM_UNSET)
    return None


def run_screen(
    work: Work,
    *,
    stop: Stop,
    workspace: Workspace,
    language: Language,
    colour: bool = True,
) -> int:
    """Show the screen while `work` runs in a thread; returns when both have ended.

    What the user enters goes into the inbox of `workspace`, scores into its verdicts.txt. Quitting asks `stop`
    (0, Ctrl+C 130) and leaves when the work has ended; a run that finishes by itself stays on the screen until the
    user leaves. The exit code is the work's, and never 0 after a crash of the screen.

    Raises:
        ScreenUnusable: the screen could not start; `work` was not called.
        BaseException: whatever `work` raised, once the terminal is restored.
    """
    from xuen.ui.tui.run import run

    return run(work, stop=stop, workspace=workspace, language=language, colour=colour)
