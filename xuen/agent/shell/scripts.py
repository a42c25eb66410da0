"""Whether a file that a template runs as code could be one that it wrote the prompt to.

Owns: that question, for one word. `taint` knows the files that the prompt is written to; this module also considers
copies of them under other names. In doubt the answer is yes. Pure; the order of commands is not looked at. Always
holds: a template that writes the prompt nowhere may run any file that no command with the prompt in it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from xuen.agent.shell import readers
from xuen.agent.shell.tree import Literal, Node, Parameter, Part, Simple, Substitution, Word, walk

if TYPE_CHECKING:
    from xuen.agent.shell.taint import Taint

_TOKEN = re.compile(r"[^\s=:,;'\"()<>|&]+")
_RUNNERS = (readers.SHELLS | readers.INTERPRETERS.keys() | {"."}) - readers.TEXT_FILTERS
_INLINE_SHELL = re.compile(r"-[A-Za-z]*c$")
_INLINE = re.compile(r"-[A-Za-z]*[ceEpr]$|--(?:eval|print|run|command)")
_DEPTH = 8  # of variables that are set from variables


class Scripts:
    """What a template says about file names: judged from all its `nodes` and the `taint` that is known so far."""

    def __init__(self, nodes: list[Node], taint: Taint) -> None:
        self._taint = taint
        self.wrote = bool(taint.files or taint.paths or taint.unknown_files)
        named: set[str] = set()  # names, and `$`-names of variables, that some command could write to
        for node in nodes:
            if isinstance(node, Simple) and (self.wrote or taint.holds(node)):
                named.update(self._mentioned(node))
        self._named = named | taint.files

    def doubtful(self, word: Word) -> bool:
        """Whether the file that this word names may hold the prompt."""
        if word.literal == "/dev/null":
            return False
        if self._taint.holds(word):
            return True
        found = list(self._names(word, 0))
        if any(name is None for name in found) and self.wrote:
            return True
        if found and self._taint.unknown_files:
            return True
        return any(self._fits(name) for name in found if name)

    def _fits(self, name: str) -> bool:
        if "{}" in name:
            return True
        if re.search(r"[*?\[]", name):
            return self.wrote or any(fnmatchcase(known, name) for known in self._named)
        return name in self._named

    def _names(self, word: Word, depth: int) -> Iterator[str | None]:
        """What the last part of a path may be: a name, a pattern, `$variable`, or None for what cannot be known."""
        if word.last_name is not None:
            yield word.last_name
            return
        for part in word.parts:
            if isinstance(part, Parameter):
                yield f"${part.name}"
                values = self._taint.assigned.get(part.name, [])
                if not values or len(word.parts) > 1 or part.operator or depth > _DEPTH:
                    yield None
                for value in values if depth <= _DEPTH else ():
                    yield from self._names(value, depth + 1)
            elif not isinstance(part, Literal):
                yield "{}"  # whatever some command lists, as with `find`

    def _mentioned(self, command: Simple) -> Iterator[str]:
        """All names in a command but those of the program and the script that it runs and of what that is given."""
        program = program_at(command.words)
        words = [word for index, word in enumerate(command.words) if index not in (0, program)]
        for index, word in enumerate(command.words):
            if (name := readers.program(word.literal or "")) in _RUNNERS:
                rest = command.words[index + 1 :]
                inline = _INLINE_SHELL if name in readers.SHELLS else _INLINE
                coded = any(inline.match(other.literal or "") for other in rest)
                words = [*command.words[1:index], *(rest if coded else ())]
                break
        words += [value for _, value in command.assignments]
        words += [item.target for item in command.redirects if item.writes]
        for node in walk(tuple(words)):
            if isinstance(node, Literal):
                yield from (token.rpartition("/")[2] for token in _TOKEN.findall(node.text))
                yield from (flag[1] for flag in re.finditer(r"(?<!\S)-[A-Za-z](\S+)", node.text))
            elif isinstance(node, Parameter):
                yield f"${node.name}"


def program_at(words: tuple[Word, ...]) -> int:
    """The place of the program that a command runs, behind wrappers like `timeout 5 env A=1`; 0 where none is."""
    at = 0
    while at < len(words) and (name := readers.program(words[at].literal or "")) in readers.WRAPPERS:
        values, operands, index = readers.WRAPPERS[name], readers.OPERANDS_BEFORE_COMMAND.get(name, 0), at + 1
        while index < len(words):
            text = words[index].head
            if text.startswith("-"):
                index += 2 if len(text) == 2 and text[1] in values else 1
            elif "=" in text.partition("/")[0]:
                index += 1
            elif operands:
                operands, index = operands - 1, index + 1
            else:
                break
        at = index
    return at if at < len(words) else 0


def literals(
    parts: tuple[Part, ...], assigned: dict[str, list[Word]], seen: frozenset[str] = frozenset()
) -> Iterator[str]:
    """All plain text that these parts may come to, through variables too; not what commands print."""
    for part in parts:
        if isinstance(part, Literal):
            yield part.text
        elif isinstance(part, Parameter):
            yield from literals(part.argument, assigned, seen)
            name = "@" if part.name.isdigit() or part.name == "*" else part.name
            for value in assigned.get(name, ()) if name not in seen else ():
                yield from literals(value.parts, assigned, seen | {name})


def starts_code(word: Word, assigned: dict[str, list[Word]], seen: frozenset[str] = frozenset()) -> bool:
    """Whether a word may turn out as something else than a plain name: an option, a shell, several words.

    Variables of the environment are the person's own; those that the template sets must come to plain text.
    """
    split = any(isinstance(part, Substitution) and not part.quoted for part in word.parts)
    if word.literal is not None or (word.last_name and not split):
        return False
    expanded = [part for part in word.parts if not isinstance(part, Literal) or part.text]
    return any(_starts_code(part, len(expanded) > 1, assigned, seen) for part in expanded)


def _starts_code(part: Part, beside: bool, assigned: dict[str, list[Word]], seen: frozenset[str]) -> bool:
    if isinstance(part, Literal):
        return False
    if not isinstance(part, Parameter) or not part.name.isidentifier():
        return True
    values = assigned.get(part.name, []) if part.name not in seen else []
    if (values and beside) or any(not isinstance(inner, Literal) for inner in part.argument):
        return True
    if part.argument and Word(part.argument, part.at).head.startswith("-"):
        return True
    within = seen | {part.name}
    return any((value.literal or "").startswith("-") or starts_code(value, assigned, within) for value in values)
