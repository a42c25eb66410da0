"""Where in a template the prompt may have got to: variables, positional parameters, files, standard input.

Owns the taint analysis: it follows the prompt through assignments, `set`, `read`, `for`, functions, files, pipes and
redirections. In doubt something holds the prompt. Pure; the order of execution is not looked at, so what holds the
prompt once holds it always.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from xuen.agent.shell import readers
from xuen.agent.shell.scripts import Scripts
from xuen.agent.shell.tree import (
    PLACEHOLDERS,
    Arithmetic,
    Command,
    Compound,
    Function,
    Node,
    Parameter,
    Part,
    Pipeline,
    Redirect,
    Simple,
    Substitution,
    Word,
    walk,
)
from xuen.agent.shell.written import file_of, is_nameless, names_files_itself, redirects_shell, written

_PRINT_VARIABLES = frozenset({"env", "printenv", "export", "readonly", "set"})
_IGNORE_STDIN = readers.words(
    "true false : echo printf date pwd cd test [ export set unset local readonly shift return exit break continue "
    "mktemp basename dirname realpath readlink uname hostname id whoami which nproc seq ls mkdir rm rmdir touch chmod "
    "sleep kill type umask ulimit stat du df getconf trap wait"
)
_GIT_IGNORES_STDIN = readers.words("branch config describe diff log remote rev-parse show status symbolic-ref tag")
"""Commands, and those of git, that print nothing of what stands on their standard input."""

_PROMPT_FILE = ".xuen-prompt-0123456789abcdef.txt"  # how the prompt's file is called; it stands in the current folder
_SYSTEM_FILE = re.compile(r"/+dev/fd/.*|/+proc/.*/(?:fd/.*|cmdline|environ)", re.DOTALL)  # they may show it too
_NO_FILES = frozenset({"", ".", ".."})


class Taint:
    """What may hold the text or the file of the prompt, or with `seeds` only one of them.

    The commands of the tree that are `fed` too have the prompt on their standard input from the start.
    """

    def __init__(
        self,
        tree: tuple[Pipeline, ...],
        seeds: tuple[str, ...] = PLACEHOLDERS,
        *,
        fed: tuple[Pipeline, ...] = (),
    ) -> None:
        self._seeds = seeds
        nodes = list(walk(tree))
        self.functions = {node.name for node in nodes if isinstance(node, Function)}
        self._holding: set[str] = set()  # functions with a command in them that holds it
        self.variables: set[str] = set()
        self.files: set[str] = set()  # names without folder
        self.paths: set[str] = set()  # variables with the path of a file that holds it
        self.assigned: dict[str, list[Word]] = {}  # the arguments of `set` and of functions under the name `@`
        self.unknown_files = False  # files whose names cannot be told may hold it
        self.positional = False  # some positional parameter may hold it
        self.first = False  # the first one may
        self._exported = False  # some variable of the environment may
        self._stdin = False  # the shell's own standard input may
        self._fed: set[int] = set()  # commands, by identity, whose standard input may
        self._fed_functions: set[str] = set()
        # By identity; keeps the node, so that the number stays its own.
        self._known: dict[int, tuple[object, bool]] = {}
        before = None
        while before != (before := self._size()):
            self._known.clear()
            self.scripts = Scripts(nodes, self)
            self._flow(tree, self._stdin)
            self._flow(fed, True)
            for node in nodes:
                self._follow(node)

    def _size(self) -> tuple[int, ...]:
        sets = (self._holding, self.variables, self.files, self.paths, self._fed, self._fed_functions)
        flags = (self.positional, self.first, self.unknown_files, self._exported, self._stdin)
        return *(len(each) for each in sets), sum(map(len, self.assigned.values())), *flags

    def feeds(self, command: Simple) -> bool:
        """Whether the command's standard input may hold something of the prompt."""
        return id(command) in self._fed

    def holds(self, node: object) -> bool:
        """Whether something of the prompt may be in what this expands to, prints or is run with."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = (node, any(self._holds_itself(item) for item in walk(node)))
        return known[1]

    def named(self, word: Word) -> bool:
        """Whether the word is the path of a file that may hold the prompt, because the template wrote it there."""
        name, variable = file_of(word)
        if re.search(r"[*?\[]", name):
            hidden = {_PROMPT_FILE} if name.startswith(".") else set()
            return any(fnmatchcase(known, name) for known in self.files | hidden)
        return name in self.files or variable in self.paths or _SYSTEM_FILE.fullmatch(word.text) is not None

    def _holds_itself(self, node: Node) -> bool:
        match node:
            case Parameter():
                positional = node.name in ("@", "*") or (node.name.isdigit() and node.name != "0")
                return node.name in self._seeds or node.name in self.variables or (positional and self.positional)
            case Simple(words=(first, *_)):
                name = first.literal
                prints = self._exported and readers.program(name or "") in _PRINT_VARIABLES
                prints = prints or (name == "set" and len(node.words) == 1)
                return name in self._holding or prints or (self.feeds(node) and not _ignores_stdin(node.words))
            case Redirect():
                return node.operator == "<&" and node.target.literal != "-"
            case Word():
                return self.named(node)
        return False

    # Standard input

    def _flow(self, pipelines: tuple[Pipeline, ...], feed: bool) -> None:
        """Note which commands may read the prompt; `feed`: it may stand on the standard input of all of them."""
        for pipeline in pipelines:
            piped = feed
            for stage in pipeline.stages:
                self._flow_into(stage, piped)
                piped = piped or self.holds(stage)

    def _flow_into(self, command: Command, feed: bool) -> None:
        if isinstance(command, Function):
            self._flow_into(command.body, command.name in self._fed_functions)
            return
        after = feed
        for redirect in command.redirects:
            if redirect.feeds_stdin:
                file = redirect.operator != "<<"
                after = self.holds(redirect) or (file and self.scripts.doubtful(redirect.target))
        words = [*(command.words or ()), *(redirect.target for redirect in command.redirects)]
        if isinstance(command, Simple):
            words += [value for _, value in command.assignments]
        within = feed if command.words else feed or after  # some shells redirect before they assign
        for body in (body for word in words for body in _substituted(word.parts)):
            self._flow(body, within)
        if isinstance(command, Compound):
            self._flow(command.body, after)
        elif after:
            self._fed.add(id(command))
            self._fed_functions.update(self.functions & {word.literal or "" for word in command.words[:1]})

    # Variables and files

    def _follow(self, node: Node) -> None:
        if isinstance(node, Simple):
            for name, value in node.assignments:
                self._assign(name, value)
            self._follow_command(node)
        elif isinstance(node, Function) and self.holds(node.body):
            self._holding.add(node.name)
        elif isinstance(node, Compound) and node.kind == "for":
            if self.positional if node.words is None else self.holds(node.words):
                self.variables.add(node.variable)
            self._may_be(node.variable, *(node.words or ()))
        elif isinstance(node, Parameter) and node.operator.endswith("="):
            self._may_be(node.name, Word(node.argument, node.at))
            if self.holds(node.argument):
                self.variables.add(node.name)
        if isinstance(node, Simple | Compound | Pipeline) and (self.holds(node) or redirects_shell(node)):
            for word in written(node):
                name, variable = file_of(word)
                self.files.update({name} - _NO_FILES)
                self.paths.update({variable} - {""})
                self.unknown_files = self.unknown_files or is_nameless(word)
            self.unknown_files = self.unknown_files or (isinstance(node, Simple) and names_files_itself(node))

    def _may_be(self, name: str, *values: Word) -> None:
        known = self.assigned.setdefault(name, [])
        known.extend(value for value in values if value not in known)

    def _assign(self, name: str, value: Word) -> None:
        self._may_be(name, value)
        if self.holds(value.parts):
            self.variables.add(name)
        elif self.named(value):
            self.paths.add(name)

    def _follow_command(self, node: Simple) -> None:
        words = node.words
        while words and words[0].literal == "command" and "command" not in self.functions:
            words = words[1:]
        name, arguments = (words[0].literal, words[1:]) if words else (None, ())
        if name == "read":
            self.variables.update({"REPLY"}, (w.literal for w in arguments if w.literal and w.literal.isidentifier()))
        if name == "getopts" and self.positional:
            self.variables.add("OPTARG")
        for word in arguments if name in readers.NAME_TAKERS else ():
            variable, equals, _ = word.head.partition("=")
            if equals:
                self._assign(variable, word.after(variable + "="))
            self._exported = self._exported or (name == "export" and variable in self.variables)
        self._exported = self._exported or (exports_all(node) and bool(self.variables))
        if name == "shift":
            self.first = True
        if name == "set" or name in self.functions or (words and name is None and self.functions):
            self._follow_positional(arguments[1:] if name == "set" else arguments)
        if name == "exec" and any(item.feeds_stdin and self.holds(item) for item in node.redirects):
            self._stdin = True

    def _follow_positional(self, arguments: tuple[Word, ...]) -> None:
        self._may_be("@", *arguments)
        if self.holds(arguments):
            self.positional = True
            expands = any(isinstance(part, Parameter) and part.name in ("@", "*") for part in arguments[0].parts)
            self.first = self.first or expands or self.holds(arguments[0])


def _ignores_stdin(words: tuple[Word, ...]) -> bool:
    if words[0].literal == "git":
        return len(words) > 1 and words[1].literal in _GIT_IGNORES_STDIN
    return words[0].literal in _IGNORE_STDIN


def exports_all(command: Simple) -> bool:
    """`set -a`: every variable that is assigned afterwards goes into the environment."""
    words = [word.literal or "" for word in command.words]
    return words[:1] == ["set"] and any(w == "allexport" or (w.startswith("-") and "a" in w) for w in words[1:])


def _substituted(parts: tuple[Part, ...]) -> Iterator[tuple[Pipeline, ...]]:
    """The commands of the outermost `$( … )` in a word."""
    for part in parts:
        match part:
            case Substitution():
                yield part.body
            case Parameter():
                yield from _substituted(part.argument)
            case Arithmetic():
                yield from _substituted(part.parts)
