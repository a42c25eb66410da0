"""The research task: from the command line, a file, standard input or the terminal; whole, with all its lines."""

from __future__ import annotations

import errno
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from xuen.cli.near import LATER, near_command
from xuen.cli.parser import Options
from xuen.cli.program import call_of, typed
from xuen.errors import UsageError, reason_of
from xuen.files.text import read_stream, read_text
from xuen.texts import Language, Text, plain, shared
from xuen.texts import cli as texts

MAX_BYTES = 16 << 20
STDIN = "-"

Ask = Callable[[str], str]
"""Puts a question on the terminal; the answer."""


def terminal() -> Ask | None:
    """How to ask the user; None where there is no terminal."""
    return input if sys.stdin.isatty() and sys.stdout.isatty() else None


def read_task(options: Options, language: Language, ask: Ask | None) -> str:
    """The task, without blank lines around it. `ask` is None where there is no terminal.

    Raises:
        UsageError: no task, a blank one, one that is no text, a single word that is close to a command, or a file
            that cannot be read as UTF-8.
    """
    where = "" if options.task_file is None else str(options.task_file)
    if options.task_file is not None:
        task = _decoded(where, lambda: read_text(Path(where), MAX_BYTES))
    elif options.task == STDIN and not options.is_plain:
        where = STDIN
        task = _decoded(where, lambda: read_stream(sys.stdin.buffer, MAX_BYTES))
    elif options.task is not None:
        task = options.task
    elif ask is not None:
        task = _answer(ask, texts.ASK_TASK.in_language(language))
    else:
        raise UsageError(texts.NO_TASK, mend=texts.HOW_TO_TASK.of(call=call_of(options.command)))
    task = task.replace("\r\n", "\n").strip()
    if not task:
        raise UsageError(texts.BLANK_TASK, where=where, mend=texts.HOW_TO_TASK.of(call=call_of(options.command)))
    if any("\ud800" <= char <= "\udfff" for char in task):
        raise UsageError(texts.TASK_NOT_UTF8)
    if not where and not options.is_plain:
        _confirm(task, options.command, language, ask)
    return task


def confirmed(question: Text, language: Language, ask: Ask) -> bool:
    """Whether the user says yes."""
    return _answer(ask, question.in_language(language)).strip().lower() in texts.YES


def _confirm(task: str, command: str, language: Language, ask: Ask | None) -> None:
    """Ask whether a single word that is almost a command is meant as a task: its run would change the workspace."""
    near = near_command(task)
    if near is None:
        return
    name, call = plain(task), typed(near)
    what = texts.LATER_COMMAND.of(name=name) if task in LATER else texts.NEAR_COMMAND.of(task=name, call=call)
    if ask is None:
        mend = texts.TASK_ALL_THE_SAME.of(call=call_of(command), task=shlex.quote(task))
        raise UsageError(what, mend=mend)
    if not confirmed(texts.IS_IT_A_TASK.of(what=what), language, ask):
        mend = texts.SEE_HELP.of(call=call_of("run")) if task in LATER else texts.COMMAND_MEANT.of(call=call)
        raise UsageError(texts.NOT_STARTED, mend=mend)


def _answer(ask: Ask, question: str) -> str:
    """What was typed; empty where the input is closed.

    Raises:
        UsageError: bytes that are no text in the terminal's encoding.
    """
    try:
        return ask(question)
    except EOFError:
        return ""
    except UnicodeDecodeError:
        raise UsageError(texts.TASK_NOT_UTF8) from None


def _decoded(where: str, read: Callable[[], str]) -> str:
    """The text that is read from `where`; a fault of it is the user's."""
    try:
        return read()
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise UsageError(texts.TASK_FILE_TOO_LARGE.of(limit=MAX_BYTES), where=where) from None
        reason = reason_of(error)
        raise UsageError(texts.TASK_FILE_UNREADABLE.of(reason=reason), where=where, mend=shared.CHECK_PATH) from None
    except UnicodeDecodeError:
        raise UsageError(texts.TASK_FILE_NOT_UTF8, where=where, mend=shared.SAVE_UTF8) from None
