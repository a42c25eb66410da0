"""`xuen serve [TASK]`: the same screen in a browser, over textual-serve.

Owns the web server, never the run: opening the page starts the run as a process of its own, closing the page ends
it as `q` would, and opening it again goes on from the workspace. One page at a time, as one run owns a workspace.
Refuses requests without the token of the printed address, and those of other pages (`web_access`): any web page and
any program on this machine could type to the agent. Loads nothing from other hosts.
"""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import xuen
from xuen.cli.assemble import commands_of
from xuen.cli.checks import refuse_what_fails
from xuen.cli.other_task import task_before
from xuen.cli.output import Output
from xuen.cli.parser import Options
from xuen.cli.settings import Settings
from xuen.cli.task import read_task, terminal
from xuen.errors import UsageError
from xuen.guard.report import last_task
from xuen.texts import plain
from xuen.texts import serve as texts
from xuen.workspace.paths import Workspace

HOST, PORT = "127.0.0.1", 8000
LOOPBACK = ("127.0.0.1", "localhost", "::1")

_RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from xuen.cli.main import main; sys.exit(main())"


def run(options: Options, settings: Settings, output: Output) -> int:
    """Serve until Ctrl+C or SIGTERM.

    Raises:
        UserError: no task, no such port, the package for it is missing, or a run could not start.
    """
    if find_spec("textual_serve") is None:
        raise UsageError(texts.NO_WEB, mend=texts.INSTALL_WEB)
    if options.events == "-":
        raise UsageError(texts.EVENTS_TO_FILE, where="--events -", mend=texts.NAME_A_FILE)
    refuse_what_fails(settings, commands_of(settings))
    host, port = options.given.get("host", HOST), _port(options.given.get("port"))
    words = [*options.run_words, *_task_words(options, settings, output)]
    command = shlex.join([sys.executable, "-c", _RUN, str(Path(xuen.__file__).parents[1]), *words])
    if host not in LOOPBACK:
        output.say(texts.OPEN_TO_ALL.of(host=plain(host)), "wait")
    from xuen.cli.web import serve

    return serve(command, host, port, output)


def _port(text: str | None) -> int:
    if text is None:
        return PORT
    if not (text.isascii() and text.isdecimal() and int(text) < 1 << 16):
        raise UsageError(texts.BAD_PORT.of(found=plain(text)), where="--port")
    return int(text)


def _task_words(options: Options, settings: Settings, output: Output) -> list[str]:
    """The task as the run's last words; without one, that of the workspace's last run.

    A fault of the task is one of this command, not of a page in a browser.
    """
    last = last_task(Workspace(Path(settings.config.workspace)))
    if options.task is None and options.task_file is None and last is not None:
        return ["--", last]
    task = read_task(options, output.language, terminal())
    before = task_before(options, settings.config, task, output.language, terminal())
    words = [] if options.task_file is not None else ["--", task]
    return words if before is None else ["--new-task", *words]
