"""What a call of the program goes by: the file if there is one, with the options of the command line over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from xuen.cli.parser import Options, early_language
from xuen.config.load import Loaded, find_config, load
from xuen.config.model import Config
from xuen.config.overrides import apply_overrides
from xuen.errors import ConfigError
from xuen.guard.report import last_run
from xuen.texts import Language, language_of
from xuen.workspace.paths import Workspace


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force, and the file that they came from; `fault` is for `doctor` only (see `read_settings`).

    `options` names the option of the command line that gave a setting, by the setting's key.
    """

    config: Config
    loaded: Loaded | None
    fault: ConfigError | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def where(self, key: str, line: int = 1, column: int = 1) -> str:
        """The place of a setting: its option, else in the file as `Loaded.where` says it, else the key alone."""
        if key in self.options:
            return self.options[key]
        return key if self.loaded is None else self.loaded.where(key, line, column)


def read_settings(options: Options, folder: Path) -> Settings:
    """Find the file (`folder` is the current one), read it, and put the options over it.

    `doctor` is there to report what is wrong, so it gets a file's fault in `Settings.fault`, with the defaults.
    `init` reads no file: it makes one.

    Raises:
        ConfigError: a file that cannot be read or holds a fault.
        UsageError: an option whose value the setting does not take.
    """
    path = None if options.command == "init" else find_config(options.config, folder)
    loaded, fault = None, None
    try:
        loaded = load(path) if path is not None else None
    except ConfigError as error:
        if options.command != "doctor":
            raise
        fault = error
    config = apply_overrides(loaded.config if loaded else Config(), options.overrides)
    return Settings(config, loaded, fault, {each.key: each.option for each in options.overrides})


def spoken_language(config: Config, environ: Mapping[str, str], task: str | None = None) -> Language:
    """The language to speak: the setting, else that of the task, of the workspace's last run, of the locale."""
    if config.language != "auto":
        return config.language
    if task is not None:
        return language_of(task)
    told = (last_run(Workspace(Path(config.workspace))) or {}).get("language")
    return told if told in ("en", "zh") else early_language((), environ)
