"""Whether the prompt stays data and whole, decided by where a placeholder stands.

The one rule: a placeholder stands among the words, in the `<` or in the here-document of a command that takes it as
data; where it would have to be followed (a variable, a list, a function) it is refused. A command is *fed* where the
prompt may be its standard input. `readers` says who reads what as code. Refuses in doubt. Pure.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import NoReturn

from xuen.agent.shell import readers, tree
from xuen.agent.shell.lexer import PLACEHOLDER, Lexer
from xuen.agent.shell.tree import PLACEHOLDERS, Compound, Parameter, Pipeline, Simple, Substitution, Word, holds, walk
from xuen.agent.shell.words import Facts, Item, operand, program_at, scripts, shows
from xuen.texts import template as texts

_PRINTF_FORM = re.compile(r"(?!-)(?:[^\\%]|\\[\\nrtabfv]|\\[0-7]{1,3}|%[s%])*")
_TEST = re.compile(r"(! )?(-[bcdefghLnprsSuwxz] x|x !?= x|x)")
_SET = re.compile(r"([-+][abCefhmuvx]+ |[-+]o (all|no)\w+ |[-+]o (errexit|monitor|verbose|xtrace) )*(-- .*|[^-+].*)?")
_RUNNERS = "|".join([*readers.CODE_OPTION, "eval", "source", "xargs", "read", r"\."])
_RUNS = re.compile(rf"(?:^|[\s;&|(`'\"{{])(?:\S*/)?(?:{_RUNNERS})(?![\w./-])|(?:^|[;&|(`'\"{{]|\$\()\s*\0|=(?:`|\$\()")
_LOGIN = re.compile(r"(?:\S*/)?\w*sh -\w*c (?=['\"])")  # `bash -lc '…'`: what is in the quotes counts


class Rules:
    """Checks a template's commands; raises the first fault through `lexer`."""

    def __init__(self, lexer: Lexer, commands: tuple[Pipeline, ...]) -> None:
        self._lexer, self._fail, self._nodes = lexer, lexer.fail, list(walk(commands))
        self._fed = {id(inner) for node in self._nodes for inner in walk(_fed(node))}
        self._facts = Facts(lexer.source, self._nodes, self._fed)

    def check(self) -> None:
        """Raise TemplateError where a command breaks the rule."""
        for node in self._nodes:
            match node:
                case Simple():
                    self._simple(node)
                case Compound(kind="()") if shows(node.body):
                    self._fail(texts.IN_FUNCTION, texts.PUT_IN_SCRIPT, node.at)
                case Compound():
                    self._own(node.name, node.at)
                    for word in filter(shows, node.words):
                        self._fail(texts.IN_LIST.of(name=node.kind), texts.PUT_IN_SCRIPT, word.at)
                case Pipeline():
                    self._piped_shell(node)
                case tree.Redirect(operator=how, target=file):
                    if how != "<<" and holds(file if ">" in how else _text_of(file)):
                        self._fail(texts.TARGET, texts.PATH_TARGET, file.at)
                case Parameter() | Substitution():
                    self._part(node)

    def _part(self, node: tree.Part) -> None:
        match node:
            case Parameter() if node.name == "_" or node.name.startswith("BASH"):  # the last argument, …
                self._lexer.differs(f"${node.name}", node.at)
            case Parameter(operator="$((") if self._facts.to_prompt and node.argument:
                self._fail(texts.ARITHMETIC, texts.ARITHMETIC_MEND, node.at)  # some shells go from name to name
            case Substitution(body=(Pipeline(stages=(Simple(words=(), assignments=()),)),)):
                self._lexer.differs("$(< )", node.at)
            case Substitution(quoted=False) if holds(node):
                self._fail(texts.UNQUOTED, texts.UNQUOTED_MEND, node.at)

    def _code(self, name: str, item: Item) -> NoReturn:
        self._fail(texts.CODE.of(name=name or "$"), texts.OWN_ARGUMENT, item.word.at)

    def _own(self, name: str, at: int) -> None:
        if name in PLACEHOLDERS:
            self._fail(texts.RESERVED.of(name=name), texts.OTHER_NAME, at)

    def _known(self, item: Item) -> None:
        if item.text is None:
            self._fail(texts.UNKNOWN_NAME, texts.UNKNOWN_NAME_MEND, item.word.at)

    def _piped_shell(self, pipeline: Pipeline) -> None:
        """Refuse a shell that runs whatever comes through a pipe: that may show the prompt in ways nobody can tell."""
        for command in walk(pipeline.stages[1:]):
            items = self._facts.items(command.words) if isinstance(command, Simple) else []
            words = items[program_at(items) :]
            if words and words[0].program in readers.SHELLS and operand(words)[1] == "stdin":
                self._code(words[0].program, words[0])

    def _simple(self, command: Simple) -> None:
        fed, items = id(command) in self._fed, self._facts.items(command.words)
        for name, value in command.assignments:
            self._own(name, value.at)
            if shows(value) or (fed and any(isinstance(part, Substitution) for part in walk(value))):
                self._fail(texts.IN_VARIABLE.of(name=name), texts.PUT_IN_SCRIPT, value.at)
        if items:
            self._run(items, fed)
        elif fed:
            self._fail(texts.NO_READER, texts.OWN_ARGUMENT, command.at)
        found = scripts(items, self._facts.files(command.redirects, "<"))
        for item in [*filter(self._facts.may_hold, found), *filter(self._facts.may_load, items)]:
            self._fail(texts.SCRIPT.of(name=item.program or "$"), texts.SCRIPT_MEND, item.word.at)

    def _run(self, items: list[Item], fed: bool) -> None:
        """Judge one command by its words."""
        held = fed or any(item.holds for item in items)
        if held and items[0].text in self._facts.functions:
            self._fail(texts.IN_FUNCTION, texts.PUT_IN_SCRIPT, items[0].word.at)
        at = program_at(items)
        remote = self._wrapped(items[:at], fed, held, bare=at == len(items))
        before = list(takewhile(lambda item: not item.holds, items := items[at:]))
        if remote and len(before) < len(items):
            self._code("ssh", items[len(before)])
        if remote and fed and any(re.search(r"[\s;&|<>$`(]", item.word.text) for item in items):
            self._judge("ssh", items, fed)
        elif items:
            if len(before) < len(items) and all(_may_vanish(i) or (at and i.text == "") for i in before):
                self._fail(texts.COMMAND_NAME, texts.OWN_ARGUMENT, items[len(before)].word.at)
            if held:
                self._known(items[0])
            self._builtin(items[0].text or "", items, fed)
            self._program(items[0].program, items, fed)

    def _wrapped(self, items: list[Item], fed: bool, held: bool, *, bare: bool) -> bool:
        """Judge the wrappers before a program and their options; whether the program runs on another machine."""
        name = ""
        for item in items:
            if item.program in readers.WRAPPERS and not item.holds:
                name = item.program
            elif item.holds and "=" in item.head:
                self._fail(texts.IN_VARIABLE.of(name=item.head.partition("=")[0]), texts.PUT_IN_SCRIPT, item.word.at)
            elif item.holds or (held and readers.WRAPPER_CODE.match(f"{name} {item.head}")):
                self._code(name, item)
            elif held and any(isinstance(part, Substitution) and not part.quoted for part in item.word.parts):
                self._known(item)
        if fed and (name == "xargs" or (name and bare)):
            self._code(name, items[0])
        return name in readers.REMOTE

    def _builtin(self, name: str, items: list[Item], fed: bool) -> None:
        """The shell's own commands, with the prompt or without."""
        at, words, given = items[0].word.at, items[1:], next((item for item in items if item.holds), None)
        heads = [item.head for item in words]
        odd = {".": len(words) != 1, "set": not _SET.fullmatch("".join(f"{head} " for head in heads))}
        if odd.get(name, name in readers.ONE_SHELL_ONLY):
            self._lexer.differs(name, at)
        for item in words if name in readers.NAME_TAKERS else ():
            self._own(item.head.partition("=")[0], item.word.at)
        if (given and name in readers.NO_DATA) or (name == "set" and not words):  # `set` alone prints all variables
            self._code(name, given or items[0])
        if name in ("eval", "trap") and not given:
            self._judge(name, words[: 1 if name == "trap" else None], fed)
        if given and name == "printf":
            form = words[heads[0] == "--" and len(words) > 1]
            if form.text is None or not _PRINTF_FORM.fullmatch(form.text):
                self._fail(texts.PRINTF, texts.PRINTF_MEND, form.word.at)
        if name == "echo" and holds(tuple(_text_of(item.word) for item in words)):
            self._fail(texts.ECHO, texts.ECHO_MEND, at)
        shape = " ".join(head if re.fullmatch(r"!?=|!|-\w", head) else "x" for head in heads if head != "]")
        if given and name in ("[", "test") and not _TEST.fullmatch(shape):
            self._code(name, given)

    def _judge(self, name: str, items: list[Item], fed: bool) -> None:
        """Judge text that a shell reads as commands: nothing in it may run what the prompt may stand in."""
        text = " ".join(item.word.text for item in items)
        for item in items:
            inner = [Item(n.text, n, False) for n in walk(item.word) if isinstance(n, Word) and n is not item.word]
            if PLACEHOLDER.search(text) or (fed and (inner or _RUNS.search(_LOGIN.sub("", text)))):
                self._code(name, item)
            if any(map(self._facts.may_hold, inner)) if inner else self._facts.wrote and _RUNS.search(text):
                self._fail(texts.SCRIPT.of(name=name), texts.SCRIPT_MEND, item.word.at)

    def _program(self, name: str, items: list[Item], fed: bool) -> None:
        """A program that may have the prompt among its words or on its standard input."""
        given = next((item for item in items if item.holds), None)
        if given and name in readers.READ_ARGUMENTS:
            self._code(name, given)
        if fed and name in readers.READ_STDIN:
            self._code(name, items[0])
        option = re.compile(readers.OPTIONS.get(name, r"(?!)" if name else r"-\w*c$|-e$|--eval$"))
        for before, item in pairwise(items):
            if item.holds and (option.fullmatch(before.head) or (item.head and option.match(item.head))):
                self._code(name, item)
        for index, item in enumerate(items):
            if item.text in ("-exec", "-execdir", "-ok", "-okdir"):
                command = list(takewhile(lambda item: item.text not in (";", "+"), items[index + 1 :]))
                if command := [i._replace(holds=i.holds or ("{}" in i.head and bool(given))) for i in command]:
                    self._run(command, fed)
            elif item.program in readers.CODE_OPTION:  # also among the words of another: `docker exec c sh -c …`
                rest = items[index + 1 :]
                coded = any(re.match(readers.CODE_OPTION[item.program], given.head) for given in rest)
                file = rest and rest[0].holds and not holds(_text_of(rest[0].word))
                if index == 0 or coded or file or (fed and all(given.head.startswith("-") for given in rest)):
                    self._interpreter(item.program, items[index:], fed)

    def _interpreter(self, name: str, items: list[Item], fed: bool) -> None:
        """Refuse the prompt in code, as a script's name and on a standard input that is code."""
        shell, filters, (at, what) = name in readers.SHELLS, name in readers.FILTERS, operand(items)
        held = fed or any(item.holds for item in items)
        for before, item in pairwise(items if shell and what == "code" else items[: at + 1]):
            if item.holds and not (filters and "-v" in (before.head, item.head[:2])):
                self._code(name, item)
        if held and what == "script" and not filters:
            self._known(items[at]._replace(text=None) if _may_vanish(items[at]) else items[at])
        if fed and what == "stdin" and not filters:
            self._code(name, items[0])
        if held and what == "module" and items[at:] and items[at].text in readers.CODE_MODULES:
            self._code(f"{name} -m", items[at])
        if shell and what == "code" and items[at:] and (fed or self._facts.wrote):
            self._judge(name, items[at : at + 1], fed)


def _fed(node: tree.Node) -> object:
    """What gets the prompt on its standard input from a pipeline, or from a command's `<` or here-document."""
    if isinstance(node, Pipeline):
        first = next((n for n, stage in enumerate(node.stages, 1) if shows(stage)), len(node.stages))
        return node.stages[first:]
    redirects = node.redirects if isinstance(node, Simple | Compound) else ()
    return node if any(item.operator in ("<", "<<") and shows(item) for item in redirects) else ()


def _may_vanish(item: Item) -> bool:
    """Whether it is no word at all where a variable is empty."""
    return not item.text and not any(getattr(part, "quoted", True) for part in item.word.parts)


def _text_of(word: Word) -> tuple[tree.Part, ...]:
    """The word without the path of the prompt's file."""
    return tuple(part for part in word.parts if not isinstance(part, Parameter) or part.name != "prompt_file")
