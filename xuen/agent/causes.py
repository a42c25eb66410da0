"""Why an agent failed or changed nothing, read from what it printed.

Owns reading its output by the signs in signs.toml and in the agent's preset. Refuses to guess: without a sign it says
only what was seen (nothing at all, or words instead of deeds). Always: a line of the prompt is no sign, since several
agents print their prompt, nor is a line that also stood in a call of this run that reached its purpose.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from xuen import redact
from xuen.agent.call import SHELL_SAYS, WIDTH, Outcome, beginning, ending
from xuen.agent.presets import PRESETS
from xuen.events import Why
from xuen.proc.pipes import Stream
from xuen.texts import Text, plain
from xuen.texts import agent as texts

_LINES: Final = 400  # from the end of each stream
_READ: Final = 2000  # characters of a line that are looked at
_USUAL: Final = 1000  # lines of good calls that are remembered

_STREAMS: Final[tuple[Stream, ...]] = ("stderr", "stdout")  # in the order in which they count
_NOT_EXECUTED: Final = 126  # a shell's exit code for a file that is there and cannot be executed


@dataclass(frozen=True, slots=True)
class Sign:
    """A line that names a cause. `definite` says that no model can have answered."""

    cause: str  # as in signs.toml
    line: str
    text: Text
    definite: bool = False


def likely_cause(outcome: Outcome, agent: str = "") -> Text:
    """The likely cause of a failed call, or of one that changed nothing: a sign, else a guess; `agent` is its name."""
    sign = sign_of(outcome, agent)
    if sign is None:
        lines = _lines(outcome.stdout) or ([] if _answers_alone(agent) else _lines(outcome.stderr))
        line = lines[-1] if lines else ""
        sign = Sign("", line, texts.CAUSE_ONLY_TALKED.of(line=_shown(line)) if line else texts.CAUSE_SILENT)
    return _with_last_error(sign.text, sign.line, outcome, agent)


def why_failed(outcome: Outcome, agent: str = "") -> Text:
    """How a call that did not work ended, with the cause that the agent named and its last error line."""
    how = ending(outcome.why, outcome.code, outcome.seconds)
    if outcome.why not in (Why.FAILED, Why.TIMEOUT, Why.IDLE):
        return how
    sign = sign_of(outcome, agent)
    if sign is not None:
        return _with_last_error(texts.ENDED_BECAUSE.of(how=how, cause=sign.text), sign.line, outcome, agent)
    line = _last_line(outcome, agent)
    return how if line is None else texts.AND_SAID.of(how=how, line=_shown(line))


def sign_of(outcome: Outcome, agent: str = "") -> Sign | None:
    """The cause that the agent itself named; None where it named none that is known.

    The last sign in what it printed counts, standard error before standard output.
    """
    if outcome.code == _NOT_EXECUTED and (said := SHELL_SAYS.search(outcome.stderr)):
        line = redact.text(said[0])
        return Sign("not_executable", line, texts.CAUSE_NOT_EXECUTABLE.of(line=_shown(line)))
    for line in _telling_lines(outcome, agent, *_STREAMS):
        if match := _match(line, agent):
            cause, found = match
            text = _text(cause).of(line=plain(_around(line, found)))
            return Sign(cause, line, text, definite=cause in _table()["definite"])
    return None


def is_failure(outcome: Outcome, agent: str = "") -> bool:
    """Whether a call that changed nothing has failed in truth: some agents exit with 0 when their model is refused."""
    sign = sign_of(outcome, agent)
    return sign is not None and sign.definite


def remember(outcome: Outcome, agent: str = "") -> None:
    """Note the lines of a call that reached its purpose, so that they are no sign in later calls of that agent.

    Not a definite sign: a request that was turned away once, and tried again, may be turned away for good later.
    """
    for line in _telling_lines(outcome, agent, *_STREAMS):
        found = _match(line, agent)
        known = _error().search(line) if found is None else found[0] not in _table()["definite"]
        if known and len(outcome.usual) < _USUAL:
            outcome.usual.add(line)


def _match(line: str, agent: str) -> tuple[str, re.Match[str]] | None:
    """The cause that a line names, and where."""
    matches = ((cause, pattern.search(line)) for cause, pattern in _signs(agent))
    return next(((cause, found) for cause, found in matches if found), None)


def _with_last_error(text: Text, shown: str, outcome: Outcome, agent: str) -> Text:
    """The text, and the last error line where it stands behind the line that the text shows."""
    for line in _telling_lines(outcome, agent, *_STREAMS):
        if line == shown:
            break
        if _error().search(line):
            return texts.AND_LAST_ERROR.of(text=text, line=_shown(line))
    return text


def _last_line(outcome: Outcome, agent: str) -> str | None:
    """The last error line; of a call that ended by itself, with an exit code that says so, any last line will do."""
    failed = outcome.why is Why.FAILED
    for stream in _STREAMS if failed else _STREAMS[:1]:  # in what was cut off, standard output is the model's words
        lines = list(_telling_lines(outcome, agent, stream))
        line = next((line for line in lines if _error().search(line)), lines[0] if lines and failed else None)
        if line is not None:
            return line
    return next(_telling_lines(replace(outcome, usual=set()), agent, *_STREAMS), None) if failed else None


def _telling_lines(outcome: Outcome, agent: str, *streams: Stream) -> Iterator[str]:
    """The lines of these streams from the last to the first, without what tells nothing."""
    asked = {redact.text(line.strip()) for line in outcome.asked.splitlines()}
    harmless = _harmless(agent)
    for stream in streams:
        for line in reversed(_lines(getattr(outcome, stream))):
            if line not in asked and line not in outcome.usual and not harmless.search(line):
                yield line


def _lines(stream: str) -> list[str]:
    """The last lines, without secrets: what is said of them goes into the history."""
    return [redact.text(line.strip())[:_READ] for line in stream.splitlines()[-_LINES:] if line.strip()]


def _shown(line: str) -> Text:
    return plain(beginning(line))


def _around(line: str, found: re.Match[str]) -> str:
    """As much of a long line as is shown: its beginning, or what stands around the sign."""
    if found.end() <= WIDTH:
        return beginning(line)
    return "… " + beginning(line[max(0, min(found.start() - WIDTH // 4, len(line) - WIDTH)) :])


# --- the data --------------------------------------------------------------------------------------------------------


def _text(cause: str) -> Text:
    text: Text = getattr(texts, f"CAUSE_{cause.upper()}")
    return text


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("signs.toml").read_text("utf-8"))


@cache
def _signs(agent: str) -> Sequence[tuple[str, re.Pattern[str]]]:
    """The signs of an agent, those of its preset first."""
    own = PRESETS[agent].signs if agent in PRESETS else {}
    return [(cause, _any(patterns)) for table in (own, _table()["signs"]) for cause, patterns in table.items()]


@cache
def _harmless(agent: str) -> re.Pattern[str]:
    return _any([*_table()["harmless"], *(PRESETS[agent].harmless if agent in PRESETS else ())])


@cache
def _error() -> re.Pattern[str]:
    return _any(_table()["error"])


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


def _answers_alone(agent: str) -> bool:
    return agent in PRESETS and PRESETS[agent].answers_alone
