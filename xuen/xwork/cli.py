"""The command line of xwork: arguments in, a command carried out, an exit code out.

Exit codes: 0 completed, 1 the run failed, 2 bad use, 3 interrupted work waits, 130 interrupted (143 after SIGTERM).
Messages are in the language of the request or of the prompt; the help, and what is said where there is none, in that
of the locale.
No traceback reaches a person for anything that a model, a file or the network does.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from xuen.errors import UserError
from xuen.signals import signals_stop
from xuen.stop import Stop
from xuen.texts import Language, language_here, language_of, plain
from xuen.texts import xwork as texts
from xuen.xwork.display import PlainDisplay, json_listener
from xuen.xwork.errors import BadUse
from xuen.xwork.events import Failed, Listener
from xuen.xwork.options import read
from xuen.xwork.request import read_request

_PATH = re.compile(r"""(['"`])(?:~|\.\.?)?/[^\n]*?\1|(?<!\w)(?:~|\.\.?)?/\S*""")
"""A path in a text: in quotes, or up to the next blank. A word that only holds a slash (和/或) is none."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    _utf8()
    stop = Stop()
    with signals_stop(stop):
        try:
            code = _main(arguments, stop)
            sys.stdout.flush()  # here, where a failure is one line
            return code
        except BrokenPipeError:  # whoever read our output has gone
            _deafen(sys.stdout)
        except OSError as error:  # the only one that gets this far: our own output cannot be written
            _deafen(sys.stdout)
            print(f"xwork: {error}", file=sys.stderr)  # noqa: T201 - the face of this program
    return 1


def _main(arguments: Sequence[str] | None, stop: Stop) -> int:
    options = read(arguments, language_here(os.environ))
    try:
        if options.command == "acp":
            from xuen.xwork.acp import serve

            return serve(options, stop)
        workspace = find_workspace(options.workspace)
        prompt = read_prompt(options) if options.command == "run" else ""
        if options.command == "show":
            from xuen.xwork.commands import show

            show(options, workspace)
            return 0
    except UserError as error:
        said = error.line(_language(getattr(options, "task", None)))
        print(f"xwork: {said}", file=sys.stderr)  # noqa: T201 - the face of this program
        return error.exit_code
    from xuen.xwork.commands import carry_out, session_so_far
    from xuen.xwork.session.ledger import Ledger

    before = Ledger() if options.command == "run" else session_so_far(options, workspace)
    language = _language(prompt or before.last_prompt)
    listener: Listener = json_listener() if options.json else PlainDisplay(language)

    def body() -> None:
        carry_out(options, prompt, workspace, listener, stop, language=language, chosen=before.chosen)

    return _guarded(body, listener, stop, language)


def _language(prompt: str | None) -> Language:
    """That of the request that xuen hands over as data, else of the prompt, else of the locale; never of a path."""
    with suppress(BadUse):  # a request that cannot be read is the business of those who need it
        if (request := read_request(os.environ)) is not None:
            return request.language
    return language_of(_PATH.sub("", prompt)) if prompt else language_here(os.environ)


def read_prompt(options: argparse.Namespace) -> str:
    """The task from the command line or the file that it names, as text that can be encoded.

    Raises:
        BadUse: none, two, an empty one, or a file that cannot be read.
    """
    if options.task is not None and options.prompt_file is not None:
        raise BadUse(texts.TWO_TASKS)
    prompt = options.task or ""
    if options.prompt_file is not None:
        try:
            prompt = Path(options.prompt_file).read_text("utf-8", errors="replace")
        except OSError as error:
            raise BadUse(texts.PROMPT_UNREADABLE.of(reason=plain(str(error)))) from error
    if not prompt.strip():
        raise BadUse(texts.NO_TASK, mend=texts.NO_TASK_MEND)
    return prompt.encode("utf-8", "replace").decode()  # bytes of the command line that were no UTF-8 become `?`


def find_workspace(named: str | None) -> Path:
    """The folder to work in: the option, else `XUEN_WORKSPACE`, else the current one.

    Raises:
        BadUse: it is no folder.
    """
    path = Path(named or os.environ.get("XUEN_WORKSPACE") or ".")
    if not os.path.isdir(path):  # noqa: PTH112 - Path's raises for a name that is too long
        raise BadUse(texts.NO_FOLDER.of(path=plain(str(path))))
    return path.resolve()


def _guarded(body: Callable[[], None], listener: Listener, stop: Stop, language: Language) -> int:
    """Run `body`; a failure becomes the last event and the exit code."""
    try:
        body()
    except UserError as error:
        code = stop.exit_code if stop.exit_code is not None else error.exit_code
        listener(Failed(error=error.line(language), code=code))
        return code
    return 0


def _deafen(stream: TextIO) -> None:
    """Send what is still buffered to /dev/null, so that the last flush cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _utf8() -> None:
    """Make the outputs take any text; one that was closed from the start takes it and shows nothing."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - it stays open
        if hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
