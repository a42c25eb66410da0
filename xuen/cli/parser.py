"""The command line as a value: one scan of its words, checked against the table of commands.

Owns the check of each option and word by the rules of the configuration. Refuses abbreviations, unknown options,
options of another command, and empty values. A sub-command is the first word that is neither an option nor its value;
after `--` every word is plain text. Imports nothing heavy.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from xuen import __version__
from xuen.cli.commands import COMMANDS, COMMON, FLAGS, SERVE, Flag, flags_of
from xuen.cli.help import help_text
from xuen.cli.near import LATER, near_command
from xuen.cli.program import call_of, called_as, typed
from xuen.config.overrides import Override, read_override
from xuen.config.values import BadValue, nearest, read_value
from xuen.errors import UsageError
from xuen.texts import Language, Text, language_here, language_of, plain, shared
from xuen.texts import ci as ci_texts
from xuen.texts import cli as texts

_OPTION = re.compile(r"--?[A-Za-z][\w-]*(?:=|\Z)")
_VERSION = f"xuen {__version__}"
_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")


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
    new_task: bool = False
    seed: int | None = None
    events: str | None = None  # "-" is standard output
    task: str | None = None
    task_file: Path | None = None
    text: str = ""  # of `say`
    id: str = ""  # of `score` and `show`
    score: float | None = None
    comment: str = ""
    is_plain: bool = False  # the task stood behind `--`, so it is one whatever its word
    given: Mapping[str, str] = field(default_factory=dict)  # the own options of `ci …` and `serve`, by their names
    run_words: tuple[str, ...] = ()  # of `serve`: the options of the run that it shows


class _Scan(NamedTuple):
    """The words of a command line by what they are; the value of an option is None where it has none."""

    options: list[tuple[str, str | None]]
    words: list[str]
    plain: list[str]  # behind `--`


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> Options:
    """Read the words after the program's name.

    Raises:
        UsageError: anything that is not as the help says; `where` is the option, if there is one.
    """
    scan = _scan(argv)
    command, words = _command(scan.words)
    given = _given(command, scan.options)
    if given["help"]:
        return Options(command=command, show=help_text(command, early_language(argv, environ)))
    if given.get("version"):
        return Options(command=command, show=_VERSION)
    if command == "ci":
        raise UsageError(ci_texts.WHICH_ACTION.of(names=COMMANDS[command].words), mend=_see_help(command))
    _check_known(command, scan.options)
    words += scan.plain
    _check_texts(scan.options, words)
    return Options(
        command=command,
        config=_path(given["config"]),
        overrides=_overrides(command, given),
        no_color=given["no_color"],
        no_tui=given.get("no_tui", False),
        json=given.get("json", False),
        regen_words=given.get("regen_words", False),
        new_task=given.get("new_task", False),
        seed=_seed(given.get("seed")),
        events=given.get("events"),
        task_file=_path(given.get("task_file")),
        given=_own(command, given),
        run_words=_run_words(given) if command == "serve" else (),
        is_plain=bool(scan.plain),
        **_words(command, words, given.get("task_file"), early_language(argv, environ)),
    )


def early_language(argv: Sequence[str], environ: Mapping[str, str]) -> Language:
    """The language for whatever is said before the configuration and the task are known.

    `--language` if it is `en` or `zh`, else Chinese after a word with Han characters that is no option's value (a
    path tells nothing about its user's language), else what the locale says.
    """
    scan = _scan(argv)
    match [value for name, value in scan.options if name == "--language"]:
        case [*_, "zh"]:
            return "zh"
        case [*_, "en"]:
            return "en"
    if any(language_of(word) == "zh" for word in (*scan.words, *scan.plain)):
        return "zh"
    return language_here(environ)


# --- what stands where ---------------------------------------------------------------------------------------------


def _scan(argv: Sequence[str]) -> _Scan:
    """Sort the words; one that is no option and no option's value is a word of the command. Raises nothing."""
    cut = list(argv).index("--") if "--" in argv else len(argv)
    scan = _Scan([], [], list(argv[cut + 1 :]))
    rest = list(argv[:cut])
    while rest:
        word = rest.pop(0)
        option = _option(word)
        if option is None:
            scan.words.append(word)
            continue
        name, value = option
        if value is None and name in FLAGS and FLAGS[name].metavar and rest and _option(rest[0]) is None:
            value = rest.pop(0)
        scan.options.append((name, value))
    return scan


def _option(word: str) -> tuple[str, str | None] | None:
    """The name of an option and the value that is written in the same word; None for a word that is no option."""
    name, equals, value = word.partition("=")
    if name not in FLAGS and word[:2] in FLAGS:  # -cFILE
        return word[:2], word[2:]
    return (name, value if equals else None) if name in FLAGS or _OPTION.match(word) else None


def _command(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command, and its own words; a command of two words is found in two steps."""
    first = words[0] if words else ""
    if first == "ci":
        whole = " ".join(words[:2])
        return (whole, list(words[2:])) if whole in COMMANDS else ("ci", list(words[1:]))
    if first in COMMANDS and first != "run" and " " not in first:
        return first, list(words[1:])
    return "run", list(words)


def _given(command: str, options: Sequence[tuple[str, str | None]]) -> dict[str, Any]:
    """The values of the command's options by their names; None or False for what was not given.

    Raises:
        UsageError: an option without its value, or a switch with one.
    """
    given: dict[str, Any] = {flag.dest: None if flag.metavar else False for flag in flags_of(command)}
    known = {name: flag for flag in flags_of(command) for name in flag.names}
    for name, value in options:
        flag = known.get(name)
        if flag is None:
            continue
        if flag.metavar and value in (None, "--"):
            raise UsageError(texts.NEEDS_VALUE, where=flag.names[-1], mend=_see_help(command))
        if not flag.metavar and value is not None:
            raise UsageError(texts.TAKES_NO_VALUE, where=flag.names[-1], mend=_see_help(command))
        given[flag.dest] = value if flag.metavar else True
    return given


# --- what is refused -----------------------------------------------------------------------------------------------


def _see_help(command: str) -> Text:
    return texts.SEE_HELP.of(call=call_of(command))


def _check_known(command: str, options: Sequence[tuple[str, str | None]]) -> None:
    """Refuse the first option that the command does not have."""
    known = {name for flag in flags_of(command) for name in flag.names}
    for name, _ in options:
        if name not in known:
            raise _unknown_option(name, command)


def _unknown_option(name: str, command: str) -> UsageError:
    if name in FLAGS:
        owner = next(other for other in COMMANDS if FLAGS[name] in flags_of(other))
        if command == "run":
            return UsageError(texts.UNKNOWN_OPTION, where=name, mend=_see_help(owner))
        mend = texts.OR_TASK.of(program=called_as(), command=command) if owner == "run" else _see_help(command)
        return UsageError(texts.NOT_FOR_COMMAND.of(command=command), where=name, mend=mend)
    near = _near_option(name, command)
    other = texts.DASH_TASK if command in ("run", "serve") else _see_help(command)
    mend = other if near is None else shared.DID_YOU_MEAN.of(name=near)
    return UsageError(texts.UNKNOWN_OPTION, where=name, mend=mend)


def _near_option(name: str, command: str) -> str | None:
    """The only option that begins like an unknown one, else the one that looks most like it, the dashes aside."""
    word = name.lstrip("-").lower()
    names = [flag.names[-1].removeprefix("--") for flag in flags_of(command)]
    begun = [other for other in names if other.startswith(word)]
    near = begun[0] if len(begun) == 1 else nearest(word, names)
    return None if near is None else f"--{near}"


def _check_texts(options: Sequence[tuple[str, str | None]], words: Sequence[str]) -> None:
    """Refuse empty values, and bytes that were no text in the system's encoding."""
    for name, value in options:
        if value is not None and not value.strip():
            raise UsageError(shared.EMPTY_VALUE, where=FLAGS[name].names[-1])
    if any("\ud800" <= char <= "\udfff" for word in words for char in word):
        raise UsageError(texts.TASK_NOT_UTF8)


# --- the values ----------------------------------------------------------------------------------------------------


def _overrides(command: str, given: Mapping[str, Any]) -> tuple[Override, ...]:
    overrides = [
        read_override(flag.key, flag.names[-1], given[flag.dest])
        for flag in flags_of(command)
        if flag.key and given[flag.dest] is not None
    ]
    if given.get("agent") is not None:  # a preset that was asked for goes before a command in the file
        overrides += [Override(key, "--agent", None) for key in ("agent.command", "agent.argv")]
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
    flags: tuple[Flag, ...] = ()
    if command == "serve":
        flags = SERVE[:2]
    elif command.startswith("ci "):
        flags = COMMANDS[command].flags
    return {flag.dest: given[flag.dest] for flag in flags if given[flag.dest] is not None}


def _words(command: str, words: list[str], task_file: str | None, language: Language) -> dict[str, Any]:
    """The words of a command by their names in `Options`."""
    match command:
        case "run" | "serve":
            return {"task": _task(command, words, task_file)}
        case "help":
            return {"show": _help_on(" ".join(words), language)}
    names = COMMANDS[command].positional
    if len(words) < len(names) or (command == "say" and not " ".join(words).strip()):
        raise _missing(command, words)
    match command:
        case "say":
            return {"text": " ".join(words)}
        case "score":
            return {"id": words[0], "score": _score(words[1]), "comment": " ".join(words[2:])}
    if len(words) > len(names):
        raise UsageError(texts.TOO_MANY_WORDS.of(found=plain(words[len(names)])), mend=_see_help(command))
    return {"show": _VERSION} if command == "version" else {"id": words[0]} if names else {}


def _task(command: str, words: list[str], task_file: str | None) -> str | None:
    if len(words) > 1:
        raise _several_words(words)
    if words and task_file is not None:
        raise UsageError(texts.TASK_TWICE, mend=texts.GIVE_ONE)
    if words and not words[0].strip():
        raise UsageError(texts.BLANK_TASK, mend=texts.HOW_TO_TASK.of(call=call_of(command)))
    return words[0] if words else None


def _several_words(words: list[str]) -> UsageError:
    """A task without its quotes, or a command that this program does not have."""
    if words[0] in LATER:
        return UsageError(texts.LATER_COMMAND.of(name=words[0]), mend=_see_help("run"))
    near = near_command(words[0])
    mend = texts.QUOTE_TASK if near is None else texts.NEAR_OR_QUOTE.of(call=typed(near))
    return UsageError(texts.TOO_MANY_WORDS.of(found=plain(words[1])), mend=mend)


def _missing(command: str, words: list[str]) -> UsageError:
    """The error for the first word that a command lacks, with what to type."""
    about = COMMANDS[command]
    given = [word for word in words if word.strip()]
    name = about.positional[len(given)]
    call = f"{call_of(command)} {shlex.join([*given, *about.example[len(given) :]])}"
    what = texts.MISSING_WORD.of(name=texts.A_SCORE if name == "X" else name)
    return UsageError(what, mend=texts.TYPE_IT.of(call=call))


def _help_on(name: str, language: Language) -> str:
    if not name or name in COMMANDS:
        return help_text(name or "run", language)
    if name in LATER:
        raise UsageError(texts.LATER_COMMAND.of(name=name), mend=_see_help("run"))
    near = near_command(name)
    mend = _see_help("run") if near is None else shared.DID_YOU_MEAN.of(name=near)
    raise UsageError(texts.NO_COMMAND.of(name=plain(name)), mend=mend)


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
