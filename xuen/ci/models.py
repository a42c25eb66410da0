"""Which model does the work: one that answers, found by asking.

Owns the pool (what the agent's own command lists at this moment), its order (preferred names first, the rest at
random), the try (one short call through the very command that will do the research, in an empty folder), and the
memory of those that did not answer. Always: a model counts only when its call ended well with something said that is
no error message; a model whose failure was remembered less than `dead_hours` ago is not asked.
"""

from __future__ import annotations

import re
import secrets
import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from random import Random

from xuen import redact
from xuen.agent.call import Call, Outcome
from xuen.agent.causes import sign_of, why_failed
from xuen.agent.resolve import Resolved
from xuen.agent.shell_agent import ShellAgent
from xuen.agent.template import clean_environment
from xuen.ci.content import MODELS
from xuen.ci.merge import dead_models, models_bytes
from xuen.errors import UserError
from xuen.events import Event, Purpose
from xuen.files.durable import make_folder, write_bytes
from xuen.files.regular import read_regular
from xuen.proc.command import CannotStart, Listener, run
from xuen.proc.output import clean_text
from xuen.proc.pipes import Stream
from xuen.stop import Stop
from xuen.texts import Language, Text, plain
from xuen.texts import ci as texts

VARIABLE = "XUEN_MODEL"
"""The environment variable in which a command finds the name of the model; the judge's is XUEN_JUDGE_MODEL."""

_NAME = re.compile(r"[A-Za-z0-9][\w.:/@+~-]{0,199}", re.ASCII)
_LIST_SECONDS = 120.0
_LIST_BYTES = 1 << 20


class NoModel(UserError):
    """No model answers, or none is listed."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted; `dead_hours` and `timeout` (seconds) as on the command line."""

    prefer: Sequence[str]
    judge: Sequence[str]
    only: str
    timeout: float
    dead_hours: float


class Picker:
    """Finds models for one command; `say` is told what happens, `random` orders what nobody prefers."""

    def __init__(
        self,
        agent: Resolved,
        wish: Wish,
        memory: Path,
        *,
        stop: Stop,
        say: Callable[[Text], None],
        random: Random,
        language: Language,
    ) -> None:
        self._agent = agent
        self._wish = wish
        self._memory = memory / MODELS
        self._stop = stop
        self._say = say
        self._random = random
        self._language: Language = language
        self._dead = self._remembered()
        self._alive: set[str] = set()

    def pick(self, listed: Sequence[str]) -> tuple[str, str]:
        """The model for the work and the one for the judge, out of `listed`.

        Raises:
            NoModel: none answers.
            OSError: the memory cannot be written.
        """
        pool = [name for name in listed if fnmatchcase(name, self._wish.only)]
        if not pool:
            raise NoModel(texts.NONE_MATCH.of(count=len(listed), pattern=plain(self._wish.only)))
        model = self._first(ordered(pool, self._wish.prefer, self._random))
        if model is None:
            raise NoModel(texts.NONE_LEFT.of(count=len(pool)), where=self._agent.name, mend=texts.NONE_LEFT_MEND)
        return model, self._first(wanted(pool, self._wish.judge)) or model

    def _first(self, names: Sequence[str]) -> str | None:
        """The first that answers; the others before it are remembered as dead."""
        for name in names:
            if self._stop.is_set():
                return None
            if name in self._alive:
                return name
            dead = self._dead.get(name)
            if dead is not None:
                self._say(texts.SKIPPED.of(model=name, at=dead["at"], reason=plain(dead["reason"])))
                continue
            reason = self._try(name)
            if reason is None:
                self._alive.add(name)
                return name
            if self._stop.is_set():
                return None
            self._say(texts.DEAD.of(model=name, reason=reason))
            at = datetime.now(UTC).isoformat(timespec="seconds")
            self._dead[name] = {"at": at, "reason": reason.in_language(self._language)[:300]}
            self._remember()
        return None

    def _try(self, name: str) -> Text | None:
        """Ask a model something short; None when it answered, else why that did not count."""
        self._say(texts.TRYING.of(model=name))
        with tempfile.TemporaryDirectory(prefix="xuen-try-", ignore_cleanup_errors=True) as folder:
            agent = ShellAgent(
                self._agent.template,
                name=self._agent.name,
                workspace=Path(folder),
                token=secrets.token_hex(16),
                sink=_Nobody(),
                stop=self._stop,
                timeout=self._wish.timeout,
                env={**self._agent.env, VARIABLE: name, "XUEN_JUDGE_MODEL": name},
                language=self._language,
            )
            question = texts.QUESTION.in_language(self._language)
            outcome = agent.call(Call(prompt=question, purpose=Purpose.JUDGE, round=0))
        reason = self._fault(outcome)
        if reason is None:
            self._say(texts.ANSWERED.of(model=name, seconds=f"{outcome.seconds:.1f}"))
        return reason

    def _fault(self, outcome: Outcome) -> Text | None:
        if not outcome.worked:
            return why_failed(outcome, self._agent.name)
        if outcome.stdout.strip():
            outcome = replace(outcome, stderr="")  # only an error in its answer counts
        sign = sign_of(outcome, self._agent.name)
        if sign is not None:
            return sign.text
        return None if outcome.stdout.strip() else texts.SAID_NOTHING

    def _remembered(self) -> dict[str, dict[str, str]]:
        """Those that are still dead; older memories are dropped."""
        try:
            data = read_regular(self._memory)
        except OSError:
            return {}
        since = datetime.now(UTC) - timedelta(hours=self._wish.dead_hours)
        return {name: each for name, each in dead_models(data).items() if _later(each["at"], since)}

    def _remember(self) -> None:
        make_folder(self._memory.parent)
        write_bytes(self._memory, models_bytes(self._dead))


def ordered(pool: Sequence[str], prefer: Sequence[str], random: Random) -> list[str]:
    """Preferred names first, in their order; all others after them, shuffled."""
    first = wanted(pool, prefer)
    rest = [name for name in pool if name not in first]
    random.shuffle(rest)
    return [*first, *rest]


def wanted(pool: Sequence[str], names: Sequence[str]) -> list[str]:
    """Those of the pool that are named, in the order of the names; `a` stands for `provider/a` too."""
    found = [each for name in names for each in pool if each == name or each.rpartition("/")[2] == name]
    return list(dict.fromkeys(found))


def list_models(command: str, environ: Mapping[str, str], stop: Stop) -> list[str]:
    """What the agent's own command lists: every line that is one name.

    Raises:
        NoModel: it cannot be run, fails, takes over two minutes or lists nothing.
    """
    names = [line.strip() for line in _printed(command, environ, stop).splitlines()]
    found = list(dict.fromkeys(name for name in names if _NAME.fullmatch(name)))
    if not found:
        raise NoModel(texts.NO_MODELS.of(command=plain(redact.text(command))), mend=texts.NO_LIST_MEND)
    return found


def _printed(command: str, environ: Mapping[str, str], stop: Stop) -> str:
    """What a command prints on its standard output; raises NoModel when it fails."""
    heard = _Heard()
    try:
        argv = shlex.split(command)
        with tempfile.TemporaryDirectory(prefix="xuen-list-", ignore_cleanup_errors=True) as folder:
            env = clean_environment(environ, {"NO_COLOR": "1"})
            ended = run(
                argv, cwd=Path(folder), env=env, listener=heard, cancel=stop.begin_call(), timeout=_LIST_SECONDS
            )
    except (CannotStart, ValueError, IndexError) as error:
        raise _no_list(command, plain(getattr(error, "strerror", None) or str(error))) from None
    if ended.code is None:
        raise _no_list(command, texts.SILENT.of(seconds=round(_LIST_SECONDS)))
    said = clean_text(bytes(heard.said["stdout"]))
    if ended.code != 0:
        lines = clean_text(bytes(heard.said["stderr"])).strip().splitlines() or said.strip().splitlines() or ["?"]
        raise _no_list(command, plain(redact.text(lines[-1])[:200]))
    return said


def _no_list(command: str, reason: Text) -> NoModel:
    return NoModel(texts.NO_LIST.of(command=plain(redact.text(command)), reason=reason), mend=texts.NO_LIST_MEND)


def _later(at: str, since: datetime) -> bool:
    try:
        return datetime.fromisoformat(at) > since
    except (ValueError, TypeError):
        return False


class _Heard(Listener):
    """Keeps what a command printed, bounded."""

    def __init__(self) -> None:
        self.said: dict[Stream, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}

    def output(self, stream: Stream, chunk: bytes) -> None:
        """Bytes came."""
        self.said[stream] += chunk[: max(0, _LIST_BYTES - len(self.said[stream]))]


class _Nobody:
    """A sink that ignores all events."""

    def emit(self, event: Event) -> None:
        """Do nothing."""
