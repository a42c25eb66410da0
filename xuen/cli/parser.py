"""The command line as a value: every option in one table, read by argparse, explained in two languages.

Owns the options, the sub-commands, their help, and the check of each value by the rules of the configuration.
Refuses abbreviations, unknown options, options of another command, and empty values. A sub-command is the first word
that is neither an option nor its value; after `--` every word is plain text. Imports nothing heavy.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xuen import __version__
from xuen.cli.layout import cells, columns
from xuen.cli.program import call_of, called_as
from xuen.config.overrides import Override, read_override
from xuen.config.values import BadValue, nearest, read_value
from xuen.errors import UsageError
from xuen.texts import Language, Text, language_here, language_of, plain, shared
from xuen.texts import ci as ci_texts
from xuen.texts import cli as texts

_OPTION = re.compile(r"--?[A-Za-z][\w-]*(?:=|\Z)")
_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")


@dataclass(frozen=True, slots=True)
class Flag:
    """One option: its names, what stands for its value in the help ("" for a switch), the setting it overrides."""

    names: tuple[str, ...]
    metavar: str
    help: Text
    key: str = ""

    @property
    def dest(self) -> str:
        """The name of its value."""
        return self.names[-1].lstrip("-").replace("-", "_")


@dataclass(frozen=True, slots=True)
class Command:
    """What can be done: its words in the help, its options beside the common ones, and the words that it must have."""

    words: str
    help: Text
    flags: tuple[Flag, ...] = ()
    positional: tuple[str, ...] = ()


CONFIG = Flag(("-c", "--config"), "FILE", texts.H_CONFIG)
WORKSPACE = Flag(("--workspace",), "DIR", texts.H_WORKSPACE, "workspace")
LANGUAGE = Flag(("--language",), "auto|zh|en", texts.H_LANGUAGE, "language")
NO_COLOR = Flag(("--no-color",), "", texts.H_NO_COLOR)
HELP = Flag(("-h", "--help"), "", texts.H_HELP)
JSON = Flag(("--json",), "", texts.H_JSON)
COMMON = (CONFIG, WORKSPACE, LANGUAGE, NO_COLOR, HELP)

AGENT = (
    Flag(("--agent",), "NAME", texts.H_AGENT, "agent.preset"),
    Flag(("--base-url",), "URL", texts.H_BASE_URL, "xwork.base_url"),
    Flag(("--model",), "NAME", texts.H_MODEL, "xwork.model"),
)
RUN = (
    Flag(("--task-file",), "FILE", texts.H_TASK_FILE),
    Flag(("--iterations",), "N|inf", texts.H_ITERATIONS, "loop.iterations"),
    Flag(("--pick",), "N", texts.H_PICK, "words.pick"),
    Flag(("--regen-words",), "", texts.H_REGEN),
    Flag(("--no-tui",), "", texts.H_NO_TUI),
    Flag(("--no-rounds",), "", texts.H_NO_ROUNDS),
    Flag(("--rounds-verify",), "HOW", texts.H_VERIFY, "rounds.verify"),
    Flag(("--rounds-fallback",), "WHO", texts.H_FALLBACK, "rounds.fallback"),
    Flag(("--rounds-score",), "X", texts.H_SCORE, "rounds.adopt_score"),
    *AGENT,
    Flag(("--seed",), "INT", texts.H_SEED),
    Flag(("--events",), "FILE", texts.H_EVENTS),
    Flag(("--version",), "", texts.H_VERSION),
)

SERVE = (
    Flag(("--host",), "ADDRESS", texts.H_HOST),
    Flag(("--port",), "N", texts.H_PORT),
    *(flag for flag in RUN if flag.names[-1] not in ("--no-tui", "--events", "--version")),
    Flag(("--events",), "FILE", texts.H_EVENTS_FILE),  # standard output is the screen's
)

BRANCH = (
    Flag(("--remote",), "NAME|URL", ci_texts.H_REMOTE),
    Flag(("--branch",), "NAME", ci_texts.H_BRANCH),
)
CHECKPOINT = (
    *BRANCH,
    Flag(("--attempts",), "N", ci_texts.H_ATTEMPTS),
    Flag(("--exit-code",), "N", ci_texts.H_EXIT_CODE),
)
PICK_MODEL = (
    Flag(("--list",), "COMMAND", ci_texts.H_LIST),
    Flag(("--prefer",), "NAMES", ci_texts.H_PREFER),
    Flag(("--judge",), "NAMES", ci_texts.H_JUDGE),
    Flag(("--only",), "PATTERN", ci_texts.H_ONLY),
    Flag(("--timeout",), "SECONDS", ci_texts.H_TIMEOUT),
    Flag(("--dead-hours",), "N", ci_texts.H_DEAD_HOURS),
)

COMMANDS: dict[str, Command] = {
    "run": Command("[TASK]", texts.C_RUN, RUN),
    "doctor": Command("", texts.C_DOCTOR, AGENT),
    "status": Command("", texts.C_STATUS, (JSON,)),
    "say": Command("TEXT", texts.C_SAY, positional=("TEXT",)),
    "score": Command("ID X [COMMENT]", texts.C_SCORE, positional=("ID", "X")),
    "history": Command("", texts.C_HISTORY, (JSON,)),
    "show": Command("ID", texts.C_SHOW, positional=("ID",)),
    "serve": Command("[TASK]", texts.C_SERVE, SERVE),
    "ci": Command("restore|pick-model|checkpoint", ci_texts.C_CI),
    "ci restore": Command("", ci_texts.C_RESTORE, BRANCH),
    "ci pick-model": Command("", ci_texts.C_PICK_MODEL, PICK_MODEL),
    "ci checkpoint": Command("", ci_texts.C_CHECKPOINT, CHECKPOINT),
}
"""All commands; `run` is what a task means and is no word of the command line."""

_FLAGS = {name: flag for command in COMMANDS.values() for flag in (*COMMON, *command.flags) for name in flag.names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for. `show` is a text to print instead of doing anything; `overrides` go before the file."""

    command: str
    show: str | None = None
    config: Path | None = None
    overrides: tuple[Override, ...] = ()
    no_color: bool = False
    no_tui: bool = False
    json: bool = False
    regen_words: bool = False
    seed: int | None = None
    events: str | None = None  # "-" is standard output
    task: str | None = None
    task_file: Path | None = None
    text: str = ""  # of `say`
    id: str = ""  # of `score` and `show`
    score: float | None = None
    comment: str = ""
    given: Mapping[str, str] = field(default_factory=dict)  # the own options of `ci …` and `serve`, by their names
    run_words: tuple[str, ...] = ()  # of `serve`: the options of the run that it shows


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> Options:
    """Read the words after the program's name.

    Raises:
        UsageError: anything that is not as the help says; `where` is the option, if there is one.
    """
    command, rest = _split(argv)
    cut = rest.index("--") if "--" in rest else len(rest)
    given, extras = _tokenize(command, rest[:cut])
    language = early_language(argv, environ)
    if given["help"]:
        return Options(command=command, show=help_text(command, language))
    if given.get("version"):
        return Options(command=command, show=f"xuen {__version__}")
    if command == "ci":
        raise UsageError(ci_texts.WHICH_ACTION.of(names=COMMANDS[command].words), mend=_see_help(command))
    unknown = next((word for word in extras if _OPTION.match(word)), None)
    if unknown is not None:
        raise _unknown_option(unknown.partition("=")[0], command)
    words = [*extras, *rest[cut + 1 :]]
    _check_texts(given, words)
    return Options(
        command=command,
        config=_path(given["config"]),
        overrides=_overrides(command, given),
        no_color=given["no_color"],
        no_tui=given.get("no_tui", False),
        json=given.get("json", False),
        regen_words=given.get("regen_words", False),
        seed=_seed(given.get("seed")),
        events=given.get("events"),
        task_file=_path(given.get("task_file")),
        given=_own(command, given),
        run_words=_run_words(given) if command == "serve" else (),
        **_words(command, words, given.get("task_file")),
    )


def early_language(argv: Sequence[str], environ: Mapping[str, str]) -> Language:
    """The language for whatever is said before the configuration and the task are known.

    `--language` if it is `en` or `zh`, else Chinese after a word with Han characters, else what the locale says.
    """
    for index, word in enumerate(argv):
        if word == "--":
            break
        value = argv[index + 1] if word == "--language" and index + 1 < len(argv) else word.partition("--language=")[2]
        if value == "zh":
            return "zh"
        if value == "en":
            return "en"
    if any(language_of(word) == "zh" for word in argv):
        return "zh"
    return language_here(environ)


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
    rows += [(_spelled(flag), flag.help.in_language(language)) for flag in _flags(command)]
    lines += columns(rows)
    if command == "run":
        lines += ["", texts.COMMANDS_HEAD.in_language(language) + ":"]
        others = [(name, each) for name, each in COMMANDS.items() if name not in ("run", "ci")]
        lines += columns([(f"{name} {each.words}".rstrip(), each.help.in_language(language)) for name, each in others])
        lines += ["", texts.WORD_AS_TASK.of(program=called_as()).in_language(language)]
    return "\n".join(lines)


def _flags(command: str) -> tuple[Flag, ...]:
    return (*COMMANDS[command].flags, *COMMON)


def _spelled(flag: Flag) -> str:
    return ", ".join(flag.names) + (f" {flag.metavar}" if flag.metavar else "")


def _split(argv: Sequence[str]) -> tuple[str, list[str]]:
    """The command, and the other words without it; a command of two words is found in two steps."""
    first, rest = _split_once(argv, "")
    return _split_once(rest, first + " ") if first == "ci" else (first, rest)


def _split_once(argv: Sequence[str], before: str) -> tuple[str, list[str]]:
    skip = False
    for index, word in enumerate(argv):
        if skip:
            skip = False
        elif word == "--":
            break
        elif word in _FLAGS:
            skip = bool(_FLAGS[word].metavar)
        elif not _OPTION.match(word) and not re.match(r"-[a-z]", word):
            if before + word in COMMANDS and word != "run" and " " not in word:
                return before + word, [*argv[:index], *argv[index + 1 :]]
            break
    return before.strip() or "run", list(argv)


def _tokenize(command: str, words: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """The values of the known options, and every other word in its order."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for flag in _flags(command):
        if flag.metavar:
            parser.add_argument(*flag.names, dest=flag.dest)
        else:
            parser.add_argument(*flag.names, dest=flag.dest, action="store_true")
    try:
        found, extras = parser.parse_known_args(list(words))
    except argparse.ArgumentError as error:
        name = (error.argument_name or "").split("/")[-1]
        flag = _FLAGS[name]
        what = texts.NEEDS_VALUE if flag.metavar else texts.TAKES_NO_VALUE
        raise UsageError(what, where=name, mend=_see_help(command)) from None
    return vars(found), extras


def _see_help(command: str) -> Text:
    return texts.SEE_HELP.of(call=call_of(command))


def _unknown_option(name: str, command: str) -> UsageError:
    if name in _FLAGS:
        if command == "run":
            owner = next(each for each in COMMANDS if _FLAGS[name] in _flags(each))
            return UsageError(texts.UNKNOWN_OPTION, where=name, mend=_see_help(owner))
        mend = texts.OR_TASK.of(program=called_as(), command=command)
        return UsageError(texts.NOT_FOR_COMMAND.of(command=command), where=name, mend=mend)
    near = nearest(name, [each for flag in _flags(command) for each in flag.names if each.startswith("--")])
    if near is not None:
        return UsageError(texts.UNKNOWN_OPTION, where=name, mend=shared.DID_YOU_MEAN.of(name=near))
    return UsageError(texts.UNKNOWN_OPTION, where=name, mend=texts.DASH_TASK)


def _check_texts(given: Mapping[str, Any], words: Sequence[str]) -> None:
    """Refuse empty values, and bytes that were no text in the system's encoding."""
    for flag in dict.fromkeys(_FLAGS.values()):
        value = given.get(flag.dest)
        if isinstance(value, str) and not value.strip():
            raise UsageError(shared.EMPTY_VALUE, where=flag.names[-1])
    if any("\ud800" <= char <= "\udfff" for word in words for char in word):
        raise UsageError(texts.TASK_NOT_UTF8)


def _overrides(command: str, given: Mapping[str, Any]) -> tuple[Override, ...]:
    overrides = [
        read_override(flag.key, flag.names[-1], given[flag.dest])
        for flag in _flags(command)
        if flag.key and given[flag.dest] is not None
    ]
    if given.get("agent") is not None:  # a preset that was asked for goes before a command in the file
        overrides.append(Override("agent.command", "--agent", None))
    if given.get("no_rounds"):
        overrides.append(Override("rounds.enabled", "--no-rounds", False))
    return tuple(overrides)


def _run_words(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The options of `serve` that are a run's, as words again."""
    words: list[str] = []
    for flag in (*SERVE[2:], *COMMON):
        if given[flag.dest] not in (None, False):
            words += [flag.names[-1], given[flag.dest]] if flag.metavar else [flag.names[-1]]
    return tuple(words)


def _own(command: str, given: Mapping[str, Any]) -> dict[str, str]:
    """What was given for the own options of a step of `ci`, or for those of `serve`."""
    flags = COMMANDS[command].flags if command.startswith("ci ") else SERVE[:2] if command == "serve" else ()
    return {flag.dest: given[flag.dest] for flag in flags if given[flag.dest] is not None}


def _words(command: str, words: list[str], task_file: str | None) -> dict[str, Any]:
    """The words of a command by their names in `Options`."""
    if command in ("run", "serve"):
        if len(words) > 1:
            raise UsageError(texts.TOO_MANY_WORDS.of(found=plain(words[1])), mend=texts.QUOTE_TASK)
        if words and task_file is not None:
            raise UsageError(texts.TASK_TWICE, mend=texts.GIVE_ONE)
        if words and not words[0].strip():
            raise UsageError(texts.BLANK_TASK, mend=texts.HOW_TO_TASK.of(call=call_of(command)))
        return {"task": words[0] if words else None}
    names = COMMANDS[command].positional
    for name in names[len(words) :]:
        raise UsageError(texts.MISSING_WORD.of(name=name), mend=_see_help(command))
    if command == "say":
        if not " ".join(words).strip():
            raise UsageError(texts.MISSING_WORD.of(name="TEXT"), mend=_see_help(command))
        return {"text": " ".join(words)}
    if command == "score":
        return {"id": words[0], "score": _score(words[1]), "comment": " ".join(words[2:])}
    if len(words) > len(names):
        raise UsageError(texts.TOO_MANY_WORDS.of(found=plain(words[len(names)])), mend=_see_help(command))
    return {"id": words[0]} if names else {}


def _score(text: str) -> float:
    try:
        return float(read_value("rounds.adopt_score", text))
    except BadValue:
        raise UsageError(texts.BAD_SCORE.of(found=plain(text)), where="X") from None


def _seed(text: str | None) -> int | None:
    if text is None:
        return None
    if not _WHOLE.fullmatch(text):
        raise UsageError(texts.NOT_WHOLE.of(found=plain(text)), where="--seed")
    return int(text)


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)
