"""What xuen asks of a call, as data: the JSON file that `XUEN_REQUEST` names. For models too small to read the prompt.

Owns its form as far as it is used here; other fields are passed over. The session keeps it, so that a call that was
interrupted goes on without the file, which ends with the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from xuen.texts import Language, plain
from xuen.texts import xwork as texts
from xuen.xwork.errors import BadUse

VARIABLE = "XUEN_REQUEST"


class Sections(msgspec.Struct, frozen=True):
    """The two sections of a state."""

    idea: str = ""
    artifact: str = ""

    @property
    def text(self) -> str:
        """Both as one text; empty where both are."""
        return "\n".join(part for part in (self.idea, self.artifact) if part)


class Request(msgspec.Struct, frozen=True):
    """What is asked; what does not belong to its purpose is empty."""

    purpose: Literal["words", "research", "judge"]
    task: str
    language: Language = "en"
    notes: str = ""  # what the user wants said in every prompt
    words: tuple[str, ...] = ()
    idea: str = ""
    artifact: str = ""
    inputs: tuple[str, ...] = ()  # what the user typed
    known: tuple[str, ...] = ()
    count: int = 20
    best: Sections = Sections()
    candidate: Sections = Sections()
    a: Sections | None = None  # two texts to compare, instead of a candidate to score
    b: Sections | None = None
    nonce: str = ""  # what the line with a judge's answer carries


def read_request(env: Mapping[str, str]) -> Request | None:
    """The request that the environment names; None without one.

    Raises:
        BadUse: the file cannot be read, or is no request.
    """
    named = env.get(VARIABLE)
    if not named:
        return None
    try:
        return msgspec.json.decode(Path(named).read_bytes(), type=Request)
    except (OSError, msgspec.DecodeError) as error:  # a ValidationError too
        what = texts.REQUEST_UNREADABLE.of(variable=VARIABLE, reason=plain(str(error)))
        raise BadUse(what, where=named) from error
