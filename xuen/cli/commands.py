"""What the command line offers, as one table: every command with its words and its options.

Owns the table. The parser, the help and the search for a near command read it; nothing here reads an argument.
"""

from __future__ import annotations

from dataclasses import dataclass

from xuen.texts import Text
from xuen.texts import ci as ci_texts
from xuen.texts import cli as texts


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
    """What can be done: its words in the help, its options beside the common ones, and the words that it must have.

    `example` are these words as a user might type them, for the error where one is missing.
    """

    words: str
    help: Text
    flags: tuple[Flag, ...] = ()
    positional: tuple[str, ...] = ()
    example: tuple[str, ...] = ()


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
    Flag(("--new-task",), "", texts.H_NEW_TASK),
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
    "say": Command("TEXT", texts.C_SAY, positional=("TEXT",), example=("try it with …",)),
    "score": Command("ID X [COMMENT]", texts.C_SCORE, positional=("ID", "X"), example=("ID", "8")),
    "history": Command("", texts.C_HISTORY, (JSON,)),
    "show": Command("ID", texts.C_SHOW, positional=("ID",), example=("ID",)),
    "serve": Command("[TASK]", texts.C_SERVE, SERVE),
    "ci": Command("restore|pick-model|checkpoint", ci_texts.C_CI),
    "ci restore": Command("", ci_texts.C_RESTORE, BRANCH),
    "ci pick-model": Command("", ci_texts.C_PICK_MODEL, PICK_MODEL),
    "ci checkpoint": Command("", ci_texts.C_CHECKPOINT, CHECKPOINT),
    "init": Command("", texts.C_INIT),
    "help": Command("[COMMAND]", texts.C_HELP),
    "version": Command("", texts.H_VERSION),
}
"""All commands; `run` is what a task means and is no word of the command line."""

FLAGS = {name: flag for command in COMMANDS.values() for flag in (*COMMON, *command.flags) for name in flag.names}
"""Every option of any command by each of its names; one name takes a value everywhere or nowhere."""


def flags_of(command: str) -> tuple[Flag, ...]:
    """The options of a command, its own first."""
    return (*COMMANDS[command].flags, *COMMON)
