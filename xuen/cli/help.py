"""The help of the command line, in two languages, wrapped to the terminal."""

from __future__ import annotations

from xuen.cli.commands import COMMANDS, Flag, flags_of
from xuen.cli.layout import cells, columns
from xuen.cli.program import call_of, called_as
from xuen.texts import Language
from xuen.texts import cli as texts


def help_text(command: str, language: Language) -> str:
    """The help of a command as it is printed, without a final newline."""
    about = COMMANDS[command]
    options = f"[{texts.OPTIONS.in_language(language)}]"
    usage = texts.USAGE.in_language(language)
    lines = [f"{usage}: {' '.join(part for part in (call_of(command), about.words, options) if part)}"]
    rows: list[tuple[str, str]] = []
    if command == "run":
        lines.append(f"{' ' * cells(usage)}  {called_as()} {texts.COMMAND_WORD.in_language(language)} {options}")
        rows.append(("TASK", texts.H_TASK.in_language(language)))
    lines += ["", (texts.ABOUT if command == "run" else about.help).in_language(language), ""]
    lines.append(texts.OPTIONS_HEAD.in_language(language) + ":")
    rows += [(_spelled(flag), flag.help.in_language(language)) for flag in flags_of(command)]
    lines += columns(rows)
    if command == "run":
        lines += ["", texts.COMMANDS_HEAD.in_language(language) + ":"]
        others = [(name, each) for name, each in COMMANDS.items() if name not in ("run", "ci")]
        lines += columns([(f"{name} {each.words}".rstrip(), each.help.in_language(language)) for name, each in others])
        lines += ["", texts.WORD_AS_TASK.of(program=called_as()).in_language(language)]
    return "\n".join(lines)


def _spelled(flag: Flag) -> str:
    return ", ".join(flag.names) + (f" {flag.metavar}" if flag.metavar else "")
