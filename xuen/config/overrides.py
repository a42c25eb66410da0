"""Settings from the command line, over those of the file; by the same rules (`values`), and without loading YAML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from xuen.config.model import Config
from xuen.config.values import BadValue, describe, read_value
from xuen.errors import UsageError
from xuen.texts import config as texts
from xuen.texts import plain, shared


@dataclass(frozen=True, slots=True)
class Override:
    """One setting from the command line: the dotted key, the option that gave it, the checked value."""

    key: str
    option: str
    value: Any


def read_override(key: str, option: str, text: str) -> Override:
    """A setting as it was typed after an option; the same rules as in the file.

    Raises:
        UsageError: not a value of this key; `where` is the option.
    """
    try:
        if not text.strip():
            raise BadValue(shared.EMPTY_VALUE, texts.GIVE_VALUE)
        return Override(key, option, read_value(key, text))
    except BadValue as bad:
        raise UsageError(bad.what, where=option, mend=bad.mend) from None


def apply_overrides(config: Config, overrides: Iterable[Override]) -> Config:
    """The settings with those of the command line in their places; a later one wins.

    Raises:
        UsageError: a value that the key does not take; `where` names the option.
    """
    for each in overrides:
        section, _, name = each.key.rpartition(".")
        inner = msgspec.structs.replace(getattr(config, section) if section else config, **{name: each.value})
        changed = msgspec.structs.replace(config, **{section: inner}) if section else inner
        try:
            config = msgspec.convert(changed, Config, from_attributes=True)
        except msgspec.ValidationError:
            found = plain(repr(each.value))
            what = texts.EXPECTED.of(expected=describe(each.key), found=found)
            raise UsageError(what, where=each.option) from None
    return config
