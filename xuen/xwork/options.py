"""The command line of xwork: the arguments of each command."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from xuen.texts import Language, Text
from xuen.texts import xwork_options as texts

_HEADINGS = {"positional arguments": texts.ARGUMENTS, "options": texts.OPTIONS}
_CHINESE_WIDTH = 52  # characters of a line of help, of which Chinese ones take two columns


def parser(language: Language = "en") -> argparse.ArgumentParser:
    """The parser of `python -m xuen.xwork`, with its help in `language`; what argparse finds wrong is in English."""
    whole = _Parser(language=language, prog="python -m xuen.xwork", description=texts.ABOUT.in_language(language))
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, about: Text) -> _Parser:
        return commands.add_parser(name, help=about.in_language(language), language=language)

    run = command("run", texts.RUN)
    run.add("task", texts.TASK, nargs="?", metavar="TASK")
    run.add("--prompt-file", texts.PROMPT_FILE, metavar="FILE")
    _about_the_agent(run)
    _about_the_session(run)
    for name, about in (("resume", texts.RESUME), ("compact", texts.COMPACT)):
        goes_on = command(name, about)
        _about_the_agent(goes_on)
        _about_the_session(goes_on)
    serves = command("acp", texts.ACP)
    _about_the_agent(serves)
    serves.set_defaults(approval="ask")
    _about_the_session(command("show", texts.SHOW))
    return whole


def read(arguments: Sequence[str] | None, language: Language) -> argparse.Namespace:
    """The options of a command line (default: the process's); ends the program with 2 for bad use.

    Before Python 3.13 argparse makes an empty list of `--option=--`, since then a value of the two dashes.
    """
    whole = parser(language)
    options = whole.parse_args(arguments)
    for name, value in vars(options).items():
        if value in ([], "--") and name != "task":
            whole.error(f"argument --{name.replace('_', '-')}: expected one argument")
    return options


class _Help(argparse.HelpFormatter):
    def __init__(self, prog: str, *, language: Language) -> None:
        super().__init__(prog, width=_CHINESE_WIDTH if language == "zh" else None)
        self._language = language

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        """The line that begins with how the command is written."""
        super().add_usage(usage, actions, groups, texts.USAGE.in_language(self._language) if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        """A heading, which argparse itself has in English."""
        known = _HEADINGS.get(heading or "")
        super().start_section(known.in_language(self._language) if known else heading)


class _Parser(argparse.ArgumentParser):
    def __init__(self, *, language: Language, **rest: Any) -> None:
        super().__init__(add_help=False, formatter_class=partial(_Help, language=language), **rest)
        self._language = language
        self.add("-h", texts.HELP, "--help", action="help")

    def add(self, name: str, about: Text, *names: str, **rest: Any) -> None:
        """One argument with its help."""
        self.add_argument(name, *names, help=about.in_language(self._language), **rest)


def _about_the_session(command: _Parser) -> None:
    command.add("--workspace", texts.WORKSPACE, metavar="DIR")
    command.add("--session", texts.SESSION, metavar="FILE")
    command.add("--json", texts.JSON, action="store_true")


def _about_the_agent(command: _Parser) -> None:
    command.add("--base-url", texts.BASE_URL, metavar="URL")
    command.add("--model", texts.MODEL, metavar="NAME")
    command.add("--api-key-env", texts.API_KEY_ENV, metavar="VAR", default="OPENAI_API_KEY")
    command.add("--approval", texts.APPROVAL, choices=("auto", "ask", "read-only"), default="auto")
    command.add("--sandbox", texts.SANDBOX, choices=("off", "auto", "on"), default="off")
    command.add("--sandbox-network", texts.SANDBOX_NETWORK, action="store_true")
    command.add("--mcp", texts.MCP, metavar="FILE")
    command.add("--max-turns", texts.MAX_TURNS, type=_count, default=0, metavar="N")
    command.add("--context-tokens", texts.CONTEXT_TOKENS, type=_count, metavar="N")


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number
