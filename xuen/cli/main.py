"""The program: which command, in which language, and what becomes of errors.

Always holds: what a user reads of an error is one line on standard error, never a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from xuen.cli.parser import Options, early_language, parse
from xuen.errors import UserError
from xuen.texts import Language, Text, plain
from xuen.texts import cli as texts


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: that of the process); the exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    language = early_language(words, os.environ)
    try:
        options = parse(words, os.environ)
        if options.show is not None:
            _print(options.show)
            return 0
        return _command(options)
    except UserError as error:
        _complain(error.line(language))
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    # Whatever gets here is a fault of ours (one of four broad handlers): the user gets a line, we get the details.
    except Exception as error:  # noqa: BLE001 - see above
        return _crashed(error, language)


def _command(options: Options) -> int:
    """Import and run one command; each lives in the module of its name."""
    from xuen.cli.settings import read_settings, spoken_language

    settings = read_settings(options, Path.cwd())
    if options.command == "run":
        from xuen.cli.run import run

        return run(options, settings)
    from xuen.cli.output import Output

    language = spoken_language(settings.config, os.environ)
    output = Output.to(sys.stdout, language, options, os.environ)
    code = import_module(f"xuen.cli.{options.command.partition(' ')[0]}").run(options, settings, output)
    assert isinstance(code, int)
    return code


def _crashed(error: Exception, language: Language) -> int:
    """Keep the details of an unexpected error in a file of its own and name that file; 70, as sysexits.h has it."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="xuen-error-", suffix=".txt", delete=False, encoding="utf-8", errors="replace"
    ) as file:
        file.write("".join(traceback.format_exception(error)))
    told: Text = texts.UNEXPECTED.of(error=plain(f"{type(error).__name__}: {error}"), file=plain(file.name))
    _complain(" ".join(told.in_language(language).splitlines()))
    return 70


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def _complain(line: str) -> None:
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write("xuen: " + line.encode(encoding, "replace").decode(encoding) + "\n")
