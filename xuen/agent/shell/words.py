"""What the words of a command come to, as far as the template's own text tells.

Owns: the names that a template gives, the program behind wrappers such as `timeout 5 env A=1`, where the options of an
interpreter end, and which files may hold the prompt. A variable that the template does not set is never code. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xuen.agent.shell import readers, tree
from xuen.agent.shell.tree import Compound, Node, Parameter, Simple, Substitution, Word, holds, walk

_SYSTEM_FILE = re.compile(r"(?:.*/)?stdin|/+dev/fd/.*|/+proc/.*/(?:fd/.*|cmdline|environ)", re.DOTALL)


class Item(NamedTuple):
    """A word of a command."""

    text: str | None  # None: only known when the template runs; empty: a variable of the user's own; a NUL: its folder
    word: Word
    holds: bool  # something of the prompt

    @property
    def head(self) -> str:
        """Its text up to the first expansion."""
        return (self.text or self.word.text).partition("\0")[0]

    @property
    def name(self) -> str:
        """The last name of the path that it is, which may stand behind an option: `-fFILE`."""
        return re.sub("^-[A-Za-z]", "", (self.text or "").rpartition("/")[2])

    @property
    def program(self) -> str:
        """The program of this name; empty where it is not known."""
        return readers.program(self.text or "")


def shows(node: object) -> bool:
    """Whether a placeholder stands in a node, or the name of a file of the system that may show the prompt."""
    return holds(node) or any(isinstance(n, Word) and _SYSTEM_FILE.fullmatch(n.text) for n in walk(node))


def program_at(items: Sequence[Item]) -> int:
    """The place of the program that a command runs, behind wrappers; the number of items where none is."""
    at = 0
    while at < len(items) and (takes := readers.WRAPPERS.get(items[at].program)) is not None:
        operands, at = "1" in takes, at + 1
        while at < len(items):
            head = items[at].head
            if head.startswith("-"):
                at += 2 if len(head) == 2 and head[1] in takes else 1
            elif operands or re.match(r"[A-Za-z_]\w*=", head):
                operands, at = operands and "=" in head, at + 1
            else:
                break
    return min(at, len(items))


def operand(items: Sequence[Item]) -> tuple[int, str]:
    """Where the options of an interpreter end, and what stands there: `code`, `module`, `script`; else `stdin`."""
    name, index = items[0].program, 1
    takes, code = readers.TAKES_VALUE.get(name, ""), re.compile(readers.CODE_OPTION.get(name, r"(?!)"))
    while index < len(items) and (re.match(r"--$|[-+].", head := items[index].head) or code.match(head)):
        if found := code.match(head):
            return index + (len(head) == found.end() and items[index].text is not None), "code"
        if name in readers.SHELLS and re.match(r"[-+]\w*s", head):
            return len(items), "stdin"
        if name in readers.FILTERS and re.match(r"-\w*f|--file", head):
            return index + (head.rstrip("=")[-1] in "fe"), "script"
        if name in ("python", "pypy") and head == "-m":
            return index + 1, "module"
        index += 2 if (len(head) == 2 and head[1] in takes) or head in readers.LONG_WITH_VALUE else 1
    there = index < len(items) and items[index].text != "-"
    return index, ("code" if name in readers.FILTERS else "script") if there else "stdin"


def scripts(items: Sequence[Item], stdin: Sequence[Item]) -> Iterator[Item]:
    """The files that a command runs as code, where `stdin` is what its standard input is read from."""
    at = program_at(items)
    for index, item in enumerate(items[at:], at):
        if index == at and (item.text is None or "/" in item.text):
            yield item
        if index == at and item.text == ".":
            yield from items[at + 1 : at + 2]
        elif item.program in readers.CODE_OPTION:
            where, what = operand(items[index:])
            yield from (given for given in items[index + 1 : index + where] if not given.head.startswith("-"))
            yield from items[index + where :][:1] if what == "script" else stdin if what == "stdin" else ()
            if what != "code" and any(given.program == "xargs" for given in items[:at]):
                yield item._replace(text=None)


class Facts:
    """What the `nodes` of a template name, set, write and run; those in `fed` have the prompt as standard input."""

    def __init__(self, source: str, nodes: Sequence[Node], fed: set[int]) -> None:
        commands = [node for node in nodes if isinstance(node, Simple)]
        taking = [c.words for c in commands if c.words and c.words[0].text in readers.NAME_TAKERS]
        filled = [n for n in nodes if isinstance(n, Compound) or (isinstance(n, Parameter) and n.operator[-1:] == "=")]
        self._set = {*tree.PLACEHOLDERS, *(name for command in commands for name, _ in command.assignments)}
        self._set |= {word.text.partition("=")[0] for words in taking for word in words} | {n.name for n in filled}
        self.functions = {node.name for node in nodes if isinstance(node, Compound) and node.kind == "()"}
        self.to_prompt = any(isinstance(node, Word) and node.text in tree.PLACEHOLDERS for node in nodes)
        self.wrote = self._nameless = False
        self._source, self._run = source, list[str]()
        for node in nodes:
            if isinstance(node, Simple | Compound):
                self._writes(node, fed)

    def _writes(self, node: Simple | Compound, fed: set[int]) -> None:
        items = self.items(node.words) if isinstance(node, Simple) else []
        name = items[at].program if (at := program_at(items)) < len(items) else ""
        if shows(node) or id(node) in fed or (items and not name):  # `exec > file`
            files = [f for f in self.files(node.redirects, ">", ">>", ">|", "<>") if f.text != "/dev/null"]
            nameless = name in readers.NAMELESS or any(f.text is None and len(f.word.parts) > 2 for f in files)
            self._nameless = self._nameless or nameless
            self.wrote = self.wrote or nameless or bool(files) or name in readers.COPIERS
        self._run.extend(script.name for script in scripts(items, self.files(node.redirects, "<")))

    def items(self, words: Iterable[Word]) -> list[Item]:
        """The words of a command."""
        return [Item(self._text(word), word, shows(word)) for word in words]

    def files(self, redirects: Sequence[tree.Redirect], *operators: str) -> list[Item]:
        """The files that such redirections open."""
        return self.items(redirect.target for redirect in redirects if redirect.operator in operators)

    def _text(self, word: Word) -> str | None:
        if re.search(r"[*?[]", word.bare) and word.text != "[":
            return None
        split = any(isinstance(part, Parameter | Substitution) and not part.quoted for part in word.parts)
        if "\0" not in word.text.rpartition("/")[2] and not split:
            return word.text
        match [part for part in word.parts if part != ("", True)]:
            case [Parameter(name="SHELL")]:
                return "sh"
            case [Parameter(name=name, operator="" | "-" | ":-", argument=argument)]:
                default = Word(argument, 0).text
                return None if name in self._set or not name.isidentifier() or "\0" in default else default
        return None

    def may_hold(self, script: Item) -> bool:
        """Whether a file that is run as code may hold the prompt, because the template writes it there."""
        if not self.wrote or script.holds or script.text in ("", "/dev/null"):
            return False
        doubt = script.text is None or "{}" in script.text or (self._nameless and script.text[0] != "/")
        return doubt or (script.name != "" and self._elsewhere(re.escape(script.name), 1))

    def may_load(self, item: Item) -> bool:
        """Whether a file that this program loads without being asked for it may hold it."""
        return self.wrote and self._elsewhere(readers.LOADED.get(item.program, r"(?!)"), 0)

    def _elsewhere(self, name: str, own: int) -> bool:
        """Whether a name, as a pattern, stands in the template more often than such files are run."""
        runs = sum(1 for known in self._run if re.fullmatch(name, known))
        said = re.findall(rf"(?<![\w.-])(?:-[A-Za-z])?{name}(?![\w.-])", self._source)
        return len(said) > max(runs, own) or re.fullmatch(name, "prompt.txt") is not None  # how the prompt's is called
