"""What the shell's own commands may be given: `printf`, `echo`, `test`, `set`, `trap`, `export`, …

Owns: the rules for builtins. Refuses those that only one shell has, those that change the prompt
(`echo`, `printf` with other conversions than `%s`), and those that evaluate what they are given.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from xuen.agent.shell import readers
from xuen.agent.shell.arguments import runs_arguments, shifts_fit
from xuen.agent.shell.lexer import PLACEHOLDER, Lexer
from xuen.agent.shell.taint import Taint
from xuen.agent.shell.tree import (
    PLACEHOLDERS,
    Literal,
    Parameter,
    Pipeline,
    Substitution,
    Word,
)
from xuen.texts import Text
from xuen.texts import template as texts

Words = tuple[Word, ...]

_PRINTF_FORM = re.compile(r"(?:[^\\%]|\\[\\nrtabfv]|\\[0-7]{1,3}|%[s%])*")
_OPTIONS = frozenset({"allexport", "errexit", "monitor", "noclobber", "noglob", "nounset", "verbose", "xtrace"})


class BuiltinRules(ABC):
    """The part of the rules that looks at builtins; `_taint` knows what may hold the prompt.

    The commands that are `fed` have the prompt on their standard input. With `at`, all faults are reported there.
    """

    def __init__(
        self,
        lexer: Lexer,
        tree: tuple[Pipeline, ...],
        *,
        fed: tuple[Pipeline, ...] = (),
        at: int | None = None,
    ) -> None:
        self._lexer = lexer
        self._tree = tree
        self._taint = Taint(tree, fed=fed)
        self._scripts = self._taint.scripts
        self._text = Taint(tree, ("prompt",), fed=fed)
        self._at = at

    @abstractmethod
    def _list(self, pipelines: tuple[Pipeline, ...]) -> None:
        """Judge commands."""

    @abstractmethod
    def _run(self, words: Words, feed: bool, exported: bool = False) -> None:
        """Judge one command by its words.

        `feed`: the prompt may be on its standard input; `exported`: in its environment.
        """

    def _fail(self, what: Text, mend: Text, at: int) -> NoReturn:
        self._lexer.fail(what, mend, at if self._at is None else self._at)

    def _differs(self, form: str, at: int) -> NoReturn:
        self._fail(texts.DIALECT.of(form=form), texts.PLAIN_POSIX, at)

    def _code(self, name: str, at: int) -> NoReturn:
        self._fail(texts.CODE.of(name=name), texts.OWN_ARGUMENT, at)

    def _holding(self, words: Words) -> Iterator[Word]:
        return (word for word in words if self._taint.holds(word))

    def _prints(self, word: Word) -> bool:
        """Whether the word shows the prompt's text, not only the path of its file."""
        return self._text.holds(word.parts) or any(
            isinstance(part, Substitution) and self._taint.holds(part) for part in word.parts
        )

    def _mentions(self, word: Word) -> bool:
        """Whether text that is read as code later names something that may hold the prompt."""
        text = word.text
        names = {*PLACEHOLDERS, *(name for name in self._taint.variables if name)}
        return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names) or (
            self._taint.positional and re.search(r"\$\{?[1-9@*]", text) is not None
        )

    def _judge_code(self, name: str, code: Word, feed: bool) -> None:
        """Judge text that this or another shell reads as commands: by the same rules, and with no placeholder in it."""
        text = code.literal or ""
        if PLACEHOLDER.search(text):
            self._code(name, code.at)
        commands = self._lexer.child(text, code.at, (texts.CODE.of(name=name), texts.OWN_ARGUMENT))
        at = code.at if self._at is None else self._at
        inner = type(self)(self._lexer, self._tree + commands, fed=commands if feed else (), at=at)
        inner._list(commands)

    @contextmanager
    def _told_at(self, at: int) -> Iterator[None]:
        """Within this, faults are reported at `at`, because the offsets of what is judged are not the template's."""
        outer = self._at
        self._at = at if outer is None else outer
        yield
        self._at = outer

    def _assignment(self, name: str, value: Word, at: int) -> None:
        if name in PLACEHOLDERS:
            self._fail(texts.RESERVED.of(name=name), texts.OTHER_NAME, at)
        expands = re.search("[$`]", value.literal or "") and self._mentions(value)  # by the shell, later
        if readers.CODE_VARIABLES.fullmatch(name) and (expands or self._taint.holds(value)):
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
        return bool(count and count.isdecimal()) and self._at is None and shifts_fit(self._tree)

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
            if text is None and self._taint.holds(words[index]):
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
        if self._taint.holds(words) and (words[0].literal is not None or runs_arguments(self._tree)):
            self._run(words, feed=False)

    def _trap(self, words: Words) -> None:
        if len(words) < 3:
            for word in self._holding(words[1:]):
                self._code("trap", word.at)
            return
        for condition in words[2:]:
            if not readers.CONDITIONS.fullmatch(condition.literal or ""):
                self._differs(f"trap {condition.head}", condition.at)
        action = words[1]
        if self._taint.holds(action.parts) or self._mentions(action):
            self._code("trap", action.at)
        if action.literal != "-":
            self._judge_code("trap", source_of((action,)), feed=False)


def source_of(words: Words) -> Word:
    """The words, joined, as text that a shell reads; what is expanded before stands in it as a plain variable."""
    texts_of_parts = (
        part.text if isinstance(part, Literal) else f"${part.name}" if isinstance(part, Parameter) else "x"
        for word in words
        for part in (*word.parts, Literal(" ", quoted=True))
    )
    return Word((Literal("".join(texts_of_parts), quoted=True),), words[0].at)
