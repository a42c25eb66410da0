"""Who reads an argument, the standard input or a file as code: the table that `rules` goes by.

Names are compared without folder and version (`/usr/bin/python3.11` is `python`). Facts come from the manuals.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _rows(table: str) -> dict[str, str]:
    """One entry for each name: a line is names and what holds for them, which has no blank in it."""
    return {name: line.split()[-1] for line in table.strip().splitlines() for name in line.split()[:-1]}


def _values(table: str) -> dict[str, str]:
    return dict(entry.split(":") for entry in table.split())


# Interpreters run a file, else their standard input. Behind these options, as patterns, stands code.
CODE_OPTION = _rows(r"""
sh ash dash bash rbash ksh rksh mksh lksh oksh pdksh zsh rzsh yash posh hush fish csh    -(?!-)\w*[cC]|--c|--e
tcsh rc es elvish nu xonsh pwsh powershell osh ysh    -(?!-)\w*[cC]|--c|--e
python pypy    -(?![WXQm])[A-Za-z]*?c
node nodejs tsx ts-node    -(?:pe|e|p)|--(?:eval|print)
awk gawk mawk nawk    -e|--source
sed gsed    -[nErsuz]*e|--expression
tclsh wish    (?!)
Rscript R groovy scala osascript lua luajit guile expect raku swift clojure ghc racket    -[ec]
bun julia elixir    -[eEp]|--(?:eval|print)
perl    -(?![MmIxi])[a-zA-Z0-9]*?[eE]
ruby    -(?![rIECKx])[a-zA-Z0-9]*?e
deno    eval
php    -[rBRE]|--(?:run|process-(?:begin|code|end))
erl    -eval
""")
SHELLS = frozenset(name for name, option in CODE_OPTION.items() if option == CODE_OPTION["sh"])
# Of these the first operand is code; their standard input and their files are data.
FILTERS = _words("awk gawk mawk nawk sed gsed")
# The letters of other options that take the next word.
TAKES_VALUE = dict.fromkeys(SHELLS, "oO") | _values(
    "python:WXQ pypy:WXQ node:rC nodejs:rC awk:vF gawk:vFilE mawk:vFW nawk:vF sed:l lua:l osascript:l perl:I ruby:rIE "
    "php:dc"
)
LONG_WITH_VALUE = _words("--rcfile --init-file --require --import --loader")
# Modules of Python's `-m` that run what they are given.
CODE_MODULES = _words("timeit pdb cProfile profile trace runpy code doctest IPython")
# Files, as patterns, that a program loads without being asked for them.
LOADED = dict.fromkeys(SHELLS, r"\.\w*(?:rc|zshenv|profile|login|logout)|\.shinit|config\.fish") | _rows(r"""
make gmake    (?:GNUm|[Mm])akefile
python pypy    \w[\w-]*\.py
""")

# Programs that run their operands as a command: `1` for an operand before it, and letters as above.
WRAPPERS = _values(
    "command: nohup: setsid: chronic: unbuffer: busybox: toybox: prlimit: systemd-inhibit: torsocks: setpriv: chroot:1 "
    "unshare: firejail: timeout:1ks gtimeout:1ks taskset:1 chrt:1 flock:1wE strace:oeps ltrace:oeps caffeinate:tw "
    "env:uC exec:a fakeroot:lsib ionice:cnp nice:n nsenter:tSG proxychains:f script:cEIOoTB stdbuf:ioe time:fo doas:uC "
    "sudo:ugpCDhRrTtU xargs:IEnPLsda ssh:1bcDEeFIiJLlmOopQRSWw slogin:1pil rsh:1l mosh:1"
)
# Their options that take a command as text or start a shell; and those that run it on another machine.
WRAPPER_CODE = re.compile(r"env (-\w*S|--s)|(sudo|doas) (-\w*[si]$|--(sh|lo))|(flock|script|unshare) (-[a-z]*c|--co)")
REMOTE = _words("ssh slogin rsh mosh")

# Options, and words of the kind, of programs that run what the rest of the option, or the next word, says.
OPTIONS = _rows(r"""
git    -[cxO]|apply|am|--exec|--(?:upload|receive)-pack|foreach|run|--(?:tree|env|index|msg|commit)-filter|--open-files
tar    -[IF]|--(?:to-command|checkpoint-action|use-compress|rsh-command|info-script|new-volume-script)
less more most pg    [-+]
rsync scp sftp    -[eSoF]|--rsh|--rsync-path
npm npx pnpm yarn uvx    -c|--call|--shell-mode
vi vim nvim view gvim    -[cSsu]|--cmd|\+
emacs emacsclient    -[elf]|--(?:eval|load|script|funcall)
nc ncat netcat    -[ec]|--(?:sh-)?exec
nix nix-shell    -[cE]|--(?:run|command|expr)
sort    --compress-program
split    --filter
curl    -K|--config
mongosh mongo sbcl    --eval
man    -[PH]|--pager
""")
# Programs that may run, or change, what any of their arguments, and what their standard input says.
_BOTH = "at batch parallel m4 bc gdb dc ed ex crontab sqlite3 psql mysql mariadb gnuplot make gmake newgrp su runuser"
READ_ARGUMENTS = _words(f"{_BOTH} watch tmux screen xterm socat entr hyperfine eval trap .")
READ_STDIN = _words(f"{_BOTH} vi vim nvim view mail mailx read")
# Commands that may write what they read to a file, or go to the prompt's; and those that name a file themselves.
COPIERS = SHELLS | _words("cd eval tee cp mv ln install dd rsync sponge sort uniq curl wget sed gsed")
NAMELESS = _words("split csplit patch uudecode tar bsdtar unzip cpio pax ed ex awk gawk mawk nawk")

# Builtins that set a variable, or that some shell evaluates or prints differently with an argument like this.
NAME_TAKERS = _words("read unset export readonly local getopts")
NO_DATA = NAME_TAKERS | _words("set return exit break continue wait kill umask ulimit times type hash jobs fg bg fc")
# Those that another of the shells lacks, ignores when it is not interactive, or ends at where they fail.
ONE_SHELL_ONLY = _words(
    "alias unalias source declare typeset let mapfile readarray shopt enable builtin caller compgen complete compopt "
    "bind disown pushd popd dirs logout history suspend print whence shift"
)


def program(name: str) -> str:
    """A command's name without folder and version: `/usr/bin/python3.11` is `python`."""
    last = name.rpartition("/")[2].removesuffix(".exe")
    stem = re.sub(r"[-0-9.]+$", "", last)
    return last if last in SHELLS | READ_ARGUMENTS | READ_STDIN else stem or last
