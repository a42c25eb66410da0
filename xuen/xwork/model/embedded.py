"""A language model inside this process: xllamacpp with the weights of one GGUF file.

Owns the loaded weights and the one thread that a completion runs on. The native code cannot be interrupted while
it reads a prompt, so the caller waits on a queue and never in it: a cancelled completion returns to its caller at
once and stops by itself at the next token.

Always holds: one completion at a time; nothing is printed; the loopback port that the runtime always opens answers
nobody, because its key is random and never told.
"""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from xuen.signals import default_handlers
from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel, stop_if
from xuen.xwork.errors import ContextOverflow, ModelError, ModelMissing, RequestRefused, Retryable
from xuen.xwork.messages import Message, ToolDefinition
from xuen.xwork.model.client import Delta, Finished, Options
from xuen.xwork.model.endings import ending
from xuen.xwork.model.openai_format import Stream, request_body

CONTEXT_TOKENS = 8192
_MOST_THREADS = 8
_LOOK_AROUND = 0.1  # seconds
_POLL = 0.05  # seconds between two looks at the cancel token
_UNWIND = 1.0  # seconds that `close` waits for a cancelled completion to stop


class EmbeddedModel:
    """The model of one GGUF file, loaded when it is first asked."""

    def __init__(self, weights: Path, *, context_tokens: int = CONTEXT_TOKENS, threads: int | None = None) -> None:
        self._weights = weights
        self._context_tokens = context_tokens
        self._threads = threads
        self._server: Any = None
        self._running: threading.Thread | None = None

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self._weights.stem

    @property
    def context_tokens(self) -> int | None:
        """The context that the model was loaded with."""
        return self._context_tokens

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition] = (),
        *,
        options: Options,
        cancel: Cancel,
    ) -> Iterator[Delta]:
        """See `ModelClient.complete`; a last `Assistant` message is continued, not answered."""
        self.load(cancel)
        body = request_body(messages, tools, options)
        native = {"min_p": options.min_p, "repeat_penalty": options.repeat_penalty, "grammar": options.grammar}
        body |= {name: value for name, value in native.items() if value is not None}
        body |= {"cache_prompt": True}
        given_up = threading.Event()
        try:
            yield from self._stream(json.dumps(body), given_up, cancel)
        finally:
            given_up.set()

    def load(self, cancel: Cancel) -> None:
        """Read the weights, about a second for 100 MB; does nothing the second time.

        The native code holds the interpreter meanwhile, so `cancel` can only be looked at before and after it.

        Raises:
            ModelMissing: xllamacpp is not installed, or the file is not a model that it can load.
            Interrupted: `cancel` was set.
        """
        if self._server is None:
            stop_if(cancel)
            self._server = _serve(self._weights, self._context_tokens, self._threads or free_cores())
            stop_if(cancel)

    def close(self) -> None:
        """Release the weights, unless a cancelled completion is still reading its prompt."""
        if self._running is not None:
            self._running.join(_UNWIND)
            if self._running.is_alive():
                return
        self._server = None

    def _stream(self, body: str, given_up: threading.Event, cancel: Cancel) -> Iterator[Delta]:
        arrived: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._await_last(cancel)
        self._running = threading.Thread(
            target=_run, args=(self._server, body, arrived.put, given_up), name="embedded-model", daemon=True
        )
        self._running.start()
        answer = Stream()
        while (chunk := _next(arrived, cancel)) is not None:
            decoded = json.loads(chunk)
            if isinstance(decoded, dict) and "error" in decoded:
                raise self._error(decoded["error"])
            yield from answer.pieces(decoded)
        if answer.finish is None:
            raise Retryable(texts.EMPTY_ANSWER)
        yield Finished(ending(answer.finish), answer.finish)

    def _await_last(self, cancel: Cancel) -> None:
        """Wait for a cancelled completion that has not stopped yet: only one can run at a time."""
        while self._running is not None and self._running.is_alive():
            stop_if(cancel)
            self._running.join(_POLL)

    def _error(self, error: object) -> ModelError:
        known = error if isinstance(error, dict) else {}
        if known.get("type") == "exceed_context_size_error":
            return ContextOverflow(texts.OVERFLOW.of(limit=self._context_tokens))
        return RequestRefused(texts.EMBEDDED_REFUSED.of(reason=plain(str(known.get("message", error)))))


def free_cores() -> int:
    """How many threads to compute with: cores that this process may use and nobody else is busy on, from 1 to 8.

    The threads of one completion wait for each other by spinning. Where others need the cores too, two threads
    were five to ten times slower than one; and a small model does not gain from more than a few. Measures
    for a tenth of a second.
    """
    import psutil

    busy = psutil.cpu_percent(_LOOK_AROUND, percpu=True)
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(len(busy))
    idle = sum(100 - busy[core] for core in allowed if core < len(busy)) / 100
    return max(1, min(_MOST_THREADS, round(min(idle, _quota()))))


def _quota() -> float:
    """The cores that a container may use at once, as control groups version 2 say it; infinite without a limit."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        return float(limit) / float(period)
    except (OSError, ValueError, ZeroDivisionError):  # no such file, or `max`: float("max") is no number
        return float("inf")


def require_runtime() -> None:
    """Make sure, without loading it, that xllamacpp is there.

    Raises:
        ModelMissing: it is not; the mend is the command that installs it.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        python = plain(sys.executable)
        raise ModelMissing(texts.RUNTIME_MISSING.of(python=python), mend=texts.RUNTIME_MEND.of(python=python))


def _serve(weights: Path, context_tokens: int, threads: int) -> Any:
    require_runtime()
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.verbosity = -1
    params.api_keys = [secrets.token_hex(32)]
    params.endpoint_metrics = True
    try:
        with default_handlers():
            server = xllamacpp.Server(params)
            server.handle_metrics()  # answered by the server's own loop: released before that runs, it never ends
            return server
    except RuntimeError as error:
        what = texts.FILE_UNREADABLE.of(path=plain(str(weights)))
        raise ModelMissing(what, mend=texts.FILE_UNREADABLE_MEND) from error


def _run(server: Any, body: str, put: Callable[[str | None], None], given_up: threading.Event) -> None:
    """The thread's whole life: chunks into the queue, None at the end."""

    def take(chunk: str) -> bool:
        put(chunk)
        return given_up.is_set()  # True ends the completion

    try:
        server.handle_chat_completions(body, take)
    finally:
        put(None)


def _next(arrived: queue.SimpleQueue[str | None], cancel: Cancel) -> str | None:
    while True:
        stop_if(cancel)
        try:
            return arrived.get(timeout=_POLL)
        except queue.Empty:
            continue
