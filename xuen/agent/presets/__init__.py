"""The agent programs that xuen knows: a file `NAME.toml` for each, and what is read from it.

Owns reading these files and asking a program for its version. Refuses names without a file. Always: nothing is read
before a preset is asked for, and then its file alone; login and choice of model stay in the agent's own configuration:
a preset adds only what unattended work needs, and says in plain words what that permits.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Event
from typing import Final

import msgspec

import xuen
from xuen.agent.template import clean_environment
from xuen.config.values import nearest
from xuen.errors import ConfigError
from xuen.proc.command import Listener, run
from xuen.proc.output import clean_text
from xuen.proc.pipes import Stream
from xuen.texts import Text
from xuen.texts import presets as texts

_FOLDER: Final = Path(__file__).parent
_VERSION: Final = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[.+-]?\w+)*")
_VERSION_SECONDS: Final = 20.0


class Preset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One program. `command` is a template; that of xwork is built from its settings and therefore empty here."""

    name: str
    program: str = ""  # what must be on PATH
    command: str = ""
    install: str = ""
    tried: str = ""  # the version that bench/agents.py saw at work; none for what follows documentation alone
    permits_key: str = msgspec.field(name="permits")  # in `texts.PERMITS`
    advice_key: str = msgspec.field(name="advice")  # in `texts.ADVICE`
    advice_values: dict[str, str] = {}
    version: tuple[str, ...] = ("--version",)
    env: dict[str, str] = {}  # defaults: what is in the environment goes before
    max_state_chars: int | None = None  # what fits where the prompt is an argument or the model is small
    built_in: bool = False  # xwork, which this interpreter runs: there is nothing to install
    answers_alone: bool = False  # its standard output is the answer, and the other stream is no word to the user
    signs: dict[str, tuple[str, ...]] = {}  # as in signs.toml, before those
    harmless: tuple[str, ...] = ()  # as in signs.toml

    @property
    def permits(self) -> Text:
        """What it may do unattended."""
        return texts.PERMITS[self.permits_key].of(name=self.name)

    @property
    def advice(self) -> Text:
        """What its user has to do once."""
        return texts.ADVICE[self.advice_key].of(**self.advice_values)

    def where(self, path: str | None = None) -> str | None:
        """The path of its program, None when it is not on `path` (default: PATH)."""
        return sys.executable if self.built_in else shutil.which(self.program, path=path)

    def version_number(self) -> str | None:
        """What the program says about its version, at most 20 s long; None when it does not tell."""
        program = self.where()
        if program is None:
            return None
        if self.built_in:
            return xuen.__version__
        heard, code = _Said(), None
        env = clean_environment(os.environ, {**self.env, "NO_COLOR": "1"})
        env.pop("MSWEA_SILENT_STARTUP", None)  # mini tells its version in the greeting that this suppresses
        with suppress(OSError), tempfile.TemporaryDirectory(prefix="xuen-") as folder:  # not started, or a full disk
            argv = [program, *self.version]
            code = run(argv, cwd=Path(folder), env=env, listener=heard, cancel=Event(), timeout=_VERSION_SECONDS).code
        # One that fails may well tell a version, but that of an interpreter it does not like.
        found = _VERSION.search(clean_text(bytes(heard.said))) if code == 0 else None
        return found[0] if found else None


class _Said(Listener):
    def __init__(self) -> None:
        self.said = bytearray()

    def output(self, stream: Stream, chunk: bytes) -> None:  # noqa: ARG002 - either stream will do
        self.said += chunk[: max(0, 65_536 - len(self.said))]


class Presets(Mapping[str, Preset]):
    """All presets by name, each read when it is first asked for; the built-in agent comes first."""

    def __getitem__(self, name: str) -> Preset:
        if name not in _names():
            raise KeyError(name)
        return _read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __len__(self) -> int:
        return len(_names())


PRESETS: Final = Presets()


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted((path.stem for path in _FOLDER.glob("*.toml")), key=lambda name: (name != "xwork", name)))


@cache
def _read(name: str) -> Preset:
    return msgspec.convert({"name": name, **tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))}, Preset)


def find(name: str) -> Preset:
    """The preset of that name.

    Raises:
        ConfigError: there is none; names the nearest one.
    """
    if name in PRESETS:
        return PRESETS[name]
    names = ", ".join(PRESETS)
    near = nearest(name, list(PRESETS))
    mend = (
        texts.UNKNOWN_PRESET_MEND.of(names=names)
        if near is None
        else texts.NEAREST_PRESET_MEND.of(nearest=near, names=names)
    )
    raise ConfigError(texts.UNKNOWN_PRESET.of(name=name), where="agent.preset", mend=mend)
