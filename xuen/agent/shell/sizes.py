"""How long the arguments of a template's commands become with a prompt of a given length.

Owns: the sum over every part of a word, through variables and substitutions. Pure. What cannot be known
(the output of an agent, a variable of the environment) counts as nothing: then the system itself refuses.
"""

from __future__ import annotations

from dataclasses import dataclass

from xuen.agent.shell import readers
from xuen.agent.shell.taint import Taint, exports_all
from xuen.agent.shell.tree import (
    Arithmetic,
    Compound,
    Literal,
    Parameter,
    Part,
    Pipeline,
    Simple,
    Substitution,
    Word,
    walk,
)

# Commands whose output is as long as what they read or are given.
_PASSERS = readers.words("cat printf echo head tail sed tr fold fmt cut sort tac nl awk jq iconv expand tee base64")


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of an argument: fixed ones, and how often it holds the prompt and the path of its file."""

    fixed: int = 0
    prompts: int = 0
    paths: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.fixed + other.fixed, self.prompts + other.prompts, self.paths + other.paths)

    def __or__(self, other: Size) -> Size:
        """At least as long as both."""
        return Size(max(self.fixed, other.fixed), max(self.prompts, other.prompts), max(self.paths, other.paths))

    def bytes(self, prompt: int, path: int) -> int:
        """Its length in bytes, without the NUL at its end."""
        return self.fixed + self.prompts * prompt + self.paths * path


class Sizes:
    """The arguments and environment strings of the programs that a template starts."""

    def __init__(self, tree: tuple[Pipeline, ...]) -> None:
        self._taint = Taint(tree)
        self._open: set[str] = set()  # variables that are being summed up
        self._summed: dict[str, Size] = {}
        nodes = list(walk(tree))
        self._all_exported = any(isinstance(node, Simple) and exports_all(node) for node in nodes)
        found = [size for node in nodes if isinstance(node, Simple) for size in self._of_command(node)]
        self.found = tuple(dict.fromkeys(size for size in found if size.prompts or size.paths))

    def _of_command(self, command: Simple) -> list[Size]:
        name = command.words[0].literal if command.words else None
        started = bool(command.words) and name not in readers.DATA_BUILTINS and name not in self._taint.functions
        sizes = [self._word(word) for word in command.words] if started else []
        if started or self._all_exported:
            sizes += [Size(len(variable) + 1) + self._word(value) for variable, value in command.assignments]
        if name == "export":
            sizes += [self._exported(word) for word in command.words[1:]]
        return sizes

    def _exported(self, word: Word) -> Size:
        if "=" in word.head:
            return self._word(word)
        return Size(len(word.head) + 1) + self._variable(word.head)

    def _word(self, word: Word) -> Size:
        return sum((self._part(part) for part in word.parts), Size())

    def _part(self, part: Part) -> Size:
        match part:
            case Literal():
                return Size(len(part.text.encode()))
            case Parameter():
                return sum((self._part(inner) for inner in part.argument), self._variable(part.name))
            case Substitution():
                return sum((self._output(pipeline) for pipeline in part.body), Size())
            case Arithmetic():
                return Size()

    def _variable(self, name: str) -> Size:
        if name == "prompt":
            return Size(prompts=1)
        if name == "prompt_file":
            return Size(paths=1)
        if name in self._open:
            return Size(prompts=int(self._taint.holds(Parameter(name, "", (), True, 0))))
        if name not in self._summed:
            self._open.add(name)
            self._summed[name] = self._sum(name)
            self._open.discard(name)
        return self._summed[name]

    def _sum(self, name: str) -> Size:
        values = self._taint.assigned.get("@" if name == "*" or name.isdigit() else name, [])
        if name == "*":
            return sum((self._word(word) for word in values), Size())
        size = Size()
        for value in values:
            size |= self._word(value)
        if not values and name in self._taint.variables:
            return Size(prompts=1)  # what `read` found
        return size

    def _output(self, pipeline: Pipeline) -> Size:
        """What a substitution puts into the word: the prompt, if all its commands pass on what they read."""
        if not self._taint.holds(pipeline):
            return Size()
        total = Size()
        for stage in pipeline.stages:
            if isinstance(stage, Simple):
                name = readers.program(stage.words[0].literal or "") if stage.words else ""
                if name not in _PASSERS:
                    return Size()
                total += self._passed_on(name, stage)
            elif isinstance(stage, Compound):
                total += sum((self._output(inner) for inner in stage.body), Size(prompts=1))
        return Size(total.fixed, total.prompts + total.paths)

    def _passed_on(self, name: str, command: Simple) -> Size:
        """At least what such a command prints: its arguments, here-documents and files, each in full."""
        words = [*command.words[1:], *(redirect.target for redirect in command.redirects)]
        size = sum((self._word(word) for word in words if self._taint.holds(word)), Size())
        if name == "printf" and len(command.words) > 1:
            form = command.words[1].literal or ""
            size += Size(len(form.encode()) - 2 * form.count("%s"))
        return size
