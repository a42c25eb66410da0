"""The agent loop: ask the model, execute its calls in order and record everything, until it is done or is stopped.

Owns the order of these steps. Always holds: what the next step depends on is on the disk before it begins; a call whose
result is recorded is never executed again, one whose result is not is executed at least once; calls of an answer
that was cut off are not executed at all; all processes end with the agent.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from xuen import redact
from xuen.texts import Text, plain
from xuen.texts import xwork as texts
from xuen.xwork import gate
from xuen.xwork.bounds import tidy
from xuen.xwork.cancel import Cancel, stop_if
from xuen.xwork.config import AgentConfig
from xuen.xwork.errors import BadUse, ContextOverflow, ModelError, XworkError
from xuen.xwork.events import AnyEvent, Completed, Listener, Notice, RunStarted, ToolEnded, ToolStarted
from xuen.xwork.instructions import instructions
from xuen.xwork.limits import Limits
from xuen.xwork.messages import Assistant, Finish, System, ToolCall, ToolResult, Usage, User
from xuen.xwork.model.client import Answer, ModelClient
from xuen.xwork.model.retry import Asker
from xuen.xwork.policy.hooks import Hook
from xuen.xwork.policy.paths import STATE, Workspace
from xuen.xwork.policy.permission import Approval, OnPermission
from xuen.xwork.session.budget import ASSUMED_WINDOW
from xuen.xwork.session.calls import settled
from xuen.xwork.session.journal import Session, Trust
from xuen.xwork.session.ledger import State
from xuen.xwork.session.records import (
    Answered,
    Carried,
    Ended,
    ModelChosen,
    Prompted,
    Reminded,
    Resumed,
    whole,
)
from xuen.xwork.session.summarise import NothingToCompact, compact
from xuen.xwork.tools.base import AnyTool
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Effect, Outcome
from xuen.xwork.tools.registry import Policy, Registry

if TYPE_CHECKING:
    from xuen.xwork.mcp.hub import Hub
    from xuen.xwork.sandbox.bubblewrap import Sandbox

ABANDONED = "interrupted, and not carried out to its end"
CUT_OFF = "not carried out: the answer was cut off at the output limit. Write less in one answer, in several calls."


def _nobody(_event: AnyEvent) -> None:
    """The default listener: ignores every event."""


class SessionWaits(BadUse):
    """`run` was called where only `resume` may go on."""

    exit_code = 3


class Stopped(XworkError):
    """A guard ended the run; the session is finished and takes the next prompt."""


class RunResult(msgspec.Struct, frozen=True):
    """The result of a run."""

    text: str  # the model's final answer
    usage: Usage  # of the whole session, as far as the server told


class Agent:
    """One agent with its tools, its session and its model. Usable as a context manager."""

    def __init__(
        self,
        config: AgentConfig,
        *,
        client: ModelClient | None = None,
        session: Session | None = None,
        listener: Listener = _nobody,
        cancel: Cancel | None = None,
        on_permission: OnPermission | None = None,
        hooks: Iterable[Hook] = (),
        tools: Iterable[AnyTool] | None = None,
        trust: Trust | None = None,
    ) -> None:
        """A client or session that is passed in is closed by its owner; one that is not is created and closed here.

        `trust` decides about a session that this machine did not write; without it such a one is refused.

        Without `tools` it has the eleven built-in ones.

        Raises:
            BadUse: the workspace, the session or the server cannot be used.
            ModelError: the embedded model cannot be had.
            Interrupted: the cancel token was set while the sandbox, the model or the MCP servers were made ready.
        """
        # Imported with the first agent, so that importing the library stays cheap.
        from xuen.xwork.sandbox.bubblewrap import make
        from xuen.xwork.tools.artifacts import Artifacts
        from xuen.xwork.tools.builtin import TOOLS
        from xuen.xwork.tools.command import environment
        from xuen.xwork.tools.processes import ProcessTable

        self.config = config
        self._tell = listener
        self._cancel: Cancel = cancel or threading.Event()
        try:
            self._workspace = Workspace(config.workspace)
        except OSError as error:
            raise BadUse(texts.WORKSPACE_UNUSABLE.of(reason=plain(str(error)))) from error
        self._processes = ProcessTable()
        self._sandbox: Sandbox | None = None
        self._hub: Hub | None = None
        self._owned: list[ModelClient | Session] = []
        try:
            env = environment(os.environ)
            network, root = config.sandbox_network, self._workspace.root
            self._sandbox, self._unconfined = make(config.sandbox, root, network=network, env=env, cancel=self._cancel)
            self.session = session or self._opened(trust or (lambda _: False))
            tidy(self._workspace)
            self.client = client or self._connected()
            remote, self._missing = self._connected_servers()
        except BaseException:
            self.close()
            raise
        artifacts = Artifacts(self._workspace)
        context = ToolContext(self._workspace, self._cancel, artifacts, self._processes, env, self._sandbox)
        missing = {f"{name}__": why.en for name, why in self._missing}
        self._registry = Registry(
            [*(TOOLS if tools is None else tools), *remote],
            context,
            Policy(config.approval, on_permission, tuple(hooks)),
            missing,
        )
        self._asker = Asker(self.client, listener, self._cancel, language=config.language, patience=config.patience)
        added = (
            self._sandbox.rules if self._sandbox else "",
            *(why.en for _, why in self._missing),
            config.instructions,
        )
        self._system = System(whole(instructions(self._workspace, config.approval, *added)))

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, prompt: str) -> RunResult:
        """Carry out a task, as the next turn of the session's conversation.

        Raises:
            BadUse: interrupted work waits; only `resume` goes on with it.
            Interrupted: the cancel token was set; `resume` goes on.
            Stopped: a guard ended the run.
            XworkError: the model gave no answer; `resume` tries again.
        """
        if self.session.ledger.interrupted:
            raise SessionWaits(texts.SESSION_WAITS, where=str(self.session.path or ""), mend=texts.SESSION_WAITS_MEND)
        self._begin(resumed=False)
        self.session.append(*self._new_choice(), Prompted(User(whole(prompt)), self.config.request))
        return self._loop()

    def resume(self) -> RunResult:
        """Go on with interrupted work, without a new prompt; raises as `run`, and BadUse when nothing waits."""
        if not self.session.ledger.interrupted:
            raise BadUse(texts.NOTHING_WAITS, where=str(self.session.path or ""), mend=texts.NOTHING_WAITS_MEND)
        self._begin(resumed=True)
        self.session.append(*self._new_choice(), Resumed())
        return self._loop()

    def abandon(self) -> None:
        """Give up interrupted work, if any waits, so that the session takes the next prompt.

        The first call that waits may have been under way, so where it is one that writes the workspace counts as
        changed.
        """
        if not self.session.ledger.interrupted:
            return
        for number, call in enumerate(self.session.ledger.open_calls):
            effect = Effect.WRITE if number == 0 and self._registry.writes(call.name) else Effect.NONE
            self.session.append(Carried(ToolResult(call.id, call.name, ABANDONED, failed=True), effect))
        self.session.append(Ended("stopped", ABANDONED))

    def compact(self) -> None:
        """Shorten the conversation now; raises Interrupted or ModelError, and then nothing has changed."""
        self._shorten(int(min(self._window, self.session.ledger.tokens) * self.config.keep))

    def close(self) -> None:
        """End all processes and close what was made here; a second call does nothing."""
        self._processes.close()
        if self._hub is not None:
            self._hub.close()
        if self._sandbox is not None:
            self._sandbox.close()
        while self._owned:
            self._owned.pop().close()
        self._workspace.close()

    # --- the loop ---

    def _loop(self) -> RunResult:
        config, ledger = self.config, self.session.ledger
        limits = Limits(turns=config.max_turns, repeats=config.max_repeats, failures=config.max_failures)
        while True:
            if ledger.state is State.TOOLS:
                self._stop_if(self._carry_out(limits))
            elif (last := ledger.view[-1]) and isinstance(last, Assistant):
                if self._may_end():
                    return self._end(last)
            else:
                self._stop_if(limits.turn())
                self._answer()

    def _answer(self) -> None:
        """Ask for one answer and write it down, shortening the conversation when it does not fit."""
        if self.session.ledger.tokens > self._window * self.config.compact_at:
            self._shorten_if_possible(int(self._window * self.config.keep))
        answer = self._asked()
        message = settled(answer.message, self.session.ledger.ids)
        if message.finish is Finish.REFUSED:
            raise ModelError(texts.WITHHELD)
        self.session.append(Answered(message, answer.usage))

    def _asked(self) -> Answer:
        """The next answer. A conversation that the server finds too long is compacted and sent again, at most twice."""
        ledger = self.session.ledger
        for part in (0.5, 0.1):
            try:
                return self._ask()
            except ContextOverflow as error:
                try:
                    self._shorten(int(min(ledger.tokens, self._window) * part))
                except NothingToCompact:
                    raise error from None
        try:
            return self._ask()
        except ContextOverflow as error:
            raise ModelError(texts.CANNOT_FIT, mend=error.mend, status=error.status) from error

    def _ask(self) -> Answer:
        messages = [self._system, *self.session.ledger.view]
        return self._asker.ask(messages, self._registry.definitions(), self.config.options)

    def _carry_out(self, limits: Limits) -> Text | None:
        """Execute the calls that wait, in order, each result written down before the next call begins."""
        ledger = self.session.ledger
        calls = ledger.open_calls
        answer = next(message for message in reversed(ledger.messages) if isinstance(message, Assistant))
        results = [self._call(call, cut_off=answer.finish is Finish.LENGTH) for call in calls]
        for outcome in results:
            limits.result(outcome.failed)
        exempt = all(self._registry.repeats(call.name) for call in calls)
        return limits.batch(calls, [outcome.same or outcome.text for outcome in results], exempt=exempt)

    def _call(self, call: ToolCall, *, cut_off: bool) -> Outcome:
        stop_if(self._cancel)
        self._tell(ToolStarted(call_id=call.id, name=call.name, arguments=call.arguments))
        began = time.monotonic()
        outcome = Outcome(CUT_OFF, failed=True) if cut_off else self._registry.carry_out(call)
        result = ToolResult(call.id, call.name, whole(outcome.text), outcome.failed)
        self.session.append(Carried(result, outcome.effect))
        seconds = time.monotonic() - began
        self._tell(ToolEnded(call_id=call.id, name=call.name, text=result.text, failed=result.failed, seconds=seconds))
        return outcome

    # --- the end ---

    def _may_end(self) -> bool:
        config = self.config
        required = config.check_after_write and config.approval is not Approval.READ_ONLY
        match gate.judge(self.session.ledger, required=required, reminders=config.reminders):
            case gate.Gate.OPEN:
                return True
            case gate.Gate.REMIND:
                self.session.append(Reminded(User(gate.REMINDER)))
                return False
            case gate.Gate.SHUT:
                self._stop_if(texts.NEVER_CHECKED)
        return False

    def _end(self, last: Assistant) -> RunResult:
        if last.finish is Finish.LENGTH:
            self._notice(texts.CUT_SHORT)
        self.session.append(Ended("completed"))
        usage = self.session.ledger.usage
        self._tell(Completed(text=last.text, usage=usage))
        return RunResult(last.text, usage)

    def _stop_if(self, reason: Text | None) -> None:
        if reason is not None:
            self.session.append(Ended("stopped", reason.en))
            raise Stopped(reason)

    # --- the conversation's length ---

    @property
    def _window(self) -> int:
        """The size of the model's context in tokens; a client may learn it only later."""
        return self.config.context_tokens or self.client.context_tokens or ASSUMED_WINDOW

    def _shorten(self, keep: int) -> None:
        self._tell(compact(self.session, self._asker, keep=keep, window=self._window))

    def _shorten_if_possible(self, keep: int) -> None:
        """Compact before the server has to refuse; if that fails, the conversation goes on as it is."""
        try:
            self._shorten(keep)
        except NothingToCompact:
            pass  # one huge batch; the server will say whether it is too much
        except ModelError as error:
            self._notice(error.what)

    # --- setting up, and telling ---

    def _begin(self, *, resumed: bool) -> None:
        event: AnyEvent = RunStarted(model=self.client.name, workspace=str(self._workspace.root), resumed=resumed)
        self._tell(event)
        if self.session.damaged:
            self._notice(texts.SESSION_DAMAGED.of(count=self.session.damaged))
        for lacking in (self._unconfined, *(why for _, why in self._missing)):
            if lacking is not None:
                self._notice(lacking)

    def _new_choice(self) -> Sequence[ModelChosen]:
        """The model of the settings, unless the session names it already; a client passed in is the host's choice."""
        if self.client not in self._owned:
            return ()
        config = self.config
        chosen = ModelChosen(
            whole(redact.url(config.base_url)) if config.base_url else None,
            whole(config.model) if config.model else None,
        )
        return () if chosen == self.session.ledger.chosen else (chosen,)

    def _notice(self, text: Text) -> None:
        self._tell(Notice(level="warning", text=text.in_language(self.config.language)))

    def _opened(self, trust: Trust) -> Session:
        path = self.config.session or self._workspace.root / STATE / "session.jsonl"
        session = Session(path, workspace=self._workspace.root, trust=trust)
        self._owned.append(session)
        return session

    def _connected_servers(self) -> tuple[Sequence[AnyTool], Sequence[tuple[str, Text]]]:
        """The tools of all MCP servers, and the servers that did not start, each with the reason."""
        if not self.config.mcp:
            return (), ()
        from xuen.xwork.mcp.hub import Hub

        self._hub = Hub(self.config.mcp, self._workspace.root, self._cancel)
        return self._hub.ready()

    def _connected(self) -> ModelClient:
        from xuen.xwork.model.connect import connect

        ledger = self.session.ledger
        request = ledger.request if ledger.interrupted else self.config.request
        client = connect(self.config, self._tell, self._cancel, request)
        self._owned.append(client)
        return client
