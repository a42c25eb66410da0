"""Whether a parsed template could lose part of the prompt, read it as code, or act differently between shells.

Owns: the walk over a template's commands, words and redirections; what each command does is judged in
`program_rules` and `builtin_rules`. Refuses in doubt. Pure. Always holds: whatever is not refused hands on
the prompt only as single arguments, here-document text or redirected files of commands that take data.
"""

from __future__ import annotations

import re

from xuen.agent.shell import readers
from xuen.agent.shell.program_rules import ProgramRules
from xuen.agent.shell.scripts import literals, program_at
from xuen.agent.shell.tree import (
    PLACEHOLDERS,
    Arithmetic,
    Command,
    Compound,
    Function,
    Parameter,
    Part,
    Pipeline,
    Redirect,
    Simple,
    Substitution,
    Word,
    walk,
)
from xuen.texts import template as texts

_NAME = re.compile(r"(?<![0-9A-Za-z])[A-Za-z_]")


class Rules(ProgramRules):
    """Checks a whole tree; the first fault found is raised through `lexer.fail`."""

    def check(self) -> None:
        """Raise TemplateError if any rule is broken."""
        self._list(self._tree)

    def _list(self, pipelines: tuple[Pipeline, ...]) -> None:
        for pipeline in pipelines:
            for stage in pipeline.stages:
                self._command(stage)
            self._pipe(pipeline.stages[1:])

    def _pipe(self, stages: tuple[Command, ...]) -> None:
        """Refuse a shell that runs whatever comes through a pipe: that may show the prompt in ways nobody can tell."""
        for node in walk(stages):
            words = node.words[program_at(node.words) :] if isinstance(node, Simple) else ()
            name = readers.program(words[0].literal or "") if words else ""
            if name in readers.SHELLS and all(re.match(r"-[^c]*$", word.head) for word in words[1:]):
                self._code(name, words[0].at)

    def _command(self, command: Command) -> None:
        match command:
            case Function():
                self._command(command.body)
            case Compound():
                if command.variable in PLACEHOLDERS:
                    self._fail(texts.RESERVED.of(name=command.variable), texts.OTHER_NAME, command.at)
                self._redirects(command.redirects)
                for word in command.words or ():
                    self._word(word, splits=command.kind == "for")
                self._list(command.body)
            case Simple():
                self._simple(command)

    def _simple(self, command: Simple) -> None:
        for name, value in command.assignments:
            self._assignment(name, value, value.at)
            self._word(value, splits=False)
        for word in command.words:
            self._word(word, splits=True)
        self._redirects(command.redirects)
        exported = any(self._taint.holds(value) for _, value in command.assignments)
        if command.words:
            self._run(command.words, self._taint.feeds(command), exported)

    def _redirects(self, redirects: tuple[Redirect, ...]) -> None:
        for redirect in redirects:
            target, document = redirect.target, redirect.operator == "<<"
            self._word(target, splits=not document)
            if not document and self._prints(target):
                self._fail(texts.TARGET, texts.PATH_TARGET, target.at)

    def _word(self, word: Word, *, splits: bool) -> None:
        """The expansions in one word; `splits` where the shell would split it and look for file names."""
        for part in word.parts:
            self._part(part, splits=splits)
        if splits and self._taint.holds(word.parts) and re.search(r"[*?]|\[.*\]", word.bare, re.DOTALL):
            self._fail(texts.PATTERN, texts.PATTERN_MEND, word.at)

    def _part(self, part: Part, *, splits: bool) -> None:
        if splits and isinstance(part, Parameter | Substitution) and not part.quoted and self._taint.holds(part):
            self._fail(texts.UNQUOTED, texts.UNQUOTED_MEND, part.at)
        match part:
            case Substitution():
                self._substitution(part)
            case Parameter():
                if part.name == "_" or part.name.startswith("BASH"):  # the last argument of the command before, …
                    self._differs(f"${part.name}", part.at)
                for inner in part.argument:
                    self._part(inner, splits=False)
            case Arithmetic():
                if self._taint.holds(part) or self._names_more(part):
                    self._fail(texts.ARITHMETIC, texts.ARITHMETIC_MEND, part.at)
                for inner in part.parts:
                    self._part(inner, splits=False)

    def _substitution(self, part: Substitution) -> None:
        match part.body:
            case (Pipeline(stages=(Simple(words=(), assignments=()),)),):
                self._differs("$(< )", part.at)
        if part.remote:
            with self._told_at(part.at):
                self._list(part.body)
        else:
            self._list(part.body)

    def _names_more(self, part: Arithmetic) -> bool:
        """Whether a value in it may be a name: some shells go on to that name's value, which may be the prompt."""
        return any(_NAME.search(text) for text in literals(part.parts, self._taint.assigned))
