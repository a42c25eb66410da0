"""Whether a parsed template could lose part of the prompt, read it as code, or act differently between shells.

Owns: the walk over a template's commands, words and redirections; what each command does is judged in
`program_rules` and `builtin_rules`. Refuses in doubt. Pure. Always holds: whatever is not refused hands on
the prompt only as single arguments, here-document text or redirected files of commands that take data.
"""

from __future__ import annotations

import re

from xuen.agent.shell.program_rules import ProgramRules
from xuen.agent.shell.tree import (
    PLACEHOLDERS,
    Arithmetic,
    Command,
    Compound,
    Function,
    Literal,
    Parameter,
    Part,
    Pipeline,
    Redirect,
    Simple,
    Substitution,
    Word,
)
from xuen.texts import template as texts


class Rules(ProgramRules):
    """Checks a whole tree; the first fault found is raised through `lexer.fail`."""

    _fed: frozenset[str] = frozenset()  # functions that may have the prompt on their standard input

    def check(self) -> None:
        """Raise TemplateError if any rule is broken."""
        before = None
        while before != (before := self._fed):
            self._list(self._tree, self._spread.stdin)

    def _called(self, name: str, feed: bool) -> None:
        if feed:
            self._fed |= {name}

    def _list(self, pipelines: tuple[Pipeline, ...], feed: bool) -> None:
        for pipeline in pipelines:
            fed = feed
            for stage in pipeline.stages:
                self._command(stage, fed)
                fed = fed or self._spread.holds(stage)

    def _command(self, command: Command, feed: bool) -> None:
        match command:
            case Function():
                self._command(command.body, command.name in self._fed)
            case Compound():
                if command.variable in PLACEHOLDERS:
                    self._fail(texts.RESERVED.of(name=command.variable), texts.OTHER_NAME, command.at)
                feed = self._redirects(command.redirects, feed)
                for word in command.words or ():
                    self._word(word, feed, splits=command.kind == "for")
                self._list(command.body, feed)
            case Simple():
                self._simple(command, feed)

    def _simple(self, command: Simple, feed: bool) -> None:
        for name, value in command.assignments:
            self._assignment(name, value, value.at)
            self._word(value, feed, splits=False)
        for word in command.words:
            self._word(word, feed, splits=True)
        feed = self._redirects(command.redirects, feed)
        exported = any(self._spread.holds(value) for _, value in command.assignments)
        if command.words:
            self._run(command.words, feed, exported)

    def _redirects(self, redirects: tuple[Redirect, ...], feed: bool) -> bool:
        """Check them; whether standard input may hold the prompt after them."""
        for redirect in redirects:
            target, document = redirect.target, redirect.operator == "<<"
            self._word(target, feed, splits=not document)
            if not document and self._prints(target):
                self._fail(texts.TARGET, texts.PATH_TARGET, target.at)
            if redirect.feeds_stdin:
                feed = self._spread.holds(target) or redirect.operator == "<&"
                feed = feed or (not document and self._scripts.doubtful(target))
        return feed

    def _word(self, word: Word, feed: bool, *, splits: bool) -> None:
        """The expansions in one word; `splits` where the shell would split it and look for file names."""
        for part in word.parts:
            self._part(part, feed, splits=splits)
        if splits and self._spread.holds(word.parts):
            shape = "".join(p.text if isinstance(p, Literal) and not p.quoted else "\0" for p in word.parts)
            if re.search(r"[*?]|\[.*\]", shape, re.DOTALL):
                self._fail(texts.PATTERN, texts.PATTERN_MEND, word.at)

    def _part(self, part: Part, feed: bool, *, splits: bool) -> None:
        holds = not isinstance(part, Literal) and self._spread.holds(part)
        if holds and isinstance(part, Arithmetic):
            self._fail(texts.ARITHMETIC, texts.ARITHMETIC_MEND, part.at)
        if holds and splits and isinstance(part, Parameter | Substitution) and not part.quoted:
            self._fail(texts.UNQUOTED, texts.UNQUOTED_MEND, part.at)
        match part:
            case Substitution(body=(Pipeline(stages=(Simple(words=(), assignments=()),)),)):
                self._differs("$(< )", part.at)
            case Substitution(remote=True):
                self._elsewhere(part.body, part.at, feed)
            case Substitution():
                self._list(part.body, feed)
            case Parameter():
                for inner in part.argument:
                    self._part(inner, feed, splits=False)
            case Arithmetic():
                for inner in part.parts:
                    self._part(inner, feed, splits=False)
