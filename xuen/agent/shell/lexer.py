"""Words of the shell: quotes, expansions, here-document bodies, and where a placeholder stands in them.

Owns: reading one word and rewriting the placeholders in it (`edits`). Refuses, with line and column, a
placeholder where the shell would not replace it or would not replace it whole, and every form that dash,
bash and busybox do not read alike. Pure: no shell is started here. Always holds: `edits` are disjoint, and
applying them changes nothing but the quotes around placeholders.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal as Choice
from typing import NoReturn

from xuen.agent.shell.tree import PLACEHOLDERS, Arithmetic, Literal, Parameter, Part, Pipeline, Substitution, Word
from xuen.errors import TemplateError
from xuen.texts import Text
from xuen.texts import template as texts

Mode = Choice["bare", "double", "document", "brace", "brace-double", "brace-document", "arithmetic"]
"""Where an expansion stands: it decides about quotes, and whether a placeholder must be quoted by us."""

PLACEHOLDER = re.compile(r"\$(?:\{(?:prompt_file|prompt)(?!\w)|(?:prompt_file|prompt)(?!\w))", re.ASCII)
_ALONE = re.compile(r"\$(prompt_file|prompt)|\$\{(prompt_file|prompt)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]", re.ASCII)
_BRACED = re.compile(r"(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*?$!-]|#)", re.ASCII)
_OPERATOR = re.compile(r":?[-=?+]|##?|%%?")
_BACKQUOTED = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_PATTERN = re.compile(r"[*?[]+")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")
_SIGNS = " \t\n+*/%<>=!&|^~?:()-"
_ORDINARY = re.compile(r"""[^\s'"\\$`;&|<>(){}]+""")
_ORDINARY_WITHIN = re.compile(r"""[^'"\\$`{}]+""")  # within quotes
_ENDS_WORD = " \t\n;&|<>()"
_QUOTING: tuple[Mode, ...] = ("double", "document", "brace-double", "brace-document", "arithmetic")
_WITHIN: dict[Mode, Mode] = {
    "bare": "brace",
    "brace": "brace",
    "double": "brace-double",
    "brace-double": "brace-double",
    "document": "brace-document",
    "brace-document": "brace-document",
    "arithmetic": "brace-document",
}


def is_name_character(text: str) -> bool:
    """Whether a variable's name could go on with this (possibly empty) text."""
    return bool(re.match(r"\w", text, re.ASCII))


class Lexer(ABC):
    """Reads words from `source` beginning at `i`; the grammar above it reads the commands."""

    def __init__(
        self, source: str, *, anchor: tuple[Lexer, int] | None = None, zone: tuple[Text, Text] | None = None
    ) -> None:
        self.source = source
        self.i = 0
        self.edits: list[tuple[int, int, str]] = []
        self.used: set[str] = set()
        self.resume = 0  # with a here-document begun on this line: the offset after its body
        self._anchor = anchor  # for text that is not in the template as it is: where it came from
        self._zone = zone  # why a placeholder is refused here, and the mend

    @abstractmethod
    def substitution_body(self) -> tuple[Pipeline, ...]:
        """The commands up to the `)` that closes a `$(`; reads that too."""

    @abstractmethod
    def child(self, text: str, at: int, zone: tuple[Text, Text]) -> tuple[Pipeline, ...]:
        """The commands in a text that the shell reads after unquoting it; errors are told at `at`."""

    def fail(self, what: Text, mend: Text, at: int) -> NoReturn:
        """Raise TemplateError for the offset `at`."""
        if self._anchor is not None:
            self._anchor[0].fail(what, mend, self._anchor[1])
        before = self.source[:at]
        column = at - (before.rfind("\n") + 1) + 1
        raise TemplateError(what, line=before.count("\n") + 1, column=column, mend=mend)

    def differs(self, form: str, at: int) -> NoReturn:
        """Refuse a form that shells do not read alike."""
        self.fail(texts.DIALECT.of(form=form), texts.PLAIN_POSIX, at)

    def open_end(self, form: str, at: int) -> NoReturn:
        """Refuse something that was opened at `at` and is not closed."""
        self.fail(texts.UNTERMINATED.of(form=form), texts.CLOSE_IT, at)

    def at(self, text: str) -> bool:
        """Whether the source goes on with `text`."""
        return self.source.startswith(text, self.i)

    def peek(self, ahead: int = 0) -> str:
        """One character, or nothing at the end."""
        return self.source[self.i + ahead : self.i + ahead + 1]

    def word(self, *, pattern: bool = False) -> Word | None:
        """The word that begins here, or None where an operator, a blank or the end stands.

        A word with a placeholder in it is no file-name pattern: its `*`, `?` and `[` are quoted, unless it
        is a `pattern` of `case`.
        """
        start, parts, plain = self.i, list[Part](), list[tuple[int, int]]()
        while (here := self.peek()) and here not in _ENDS_WORD:
            if here == "\\":
                self._backslash(parts)
            elif piece := self._piece("bare"):
                parts.extend(piece)
            else:
                plain.append((len(parts), self.i))
                parts.extend(self._plain(_ORDINARY, quoted=False))
        if self.i == start:
            return None
        bare = Word(tuple(parts), start).bare
        within = bare[bare.find("{") : bare.rfind("}") + 1] if "{" in bare else ""
        if "," in within or ".." in within:
            self.differs("{…,…}", start)
        if not pattern and any(isinstance(part, Parameter) and part.name in PLACEHOLDERS for part in parts):
            self._no_pattern(parts, plain)
        return Word(tuple(parts), start)

    def _no_pattern(self, parts: list[Part], plain: list[tuple[int, int]]) -> None:
        """Quote what would make a word a file-name pattern; `plain` says where its unquoted text stands."""
        for index, at in plain:
            part = parts[index]
            if isinstance(part, Literal) and (found := list(_PATTERN.finditer(part.text))):
                self.edits.extend((at + f.start(), at + f.end(), f'"{f[0]}"') for f in found)
                parts[index] = Literal(part.text, quoted=True)

    def document(self, start: int, end: int) -> Word:
        """The body of an unquoted here-document, which lies between two offsets."""
        after, resume, whole = self.i, self.resume, self.source
        self.i, self.resume, self.source = start, 0, whole[:end]  # nothing in the body goes on beyond its end
        parts: list[Part] = []
        while self.i < end:
            parts.extend(self._inside("document"))
        self.i, self.resume, self.source = after, resume, whole
        return Word(tuple(parts), start)

    def no_placeholder(self, start: int, end: int, what: Text, mend: Text) -> None:
        """Refuse a placeholder in a stretch of text that no shell would expand."""
        if found := PLACEHOLDER.search(self.source, start, end):
            self.fail(what, mend, found.start())

    def one_line(self, start: int, end: int) -> None:
        """Refuse a line's end between a here-document's `<<` and its body: shells look for the body elsewhere."""
        if self.resume and "\n" in self.source[start:end]:
            self.fail(texts.NESTED_LINES, texts.NESTED_LINES_MEND, start)

    def _plain(self, ordinary: re.Pattern[str], *, quoted: bool) -> list[Part]:
        """Ordinary characters from here on, at least the one here."""
        start, run = self.i, ordinary.match(self.source, self.i)
        self.i = run.end() if run else start + 1
        return [Literal(self.source[start : self.i], quoted)]

    def _backslash(self, parts: list[Part]) -> None:
        escaped = self.peek(1)
        if not escaped:
            self.fail(texts.FINAL_BACKSLASH, texts.FINAL_BACKSLASH_MEND, self.i)
        if escaped == "\n":
            self.one_line(self.i, self.i + 2)
            if self.peek(2) not in (*" \t\n;&|)", ""):
                self.fail(texts.CONTINUATION, texts.CONTINUATION_MEND, self.i)
        else:
            parts.append(Literal(escaped, quoted=True))
        self.i += 2

    def _piece(self, mode: Mode) -> list[Part]:
        """A quoted stretch or an expansion; empty if none begins here."""
        match self.peek():
            case "'":
                return [self._single()]
            case '"':
                return self._double()
            case "$":
                return [self._dollar(mode)]
            case "`":
                return [self._backquotes(mode)]
        return []

    def _single(self) -> Part:
        start = self.i
        end = self.source.find("'", start + 1)
        if end < 0:
            self.open_end("'", start)
        self.one_line(start, end)
        self.i = end + 1
        text = self.source[start + 1 : end]
        if alone := _ALONE.fullmatch(text):
            self.edits.append((start, end + 1, f'"{text}"'))
            return self._placeholder(alone[1] or alone[2], start)
        self.no_placeholder(start, end, texts.SINGLE_QUOTES, texts.QUOTE_IT)
        return Literal(text, quoted=True)

    def _double(self) -> list[Part]:
        start = self.i
        self.i += 1
        parts: list[Part] = [Literal("", quoted=True)]
        while self.peek() != '"':
            if not self.peek():
                self.open_end('"', start)
            parts.extend(self._inside("double"))
        self.one_line(start, self.i)
        self.i += 1
        return parts

    def _inside(self, mode: Mode) -> list[Part]:
        """What begins here within double quotes, a here-document's body or the right side of a `${ }`."""
        here = self.peek()
        if here == "\\":
            return self._escape(mode)
        if here in "$`":
            return self._piece(mode)
        if here in "'\"" and mode in ("brace", "brace-double", "brace-document"):
            if mode == "brace" or (mode == "brace-double" and here == '"'):
                return self._piece(mode)
            self.fail(texts.NESTED_QUOTES, texts.PLAIN_POSIX, self.i)
        return self._plain(_ORDINARY_WITHIN, quoted=mode != "brace")

    def _escape(self, mode: Mode) -> list[Part]:
        escaped = self.peek(1)
        if not escaped:
            self.fail(texts.FINAL_BACKSLASH, texts.FINAL_BACKSLASH_MEND, self.i)
        self.i += 2
        if escaped == "\n":
            return []
        special = {"double": '$`"\\', "document": "$`\\", "brace": escaped}.get(mode, '$`"\\}')
        return [Literal(escaped if escaped in special else "\\" + escaped, quoted=True)]

    def _dollar(self, mode: Mode) -> Part:
        start, following = self.i, self.peek(1)
        if following in ("'", '"') and mode != "double":
            self.differs(f"${following}…{following}", start)
        if following == "(":
            return self._arithmetic() if self.peek(2) == "(" else self._substitution(mode)
        if following == "{":
            return self._braced(mode)
        if following == "[":
            self.differs("$[…]", start)
        if self.source.startswith("\\\n", start + 1):
            self.fail(texts.CONTINUATION, texts.CONTINUATION_MEND, start)
        if not (name := _NAME.match(self.source, start + 1)):
            self.i += 1
            return Literal("$", quoted=True)
        self.i = name.end()
        if self.at("\\\n") and is_name_character(self.peek(2)):
            self.fail(texts.CONTINUATION, texts.CONTINUATION_MEND, self.i)
        return self._parameter(name[0], mode, start)

    def _parameter(self, name: str, mode: Mode, start: int) -> Part:
        """A plain `$name` or `${name}` that ends here; a placeholder gets its quotes."""
        if name not in PLACEHOLDERS:
            return Parameter(name, "", (), mode in _QUOTING, start)
        found = self._placeholder(name, start)
        text = self.source[start : self.i]
        if "{" not in text and self.peek() > "~":  # some locales count such a character as part of the name
            text = f"${{{name}}}"
        quoted = f'"{text}"' if mode == "bare" else text
        if quoted != self.source[start : self.i]:
            self.edits.append((start, self.i, quoted))
        return found

    def _placeholder(self, name: str, at: int) -> Part:
        if self._zone is not None:
            self.fail(*self._zone, at)
        self.used.add(name)
        return Parameter(name, "", (), True, at)

    @contextmanager
    def _refusing(self, what: Text, mend: Text) -> Iterator[None]:
        """Within this, a placeholder is refused with this reason or an outer one."""
        outer = self._zone
        self._zone = outer or (what, mend)
        yield
        self._zone = outer

    def _substitution(self, mode: Mode) -> Part:
        start, resume = self.i, self.resume
        self.i, self.resume = start + 2, 0
        body = self.substitution_body()
        self.resume = resume
        self.one_line(start, self.i)
        return Substitution(body, mode in _QUOTING, start)

    def _backquotes(self, mode: Mode) -> Part:
        start = self.i
        found = _BACKQUOTED.match(self.source, start)
        if not found:
            self.open_end("`", start)
        self.i = found.end()
        self.no_placeholder(start, self.i, texts.BACKQUOTES, texts.BACKQUOTES_MEND)
        self.one_line(start, self.i)
        if mode != "bare" and '\\"' in found[1]:
            self.differs('\\" in ` `', start)
        inner = re.sub(r"\\([\\`$])", r"\1", found[1])
        body = self.child(inner, start, (texts.BACKQUOTES, texts.BACKQUOTES_MEND))
        return Substitution(body, mode in _QUOTING, start, remote=True)

    def _arithmetic(self) -> Part:
        start, depth, parts = self.i, 0, list[Part]()
        self.i += 3
        with self._refusing(texts.ARITHMETIC, texts.ARITHMETIC_MEND):
            while depth or not self.at("))"):
                here = self.peek()
                if not here:
                    self.open_end("$((", start)
                if here == ")" and not depth:
                    self.differs("$((…)…)", start)
                depth += (here == "(") - (here == ")")
                parts.extend(self._term(here))
        self.one_line(start, self.i)
        self.i += 2
        return Arithmetic(tuple(parts), start)

    def _term(self, here: str) -> list[Part]:
        """One name, number, sign or expansion of an arithmetic expression."""
        start = self.i
        if here == "$":
            return [self._dollar("arithmetic")]
        if number := _NUMBER.match(self.source, start):
            self.i = number.end()
            return []
        if (name := _NAME.match(self.source, start)) and is_name_character(here):
            self.i = name.end()
            if name[0] in PLACEHOLDERS:
                return [self._placeholder(name[0], start)]
            return [Parameter(name[0], "", (), True, start)]
        if here not in _SIGNS or self.source[start : start + 2] in ("++", "--", "**"):
            self.differs(f"$(( {here} ))", start)
        self.i += 1
        return []

    def _braced(self, mode: Mode) -> Part:
        start = self.i
        opening = _BRACED.match(self.source, start + 2)
        if not opening:
            self.differs("${…}", start)
        length, name = opening[1], opening[2]
        self.i = opening.end()
        if self.at("}") and not length:
            self.i += 1
            return self._parameter(name, mode, start)
        if name in PLACEHOLDERS:
            self.fail(texts.OPERATOR, texts.OPERATOR_MEND, start)
        operator = _OPERATOR.match(self.source, self.i)
        if self.at("}"):
            self.i += 1
            return Parameter(name, "length", (), mode in _QUOTING, start)
        if length or not operator:
            self.differs("${…}", start)
        self.i = operator.end()
        argument = self._argument(_WITHIN[mode], start)
        return Parameter(name, operator[0], argument, mode in _QUOTING, start)

    def _argument(self, mode: Mode, start: int) -> tuple[Part, ...]:
        parts: list[Part] = []
        with self._refusing(texts.OPERATOR, texts.OPERATOR_MEND):
            while not self.at("}"):
                if not self.peek():
                    self.open_end("${", start)
                if self.at("{"):
                    self.differs("{ in ${ }", self.i)
                parts.extend(self._inside(mode))
        self.one_line(start, self.i)
        self.i += 1
        return tuple(parts)
