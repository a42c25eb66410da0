"""What a check found, as a value: `doctor` prints it, and a run ends at one that fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xuen.errors import ConfigError
from xuen.texts import Text
from xuen.texts import doctor as texts

State = Literal["good", "note", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One row: what was looked at, how it is, and for what fails the fix.

    `key` is the setting that is at fault, for the error of a run, which names its place. `may_pass` says that what
    fails now may work in a minute (a model server that takes no connection): `doctor` fails, a run starts all the
    same, and the loop counts the calls that fail.
    """

    name: Text
    state: State
    what: Text
    mend: Text | None = None
    key: str = ""
    may_pass: bool = False

    @property
    def stops_a_run(self) -> bool:
        """Whether no call could work."""
        return self.state == "bad" and not self.may_pass


def failed(error: ConfigError, name: Text = texts.CONFIGURATION) -> Finding:
    """The row for settings that are wrong."""
    return Finding(name, "bad", placed(error.where, error.what), error.mend)


def placed(where: str, what: Text) -> Text:
    """What is wrong, with its place before it."""
    return Text(f"{where}: {what.en}", f"{where}: {what.zh}") if where else what
