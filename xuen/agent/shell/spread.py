"""Where in a template the prompt may have got to: variables, positional parameters, files, standard input.

Owns: following the prompt through assignments, `set`, `read`, `for`, functions and files. In doubt something
holds the prompt. Pure; order of execution is not looked at, so what holds the prompt once holds it always.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from xuen.agent.shell import readers
from xuen.agent.shell.tree import (
    PLACEHOLDERS,
    Compound,
    Function,
    Literal,
    Node,
    Parameter,
    Part,
    Pipeline,
    Redirect,
    Simple,
    Word,
    walk,
)

_COPIERS = frozenset({"tee", "cp", "mv", "ln", "install", "dd", "rsync", "sponge"})
_OWN_NAMES = frozenset({"split", "csplit", "patch", "uudecode", "tar", "bsdtar", "unzip", "cpio", "pax", "ed", "ex"})
"""Programs that write files whose names stand in what they read, or that they make themselves."""

_PROMPT_FILE = ".xuen-prompt-0123456789abcdef.txt"  # how the prompt's file is called; it stands in the current folder
_OUTPUT = re.compile(r"-[oO]|--out(?:put|file|-file|put-document|put-file)?")
_OUTPUT_VALUE = re.compile(r"-[oO](?=[^-])|--out[a-z-]*=")
_NO_FILES = frozenset({"", ".", ".."})


class Spread:
    """What may hold the text or the file of the prompt, or with `seeds` only one of them."""

    def __init__(self, tree: tuple[Pipeline, ...], seeds: tuple[str, ...] = PLACEHOLDERS) -> None:
        self._seeds = seeds
        nodes = list(walk(tree))
        self.functions = {node.name for node in nodes if isinstance(node, Function)}
        self.telling: set[str] = set()  # functions with a command in them that holds it
        self.variables: set[str] = set()
        self.files: set[str] = set()  # names without folder
        self.paths: set[str] = set()  # variables with the path of a file that holds it
        self.assigned: dict[str, list[Word]] = {}
        self.anywhere = False  # files with names that cannot be told may hold it
        self.positional = False  # some positional parameter may hold it
        self.first = False  # the first one may
        self.stdin = False  # the shell's own standard input may
        self._known: dict[
            int, tuple[object, bool]
        ] = {}  # by identity; keeps the node, so that the number stays its own
        before = None
        while before != (before := self._size()):
            self._known.clear()
            for node in nodes:
                self._follow(node)

    def _size(self) -> tuple[int, ...]:
        found = (len(self.variables), len(self.files), len(self.paths), sum(map(len, self.assigned.values())))
        return len(self.telling), *found, self.positional, self.first, self.anywhere

    def holds(self, node: object) -> bool:
        """Whether something of the prompt may be in what this expands to, prints or is run with."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = (node, any(self._holds_itself(item) for item in walk(node)))
        return known[1]

    def named(self, word: Word) -> bool:
        """Whether the word is the path of a file that may hold the prompt, because the template wrote it there."""
        name, variable = _file(word)
        if re.search(r"[*?\[]", name):
            hidden = {_PROMPT_FILE} if name.startswith(".") else set()
            return any(fnmatchcase(known, name) for known in self.files | hidden)
        return name in self.files or variable in self.paths

    def _holds_itself(self, node: Node) -> bool:
        if isinstance(node, Parameter):
            positional = node.name in ("@", "*") or (node.name.isdigit() and node.name != "0")
            return node.name in self._seeds or node.name in self.variables or (positional and self.positional)
        if isinstance(node, Simple):
            return bool(node.words) and node.words[0].literal in self.telling
        return isinstance(node, Word) and self.named(node)

    def _follow(self, node: Node) -> None:
        if isinstance(node, Simple):
            for name, value in node.assignments:
                self._assign(name, value)
            self._follow_command(node)
        elif isinstance(node, Function) and self.holds(node.body):
            self.telling.add(node.name)
        elif isinstance(node, Compound) and node.kind == "for":
            if self.positional if node.words is None else self.holds(node.words):
                self.variables.add(node.variable)
            self._may_be(node.variable, *(node.words or ()))
        elif isinstance(node, Parameter) and node.operator.endswith("="):
            self._may_be(node.name, Word(node.argument, node.at))
            if self.holds(node.argument):
                self.variables.add(node.name)
        if isinstance(node, Simple | Compound | Pipeline) and (self.holds(node) or _redirects_shell(node)):
            for word in _written(node):
                name, variable = _file(word)
                self.files.update({name} - _NO_FILES)
                self.paths.update({variable} - {""})
                self.anywhere = self.anywhere or _nameless(word)
            self.anywhere = self.anywhere or (isinstance(node, Simple) and _names_itself(node))

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
        while words and words[0].literal == "command":
            words = words[1:]
        name, arguments = (words[0].literal, words[1:]) if words else (None, ())
        if name == "read":
            self.variables.update({"REPLY"}, (w.literal for w in arguments if w.literal and w.literal.isidentifier()))
        if name == "getopts" and self.positional:
            self.variables.add("OPTARG")
        if name in readers.NAME_TAKERS:
            for word in arguments:
                variable, equals, _ = word.head.partition("=")
                if equals:
                    self._assign(variable, word.after(variable + "="))
        if name == "shift":
            self.first = True
        if name == "set" or name in self.functions or (words and name is None and self.functions):
            self._follow_positional(arguments[1:] if name == "set" else arguments)
        if name == "exec" and any(item.feeds_stdin and self.holds(item) for item in node.redirects):
            self.stdin = True

    def _follow_positional(self, arguments: tuple[Word, ...]) -> None:
        if self.holds(arguments):
            self.positional = True
            expands = any(isinstance(part, Parameter) and part.name in ("@", "*") for part in arguments[0].parts)
            self.first = self.first or expands or self.holds(arguments[0])


def _redirects_shell(node: Node) -> bool:
    """`exec > file`: whatever prints afterwards writes there."""
    return isinstance(node, Simple) and len(node.words) == 1 and node.words[0].literal == "exec"


def _written(node: Node) -> Iterator[Word]:
    """The files that a command which sees the prompt may write."""
    for item in walk(node):
        if isinstance(item, Redirect) and item.writes:
            yield item.target
        elif isinstance(item, Simple) and item.words and readers.program(item.words[0].literal or "") in _COPIERS:
            yield from (word for word in item.words[1:] if not word.head.startswith("-"))
        if isinstance(item, Simple):
            yield from _outputs(item.words)


def _outputs(words: tuple[Word, ...]) -> Iterator[Word]:
    """The values of a command's options for an output file: `-o FILE`, `--output=FILE`."""
    for before, word in itertools.pairwise(words):
        if _OUTPUT.fullmatch(before.literal or ""):
            yield word
        if attached := _OUTPUT_VALUE.match(word.head):
            yield word.after(attached[0])


def _nameless(word: Word) -> bool:
    """Whether a file's last name is made of several pieces, or of what a command prints."""
    tail = pattern_of(word.parts)
    if tail is not None:
        return re.search(r"[*?\[]", tail) is not None
    last = word.parts[-1]
    if not isinstance(last, Parameter):
        return True
    before = "".join(part.text if isinstance(part, Literal) else "\0" for part in word.parts[:-1])
    return not (before == "" or before.endswith("/") or before == "of=")


def _names_itself(command: Simple) -> bool:
    words = [word.literal or "" for word in command.words]
    name = readers.program(words[0]) if words else ""
    if name in ("awk", "gawk", "mawk", "nawk"):
        return any(re.search(r">|system\s*\(|\|\s*\"", word) for word in words[1:])
    return name in _OWN_NAMES or (name == "git" and not {"apply", "am"}.isdisjoint(words))


def pattern_of(parts: tuple[Part, ...]) -> str | None:
    """A path's last name where that is plain text, which may be a pattern for names; else None."""
    text = "".join(part.text if isinstance(part, Literal) else "\0" for part in parts)
    name = text.rpartition("/")[2]
    return None if "\0" in name else name


def _file(word: Word) -> tuple[str, str]:
    """A path's last name, if that is plain text, else the variable that it ends in."""
    text, variable = "", ""
    for part in reversed(word.parts):
        if not isinstance(part, Literal):
            variable = part.name if isinstance(part, Parameter) else ""
            break
        text = part.text + text
    folder, slash, name = text.removeprefix("of=").rpartition("/")
    if slash or not variable:
        return ("" if folder == "/dev" else name), ""
    return "", variable
