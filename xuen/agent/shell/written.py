"""Which files a command of a template writes, as far as its words tell.

Owns the tables of programs that write files. In doubt a word is the name of one. Pure.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from xuen.agent.shell import readers
from xuen.agent.shell.tree import Literal, Node, Parameter, Redirect, Simple, Word, walk

_COPIERS = frozenset({"tee", "cp", "mv", "ln", "install", "dd", "rsync", "sponge"})
_OWN_NAMES = frozenset({"split", "csplit", "patch", "uudecode", "tar", "bsdtar", "unzip", "cpio", "pax", "ed", "ex"})
"""Programs that write files whose names stand in what they read, or that they make themselves."""

_OUTPUT = re.compile(r"-[oO]|--out(?:put|file|-file|put-document|put-file)?")
_OUTPUT_VALUE = re.compile(r"-[oO](?=[^-])|--out[a-z-]*=")


def redirects_shell(node: Node) -> bool:
    """`exec > file`: whatever prints afterwards writes there."""
    return isinstance(node, Simple) and len(node.words) == 1 and node.words[0].literal == "exec"


def written(node: Node) -> Iterator[Word]:
    """The files that a command which sees the prompt may write."""
    for item in walk(node):
        if isinstance(item, Redirect) and item.writes:
            yield item.target
        elif isinstance(item, Simple) and item.words and readers.program(item.words[0].literal or "") in _COPIERS:
            yield from (word for word in item.words[1:] if not word.head.startswith("-"))
        if isinstance(item, Simple):
            yield from _outputs(item.words)


def _outputs(words: tuple[Word, ...]) -> Iterator[Word]:
    """The values of a command's options for an output file: `-o FILE`, `--output=FILE`."""
    for before, word in itertools.pairwise(words):
        if _OUTPUT.fullmatch(before.literal or ""):
            yield word
        if attached := _OUTPUT_VALUE.match(word.head):
            yield word.after(attached[0])


def is_nameless(word: Word) -> bool:
    """Whether a file's last name cannot be told: it is a pattern, made of several pieces, or what a command prints."""
    if word.last_name is not None:
        return re.search(r"[*?\[]", word.last_name) is not None
    before = Word(word.parts[:-1], word.at).text
    return not isinstance(word.parts[-1], Parameter) or not (before in ("", "of=") or before.endswith("/"))


def names_files_itself(command: Simple) -> bool:
    """Whether a command may write files whose names do not stand among its words."""
    words = [word.literal or "" for word in command.words]
    name = readers.program(words[0]) if words else ""
    if name in ("awk", "gawk", "mawk", "nawk"):
        return any(re.search(r">|system\s*\(|\|\s*\"", word) for word in words[1:])
    return name in _OWN_NAMES or (name == "git" and not {"apply", "am"}.isdisjoint(words))


def file_of(word: Word) -> tuple[str, str]:
    """A path's last name, if that is plain text, else the variable that it ends in."""
    expanded = [part for part in word.parts if not isinstance(part, Literal)]
    variable = expanded[-1].name if expanded and isinstance(expanded[-1], Parameter) else ""
    folder, slash, name = word.text.rpartition("\0")[2].removeprefix("of=").rpartition("/")
    if slash or not variable:
        return ("" if folder == "/dev" else name), ""
    return "", variable
