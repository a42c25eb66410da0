"""The shape of a shell command, as far as a template's check needs it.

Owns: the values that `parser` builds. Order of execution, `&&`, `||`, `&` and `;` are left out on
purpose: whether a prompt can be read as code does not hang on them. Always holds: every node is immutable,
and `at` is an offset into the template's source.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from dataclasses import dataclass

PLACEHOLDERS = ("prompt", "prompt_file")


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that stands for itself; unquoted text may still be a pattern, a tilde or a brace list."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name`, or `${name<operator><argument>}`; `operator` is empty for the plain forms."""

    name: str
    operator: str
    argument: tuple[Part, ...]
    quoted: bool
    at: int


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$( … )`, or back-quotes: those are `remote`, as the offsets in their body are not the template's."""

    body: tuple[Pipeline, ...]
    quoted: bool
    at: int
    remote: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$(( … ))`: the names and expansions in it."""

    parts: tuple[Part, ...]
    at: int


Part = Literal | Parameter | Substitution | Arithmetic


@dataclass(frozen=True, slots=True)
class Word:
    """One word before expansion; a here-document's body is a word too."""

    parts: tuple[Part, ...]
    at: int

    @property
    def text(self) -> str:
        """Its text without quotes, with a NUL in the place of each expansion."""
        return "".join(part.text if isinstance(part, Literal) else "\0" for part in self.parts)

    @property
    def bare(self) -> str:
        """Its text outside quotes, with a NUL in the place of everything else."""
        return "".join(part.text if isinstance(part, Literal) and not part.quoted else "\0" for part in self.parts)

    @property
    def literal(self) -> str | None:
        """Its text if nothing in it is expanded, else None."""
        return None if "\0" in self.text else self.text

    @property
    def head(self) -> str:
        """Its text up to the first expansion."""
        return self.text.partition("\0")[0]

    @property
    def last_name(self) -> str | None:
        """The last name of the path that it is where that is plain text, maybe a pattern for names; else None."""
        name = self.text.rpartition("/")[2]
        return None if "\0" in name else name

    def after(self, prefix: str) -> Word:
        """This word without `prefix`, which its head begins with."""
        parts, left = list(self.parts), len(prefix)
        while left:
            first = parts.pop(0)
            if not isinstance(first, Literal):
                raise ValueError(f"the word does not begin with {prefix!r}")
            if len(first.text) > left:
                parts.insert(0, Literal(first.text[left:], first.quoted))
            left -= min(left, len(first.text))
        return Word(tuple(parts), self.at)


@dataclass(frozen=True, slots=True)
class Redirect:
    """`<`, `>`, `>>`, `<>`, `>|`, `<&`, `>&` and their target, or `<<` and the body; `fd` -1 is the default one."""

    fd: int
    operator: str
    target: Word

    @property
    def feeds_stdin(self) -> bool:
        """Whether the command reads its standard input from here."""
        return self.operator.startswith("<") and self.fd in (-1, 0)

    @property
    def writes(self) -> bool:
        """Whether a file is written."""
        return self.operator in (">", ">>", ">|", "<>")


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments, words, redirections."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Compound:
    """A group, subshell, loop or choice: `body` holds everything in it that is run.

    `words` are the list of `for` (with its `variable`) or the subject and patterns of `case`;
    a `for` without `in` has `words` None.
    """

    kind: str
    variable: str
    words: tuple[Word, ...] | None
    body: tuple[Pipeline, ...]
    redirects: tuple[Redirect, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Function:
    """`name() body`."""

    name: str
    body: Compound
    at: int


Command = Simple | Compound | Function


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by `|`."""

    stages: tuple[Command, ...]


Node = Part | Word | Redirect | Command | Pipeline


_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in dataclasses.fields(kind)) for kind in typing.get_args(Node)
}


def walk(node: object) -> Iterator[Node]:
    """Every node in a node or tuple of nodes, itself first, to any depth."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, tuple):
            waiting.extend(reversed(here))
        elif isinstance(here, Node):
            yield here
            waiting.extend(getattr(here, name) for name in reversed(_FIELDS[type(here)]))
