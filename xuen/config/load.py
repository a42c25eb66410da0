"""The configuration file: YAML to `Config`, with the place of every fault.

Owns finding, reading and checking the file. Refuses unknown and double keys,
wrong types, tags, more than one document, and files that are not UTF-8. Scalars are resolved by what their key
expects (`values`), so `verify: off` is a text and `pick: 010` a fault. A key with nothing after it has its default.
Nothing here reads the environment or touches the workspace.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import yaml
from msgspec import inspect
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from xuen.config.model import Config
from xuen.config.values import KINDS, BadValue, check_text, describe, nearest_key, read_value
from xuen.errors import ConfigError, reason_of
from xuen.files.text import read_text
from xuen.texts import Text, plain, shared
from xuen.texts import config as texts

NAMES = ("config.yaml", "config.yml", "xuen.yaml")
EXAMPLE = Path(__file__).with_name("config.example.yaml")
"""Every setting with its default, explained; in a checkout a link to the file at its top."""
MAX_BYTES = 1 << 20

_PATHS = ("workspace", "rounds.repo")
_TAGS = frozenset({"tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key stands in the file, and the first line of its value; lines count from 1."""

    line: int
    value_line: int
    follows: bool  # whether line N of the value is line N of the file from `value_line` on


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration file that was read: its settings, paths made relative to its folder, and its places."""

    config: Config
    path: Path
    folder: Path
    places: Mapping[str, Place]

    def where(self, key: str, line: int = 1, column: int = 1) -> str:
        """The place of a key as `config.yaml:7: agent.command`.

        With a line or column within the value (from 1, as a `TemplateError` has them) the file's line is the one
        on which that line of the value stands, then comes the place in it: `config.yaml:9: agent.command (2:5)`.
        """
        place = self.places.get(key)
        if place is None:
            return f"{_shown(self.path)}: {key}"
        if (line, column) == (1, 1):
            return f"{_shown(self.path)}:{place.line}: {key}"
        in_file = place.value_line + (line - 1 if place.follows else 0)
        return f"{_shown(self.path)}:{in_file}: {key} ({line}:{column})"


def find_config(explicit: Path | None, folder: Path) -> Path | None:
    """The file to read: the one that was named, else the first of `NAMES` that the folder has, else None.

    A name that cannot be opened (a dangling link, say) is still found, so that `load` tells of it.
    """
    if explicit is not None:
        return explicit
    return next((folder / name for name in NAMES if os.path.lexists(folder / name)), None)


def load(path: Path) -> Loaded:
    """Read and check a configuration file.

    Raises:
        ConfigError: unreadable, not UTF-8, not YAML, or not what `Config` allows; `where` is `file:line: key`.
    """
    return _Reading(path).read()


class _Loader(yaml.SafeLoader):
    """Composes nodes only, and takes every plain scalar for text: YAML 1.1's guesses are never asked."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the base class's own name and type


@dataclass
class _Reading:
    """One reading of one file."""

    path: Path
    text: str = ""
    places: dict[str, Place] = field(default_factory=dict)

    def read(self) -> Loaded:
        self.text = _decoded(self.path)
        root = self._compose()
        settings: dict[str, Any] = {}
        if isinstance(root, MappingNode):
            settings = self._section(root, "")
        elif root is not None and not _is_nothing(root):
            raise self._fault(texts.ROOT_NOT_MAPPING.of(found=_kind(root)), root, "", texts.SEE_EXAMPLE)
        config = msgspec.convert(settings, Config)
        return Loaded(config, self.path, self.path.parent, self.places)

    def _compose(self) -> Node | None:
        try:
            loader = _Loader(self.text)
            try:
                node = loader.get_single_node()
            finally:
                loader.dispose()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = f":{self._line(mark.index)}" if mark is not None else ""
            problem = error.problem or error.context or ""
            mend = texts.NO_TABS if "\\t" in problem else None
            what = texts.NOT_YAML.of(problem=texts.YAML_PROBLEMS.get(problem, plain(problem)))
            raise ConfigError(what, where=f"{_shown(self.path)}{line}", mend=mend) from None
        except yaml.reader.ReaderError as error:
            said = texts.YAML_PROBLEMS.get(error.reason, plain(error.reason))
            number = f" (U+{error.character:04X})"
            what = texts.NOT_YAML.of(problem=Text(said.en + number, said.zh + number))
            raise ConfigError(what, where=f"{_shown(self.path)}:{self._line(error.position)}") from None
        except RecursionError:
            raise ConfigError(texts.TOO_DEEP, where=_shown(self.path), mend=texts.SEE_EXAMPLE) from None
        assert node is None or isinstance(node, Node)
        return node

    def _section(self, node: MappingNode, section: str) -> dict[str, Any]:
        """The checked values of one mapping; keys that have nothing after them are left out."""
        values: dict[str, Any] = {}
        for name, (key_node, value_node) in self._pairs(node, section).items():
            key = f"{section}.{name}" if section else name
            if key not in KINDS:
                raise self._fault(texts.UNKNOWN_KEY, key_node, key, nearest_key(section, name))
            self.places[key] = self._place(key_node, value_node)
            if _is_nothing(value_node):
                continue
            if KINDS[key] is None:
                if not isinstance(value_node, MappingNode):
                    raise self._unexpected(key, key_node, value_node)
                values[name] = self._section(value_node, key)
            else:
                values[name] = self._value(key, key_node, value_node)
        return values

    def _value(self, key: str, key_node: Node, node: Node) -> Any:
        try:
            if _takes(key, inspect.DictType):
                if not isinstance(node, MappingNode):
                    raise self._unexpected(key, key_node, node)
                return self._variables(node, key)
            if _takes(key, inspect.VarTupleType):
                return self._texts(key, key_node, node)
            if not isinstance(node, ScalarNode):
                raise self._unexpected(key, key_node, node)
            self._check_tag(node, key)
            value = read_value(key, node.value, quoted=node.style is not None)
        except BadValue as bad:
            raise self._fault(bad.what, key_node, key, bad.mend) from None
        if key in _PATHS:
            return str(self.path.parent / os.path.expanduser(value))  # noqa: PTH111 - Path's raises for an unknown user
        return value

    def _texts(self, key: str, key_node: Node, node: Node) -> tuple[str, ...]:
        """A list of texts; every plain value is taken as it is written."""
        if not isinstance(node, SequenceNode):
            raise self._unexpected(key, key_node, node)
        for item in (node, *node.value):
            self._check_tag(item, key)
            if item is not node and not isinstance(item, ScalarNode):
                raise self._unexpected(key, item, item)
        return tuple(check_text(item.value) for item in node.value)

    def _variables(self, node: MappingNode, key: str) -> dict[str, str]:
        """A mapping of names to texts; every plain value is taken as it is written, an empty one as empty."""
        variables = {}
        for name, (key_node, value_node) in self._pairs(node, key).items():
            full = f"{key}.{name}"
            if not isinstance(value_node, ScalarNode):
                found = texts.EXPECTED.of(expected=texts.TEXT, found=_kind(value_node))
                raise self._fault(found, key_node, full)
            if not name or "=" in name:
                raise self._fault(texts.BAD_VARIABLE, key_node, full)
            self._check_tag(value_node, full)
            try:
                variables[check_text(name)] = check_text(value_node.value)
            except BadValue as bad:
                raise self._fault(bad.what, key_node, key) from None
        return variables

    def _pairs(self, node: MappingNode, section: str, inside: tuple[Node, ...] = ()) -> dict[str, tuple[Node, Node]]:
        """Keys in their own spelling with their nodes; what `<<` brings in gives way to what stands here."""
        own: dict[str, tuple[Node, Node]] = {}
        merged: dict[str, tuple[Node, Node]] = {}
        self._check_tag(node, section)
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                raise self._fault(texts.KEY_NOT_TEXT, key_node, section, texts.ONE_NAME)
            self._check_tag(key_node, section)
            name = key_node.value
            full = f"{section}.{name}" if section else name
            if name == "<<" and key_node.style is None:
                for source in value_node.value if isinstance(value_node, SequenceNode) else [value_node]:
                    if not isinstance(source, MappingNode) or source in (*inside, node):
                        raise self._fault(texts.BAD_MERGE, key_node, full)
                    merged = self._pairs(source, section, (*inside, node)) | merged
                continue
            if name in own:
                first = self._line(own[name][0].start_mark.index)
                raise self._fault(texts.DUPLICATE_KEY.of(line=first), key_node, full, texts.REMOVE_ONE)
            own[name] = (key_node, value_node)
        return merged | own

    def _check_tag(self, node: Node, key: str) -> None:
        if node.tag not in _TAGS:
            tag = node.tag.removeprefix("tag:yaml.org,2002:")
            raise self._fault(texts.TAG_NOT_ALLOWED.of(tag=plain(tag)), node, key, texts.REMOVE_TAG)

    def _unexpected(self, key: str, key_node: Node, node: Node) -> ConfigError:
        mend = None
        if KINDS[key] is None or _takes(key, inspect.DictType):
            mend = texts.INDENT_KEYS
        elif _takes(key, inspect.VarTupleType):
            mend = texts.WRITE_LIST
        elif describe(key) == texts.TEXT:
            mend = texts.QUOTE_TEXT
        return self._fault(texts.EXPECTED.of(expected=describe(key), found=_kind(node)), key_node, key, mend)

    def _fault(self, what: Text, node: Node, key: str, mend: Text | None = None) -> ConfigError:
        place = f"{_shown(self.path)}:{self._line(node.start_mark.index)}"
        return ConfigError(what, where=f"{place}: {key}" if key else place, mend=mend)

    def _place(self, key_node: Node, node: Node) -> Place:
        line, first = self._line(key_node.start_mark.index), self._line(node.start_mark.index)
        block = isinstance(node, ScalarNode) and node.style in ("|", ">")
        follows = isinstance(node, ScalarNode) and node.style == "|"
        if isinstance(node, SequenceNode):  # one item a line
            follows = all(self._line(item.start_mark.index) == first + n for n, item in enumerate(node.value))
        return Place(line, first + 1 if block else first, follows)

    def _line(self, index: int) -> int:
        """The line as an editor counts it; PyYAML also counts U+0085, U+2028 and U+2029."""
        return self.text.count("\n", 0, index) + 1


def _decoded(path: Path) -> str:
    """The text of the file without a byte order mark."""
    try:
        return read_text(path, MAX_BYTES)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigError(texts.TOO_LARGE.of(limit=MAX_BYTES), where=_shown(path)) from None
        reason = reason_of(error)
        raise ConfigError(texts.UNREADABLE.of(reason=reason), where=_shown(path), mend=shared.CHECK_PATH) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(texts.NOT_UTF8, where=f"{_shown(path)}:{line}", mend=shared.SAVE_UTF8) from None


def _takes(key: str, kind: type) -> bool:
    """Whether the value of a key is of this kind: a mapping whose names are the user's own, or a list."""
    return any(isinstance(each, kind) for each in KINDS[key] or ())


def _is_nothing(node: Node) -> bool:
    """Whether a key has nothing after it: no text, `null` or empty quotes."""
    if not isinstance(node, ScalarNode):
        return False
    return node.value == "" if node.style is not None else node.value in _NULLS


def _kind(node: Node) -> Text:
    if isinstance(node, ScalarNode):
        return texts.A_TEXT.of(value=plain(f'"{" ".join(node.value.split())[:40]}"'))
    return texts.A_MAPPING if isinstance(node, MappingNode) else texts.A_LIST


def _shown(path: Path) -> str:
    """The path as a person would write it: relative to the current folder where it lies below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (OSError, ValueError):
        return str(path)
