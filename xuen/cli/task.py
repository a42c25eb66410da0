"""The research task: from the command line, a file, or the terminal; whole, however many lines it has."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Callable
from pathlib import Path

from xuen.cli.commands import COMMANDS
from xuen.cli.parser import Options
from xuen.cli.program import call_of, called_as
from xuen.errors import UsageError, reason_of
from xuen.files.text import read_text
from xuen.texts import Language, shared
from xuen.texts import cli as texts

MAX_BYTES = 16 << 20


def read_task(options: Options, language: Language, ask: Callable[[str], str] | None) -> str:
    """The task, without blank lines around it. `ask` puts a question on the terminal; None where there is none.

    Raises:
        UsageError: no task, a blank one, one that is no text, or a file that cannot be read as UTF-8.
    """
    if options.task is not None:
        task = options.task
        if ask is not None:
            _confirm(task, language, ask)
    elif options.task_file is not None:
        task = _from_file(options.task_file)
    elif ask is not None:
        task = _answer(ask, texts.ASK_TASK.in_language(language))
    else:
        raise UsageError(texts.NO_TASK, mend=texts.HOW_TO_TASK.of(call=call_of(options.command)))
    task = task.replace("\r\n", "\n").strip()
    if not task:
        where = "" if options.task_file is None else str(options.task_file)
        raise UsageError(texts.BLANK_TASK, where=where, mend=texts.HOW_TO_TASK.of(call=call_of(options.command)))
    if any("\ud800" <= char <= "\udfff" for char in task):
        raise UsageError(texts.TASK_NOT_UTF8)
    return task


def _confirm(task: str, language: Language, ask: Callable[[str], str]) -> None:
    """Ask whether a single word that is almost a command is meant as a task: its run would change the workspace."""
    near = difflib.get_close_matches(task, list(COMMANDS), n=1, cutoff=0.8)
    if not near:
        return
    answer = _answer(ask, texts.IS_IT_A_TASK.of(task=task, command=near[0]).in_language(language))
    if answer.strip().lower() not in texts.YES:
        raise UsageError(texts.NOT_STARTED, mend=texts.COMMAND_MEANT.of(program=called_as(), command=near[0]))


def _answer(ask: Callable[[str], str], question: str) -> str:
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


def _from_file(path: Path) -> str:
    """The text of a task file, without a byte order mark."""
    where = str(path)
    try:
        return read_text(path, MAX_BYTES)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise UsageError(texts.TASK_FILE_TOO_LARGE.of(limit=MAX_BYTES), where=where) from None
        reason = reason_of(error)
        raise UsageError(texts.TASK_FILE_UNREADABLE.of(reason=reason), where=where, mend=shared.CHECK_PATH) from None
    except UnicodeDecodeError:
        raise UsageError(texts.TASK_FILE_NOT_UTF8, where=where, mend=shared.SAVE_UTF8) from None
