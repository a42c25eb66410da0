"""Runs the screen around the loop and says how both ended."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from textual.driver import Driver

from xuen.sink import Sink
from xuen.stop import Stop
from xuen.texts import Language, plain
from xuen.texts import screen as say
from xuen.ui.safe import clean
from xuen.ui.tui import ScreenUnusable, Work
from xuen.ui.tui.app import LoopApp, app_class
from xuen.ui.tui.driver import HangupProofDriver
from xuen.ui.tui.web_driver import ServerProofDriver
from xuen.workspace.paths import Workspace


def run(
    work: Work,
    *,
    stop: Stop,
    workspace: Workspace,
    language: Language,
    colour: bool,
) -> int:
    """See `run_screen` in the package."""
    driver: type[Driver] = HangupProofDriver
    if os.environ.get("TEXTUAL_DRIVER"):
        driver, work = ServerProofDriver, _without_the_server(work)
    try:
        with _no_color(not colour):
            app = app_class(language)(work, stop=stop, workspace=workspace, language=language, driver_class=driver)
    except Exception as error:  # whatever it is, a console is better than no run
        raise _unusable(error) from error
    trouble = io.StringIO()  # what Textual has to say of its own crash: a traceback, which nobody should meet
    app.error_console = Console(file=trouble, width=200, no_color=True)
    try:
        app.run()
    except Exception as error:
        if app.running is None:
            raise _unusable(error) from error
        raise
    finally:
        _end(app, stop, crashed=_crashed(app, trouble))
    return _code(app, trouble, stop, language)


def _unusable(error: BaseException) -> ScreenUnusable:
    """For a start that failed; what went wrong first says most."""
    while error.__context__ is not None:
        error = error.__context__
    return ScreenUnusable(say.START_FAILED.of(error=plain(clean(str(error) or type(error).__name__))))


def _without_the_server(work: Work) -> Work:
    """The work, after what a web server told this screen is taken out of the environment that agents inherit."""

    def forgetful(sink: Sink) -> int:
        for name in [name for name in os.environ if name.startswith(("TEXTUAL_", "TERM_PROGRAM"))]:
            os.environ.pop(name)
        for name in ("COLUMNS", "ROWS"):
            os.environ.pop(name, None)
        return work(sink)

    return forgetful


def _end(app: LoopApp, stop: Stop, *, crashed: bool) -> None:
    """However the screen ended, nothing of the loop is left running behind it."""
    if app.running is None:
        return
    if not app.running.done():
        stop.request(1 if crashed else 0)  # without a crash a browser's page was closed, which is to quit
    app.running.exception()  # waits


def _crashed(app: LoopApp, trouble: io.StringIO) -> bool:
    """Whether something went wrong in the screen; a fault in one of its threads leaves words only."""
    return app.return_code not in (None, 0) or bool(trouble.getvalue()) or sys.exc_info()[1] is not None


def _code(app: LoopApp, trouble: io.StringIO, stop: Stop, language: Language) -> int:
    crashed = _crashed(app, trouble)
    if crashed:
        last = plain(clean((trouble.getvalue().strip().splitlines() or ["?"])[-1]))
        if app.running is None:
            raise ScreenUnusable(say.START_FAILED.of(error=last))
        print(say.CRASHED.of(error=last).in_language(language), file=sys.stderr)  # noqa: T201 - the screen is gone
    if app.running is None:  # left before anything began
        return stop.exit_code or 0
    code = app.running.result()
    return code or 1 if crashed else code


@contextmanager
def _no_color(wanted: bool) -> Iterator[None]:
    """NO_COLOR while the app is made (Textual reads it then); the agents' environment stays as it is."""
    before = os.environ.get("NO_COLOR")
    if wanted:
        os.environ["NO_COLOR"] = "1"
    try:
        yield
    finally:
        if wanted:
            os.environ.pop("NO_COLOR")
            if before is not None:
                os.environ["NO_COLOR"] = before
