"""The shape of a shell command, as far as a template's check needs it.

Owns: the values that `parser` builds. `&&`, `||`, `&` and `;` are left out on purpose: whether a prompt can be read as
code does not hang on them. Always holds: every node is immutable, and `at` is an offset into the template's source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

PLACEHOLDERS = ("prompt", "prompt_file")


class Literal(NamedTuple):
    """Text that stands for itself; unquoted text may still be a pattern, a tilde or a brace list."""

    text: str
    quoted: bool


class Parameter(NamedTuple):
    """`$name`, `${name<operator><argument>}`, or with the operator `$((` all that an arithmetic expression expands."""

    name: str
    operator: str
    argument: tuple[Part, ...]
    quoted: bool
    at: int


class Substitution(NamedTuple):
    """`$( … )`, or back-quotes."""

    body: tuple[Pipeline, ...]
    quoted: bool
    at: int


Part = Literal | Parameter | Substitution


class Word(NamedTuple):
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


class Redirect(NamedTuple):
    """`<`, `>`, `>>`, `<>`, `>|`, `<&`, `>&` and their target, or `<<` and the body."""

    operator: str
    target: Word


class Simple(NamedTuple):
    """Assignments, words, redirections."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    at: int


class Compound(NamedTuple):
    """A group, loop, choice or, as `()`, a function; words are the list of `for`, or subject and patterns of `case`."""

    kind: str
    name: str  # of a function, or of the variable of `for`
    words: tuple[Word, ...]
    body: tuple[Pipeline, ...]
    redirects: tuple[Redirect, ...]
    at: int


class Pipeline(NamedTuple):
    """Commands joined by `|`."""

    stages: tuple[Simple | Compound, ...]


Node = Part | Word | Redirect | Simple | Compound | Pipeline


def walk(node: object) -> Iterator[Node]:
    """Every node in a node or tuple of nodes, itself first, to any depth."""
    waiting = [node]
    while waiting:
        if isinstance(here := waiting.pop(), tuple):
            if type(here) is not tuple:
                yield cast(Node, here)
            waiting.extend(reversed(here))


def holds(node: object) -> bool:
    """Whether a placeholder stands in a node or tuple of nodes."""
    return any(isinstance(inner, Parameter) and inner.name in PLACEHOLDERS for inner in walk(node))
