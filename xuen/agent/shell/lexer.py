"""Words of the shell: quotes, expansions, here-document bodies, and where a placeholder stands in them.

Refuses, with line and column, a placeholder that the shell would not replace whole, and every form that dash, bash and
busybox do not read alike. Always holds: `edits` are disjoint, and applying them changes nothing but quotes. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NoReturn

from xuen.agent.shell import tree
from xuen.agent.shell.tree import PLACEHOLDERS, Literal, Parameter, Part, Substitution, Word, holds
from xuen.errors import TemplateError
from xuen.texts import Text
from xuen.texts import template as texts

PLACEHOLDER = re.compile(r"\$(?:\{(?:prompt_file|prompt)(?!\w)|(?:prompt_file|prompt)(?!\w))", re.ASCII)
_ALONE = re.compile(r"\$(?:(prompt_file|prompt)|\{(prompt_file|prompt)\})")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]", re.ASCII)
_BRACED = re.compile(r"\$\{(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*?$!-]|#)(:?[-=?+]|##?|%%?|(?=\}))", re.ASCII)
_BACKQUOTED = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_PATTERN = re.compile(r"[*?[]+")
_ARITHMETIC = re.compile(r"[()]|(?:[\w\s/%<>=!&|^~?:]|\+(?!\+)|-(?!-)|\*(?!\*))+", re.ASCII)
_ARITHMETIC_NAME = re.compile(r"(?<!\w)[A-Za-z_]\w*", re.ASCII)
_ORDINARY = re.compile(r"""[^\s'"\\$`;&|<>(){}]+""")
_ORDINARY_WITHIN = re.compile(r"""[^'"\\$`{}]+""")  # within quotes
_DIALECT_WORDS = {
    "a[…], a+=…": re.compile(r"[A-Za-z_]\w*(?:\+=|\[)", re.ASCII),
    "{…,…}": re.compile(r"[^{]*\{.*(?:,|\.\.).*\}", re.DOTALL),
    "(": re.compile(r".*\($", re.DOTALL),
    "10>, {n}>": re.compile(r"(?:[0-9]+|\{\w+\})[<>]"),
}


class Lexer:
    """Reads words from `source` at `i`. A mode is `bare`, `double`, a here-`document`, `brace` or `quoted-brace`."""

    substitution_body: Callable[[], tuple[tree.Pipeline, ...]]  # up to the `)` that closes a `$(`; reads that too

    def __init__(self, source: str) -> None:
        self.source = source
        self.i = 0
        self.edits: list[tuple[int, int, str]] = []
        self.used: set[str] = set()
        self.resume = 0  # with a here-document begun on this line: the offset after its body
        self._zone: tuple[Text, Text] | None = None  # why a placeholder is refused here, and the fix

    def fail(self, what: Text, mend: Text, at: int) -> NoReturn:
        """Raise TemplateError for the offset `at`."""
        before = self.source[:at]
        raise TemplateError(what, line=before.count("\n") + 1, column=at - before.rfind("\n"), mend=mend)

    def differs(self, form: str, at: int) -> NoReturn:
        """Refuse a form that shells do not read alike."""
        self.fail(texts.DIALECT.of(form=form), texts.PLAIN_POSIX, at)

    def _open_end(self, form: str, at: int) -> NoReturn:
        self.fail(texts.UNTERMINATED.of(form=form), texts.CLOSE_IT, at)

    def _at(self, text: str) -> bool:
        return self.source.startswith(text, self.i)

    def _peek(self, ahead: int = 0) -> str:
        return self.source[self.i + ahead : self.i + ahead + 1]

    def word(self, *, first: bool = False, pattern: bool = False) -> Word | None:
        """The word that begins here, or None where an operator, a blank or the end stands.

        With a placeholder in it, its `*`, `?` and `[` are quoted, but not in the `first` or in a `pattern` of `case`.
        """
        start, parts, plain = self.i, list[Part](), list[tuple[int, int]]()
        while (here := self._peek()) and here not in " \t\n;&|<>()":
            if here == "\\":
                parts.append(Literal(self._escaped(), quoted=True))
            elif piece := self._piece("bare"):
                parts.extend(piece)
            else:
                at = self.i
                parts.append(self._plain(_ORDINARY, quoted=False))
                plain.append((at, self.i))
        if self.i == start:
            return None
        self._one_line(start, self.i)
        word = Word(tuple(parts), start)
        for form, odd in _DIALECT_WORDS.items():
            if (first or form != "a[…], a+=…") and odd.match(word.bare + self._peek()):
                self.differs(form, start)
        for runs in plain if holds(word) and not (first or pattern) else ():
            self.edits += [(f.start(), f.end(), f'"{f[0]}"') for f in _PATTERN.finditer(self.source, *runs)]
        return word

    def _document(self, start: int, end: int) -> Word:
        """The body of an unquoted here-document, which lies between two offsets."""
        after, resume, whole = self.i, self.resume, self.source
        self.i, self.resume, self.source = start, 0, whole[:end]  # nothing in the body goes on beyond its end
        parts: list[Part] = []
        while self.i < end:
            parts.extend(self._inside("document"))
        self.i, self.resume, self.source = after, resume, whole
        return Word(tuple(parts), start)

    def _no_placeholder(self, start: int, end: int, what: Text, mend: Text) -> None:
        """Refuse a placeholder in a stretch of text that no shell would expand."""
        if found := PLACEHOLDER.search(self.source, start, end):
            self.fail(what, mend, found.start())

    def _one_line(self, start: int, end: int) -> None:
        """Refuse a line's end between a here-document's `<<` and its body: shells look for the body elsewhere."""
        if self.resume and "\n" in self.source[start:end]:
            self.fail(texts.NESTED_LINES, texts.NESTED_LINES_MEND, start)

    def _plain(self, ordinary: re.Pattern[str], *, quoted: bool) -> Part:
        start, run = self.i, ordinary.match(self.source, self.i)
        self.i = run.end() if run else start + 1
        return Literal(self.source[start : self.i], quoted)

    def _escaped(self) -> str:
        """The character after a backslash; reads both."""
        if not self._peek(1):
            self.fail(texts.FINAL_BACKSLASH, texts.FINAL_BACKSLASH_MEND, self.i)
        self.i += 2
        return self.source[self.i - 1]

    def _piece(self, mode: str) -> list[Part]:
        """A quoted stretch or an expansion; empty if none begins here."""
        here = self._peek()
        if here in ("$", "`"):
            return [self._dollar(mode) if here == "$" else self._backquotes(mode)]
        return self._double() if here == '"' else [self._single()] if here == "'" else []

    def _single(self) -> Part:
        start, found = self.i, re.compile("'([^']*)'").match(self.source, self.i)
        if not found:
            self._open_end("'", start)
        text, self.i = found[1], found.end()
        if alone := _ALONE.fullmatch(text):
            self.edits.append((start, self.i, f'"{text}"'))
            return self._placeholder(alone[1] or alone[2], start)
        self._no_placeholder(start, self.i, texts.SINGLE_QUOTES, texts.QUOTE_IT)
        return Literal(text, quoted=True)

    def _double(self) -> list[Part]:
        start = self.i
        self.i += 1
        parts: list[Part] = [Literal("", quoted=True)]
        while self._peek() != '"':
            if not self._peek():
                self._open_end('"', start)
            parts.extend(self._inside("double"))
        self.i += 1
        return parts

    def _inside(self, mode: str) -> list[Part]:
        """What begins here within double quotes, a here-document's body or the right side of a `${ }`."""
        here = self._peek()
        if here == "\\":
            escaped = self._escaped()
            special = {"double": '$`"\\', "document": "$`\\", "brace": escaped}.get(mode, '$`"\\}')
            text = escaped if escaped in special else "\\" + escaped
            return [] if escaped == "\n" else [Literal(text, quoted=True)]
        if here in "$`" or (here in "'\"" and mode == "brace"):
            return self._piece(mode)
        if here in "'\"" and mode == "quoted-brace":
            self.fail(texts.NESTED_QUOTES, texts.PLAIN_POSIX, self.i)
        return [self._plain(_ORDINARY_WITHIN, quoted=mode != "brace")]

    def _dollar(self, mode: str) -> Part:
        start, following = self.i, self._peek(1)
        if following == "[" or (following in ("'", '"') and mode != "double"):
            self.differs(f"${following}…", start)
        if following == "(":
            return self._arithmetic() if self._peek(2) == "(" else self._substitution(mode)
        if following == "{":
            return self._braced(mode)
        if not (name := _NAME.match(self.source, start + 1)):
            self.i += 1
            return Literal("$", quoted=True)
        self.i = name.end()
        return self._parameter(name[0], mode, start)

    def _parameter(self, name: str, mode: str, start: int) -> Part:
        """A plain `$name` or `${name}` that ends here; a placeholder gets its quotes."""
        if name not in PLACEHOLDERS:
            return self._expansion(name, mode, start)
        found = self._placeholder(name, start)
        text = self.source[start : self.i]
        if "{" not in text and self._peek() > "~":  # some locales count such a character as part of the name
            text = f"${{{name}}}"
        quoted = f'"{text}"' if mode == "bare" else text
        if quoted != self.source[start : self.i]:
            self.edits.append((start, self.i, quoted))
        return found

    def _expansion(self, name: str, mode: str, at: int, operator: str = "", argument: Sequence[Part] = ()) -> Part:
        return Parameter(name, operator, tuple(argument), mode not in ("bare", "brace"), at)

    def _placeholder(self, name: str, at: int) -> Part:
        if self._zone is not None:
            self.fail(*self._zone, at)
        self.used.add(name)
        return self._expansion(name, "double", at)

    def _substitution(self, mode: str) -> Part:
        start, resume = self.i, self.resume
        self.i, self.resume = start + 2, 0
        body = self.substitution_body()
        self.resume = resume
        return Substitution(body, mode not in ("bare", "brace"), start)

    def _backquotes(self, mode: str) -> Part:
        start = self.i
        found = _BACKQUOTED.match(self.source, start)
        if not found:
            self._open_end("`", start)
        self.i = found.end()
        self._no_placeholder(start, self.i, texts.BACKQUOTES, texts.BACKQUOTES_MEND)
        if mode != "bare" and '\\"' in found[1]:
            self.differs('\\" in ` `', start)
        inner = Literal(re.sub(r"\\([\\`$])", r"\1", found[1]), quoted=True)
        words = Word((Literal("eval", quoted=True),), start), Word((inner,), start)
        body = (tree.Pipeline((tree.Simple((), words, (), start),)),)
        return Substitution(body, mode not in ("bare", "brace"), start)

    def _arithmetic(self) -> Part:
        start, depth, parts = self.i, 0, list[Part]()
        self.i += 3
        outer, self._zone = self._zone, self._zone or (texts.ARITHMETIC, texts.ARITHMETIC_MEND)
        while depth or not self._at("))"):
            run = _ARITHMETIC.match(self.source, self.i)
            if not self._peek():
                self._open_end("$((", start)
            depth += (run is not None) * (self._at("(") - self._at(")"))
            if depth < 0 or not (run or self._at("$")):
                self.differs("$((…))", start)
            for name in _ARITHMETIC_NAME.finditer(run[0]) if run else ():
                parts.append(self._parameter(name[0], "double", self.i + name.start()))
            self.i = run.end() if run else self.i
            parts += [] if run else [self._dollar("quoted-brace")]
        self._zone = outer
        self.i += 2
        return self._expansion("", "double", start, "$((", parts)

    def _braced(self, mode: str) -> Part:
        start, found, parts = self.i, _BRACED.match(self.source, self.i), list[Part]()
        if not found or (found[1] and found[3]):
            self.differs("${…}", start)
        length, name, operator = found.groups()
        self.i = found.end() + (not operator)
        if not (length or operator):
            return self._parameter(name, mode, start)
        if name in PLACEHOLDERS:
            self.fail(texts.OPERATOR, texts.OPERATOR_MEND, start)
        outer, self._zone = self._zone, self._zone or (texts.OPERATOR, texts.OPERATOR_MEND)
        while operator and not self._at("}"):
            if not self._peek():
                self._open_end("${", start)
            if self._at("{"):
                self.differs("{ in ${ }", self.i)
            parts.extend(self._inside("brace" if mode in ("bare", "brace") else "quoted-brace"))
        self._zone = outer
        self.i += bool(operator)
        return self._expansion(name, mode, start, operator or "length", parts)
