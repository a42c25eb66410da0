"""From the text of one value to the value: what the key expects decides, never what the text looks like.

Owns the list of all settings (read off `model`) and the reading of one scalar. Refuses whatever could be meant in
two ways: `10:30`, `010`, `1_000`, a quoted number. The same rules serve the configuration file and the command line.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, assert_never

import msgspec
from msgspec import inspect

from xuen.config.model import Config
from xuen.texts import Text, plain, shared
from xuen.texts import config as texts

Scalar = inspect.StrType | inspect.BoolType | inspect.IntType | inspect.FloatType | inspect.LiteralType
Leaf = Scalar | inspect.DictType | inspect.VarTupleType

_WHOLE = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_INFINITE = frozenset({"inf", "+inf", ".inf", "+.inf"})


class BadValue(Exception):
    """A value that a key does not take: `what` is wrong with it, and the `mend` where one is known."""

    def __init__(self, what: Text, mend: Text | None = None) -> None:
        super().__init__(what.en)
        self.what = what
        self.mend = mend


def _walk(struct: type[msgspec.Struct], prefix: str) -> Iterator[tuple[str, tuple[Leaf, ...] | None]]:
    """Every dotted key below a struct with the kinds that it takes; None for a section."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    for each in info.fields:
        key = prefix + each.name
        if isinstance(each.type, inspect.StructType):
            yield key, None
            yield from _walk(each.type.cls, key + ".")
            continue
        kinds = each.type.types if isinstance(each.type, inspect.UnionType) else (each.type,)
        yield key, tuple(kind for kind in kinds if isinstance(kind, Leaf))


KINDS: dict[str, tuple[Leaf, ...] | None] = dict(_walk(Config, ""))
"""Every dotted key, in the model's order, with the kinds of value that it takes; None for a section."""


def names_in(section: str) -> list[str]:
    """The names of the keys directly in a section; `""` is the root."""
    head = section + "." if section else ""
    return [key[len(head) :] for key in KINDS if key.startswith(head) and "." not in key[len(head) :]]


def nearest(name: str, choices: Sequence[str]) -> str | None:
    """The choice that looks most like `name`, if any does; case aside."""
    folded = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def nearest_key(section: str, name: str) -> Text:
    """The mend for an unknown key: the likely one, here or in another section, else all that are valid here."""
    here = names_in(section)
    if (found := nearest(name, here)) is not None:
        return shared.DID_YOU_MEAN.of(name=f"{section}.{found}" if section else found)
    anywhere = {key.rsplit(".", 1)[-1]: key for key in reversed(KINDS)}
    if (found := nearest(name, list(anywhere))) is not None:
        return shared.DID_YOU_MEAN.of(name=anywhere[found])
    return texts.VALID_KEYS.of(names=", ".join(here))


def describe(key: str) -> Text:
    """What a key expects, in words."""
    kinds = KINDS[key]
    if kinds is None:
        return texts.SECTION
    if all(isinstance(kind, inspect.LiteralType) for kind in kinds):
        return texts.ONE_OF.of(choices=", ".join(_choices(kinds)))
    parts = [_describe(kind) for kind in kinds]
    return parts[0] if len(parts) == 1 else texts.OR.of(first=parts[0], second=parts[1])


def read_value(key: str, text: str, *, quoted: bool = False) -> Any:
    """The value that `text` means for a key that takes a scalar.

    `quoted` says that the text stood in quotes or in a block, so that it is text and nothing else.

    Raises:
        BadValue: the text does not mean a value of this key.
    """
    kinds = KINDS[key]
    assert kinds is not None
    for kind in kinds:
        if (value := _read(kind, text, quoted)) is not None:
            return value
    raise BadValue(texts.EXPECTED.of(expected=describe(key), found=_shown(text, quoted)), _mend(kinds, text, quoted))


def check_text(text: str) -> str:
    """The text itself, if a file name, a command and an environment can hold it.

    Raises:
        BadValue: a NUL or a lone surrogate in it.
    """
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise BadValue(texts.NOT_PRINTABLE)
    return text


def _read(kind: Leaf, text: str, quoted: bool) -> object:
    """The value of this kind that the text means, or None. Literals and text may be quoted, the rest may not."""
    match kind:
        case inspect.StrType():
            return check_text(text)
        case inspect.LiteralType():
            if "inf" in kind.values and text.lower() in _INFINITE:
                return "inf"
            return text if text in kind.values else None
        case inspect.BoolType():
            return None if quoted else _BOOLEANS.get(text.lower())
        case inspect.IntType() | inspect.FloatType():
            return None if quoted else _read_number(kind, text)
        case _:
            return None


def _read_number(kind: inspect.IntType | inspect.FloatType, text: str) -> float | None:
    whole = isinstance(kind, inspect.IntType)
    if not (_WHOLE if whole else _NUMBER).fullmatch(text):
        return None
    value = int(text) if whole else float(text)
    return value if _within(kind, value) else None


def _within(kind: inspect.IntType | inspect.FloatType, value: float) -> bool:
    """Whether a number is finite and in the range of its kind."""
    low = -math.inf if kind.ge is None else kind.ge
    high = math.inf if kind.le is None else kind.le
    return math.isfinite(value) and low <= value <= high


def _describe(kind: Leaf) -> Text:
    match kind:
        case inspect.StrType():
            return texts.TEXT
        case inspect.LiteralType():
            return plain(", ".join(map(str, kind.values)))
        case inspect.BoolType():
            return texts.YES_OR_NO
        case inspect.DictType() | inspect.VarTupleType():
            return texts.VARIABLES if isinstance(kind, inspect.DictType) else texts.LIST
        case inspect.IntType() | inspect.FloatType():
            noun = texts.WHOLE_NUMBER if isinstance(kind, inspect.IntType) else texts.NUMBER
            if kind.ge is not None and kind.le is not None:
                return texts.BETWEEN.of(kind=noun, low=kind.ge, high=kind.le)
            return noun if kind.ge is None else texts.AT_LEAST.of(kind=noun, low=kind.ge)
        case _ as never:
            assert_never(never)


def _choices(kinds: tuple[Leaf, ...]) -> list[str]:
    return [str(value) for kind in kinds if isinstance(kind, inspect.LiteralType) for value in kind.values]


def _mend(kinds: tuple[Leaf, ...], text: str, quoted: bool) -> Text | None:
    """What to write instead, where that can be told."""
    near = nearest(text, _choices(kinds))
    if near is not None:
        return shared.DID_YOU_MEAN.of(name=near)
    if quoted:
        return None if all(isinstance(kind, inspect.LiteralType) for kind in kinds) else texts.NO_QUOTES
    number = any(isinstance(kind, inspect.IntType | inspect.FloatType) for kind in kinds)
    if number and re.fullmatch(r"0[0-9]+", text):
        return texts.WRITE_DECIMAL.of(value=text.lstrip("0") or "0")
    if number and re.fullmatch(r"[0-9]{1,3}([_,][0-9]{3})+", text):
        return texts.WRITE_DECIMAL.of(value=text.replace("_", "").replace(",", ""))
    if any(isinstance(kind, inspect.FloatType) for kind in kinds) and re.fullmatch(r"[0-9]+(:[0-9]+)+", text):
        return texts.PLAIN_SECONDS
    return None


def _shown(text: str, quoted: bool) -> Text:
    """A short form of what was found, on one line."""
    short = " ".join(text.split())
    short = short if len(short) <= 40 else short[:37] + "..."
    return texts.A_TEXT.of(value=f'"{short}"') if quoted else plain(short or '""')
