"""The grammar of POSIX shell commands, read from a template.

Refuses what is not POSIX (`[[ ]]`, `&>`, `<<<`, `function` …) and what it cannot read. Whether the words that open and
close a compound command belong together is left to `sh -n`, which every template has to pass too. Pure.
"""

from __future__ import annotations

import re
from typing import NoReturn, cast

from xuen.agent.shell.lexer import Lexer
from xuen.agent.shell.tree import Compound, Literal, Pipeline, Redirect, Simple, Word
from xuen.texts import template as texts

_RESERVED = re.compile(r"(?:if|then|elif|else|fi|while|until|do|done|for|case|esac|[{}!])(?=[ \t\n;&|<>()]|\\\n|$)")
_CLOSERS = {"(": ")", "{": "}", "if": "fi", "while": "done", "until": "done", "for": "done", "case": "esac"}
_DIALECT_WORD = re.compile(r"(?:\[\[|function|select|coproc|time)(?=[ \t\n;&|<>()]|$)|\(\(")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=", re.ASCII)
_FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*\([ \t]*\)", re.ASCII)
_REDIRECT = re.compile(r"([0-9]*)(<<<|<<-|<<|<>|<&|>&|>>|>\||<\(|>\(|<|>)")
_CONTROL = re.compile(r"(&>|\|&|;;&|;&)|&&|\|\||;;|[;&|\n]")  # the first are those of one shell only
_JOINED = re.compile(r"(?<![ \t\n\\])(?:\\\\)*\\\n")  # a line that ends in a backslash, but not behind a blank
_DELIMITER = re.compile(r"""(?:[\w.:@%+=/!,-]|'[\w.:@%+=/!, -]*'|"[\w.:@%+=/!, -]*"|\\[\w.:@%+=/!,-])+""")
_BLANKS = re.compile(r"(?:[ \t]|\\\n)*((?:#[^\n]*)?)")
_FOR = re.compile(r"[ \t]+([A-Za-z_]\w*)\s*(in(?=[ \t\n;]))?", re.ASCII)
_IN = re.compile(r"in(?=[ \t\n;])")


class Parser(Lexer):
    """Reads a whole template: `whole()`."""

    def whole(self) -> tuple[Pipeline, ...]:
        """All commands; refuses what is left over."""
        if joined := _JOINED.search(self.source):
            self.fail(texts.CONTINUATION, texts.CONTINUATION_MEND, joined.end() - 2)
        found = self._commands()
        if self.i < len(self.source) or self.resume:
            self._unclear()
        return found

    def substitution_body(self) -> tuple[Pipeline, ...]:
        """The commands up to the `)` that closes a `$(`."""
        start = self.i - 2
        body = self._commands()
        self._close(")", "$(", start)
        if self.resume:
            self._open_end("<<", start)
        return body

    def _commands(self) -> tuple[Pipeline, ...]:
        """The commands up to the end, a closing parenthesis, `;;` or a word that closes something."""
        found: list[Pipeline] = []
        while True:
            self._lines()
            if (word := self._reserved()) in ("then", "elif", "else", "do"):
                self.i += len(word)
            elif not self._peek() or self._at(")") or self._at(";;") or word in _CLOSERS.values():
                return tuple(found)
            else:
                found.append(self._pipeline())
                operator = self._control()
                if operator not in ("\n", ";;"):
                    self.i += len(operator)
                if not operator and self._peek() not in ("", ")") and not self._reserved():  # `{ { a; } }`
                    self._unclear()

    def _unclear(self) -> NoReturn:
        self.fail(texts.UNREADABLE, texts.PLAIN_POSIX, min(self.i, len(self.source)))

    def _close(self, closer: str, form: str, start: int) -> None:
        if closer not in (self._peek(), self._reserved()):
            self._open_end(form, start) if self.i >= len(self.source) else self._unclear()
        self.i += len(closer)

    def _blanks(self) -> None:
        """Blanks, continued lines and a comment."""
        found = cast(re.Match[str], _BLANKS.match(self.source, self.i))
        self._one_line(self.i, found.end())
        self._no_placeholder(found.start(1), found.end(), texts.COMMENT, texts.COMMENT_MEND)
        self.i = found.end()

    def _lines(self) -> None:
        self._blanks()
        while self._at("\n"):
            self.i, self.resume = self.resume or self.i + 1, 0
            self._blanks()

    def _control(self) -> str:
        """The control operator that stands here, or nothing; refuses those of one shell only."""
        self._blanks()
        found = _CONTROL.match(self.source, self.i)
        if found and found[1]:
            self.differs(found[1], self.i)
        return found[0] if found else ""

    def _reserved(self) -> str:
        return (_RESERVED.match(self.source, self.i) or [""])[0]

    def _pipeline(self) -> Pipeline:
        stages: list[Simple | Compound] = []
        if self._reserved() == "!":
            self.i += 1
            self._blanks()
        while True:
            stages.append(self._command())
            if self._control() != "|":
                return Pipeline(tuple(stages))
            self.i += 1
            self._lines()

    def _command(self) -> Simple | Compound:
        if found := _DIALECT_WORD.match(self.source, self.i):
            self.differs(found[0], self.i)
        if self._reserved() or self._at("("):
            return self._compound()
        if name := _FUNCTION.match(self.source, self.i):
            start, self.i = self.i, name.end()
            self._lines()
            return Compound("()", name[1], (), (Pipeline((self._compound(),)),), (), start)
        return self._simple()

    def _simple(self) -> Simple:
        start = self.i
        words, redirects = self._words(command=True)
        if self.i == start:
            self._unclear()
        assignments = []
        while words and (name := _ASSIGNMENT.match(words[0].bare)):
            value = words.pop(0)
            first = Literal(str(value.parts[0][0])[name.end() :], quoted=False)
            assignments.append((name[1], Word((first, *value.parts[1:]), value.at)))
        return Simple(tuple(assignments), tuple(words), tuple(redirects), start)

    def _words(self, *, command: bool = False, pattern: bool = False) -> tuple[list[Word], list[Redirect]]:
        """All words and redirections up to an operator or a line's end."""
        words, redirects = list[Word](), list[Redirect]()
        while True:
            self._blanks()
            if redirect := self._redirect():
                redirects.append(redirect)
            elif word := self.word(first=command, pattern=pattern):
                words.append(word)
                command = command and _ASSIGNMENT.match(word.bare) is not None
            else:
                return words, redirects

    def _compound(self) -> Compound:
        start, name, words = self.i, "", list[Word]()
        opener = "(" if self._at("(") else self._reserved()
        if opener not in _CLOSERS:
            self._unclear()
        self.i += len(opener)
        if opener == "for":
            name, words = self._for()
        words, body = self._case() if opener == "case" else (words, self._commands())
        self._close(_CLOSERS[opener], opener, start)
        self._blanks()
        redirects = []
        while redirect := self._redirect():
            redirects.append(redirect)
            self._blanks()
        return Compound(opener, name, tuple(words), body, tuple(redirects), start)

    def _for(self) -> tuple[str, list[Word]]:
        found = _FOR.match(self.source, self.i)
        if not found:
            self.differs("for", self.i)
        self._one_line(self.i, found.end())
        self.i = found.end()
        words = self._words()[0] if found[2] else []
        self._blanks()
        self.i += self._at(";")
        return found[1], words

    def _case(self) -> tuple[list[Word], tuple[Pipeline, ...]]:
        """The subject and all patterns, and all that is run."""
        self._blanks()
        words, body = [self.word() or self._unclear()], tuple[Pipeline, ...]()
        self._lines()
        if not _IN.match(self.source, self.i):
            self._unclear()
        self.i += 2
        self._lines()
        while self._peek() and self._reserved() != "esac":
            self.i += self._at("(")
            while not self._at(")"):
                words += self._words(pattern=True)[0] or self._unclear()
                self.i += self._at("|")
            self.i += 1
            body += self._commands()
            self.i += 2 * (self._control() == ";;")
            self._lines()
        return words, body

    def _redirect(self) -> Redirect | None:
        found = _REDIRECT.match(self.source, self.i)
        if not found:
            return None
        start, operator = self.i, found[2]
        if len(found[1]) > 1 or operator in ("<<<", "<(", ">("):
            self.differs(found[0], start)
        self.i = found.end()
        self._blanks()
        if operator in ("<<", "<<-"):
            return Redirect("<<", self._here_document(start, r"\t*" if operator == "<<-" else ""))
        target = self.word()
        if target is None:
            self._redirect()  # `> >( … )` is refused by its own name
            self._unclear()
        if operator in ("<&", ">&") and not re.fullmatch(r"[0-9]|-", target.text):
            self.differs(f"{operator}…", start)
        return Redirect(operator, target)

    def _here_document(self, start: int, strip: str) -> Word:
        delimiter = _DELIMITER.match(self.source, self.i)
        if not delimiter or self.source[delimiter.end() : delimiter.end() + 1] not in (*" \t\n;&|<>()", ""):
            self.fail(texts.HEREDOC_DELIMITER, texts.PLAIN_DELIMITER, start)
        self.i = delimiter.end()
        wanted = re.sub(r"['\"\\]", "", delimiter[0])
        quoted = wanted != delimiter[0]
        body = self.resume or self.source.find("\n", self.i) + 1
        last = re.compile(rf"^{strip}{re.escape(wanted)}$", re.MULTILINE)
        end = last.search(self.source, body) if body else None
        if end is None:
            self._open_end("<<", start)
        if not quoted and re.search(r"(?<!\\)(?:\\\\)*\\\n\Z", self.source[body : end.start()]):
            self.fail(texts.CONTINUATION, texts.CONTINUATION_MEND, end.start())
        self.resume = min(end.end() + 1, len(self.source))
        if not quoted:
            return self._document(body, end.start())
        self._no_placeholder(body, end.start(), texts.QUOTED_HEREDOC, texts.QUOTED_HEREDOC_MEND)
        return Word((Literal(self.source[body : end.start()], quoted=True),), body)
