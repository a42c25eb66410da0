"""The program: which command, in which language, and what becomes of errors.

Always holds: what a user reads of an error is one line on standard error, never a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from xuen.cli.near import near_command
from xuen.cli.parser import Options, early_language, parse
from xuen.errors import UsageError, UserError, reason_of
from xuen.texts import Language
from xuen.texts import cli as texts
from xuen.ui.text_out import TextOut, settle

if TYPE_CHECKING:
    from xuen.cli.settings import Settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: that of the process); the exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    _open_missing()
    code = _answered(words, early_language(words, os.environ))
    settle(sys.stdout)
    settle(sys.stderr)
    return code


def _open_missing() -> None:
    """Stand-ins for standard streams that were closed before the start, so that no other file gets their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for the whole process


def _answered(words: Sequence[str], language: Language) -> int:
    try:
        options = parse(words, os.environ)
        if options.show is None:
            return _command(options)
        out = TextOut(sys.stdout)
        out.write(options.show + "\n")
        return _printed(out.trouble)
    except UserError as error:
        _complain(error.line(language))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    # Whatever gets here is a fault of ours (one of four broad handlers): the user gets a line, we get the details.
    except Exception as error:  # noqa: BLE001 - see above
        return _crashed(error, language)


def _command(options: Options) -> int:
    """Read the settings, then import and run one command; each lives in the module of its name."""
    from xuen.cli.settings import read_settings, spoken_language

    try:
        here = Path.cwd()
    except OSError as error:  # deleted, or in a folder that was closed to us
        reason = reason_of(error)
        raise UsageError(texts.NO_CURRENT_FOLDER.of(reason=reason), mend=texts.OTHER_FOLDER) from None
    settings = read_settings(options, here)
    said = None if near_command(options.task or "") else options.task  # a word that may be no task tells no language
    language = spoken_language(settings.config, os.environ, said)
    try:
        return _run(options, settings, language)
    except UserError as error:  # from here on the language is known
        _complain(error.line(language))
        return error.exit_code


def _run(options: Options, settings: Settings, language: Language) -> int:
    if options.command == "run":
        from xuen.cli.run import run

        return run(options, settings, language)
    from xuen.cli.output import Output

    output = Output.to(sys.stdout, language, options, os.environ)
    code = import_module(f"xuen.cli.{options.command.partition(' ')[0]}").run(options, settings, output)
    assert isinstance(code, int)
    return _printed(output.trouble) or code


def _printed(trouble: OSError | None) -> int:
    """0, if all that was said was also written.

    Raises:
        UsageError: standard output took not all of it.
    """
    if trouble is not None:
        raise UsageError(texts.OUTPUT_LOST.of(reason=reason_of(trouble)))
    return 0


def _crashed(error: Exception, language: Language) -> int:
    """Keep the details of an unexpected error in a file of its own and name that file; 70, as sysexits.h has it."""
    import tempfile
    import traceback

    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="xuen-error-", suffix=".txt", delete=False, encoding="utf-8", errors="replace"
        ) as file:
            file.write("".join(traceback.format_exception(error)))
        where = texts.DETAILS_IN.of(file=file.name)
    except OSError as trouble:
        where = texts.DETAILS_LOST.of(reason=reason_of(trouble))
    told = texts.UNEXPECTED.of(error=f"{type(error).__name__}: {error}", where=where)
    _complain(" ".join(told.in_language(language).splitlines()))
    return 70


def _complain(line: str) -> None:
    TextOut(sys.stderr).write(f"xuen: {line}\n")
