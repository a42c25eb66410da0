"""`python -m xuen` and the command `xuen`: imported with hardly a moment in which Ctrl+C shows a traceback.

Always holds: a Python that is too old, or one without what xuen needs, is one line with its mend. So this module, and
what it imports before it knows, is read by every Python from 3.8 on.
"""

import os
import signal
import sys


def start() -> int:
    """Import the program and run it; its exit code. Until it listens, Ctrl+C just ends it: nothing has begun."""
    listening = signal.getsignal(signal.SIGINT)
    if listening is signal.default_int_handler:  # and not ignored, as whoever started us may want it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.version_info < (3, 11):  # noqa: UP036 - `python3` of a machine may well be an older one
        return _wrong_python("")
    try:
        from xuen.cli.main import main
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == __package__:
            raise
        return _wrong_python(error.name)
    signal.signal(signal.SIGINT, listening)
    return main()


def _wrong_python(missing: str) -> int:
    """Say that this Python is too old, or what it lacks; the exit code."""
    from xuen.errors import UsageError
    from xuen.texts import cli as texts
    from xuen.texts import language_here, language_of

    if missing:
        error = UsageError(texts.NO_PACKAGE.of(name=missing, python=sys.executable), mend=texts.NO_PACKAGE_MEND)
    else:
        version = ".".join(map(str, sys.version_info[:3]))
        error = UsageError(texts.OLD_PYTHON.of(version=version, python=sys.executable), mend=texts.OLD_PYTHON_MEND)
    language = "zh" if language_of(" ".join(_words())) == "zh" else language_here(os.environ)
    sys.stderr.write(f"xuen: {error.line(language)}\n")
    return error.exit_code


def _words() -> "list[str]":
    """The words that are no option and do not stand behind one: the task, never a path."""
    pairs = zip(sys.argv, sys.argv[1:])  # noqa: B905 - the last word has none behind it, and 3.9 no `strict`
    return [word for before, word in pairs if not before.startswith("-") and not word.startswith("-")]


if __name__ == "__main__":
    sys.exit(start())
