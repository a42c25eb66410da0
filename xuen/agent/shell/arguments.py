"""What a template does with positional parameters: which functions run `"$@"`, and whether `shift` has enough to take.

Pure; the order of execution is looked at only as far as offsets tell it.
"""

from __future__ import annotations

from collections.abc import Set

from xuen.agent.shell.scripts import program_at
from xuen.agent.shell.tree import Compound, Function, Literal, Parameter, Pipeline, Simple, Word, walk


def is_all_arguments(word: Word) -> bool:
    """Whether the word is exactly `"$@"`."""
    found = [part for part in word.parts if not (isinstance(part, Literal) and not part.text)]
    return len(found) == 1 and isinstance(found[0], Parameter) and found[0].name == "@" and found[0].quoted


def runs_arguments(node: object) -> bool:
    """Whether `"$@"` is run as a command somewhere in a node or tuple of nodes."""
    commands = (inner for inner in walk(node) if isinstance(inner, Simple) and inner.words)
    return any(is_all_arguments(command.words[program_at(command.words)]) for command in commands)


def runners(tree: tuple[Pipeline, ...]) -> set[str]:
    """The functions that run `"$@"` as a command, or hand it to a function that may."""
    functions = {node.name: node for node in walk(tree) if isinstance(node, Function)}
    return {name for name, node in functions.items() if runs_arguments(node) or _hands_on(node, functions.keys())}


def _hands_on(node: Function, functions: Set[str]) -> bool:
    calls = (inner.words for inner in walk(node) if isinstance(inner, Simple) and inner.words)
    return any(words[0].literal in functions and any(map(is_all_arguments, words)) for words in calls)


def shifts_fit(tree: tuple[Pipeline, ...]) -> bool:
    """Whether the template's `shift`s together take no more than one `set` or one call of a function gives.

    Those in a loop or choice that looks at `$#` mind it themselves.
    """
    nodes = list(walk(tree))
    functions = {node.name for node in nodes if isinstance(node, Function)}
    minding = [node for node in nodes if isinstance(node, Compound) and _looks_at_count(node)]
    minded = {id(inner) for node in minding for inner in walk(node)}
    taken, first, supplies = 0, None, list[tuple[int, int]]()
    for node in nodes:
        name = node.words[0].literal if isinstance(node, Simple) and node.words else None
        if not isinstance(node, Simple) or name is None:
            continue
        if name == "shift" and id(node) not in minded:
            taken += int((node.words[1].literal if len(node.words) > 1 else "1") or 1)
            first = node.at if first is None else first
        elif name == "set" and (given := [word for word in node.words[1:] if word.literal != "--"]):
            supplies.append((node.at, len(given)))
        elif name in functions:
            supplies.append((-1, len(node.words) - 1))  # its body stands before the call
    return first is None or any(at < first and count >= taken for at, count in supplies)


def _looks_at_count(node: Compound) -> bool:
    return any(isinstance(inner, Parameter) and inner.name == "#" for inner in walk(node))
