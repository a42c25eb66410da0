"""The grammar of POSIX shell commands, read from a template.

Owns: pipelines, lists, compound commands, functions, redirections, here-documents. Refuses what is not
POSIX (`[[ ]]`, `&>`, `<<<`, arrays, `function` …) and whatever it does not understand: a template is
accepted only if every character of it was read. Pure. Words are `lexer`'s.
"""

from __future__ import annotations

import re
from typing import NoReturn

from xuen.agent.shell.lexer import Lexer
from xuen.agent.shell.tree import Command, Compound, Function, Literal, Pipeline, Redirect, Simple, Word
from xuen.texts import Text
from xuen.texts import template as texts

_RESERVED = re.compile(r"(?:if|then|elif|else|fi|while|until|do|done|for|case|esac|[{}!])(?=[ \t\n;&|<>()]|\\\n|$)")
_DIALECT_WORD = re.compile(r"(?:\[\[|function|select|coproc|time)(?=[ \t\n;&|<>()]|$)|\(\(")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=", re.ASCII)
_ODD_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\+=|\[)", re.ASCII)
_FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*\([ \t]*\)", re.ASCII)
_REDIRECT = re.compile(r"([0-9]*)(<<<|<<-|<<|<>|<&|>&|>>|>\||<\(|>\(|<|>)")
_CONTROL = re.compile(r"&&|\|\||&>|\|&|;;&|;&|;;|[;&|\n]")
_DELIMITER = re.compile(r"""(?:[\w.:@%+=/!,-]|'[\w.:@%+=/!, -]*'|"[\w.:@%+=/!, -]*"|\\[\w.:@%+=/!,-])+""")
_FOREIGN = {"&>": "&>", "|&": "|&", ";;&": ";;&", ";&": ";&", "<<<": "<<<", "<(": "<( )", ">(": ">( )"}


class Parser(Lexer):
    """Reads a whole template: `commands()` and then `finished()`."""

    def commands(self) -> tuple[Pipeline, ...]:
        """The commands up to the end, a closing parenthesis, `;;` or a reserved word that closes something."""
        found: list[Pipeline] = []
        while True:
            self._lines()
            if not self.peek() or self.peek() == ")" or self.at(";;") or self._closer():
                return tuple(found)
            found.append(self._pipeline())
            self._separator()

    def finished(self) -> None:
        """Refuse what is left over."""
        if self.i < len(self.source) or self.resume:
            self._unclear()

    def substitution_body(self) -> tuple[Pipeline, ...]:
        """The commands up to the `)` that closes a `$(`."""
        start = self.i - 2
        body = self.commands()
        self._close(")", "$(", start)
        if self.resume:
            self.open_end("<<", start)
        return body

    def child(self, text: str, at: int, zone: tuple[Text, Text]) -> tuple[Pipeline, ...]:
        """The commands in a text that the shell reads after unquoting it."""
        inner = Parser(text, anchor=(self, at), zone=zone)
        body = inner.commands()
        inner.finished()
        return body

    def _unclear(self) -> NoReturn:
        self.fail(texts.UNREADABLE, texts.PLAIN_POSIX, min(self.i, len(self.source)))

    def _close(self, closer: str, form: str, start: int) -> None:
        if not self.at(closer):
            self.open_end(form, start) if self.i >= len(self.source) else self._unclear()
        self.i += len(closer)

    # Blanks, lines, separators

    def _blanks(self) -> None:
        """Blanks, continued lines and a comment."""
        while True:
            if self.peek() and self.peek() in " \t":
                self.i += 1
            elif self.at("\\\n"):
                self.one_line(self.i, self.i + 2)
                self.i += 2
            else:
                break
        if self.at("#"):
            end = self.source.find("\n", self.i)
            end = len(self.source) if end < 0 else end
            self.no_placeholder(self.i, end, texts.COMMENT, texts.COMMENT_MEND)
            self.i = end

    def _newline(self) -> None:
        self.i, self.resume = self.resume or self.i + 1, 0

    def _lines(self) -> None:
        self._blanks()
        while self.at("\n"):
            self._newline()
            self._blanks()

    def _control(self) -> str:
        """The control operator that stands here, or nothing; refuses those of one shell only."""
        self._blanks()
        found = _CONTROL.match(self.source, self.i)
        if not found:
            return ""
        if found[0] in _FOREIGN:
            self.differs(_FOREIGN[found[0]], self.i)
        if re.compile(r"(?:\\\n)+[&|;<>(]").match(self.source, found.end()):
            self.fail(texts.CONTINUATION, texts.CONTINUATION_MEND, found.end())
        return found[0]

    def _separator(self) -> None:
        operator = self._control()
        if operator == "\n":
            return
        if operator in ("&&", "||"):
            self.i += 2
            self._lines()
            if not self.peek() or self.peek() in ");&|" or self._closer():
                self._unclear()
        elif operator in (";", "&"):
            self.i += 1
        elif operator != ";;" and self.peek() not in ("", ")") and not self._closer():  # `{ { a; } }`
            self._unclear()

    def _reserved(self) -> str:
        found = _RESERVED.match(self.source, self.i)
        return found[0] if found else ""

    def _closer(self) -> bool:
        return self._reserved() in ("then", "elif", "else", "fi", "do", "done", "esac", "}")

    def _expect(self, word: str) -> None:
        self._lines()
        if self._reserved() != word:
            if self.i >= len(self.source):
                self.fail(texts.ENDED.of(form=word), texts.CLOSE_IT, self.i)
            self._unclear()
        self.i += len(word)

    # Commands

    def _pipeline(self) -> Pipeline:
        stages: list[Command] = []
        if self._reserved() == "!":
            self.i += 1
            self._blanks()
        while True:
            stages.append(self._command())
            if self._control() != "|":
                return Pipeline(tuple(stages))
            self.i += 1
            self._lines()

    def _command(self) -> Command:
        if found := _DIALECT_WORD.match(self.source, self.i):
            self.differs(found[0], self.i)
        if self._reserved() or self.at("("):
            return self._compound()
        if name := _FUNCTION.match(self.source, self.i):
            start, self.i = self.i, name.end()
            self._lines()
            if self._reserved() in ("", "!") and not self.at("("):
                self._unclear()
            return Function(name[1], self._compound(), start)
        return self._simple()

    def _simple(self) -> Simple:
        start = self.i
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            self._blanks()
            if redirect := self._redirect():
                redirects.append(redirect)
            elif word := self._checked_word(first=not words):
                name = _ASSIGNMENT.match(word.bare.partition("\0")[0])
                if name and not words:
                    assignments.append((name[1], word.after(name[0])))
                else:
                    words.append(word)
            else:
                break
        if self.i == start:
            self._unclear()
        return Simple(tuple(assignments), tuple(words), tuple(redirects), start)

    def _checked_word(self, *, first: bool, pattern: bool = False) -> Word | None:
        word = self.word(pattern=pattern or first)
        if word is None:
            return None
        head = word.bare.partition("\0")[0]
        if first and (odd := _ODD_ASSIGNMENT.match(head)):
            self.differs(odd[0], word.at)
        if self.at("("):
            self.differs(f"{head}(" if head.endswith("=") else "(", self.i)
        if self.peek() and self.peek() in "<>" and re.fullmatch(r"[0-9]+|\{\w+\}", word.literal or ""):
            self.differs(f"{word.literal}{self.peek()}", word.at)
        return word

    def _compound(self) -> Compound:
        start = self.i
        opener = "(" if self.at("(") else self._reserved()
        self.i += len(opener)
        variable, words = "", None
        match opener:
            case "(" | "{":
                body = self.commands()
                self._close(")" if opener == "(" else "}", opener, start)
            case "if":
                body = self._choice()
            case "while" | "until":
                body = self.commands() + self._loop()
            case "for":
                variable, words, body = self._for()
            case "case":
                words, body = self._case()
            case _:
                self._unclear()
        redirects: list[Redirect] = []
        self._blanks()
        while redirect := self._redirect():
            redirects.append(redirect)
            self._blanks()
        return Compound(opener, variable, words, body, tuple(redirects), start)

    def _choice(self) -> tuple[Pipeline, ...]:
        body = self.commands()
        self._expect("then")
        body += self.commands()
        if self._reserved() == "elif":
            self.i += 4
            return body + self._choice()
        if self._reserved() == "else":
            self.i += 4
            body += self.commands()
        self._expect("fi")
        return body

    def _loop(self) -> tuple[Pipeline, ...]:
        self._expect("do")
        body = self.commands()
        self._expect("done")
        return body

    def _for(self) -> tuple[str, tuple[Word, ...] | None, tuple[Pipeline, ...]]:
        self._blanks()
        if self.at("(("):
            self.differs("for ((", self.i)
        name = self.word()
        if name is None or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name.literal or "", re.ASCII):
            self._unclear()
        self._lines()
        words: tuple[Word, ...] | None = None
        if re.compile(r"in(?=[ \t\n;])").match(self.source, self.i):
            self.i += 2
            words = self._words()
        self._blanks()
        if self.at(";"):
            self.i += 1
        return name.literal or "", words, self._loop()

    def _words(self) -> tuple[Word, ...]:
        words: list[Word] = []
        self._blanks()
        while word := self._checked_word(first=False):
            words.append(word)
            self._blanks()
        return tuple(words)

    def _case(self) -> tuple[tuple[Word, ...], tuple[Pipeline, ...]]:
        start = self.i - 4
        self._blanks()
        subject = self._checked_word(first=False)
        if subject is None:
            self._unclear()
        words, body = [subject], tuple[Pipeline, ...]()
        self._lines()
        if not re.compile(r"in(?=[ \t\n])").match(self.source, self.i):
            self._unclear()
        self.i += 2
        self._lines()
        while self._reserved() != "esac":
            if self.i >= len(self.source):
                self.open_end("case", start)
            words.extend(self._patterns())
            body += self.commands()
            if self._control() == ";;":
                self.i += 2
                self._lines()
            elif self._reserved() != "esac":
                self._unclear()
        self.i += 4
        return tuple(words), body

    def _patterns(self) -> list[Word]:
        if self.at("("):
            self.i += 1
        found: list[Word] = []
        while True:
            self._blanks()
            pattern = self._checked_word(first=False, pattern=True)
            if pattern is None:
                self._unclear()
            found.append(pattern)
            self._blanks()
            if self.at(")"):
                self.i += 1
                return found
            if not self.at("|"):
                self._unclear()
            self.i += 1

    # Redirections

    def _redirect(self) -> Redirect | None:
        found = _REDIRECT.match(self.source, self.i)
        if not found:
            return None
        start, operator = self.i, found[2]
        if operator in _FOREIGN:
            self.differs(_FOREIGN[operator], start)
        if len(found[1]) > 1:
            self.differs(found[0], start)
        fd = int(found[1] or -1)
        self.i = found.end()
        if self.at("\\\n"):
            self.fail(texts.CONTINUATION, texts.CONTINUATION_MEND, self.i)
        self._blanks()
        if operator in ("<<", "<<-"):
            return Redirect(fd, "<<", self._here_document(start, strip=operator == "<<-"))
        target = self._checked_word(first=False)
        if target is None:
            self._redirect()  # `> >( … )` is refused by its own name
            self._unclear()
        if operator in ("<&", ">&") and not re.fullmatch(r"[0-9]|-", target.literal or ""):
            self.differs(f"{operator}…", start)
        return Redirect(fd, operator, target)

    def _here_document(self, start: int, *, strip: bool) -> Word:
        delimiter = _DELIMITER.match(self.source, self.i)
        if not delimiter or self.source[delimiter.end() : delimiter.end() + 1] not in (*" \t\n;&|<>()", ""):
            self.fail(texts.HEREDOC_DELIMITER, texts.PLAIN_DELIMITER, start)
        self.i = delimiter.end()
        wanted = re.sub(r"['\"\\]", "", delimiter[0])
        quoted = wanted != delimiter[0]
        body = self.resume or self.source.find("\n", self.i) + 1
        end, self.resume = self._body_end(body, wanted, start, strip=strip, quoted=quoted)
        if not quoted:
            return self.document(body, end)
        self.no_placeholder(body, end, texts.QUOTED_HEREDOC, texts.QUOTED_HEREDOC_MEND)
        return Word((Literal(self.source[body:end], quoted=True),), body)

    def _body_end(self, body: int, wanted: str, start: int, *, strip: bool, quoted: bool) -> tuple[int, int]:
        """Where a here-document's last line begins, and where the commands go on after it."""
        at, joined = body, False
        while True:
            if not 0 < at <= len(self.source):
                self.open_end("<<", start)
            stop = self.source.find("\n", at)
            stop = len(self.source) if stop < 0 else stop
            line = self.source[at:stop]
            if (line.lstrip("\t") if strip else line) == wanted:
                if joined:
                    self.fail(texts.CONTINUATION, texts.CONTINUATION_MEND, at)
                return at, min(stop + 1, len(self.source))
            joined = not quoted and (len(line) - len(line.rstrip("\\"))) % 2 == 1
            at = stop + 1
