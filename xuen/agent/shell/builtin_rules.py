"""What the shell's own commands may be given: `printf`, `echo`, `test`, `set`, `trap`, `export`, …

Owns: the rules for builtins. Refuses those that only one shell has, those that change the prompt
(`echo`, `printf` with other conversions than `%s`), and those that evaluate what they are given.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NoReturn

from xuen.agent.shell import readers
from xuen.agent.shell.lexer import PLACEHOLDER, Lexer
from xuen.agent.shell.scripts import Scripts
from xuen.agent.shell.spread import Spread
from xuen.agent.shell.tree import (
    PLACEHOLDERS,
    Compound,
    Function,
    Literal,
    Parameter,
    Pipeline,
    Simple,
    Substitution,
    Word,
    walk,
)
from xuen.texts import Text
from xuen.texts import template as texts

Words = tuple[Word, ...]

_PRINTF_FORM = re.compile(r"(?:[^\\%]|\\[\\nrtabfv]|\\[0-7]{1,3}|%[s%])*")
_OPTIONS = frozenset({"allexport", "errexit", "monitor", "noclobber", "noglob", "nounset", "verbose", "xtrace"})


class BuiltinRules(ABC):
    """The part of the rules that looks at builtins; `_spread` knows what may hold the prompt."""

    def __init__(self, lexer: Lexer, tree: tuple[Pipeline, ...]) -> None:
        self._lexer = lexer
        self._tree = tree
        self._spread = Spread(tree)
        self._scripts = Scripts(tree, self._spread)
        self._text = Spread(tree, ("prompt",))
        self._fixed: int | None = None  # within text that was unquoted first: where that text stands

    @abstractmethod
    def _list(self, pipelines: tuple[Pipeline, ...], feed: bool) -> None:
        """Judge commands; `feed`: the prompt may be on their standard input."""

    @abstractmethod
    def _run(self, words: Words, feed: bool, exported: bool = False) -> None:
        """Judge one command by its words; `exported`: the prompt may be in its environment."""

    def _fail(self, what: Text, mend: Text, at: int) -> NoReturn:
        self._lexer.fail(what, mend, at if self._fixed is None else self._fixed)

    def _differs(self, form: str, at: int) -> NoReturn:
        self._fail(texts.DIALECT.of(form=form), texts.PLAIN_POSIX, at)

    def _code(self, name: str, at: int) -> NoReturn:
        self._fail(texts.CODE.of(name=name), texts.OWN_ARGUMENT, at)

    def _holding(self, words: Words) -> Iterator[Word]:
        return (word for word in words if self._spread.holds(word))

    def _prints(self, word: Word) -> bool:
        """Whether the word shows the prompt's text, not only the path of its file."""
        return self._text.holds(word.parts) or any(
            isinstance(part, Substitution) and self._spread.holds(part) for part in word.parts
        )

    def _mentions(self, word: Word) -> bool:
        """Whether text that is read as code later names something that may hold the prompt."""
        text = " ".join(part.text for part in word.parts if isinstance(part, Literal))
        names = {*PLACEHOLDERS, *(name for name in self._spread.variables if name)}
        return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names) or (
            self._spread.positional and re.search(r"\$\{?[1-9@*]", text) is not None
        )

    def _again(self, name: str, code: Word, feed: bool) -> None:
        """Text that this or another shell reads as commands: the same rules hold in it, without placeholders."""
        text = code.literal or ""
        if PLACEHOLDER.search(text):
            self._code(name, code.at)
        commands = self._lexer.child(text, code.at, (texts.CODE.of(name=name), texts.OWN_ARGUMENT))
        self._elsewhere(commands, code.at, feed)

    def _elsewhere(self, commands: tuple[Pipeline, ...], at: int, feed: bool) -> None:
        """Judge commands whose offsets are not the template's: faults are told at `at`."""
        outer = self._fixed
        self._fixed = at if outer is None else outer
        self._list(commands, feed)
        self._fixed = outer

    def _assignment(self, name: str, value: Word, at: int) -> None:
        if name in PLACEHOLDERS:
            self._fail(texts.RESERVED.of(name=name), texts.OTHER_NAME, at)
        if readers.CODE_VARIABLES.fullmatch(name) and self._spread.holds(value):
            self._fail(texts.CODE_VARIABLE.of(name=name), texts.OWN_ARGUMENT, at)

    def _builtin(self, name: str, words: Words) -> None:
        if name in readers.ONE_SHELL_ONLY:
            self._differs(name, words[0].at)
        if name == "[" and words[-1].literal != "]":
            self._differs("[ without ]", words[0].at)
        if name in readers.NAME_TAKERS:
            self._names(name, words)
        elif name == "set":
            self._set(words)
        elif name == "trap":
            self._trap(words)
        elif name == "shift" and not self._enough_to_shift(words):
            self._differs("shift", words[0].at)
        if holding := next(self._holding(words[1:]), None):
            self._builtin_with_prompt(name, words, holding)

    def _builtin_with_prompt(self, name: str, words: Words, holding: Word) -> None:
        if name == "printf":
            self._printf(words)
        elif name in ("test", "["):
            self._test(name, words)
        elif name == "echo" and any(self._prints(word) for word in words[1:]):
            self._fail(texts.ECHO, texts.ECHO_MEND, words[0].at)
        elif name in readers.NO_DATA:
            self._fail(texts.BUILTIN.of(name=name), texts.OWN_ARGUMENT, holding.at)

    def _enough_to_shift(self, words: Words) -> bool:
        """Whether there surely are so many arguments; where there are not, some shells end and others go on."""
        count = words[1].literal if len(words) > 1 else "1"
        return bool(count and count.isdecimal()) and self._fixed is None and shifts_fit(self._tree)

    def _names(self, name: str, words: Words) -> None:
        """`export X=…`, `read X`, `unset X`: the names must be plain, and not the placeholders'."""
        for word in words[1:]:
            variable, equals, _ = word.head.partition("=")
            if variable in PLACEHOLDERS:
                self._fail(texts.RESERVED.of(name=variable), texts.OTHER_NAME, word.at)
            if equals:
                self._assignment(variable, word.after(variable + "="), word.at)
            elif word.literal is None:
                self._fail(texts.BUILTIN.of(name=name), texts.OTHER_NAME, word.at)
            if not re.fullmatch(r"\w+|[-+].*|:*\w*", variable, re.ASCII | re.DOTALL):
                self._differs(f"{name} {variable}", word.at)

    def _printf(self, words: Words) -> None:
        form = words[2] if words[1].literal == "--" and words[2:] else words[1]
        text = form.literal
        if text is None or text.startswith("-") or not _PRINTF_FORM.fullmatch(text):
            self._fail(texts.PRINTF, texts.PRINTF_MEND, form.at)

    def _test(self, name: str, words: Words) -> None:
        inner = words[1:-1] if name == "[" else words[1:]
        if len(inner) > 1 and inner[0].literal == "!":
            inner = inner[1:]
        fits = len(inner) == 1
        if len(inner) == 2:
            fits = bool(re.fullmatch(r"-[bcdefghLnprsSuwxz]", inner[0].literal or ""))
        elif len(inner) == 3:
            fits = inner[1].literal in ("=", "!=")
        if not fits:
            self._fail(texts.BUILTIN.of(name=name), texts.PUT_IN_SCRIPT, words[0].at)

    def _set(self, words: Words) -> None:
        index = 1
        while index < len(words):
            text = words[index].literal
            if text == "--":
                self._future_command(words[index + 1 :])
                return
            if text is None and self._spread.holds(words[index]):
                self._fail(texts.BUILTIN.of(name="set"), texts.SET_MEND, words[index].at)
            if text is None or not re.match(r"[-+]", text):
                return
            if re.fullmatch(r"[-+]o", text) and words[index + 1 :]:
                index += 1
                if words[index].literal not in _OPTIONS:
                    self._differs(f"set {text} {words[index].head}", words[index].at)
            elif not re.fullmatch(r"[-+][abCefhmuvx]+", text):
                self._differs(f"set {text}", words[index].at)
            index += 1

    def _future_command(self, words: Words) -> None:
        """`set -- agent "$prompt"` is run later as `"$@"`."""
        if self._spread.holds(words) and words[0].literal is not None:
            self._run(words, feed=False)

    def _trap(self, words: Words) -> None:
        for word in self._holding(words[1:]):
            self._code("trap", word.at)
        if len(words) < 3:
            return
        for condition in words[2:]:
            if not readers.CONDITIONS.fullmatch(condition.literal or ""):
                self._differs(f"trap {condition.head}", condition.at)
        if self._mentions(words[1]):
            self._code("trap", words[1].at)
        if words[1].literal not in (None, "-"):
            self._again("trap", words[1], feed=False)


def is_all_arguments(word: Word) -> bool:
    """Whether the word is exactly `"$@"`."""
    found = [part for part in word.parts if not (isinstance(part, Literal) and not part.text)]
    return len(found) == 1 and isinstance(found[0], Parameter) and found[0].name == "@" and found[0].quoted


def shifts_fit(tree: tuple[Pipeline, ...]) -> bool:
    """Whether the template's `shift`s together take no more than one `set` or one call of a function gives.

    Those in a loop or choice that looks at `$#` mind it themselves.
    """
    nodes = list(walk(tree))
    functions = {node.name for node in nodes if isinstance(node, Function)}
    minding = [node for node in nodes if isinstance(node, Compound) and _looks_at_count(node)]
    minded = {id(inner) for node in minding for inner in walk(node)}
    taken, first, supplies = 0, None, list[tuple[int, int]]()
    for node in nodes:
        name = node.words[0].literal if isinstance(node, Simple) and node.words else None
        if not isinstance(node, Simple) or name is None:
            continue
        if name == "shift" and id(node) not in minded:
            taken += int((node.words[1].literal if len(node.words) > 1 else "1") or 1)
            first = node.at if first is None else first
        elif name == "set" and (given := [word for word in node.words[1:] if word.literal != "--"]):
            supplies.append((node.at, len(given)))
        elif name in functions:
            supplies.append((-1, len(node.words) - 1))  # its body stands before the call
    return first is None or any(at < first and count >= taken for at, count in supplies)


def _looks_at_count(node: Compound) -> bool:
    return any(isinstance(inner, Parameter) and inner.name == "#" for inner in walk(node))
