"""Programs and builtins that read an argument, their standard input or a file as code.

Owns: the tables that `rules` decides by. Names are compared without folder and version
(`/usr/bin/python3.11` is `python`). Facts come from the programs' own manuals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interpreter:
    """How a program takes code by options; its first operand is a script, too."""

    code_flag: str  # a pattern that an option with code in it, or before it, matches from its start
    values: str = ""  # letters of other options that take a value as the next word
    stops_at: tuple[str, ...] = ()  # what follows these is the program's own data


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


SHELLS = words(
    "sh ash dash bash rbash ksh rksh mksh lksh oksh pdksh zsh rzsh yash posh hush fish csh tcsh rc es "
    "elvish nu xonsh pwsh powershell osh ysh"
)
CODE_MODULES = words("timeit pdb cProfile profile trace runpy code doctest IPython")
"""Modules of Python's `-m` that run what they are given."""

TEXT_FILTERS = words("awk gawk mawk nawk sed gsed")
"""Interpreters whose standard input is data and whose `-f` names their program."""

INTERPRETERS = {
    **dict.fromkeys(("python", "pypy"), Interpreter(r"-(?![WXQm])[A-Za-z]*?c", "WXQ", stops_at=("-m",))),
    **dict.fromkeys(("node", "nodejs"), Interpreter(r"-(?:pe|e|p)|--(?:eval|print)", "rC")),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), Interpreter(r"-e|--source", "vF")),
    **dict.fromkeys(("sed", "gsed"), Interpreter(r"-[nErsuz]*e|--expression")),
    **dict.fromkeys(("tclsh", "wish"), Interpreter(r"(?!)")),
    **dict.fromkeys(("Rscript", "R", "groovy", "scala"), Interpreter(r"-e")),
    **dict.fromkeys(("guile", "expect"), Interpreter(r"-c")),
    "perl": Interpreter(r"-(?![MmIxi])[a-zA-Z0-9]*?[eE]", "I"),
    "ruby": Interpreter(r"-(?![rIECKx])[a-zA-Z0-9]*?e", "rIE"),
    "bun": Interpreter(r"-e|--eval|-p|--print"),
    "deno": Interpreter(r"eval"),
    "php": Interpreter(r"-[rBRE]|--(?:run|process-(?:begin|code|end))", "dc"),
    "lua": Interpreter(r"-e", "l"),
    "luajit": Interpreter(r"-e", "lj"),
    "julia": Interpreter(r"-[eE]|--(?:eval|print)"),
    "osascript": Interpreter(r"-e", "l"),
    "elixir": Interpreter(r"-e|--eval"),
    "erl": Interpreter(r"-eval"),
}

RUNS_OPTION = {
    "git": r"-c|-x|--exec|--upload-pack|--receive-pack|foreach|run|--(?:tree|env|index|msg|commit)-filter",
    "tar": r"-[IF]|--(?:to-command|checkpoint-action|use-compress-program|rsh-command|info-script|new-volume-script).*",
    "rsync": r"-e|--rsh.*|--rsync-path.*",
    "sort": r"--compress-program.*",
    "split": r"--filter.*",
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "uvx"), r"-c|--call.*|--shell-mode"),
    **dict.fromkeys(("vi", "vim", "nvim", "view", "gvim"), r"-[cSsu]|--cmd|\+.*"),
    **dict.fromkeys(("emacs", "emacsclient"), r"-e|--eval.*|-l|--load.*|--script.*|-f|--funcall.*"),
    "curl": r"-K|--config.*",
    "man": r"-[PH]|--pager.*",
}
"""Options, and words of the kind, of programs that run what the next word, or the rest of the option, says."""

READ_EVERY_ARGUMENT = words(
    "ssh slogin rsh mosh watch at batch parallel tmux screen su runuser make gmake m4 gdb dc ed ex "
    "crontab sqlite3 psql mysql mariadb gnuplot xterm"
)
"""Programs that may run what any of their arguments says."""

READ_STDIN = words(
    "at batch parallel m4 gdb dc ed ex vi vim nvim view crontab sqlite3 psql mysql mariadb gnuplot make gmake newgrp"
)
"""Programs that may run what their standard input says."""

SHELL_WITHOUT_COMMAND = {
    **dict.fromkeys(("ssh", "slogin", "rsh", "mosh"), "bcDEeFIiJLlmOopQRSWw"),
    **dict.fromkeys(("su", "runuser"), "gGsuw"),
}
"""With at most one operand, these give their standard input to a shell; and their options that take a value."""

SHELL_BY_DEFAULT = frozenset({"chroot", "unshare", "script", "fakeroot", "firejail", "nsenter"})
"""Wrappers that run a shell where no command is given."""

WRAPPERS = {
    **dict.fromkeys(
        words(
            "command nohup setsid chronic unbuffer busybox toybox chroot chrt taskset prlimit systemd-inhibit firejail "
            "torsocks setpriv unshare"
        ),
        "",
    ),
    **dict.fromkeys(("timeout", "gtimeout"), "ks"),
    **dict.fromkeys(("strace", "ltrace"), "oeps"),
    "caffeinate": "tw",
    "doas": "uC",
    "env": "uCS",
    "exec": "a",
    "fakeroot": "lsib",
    "flock": "wE",
    "ionice": "cnp",
    "nice": "n",
    "nsenter": "tSG",
    "proxychains": "f",
    "script": "cEIOoTB",
    "stdbuf": "ioe",
    "sudo": "ugpCDhRrTtU",
    "time": "fo",
    "xargs": "IEnPLsda",
}
"""Programs that run their operands as a command, with the letters of their options that take a value."""

OPERANDS_BEFORE_COMMAND = {"timeout": 1, "gtimeout": 1, "chroot": 1, "taskset": 1, "chrt": 1, "flock": 1}
TAKES_COMMAND_TEXT = frozenset({"flock", "script", "unshare"})
"""Wrappers whose `-c` takes a shell command as text."""

NAME_TAKERS = frozenset({"read", "unset", "export", "readonly", "local", "getopts"})
"""Builtins that set, mark or remove the variables named by their arguments."""

NO_DATA = words(
    "read unset getopts shift return exit break continue wait kill umask ulimit times type hash jobs fg "
    "bg fc alias unalias pwd"
)
"""Builtins that some shell evaluates or prints differently when an argument is not what they expect."""

ONE_SHELL_ONLY = words(
    "alias source declare typeset let mapfile readarray shopt enable builtin caller compgen complete "
    "compopt bind disown pushd popd dirs logout history suspend print whence"
)
"""Builtins that another of the shells does not have, or does not heed when it is not interactive."""

DATA_BUILTINS = frozenset({":", "true", "false", "cd", "printf", "test", "[", "echo", "set", *NAME_TAKERS, *NO_DATA})
"""What a shell runs itself, so that the system's limit for one argument does not count."""

CODE_VARIABLES = re.compile(
    r"(?:ENV|BASH_ENV|SHELLOPTS|BASHOPTS|IFS|PATH|CDPATH|HOME|SHELL|EDITOR|VISUAL|PAGER|PS[0-4]|PROMPT_COMMAND|LD_\w+"
    r"|DYLD_\w+|OPTIND|GIT_\w*(?:COMMAND|EDITOR|PAGER|SSH)|PERL5OPT|RUBYOPT|NODE_OPTIONS|PYTHONSTARTUP|PYTHONPATH"
    r"|MAKEFLAGS|LESSOPEN|LESSCLOSE)"
)
"""Variables whose value a shell or a program loads, expands or runs."""

STARTUP_FILES = words(
    ".profile .bashrc .bash_profile .bash_login .bash_logout .zshenv .zshrc .zprofile .zlogin .kshrc .mkshrc .yashrc "
    ".yash_profile .shrc .shinit .cshrc .tcshrc config.fish"
)
"""Files that some shell reads when it starts."""

CONDITIONS = re.compile(r"EXIT|[0-9]+|HUP|INT|QUIT|TERM|PIPE|ALRM|USR[12]|CHLD|CONT|TSTP|TTIN|TTOU|WINCH")


def program(name: str) -> str:
    """A command's name without folder and version: `/usr/bin/python3.11` is `python`."""
    last = name.rpartition("/")[2].removesuffix(".exe")
    stem = re.sub(r"[-0-9.]+$", "", last)
    return stem if stem and last not in SHELLS and last not in WRAPPERS else last
