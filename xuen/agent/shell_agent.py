"""The agent that runs a shell command: one call from the prompt to the outcome.

Owns the private folder, the environment and the events of a call. Refuses, before anything starts, a prompt that does
not fit its template. Always: the prompt reaches the command as data (`template`), never as shell source; when `call`
returns, nothing that the command started is left, and the private folder is gone, with the prompt and the request in
it and whatever the command left among its temporary files.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from xuen.agent.call import SHELL_SAYS, Call, Outcome
from xuen.agent.template import Template, clean_environment, clean_prompt
from xuen.errors import PromptTooLong
from xuen.events import CallEnded, CallStarted, Level, Notice, Output, Purpose, Why
from xuen.proc.capture import CallLog, Display, HeadTail, Pace
from xuen.proc.command import CannotStart, Exit, Listener, run
from xuen.proc.output import LineCutter
from xuen.proc.pipes import STREAMS, Stream
from xuen.proc.private import private_folder
from xuen.sink import Sink
from xuen.stop import Stop
from xuen.texts import Language, Text
from xuen.texts import agent as texts

_SETTLED: Final = 0.5  # seconds after which a silent command counts as found


class ShellAgent:
    """Runs one command template for one workspace; `timeout` and `idle_timeout` in seconds, 0 for none.

    `token` is that of the run (`XUEN_RUN`); `env` goes on top of the inherited environment; `about` is what every
    request of the run says (`XUEN_REQUEST`). `work` (`XUEN_WORKSPACE`) is the current folder of a research call, the
    workspace itself where it is None; any other call runs in an empty private folder.
    """

    def __init__(
        self,
        template: Template,
        *,
        name: str,
        workspace: Path,
        token: str,
        sink: Sink,
        stop: Stop,
        timeout: float = 0.0,
        idle_timeout: float = 0.0,
        env: Mapping[str, str] | None = None,
        language: Language = "en",
        about: Mapping[str, object] | None = None,
        work: Path | None = None,
    ) -> None:
        self._template = template
        self._name = name
        self._workspace = workspace.absolute()
        self._work = (work or workspace).absolute()
        self._token = token
        self._sink = sink
        self._stop = stop
        self._timeout = timeout
        self._idle_timeout = idle_timeout
        self._env = dict(env or {})
        self._language: Language = language
        self._about = dict(about or {})
        self._usual: set[str] = set()
        self._log_trouble_told = False

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self._name

    def call(self, call: Call, *, on_started: Callable[[], None] | None = None) -> Outcome:
        """Ask once and wait for the end; tells CallStarted, Output and CallEnded to the sink.

        `on_started` runs once, as soon as it is certain that the command was found: at its first output, after
        half a second, or at its end. Not at all for a command that was not found.

        Raises:
            PromptTooLong: the prompt does not fit; nothing was started, and CallEnded was told.
        """
        with ExitStack() as stack:
            try:
                place = self._place(call, stack.enter_context(private_folder(self._workspace)))
            except OSError as error:
                return self._not_started(texts.NO_PRIVATE_FOLDER, error)
            try:
                argv = self._template.argv(call.prompt, str(place.prompt) if self._template.uses_prompt_file else "")
                listener = _CallListener(self, call, on_started)
                try:
                    ended = self._run(argv, call, place, listener)
                finally:
                    listener.close()
            except CannotStart as error:
                return self._not_started(texts.CANNOT_START, error)
            except PromptTooLong:
                why = Why.TOO_LONG
                self._sink.emit(CallEnded(round=call.round, purpose=call.purpose, why=why, code=None, seconds=0.0))
                raise
        return self._outcome(call, ended, listener)

    def _place(self, call: Call, private: Path) -> _Place:
        """Write what the command may read into its private folder."""
        prompt, request = private / "prompt.txt", private / "request.json"
        for path, text in ((prompt, call.prompt), (request, self._request(call))):
            path.touch(0o600)
            path.write_text(clean_prompt(text), "utf-8", newline="")
        temporary, current = private / "tmp", private / "work"
        temporary.mkdir(0o700)
        if call.purpose is Purpose.RESEARCH:
            current = self._work
        else:
            current.mkdir(0o700)
        return _Place(prompt, request, temporary, current)

    def _request(self, call: Call) -> str:
        research = {"words": (), "idea": "", "artifact": "", "inputs": ()}
        asked = {"purpose": call.purpose.value, "round": call.round, "language": self._language}
        return json.dumps({**asked, **self._about, **research, **call.data}, ensure_ascii=False, default=asdict)

    def _run(self, argv: list[str], call: Call, place: _Place, listener: _CallListener) -> Exit:
        try:
            return run(
                argv,
                cwd=place.current,
                env=self._environment(call, place),
                listener=listener,
                cancel=self._stop.begin_call(),
                hurried=self._stop.is_hurried,
                timeout=self._timeout,
                idle_timeout=self._idle_timeout,
            )
        except CannotStart as error:
            if error.errno == errno.E2BIG:
                raise PromptTooLong(texts.ENVIRONMENT_TOO_LARGE, mend=texts.USE_PROMPT_FILE) from None
            raise

    def _outcome(self, call: Call, ended: Exit, listener: _CallListener) -> Outcome:
        stdout, stderr = listener.text("stdout"), listener.text("stderr")
        why = ended.why
        if ended.code == 127 and not stdout.strip() and SHELL_SAYS.search(stderr):
            why = Why.NOT_FOUND
        else:
            listener.found()
        if ended.survivors:
            self.say("warning", texts.SURVIVORS.of(pids=", ".join(map(str, ended.survivors))))
        self._sink.emit(
            CallEnded(round=call.round, purpose=call.purpose, why=why, code=ended.code, seconds=ended.seconds)
        )
        return Outcome(
            why=why,
            code=ended.code,
            seconds=ended.seconds,
            stdout=stdout,
            stderr=stderr,
            asked=call.prompt,
            usual=self._usual,
        )

    def _not_started(self, text: Text, error: OSError) -> Outcome:
        # The system's words and a file's name, never the arguments: those hold the prompt.
        said = text.of(error=": ".join(str(part) for part in (error.filename, error.strerror) if part))
        self.say("error", said)
        return Outcome(why=Why.FAILED, code=None, seconds=0.0, stdout="", stderr=said.in_language(self._language))

    def _environment(self, call: Call, place: _Place) -> dict[str, str]:
        env = clean_environment(os.environ, {"TMPDIR": str(place.temporary), **self._env})
        env["XUEN_WORKSPACE"] = str(self._work)
        env["XUEN_ROUND"] = str(call.round)
        env["XUEN_RUN"] = self._token
        env["XUEN_PURPOSE"] = call.purpose.value
        env["XUEN_REQUEST"] = str(place.request)
        return env

    # --- for the listener of a call --------------------------------------------------------------------------------

    @property
    def sink(self) -> Sink:
        """Where the events of its calls go."""
        return self._sink

    @property
    def language(self) -> Language:
        """The language of what is said within the output."""
        return self._language

    def log_failed(self, error: OSError, call: Call) -> None:
        """The output of a call could not be kept; worth a word the first time."""
        if not self._log_trouble_told:
            self._log_trouble_told = True
            self.say("warning", texts.LOG_NOT_KEPT.of(file=str(call.log), error=error.strerror or str(error)))

    def say(self, level: Level, text: Text) -> None:
        """Tell a person something."""
        self._sink.emit(Notice(level=level, text=text))


@dataclass(frozen=True, slots=True)
class _Place:
    """The files of a call: what it may read, where its temporary files go, and its current folder."""

    prompt: Path
    request: Path
    temporary: Path
    current: Path


class _CallListener(Listener):
    """Shows, logs and keeps the output of one call."""

    def __init__(self, agent: ShellAgent, call: Call, on_started: Callable[[], None] | None) -> None:
        self._agent = agent
        self._call = call
        self._on_started = on_started
        self._began = time.monotonic()
        self._log = CallLog(call.log, agent.language) if call.log else None
        pace = Pace()
        self._cutters = {stream: LineCutter(agent.language) for stream in STREAMS}
        self._kept = {stream: HeadTail() for stream in STREAMS}
        self._displays = {stream: Display(self._emitter(stream), agent.language, pace) for stream in STREAMS}

    def started(self, pid: int) -> None:
        """The process runs."""
        self._began = time.monotonic()
        call = self._call
        self._agent.sink.emit(CallStarted(round=call.round, purpose=call.purpose, agent=self._agent.name, pid=pid))

    def found(self) -> None:
        """It is certain that the command was found; runs `on_started` once."""
        told = self._on_started
        self._on_started = None
        if told is not None:
            told()

    def output(self, stream: Stream, chunk: bytes) -> None:
        """Bytes came."""
        if stream == "stdout":
            self.found()
        self._take(stream, self._cutters[stream].feed(chunk))
        self._displays[stream].tick(self._cutters[stream])

    def tick(self) -> None:
        """Time passed."""
        if self._on_started is not None and time.monotonic() - self._began > _SETTLED:
            self.found()
        for stream in STREAMS:
            self._displays[stream].tick(self._cutters[stream])

    def close(self) -> None:
        """The command has ended: show, log and keep what was held back."""
        for stream in STREAMS:
            self._take(stream, self._cutters[stream].finish())
            self._displays[stream].release()
        if self._log:
            self._log.close()
            if self._log.failed is not None:
                self._agent.log_failed(self._log.failed, self._call)

    def text(self, stream: Stream) -> str:
        """What the stream said, clean and bounded."""
        return self._kept[stream].text(self._agent.language)

    def _take(self, stream: Stream, lines: bytes) -> None:
        if lines:
            self._kept[stream].add(lines)
            if self._log:
                self._log.add(lines)
            self._displays[stream].add(lines)

    def _emitter(self, stream: Stream) -> Callable[[str], None]:
        call, sink = self._call, self._agent.sink
        return lambda line: sink.emit(Output(round=call.round, purpose=call.purpose, stream=stream, line=line))
