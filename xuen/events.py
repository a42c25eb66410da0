"""The vocabulary: everything that a run tells, as immutable values.

One event is one `msgspec.Struct` with its name in snake case as the field `event` of its JSON form.
The screen, the console, `--events` and `rounds/history.jsonl` all live on these, so they cannot disagree.

Order within a run:

    RunStarted  (Baseline | Recovered | Verdict | Notice …)*  SectionsShown
    [WordsStarted  WordsProgress*  WordsReady]
    per round:  RoundStarted  CallStarted(research)  (Output | InputTaken)*  CallEnded
                then one of   AgentFailed | Damaged | Heartbeat | SectionChanged+  Candidate …
                a candidate:  Candidate  Verifying*  Judged*  then exactly one of  Adopted | Rejected | Pending
                [Restored]    after everything that put the best back
    RunFinished

`Adopted` is told only after its line in the history is durable. A `Verdict` may come at the start,
after any round and at the end, followed by `Adopted` or `Rejected` for the same id.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, Literal

import msgspec

from xuen.texts import Language, Text, plain

Section = Literal["idea", "artifact"]
SECTIONS: tuple[Section, ...] = ("idea", "artifact")
Level = Literal["info", "warning", "error"]
JudgeOutcome = Literal["passed", "failed", "unknown", "unavailable"]


class Purpose(StrEnum):
    """What an agent is called for; also the value of `XUEN_PURPOSE`."""

    WORDS = "words"
    RESEARCH = "research"
    JUDGE = "judge"


class Why(StrEnum):
    """Why a call of an agent ended."""

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    IDLE = "idle"
    STOPPED = "stopped"
    NOT_FOUND = "not_found"
    TOO_LONG = "too_long"


def _tag(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag=_tag, omit_defaults=False):
    """What all events share: the field `event` in the JSON form."""


# --- the run -------------------------------------------------------------------------------------------------------


class RunStarted(Event, frozen=True, kw_only=True):
    """A run owns the workspace and begins; `iterations` is None for an endless loop."""

    round: int  # the last round that earlier runs reached; 0 in a new workspace
    task: str
    workspace: str
    language: Language
    agent: str
    verify: str
    iterations: int | None
    again: tuple[str, str] = ("xuen", "")  # what to type before and after another command for this workspace


class RunFinished(Event, frozen=True, kw_only=True):
    """The last event of every run that got as far as `RunStarted`."""

    round: int
    reason: Text
    exit_code: int
    succeeded: int  # rounds whose research call worked and changed something
    failed: int
    unchanged: int = 0


class Notice(Event, frozen=True, kw_only=True):
    """Something a person should read once."""

    level: Level
    text: Text


class SectionsShown(Event, frozen=True, kw_only=True):
    """The sections as they stand now, at the start and after a restore: what a screen shows.

    At the start it also says what is already known of the workspace: the best and what is pending.
    """

    idea: str
    artifact: str
    best: str | None = None  # the best's id; None says nothing about it
    best_score: float | None = None
    pending: tuple[str, ...] | None = None  # ids; None says nothing about them


# --- the word bank -------------------------------------------------------------------------------------------------


class WordsStarted(Event, frozen=True, kw_only=True):
    """A word bank is about to be made."""

    want: int


class WordsProgress(Event, frozen=True, kw_only=True):
    """A batch brought new words."""

    have: int
    want: int


class WordsReady(Event, frozen=True, kw_only=True):
    """The bank that the rounds draw from; `old` is the one on disk after a failed making."""

    count: int
    source: Literal["made", "reused", "old", "none"]


# --- one round -----------------------------------------------------------------------------------------------------


class RoundStarted(Event, frozen=True, kw_only=True):
    """A round begins with the words drawn for it."""

    round: int
    words: tuple[str, ...]
    left: int | None  # rounds left in this call, this one counted; None for an endless loop


class InputTaken(Event, frozen=True, kw_only=True):
    """The queued user input went into this round's prompt; told when the agent's process has started."""

    round: int
    texts: tuple[str, ...]


class CallStarted(Event, frozen=True, kw_only=True):
    """An agent's process runs."""

    round: int
    purpose: Purpose
    agent: str
    pid: int


class Output(Event, frozen=True, kw_only=True):
    """One line that the agent printed, cleaned of terminal control; never markup."""

    round: int
    purpose: Purpose
    stream: Literal["stdout", "stderr"]
    line: str


class CallEnded(Event, frozen=True, kw_only=True):
    """The call is over and nothing that it started is left; one of a prompt that is too long never began."""

    round: int
    purpose: Purpose
    why: Why
    code: int | None
    seconds: float


class SectionChanged(Event, frozen=True, kw_only=True):
    """The agent overwrote a section; `content` is the whole new text."""

    round: int
    section: Section
    content: str


# --- the guard (all but Verifying, Judged, GuardOff and GuardOn are also lines of history.jsonl) --------------------


class Baseline(Event, frozen=True, kw_only=True):
    """The first best of a workspace."""

    round: int
    id: str
    sha256: str
    content_sha256: str = ""  # of the sections, white space aside; empty in lines of older versions


class Candidate(Event, frozen=True, kw_only=True):
    """A changed state was kept as a snapshot before anything else happened to it."""

    round: int
    id: str
    sha256: str
    parent: str
    words: tuple[str, ...] = ()
    content_sha256: str = ""  # of the sections, white space aside; empty in lines of older versions


class Verifying(Event, frozen=True, kw_only=True):
    """A verifier starts on a candidate."""

    round: int
    id: str
    verifier: str


class Judged(Event, frozen=True, kw_only=True):
    """What one verifier found."""

    round: int
    id: str
    verifier: str
    outcome: JudgeOutcome
    score: float | None
    reason: Text


class Adopted(Event, frozen=True, kw_only=True):
    """The candidate is the best now; its line in the history is the commit point."""

    round: int
    id: str
    sha256: str
    score: float | None
    verify: str


class Rejected(Event, frozen=True, kw_only=True):
    """The candidate stays on disk and does not become the best."""

    round: int
    id: str
    score: float | None
    verify: str
    reason: Text


class Pending(Event, frozen=True, kw_only=True):
    """Nobody could tell; the candidate waits for a line in verdicts.txt."""

    round: int
    id: str
    verify: str
    reason: Text


class Heartbeat(Event, frozen=True, kw_only=True):
    """The agent ended well and changed nothing, for the `streak`-th time in a row."""

    round: int
    streak: int
    cause: Text | None = None


class Damaged(Event, frozen=True, kw_only=True):
    """research.md lost its markers; the damaged file was kept as `kept` (relative to the workspace)."""

    round: int
    reason: Text
    kept: str | None


class AgentFailed(Event, frozen=True, kw_only=True):
    """The research call did not work; what it may have left half done is not a candidate."""

    round: int
    why: Why
    code: int | None
    reason: Text


class Restored(Event, frozen=True, kw_only=True):
    """research.md holds the best again."""

    round: int
    id: str


class Verdict(Event, frozen=True, kw_only=True):
    """A person's line in verdicts.txt was honoured; what followed from it is the next event."""

    round: int
    id: str
    score: float
    comment: str


class Recovered(Event, frozen=True, kw_only=True):
    """The start found something to mend; `reason` says what was wrong and what was done."""

    round: int
    id: str
    reason: Text


class GuardOff(Event, frozen=True, kw_only=True):
    """The guard cannot work and stands aside until it can; told once."""

    reason: Text


class GuardOn(Event, frozen=True, kw_only=True):
    """The guard can work again."""


AnyEvent = (
    RunStarted
    | RunFinished
    | Notice
    | SectionsShown
    | WordsStarted
    | WordsProgress
    | WordsReady
    | RoundStarted
    | InputTaken
    | CallStarted
    | Output
    | CallEnded
    | SectionChanged
    | Baseline
    | Candidate
    | Verifying
    | Judged
    | Adopted
    | Rejected
    | Pending
    | Heartbeat
    | Damaged
    | AgentFailed
    | Restored
    | Verdict
    | Recovered
    | GuardOff
    | GuardOn
)


def to_dict(event: Event, language: Language) -> dict[str, Any]:
    """The JSON form of an event as plain values; texts in the given language."""

    def render(value: object) -> str:
        if isinstance(value, Text):
            return value.in_language(language)
        raise NotImplementedError(type(value).__name__)

    built = msgspec.to_builtins(event, enc_hook=render)
    assert isinstance(built, dict)
    return built


def from_json(line: bytes | str) -> AnyEvent:
    """An event out of its JSON form; unknown fields are ignored.

    Raises:
        msgspec.MsgspecError: not JSON, no known event, or a field of the wrong type.
    """

    def read(kind: type, value: object) -> object:
        if kind is Text:
            return plain(str(value))
        raise NotImplementedError(kind.__name__)

    return msgspec.json.decode(line, type=AnyEvent, dec_hook=read)
