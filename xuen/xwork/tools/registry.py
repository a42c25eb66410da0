"""All tools by name, and the way of one call through policy, hooks and its tool to a result.

Owns the tool boundary: whatever a tool does, the model gets a result and the run goes on. Always holds: the order
is decode, permission, before-hooks, the tool, after-hooks, shortening; hooks see the full result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from xuen.xwork.errors import Interrupted
from xuen.xwork.messages import ToolCall, ToolDefinition
from xuen.xwork.policy import hooks as hook_boundary
from xuen.xwork.policy.hooks import Hook
from xuen.xwork.policy.paths import PathRefused
from xuen.xwork.policy.permission import Approval, Denied, OnPermission, Request, Risk, Verdict, decide
from xuen.xwork.tools.base import AnyTool, Arguments
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Effect, HalfDone, Outcome, ToolError

MALFORMED = "_malformed"
"""The only field of arguments that stand for a text which was no JSON object; the field holds that text."""


class Policy(msgspec.Struct, frozen=True):
    """Who may object to a call."""

    approval: Approval = Approval.AUTO
    on_permission: OnPermission | None = None
    hooks: tuple[Hook, ...] = ()


class Registry:
    """The tools that one agent offers."""

    def __init__(
        self, tools: Iterable[AnyTool], context: ToolContext, policy: Policy, missing: Mapping[str, str] | None = None
    ) -> None:
        """`missing` says, by what the names of absent tools begin with, why they are absent."""
        self._tools = {tool.name: tool for tool in tools}
        self._missing = missing or {}
        self._context = context
        self._policy = policy

    def definitions(self) -> Sequence[ToolDefinition]:
        """What the model is told; a read-only agent does not offer what it would deny."""
        read_only = self._policy.approval is Approval.READ_ONLY
        return [tool.definition for tool in self._tools.values() if not read_only or tool.risk is Risk.READ]

    def repeats(self, name: str) -> bool:
        """Whether this tool is meant to be called repeatedly with the same arguments."""
        return name in self._tools and self._tools[name].repeats

    def writes(self, name: str) -> bool:
        """Whether it is the purpose of this tool to change files."""
        return name in self._tools and self._tools[name].writes

    def carry_out(self, call: ToolCall) -> Outcome:
        """Carry out one call, from decoding to the shortened result; never raises for what a tool does.

        Raises:
            Interrupted: the cancel token was set, so the result, if there is one, is not to be recorded.
        """
        try:
            tool, arguments = self._decode(call)
        except ToolError as error:
            return Outcome(str(error), failed=True)
        request = Request(call.id, tool.name, call.arguments, tool.risk, tool.resources(arguments))
        if denied := self._denied(request):
            return Outcome(denied.reason, failed=True)
        outcome = self._run(tool, arguments)
        if objection := hook_boundary.after(self._policy.hooks, request, outcome.text, outcome.failed):
            effect = Effect.NONE if outcome.effect is Effect.CHECK else outcome.effect
            text = f"{objection.reason}\n{outcome.text}"
            outcome = msgspec.structs.replace(outcome, text=text, failed=True, effect=effect)
        if outcome.bounded:
            return outcome
        text, same = self._context.artifacts.shorten(outcome.text), outcome.same or outcome.text
        return msgspec.structs.replace(outcome, text=text, same=same)

    def _decode(self, call: ToolCall) -> tuple[AnyTool, Arguments]:
        tool = self._tools.get(call.name)
        if tool is None:
            for beginning, reason in self._missing.items():
                if call.name.startswith(beginning):
                    raise ToolError(reason)
            raise ToolError(f"there is no tool {call.name!r}; the tools are: {', '.join(self._tools)}")
        if call.arguments.startswith(f'{{"{MALFORMED}":'):
            raise ToolError("the arguments were not carried out: they must be one JSON object, whole and valid")
        return tool, tool.decode(call.arguments)

    def _denied(self, request: Request) -> Denied | None:
        # The ceiling comes first: what it forbids is not even asked about.
        if self._policy.approval is Approval.READ_ONLY and request.risk is not Risk.READ:
            return decide(self._policy.approval, request, Verdict.DEFAULT)
        verdict = hook_boundary.permission(self._policy.on_permission, request)
        if isinstance(verdict, Denied):
            return verdict
        return decide(self._policy.approval, request, verdict) or hook_boundary.before(self._policy.hooks, request)

    def _run(self, tool: AnyTool, arguments: Arguments) -> Outcome:
        try:
            return tool.run(arguments, self._context)
        except HalfDone as error:
            return Outcome(str(error), failed=True, effect=Effect.WRITE)
        except (ToolError, PathRefused) as error:
            return Outcome(str(error), failed=True)
        except Interrupted:
            raise
        except Exception as error:  # noqa: BLE001 - the tool boundary: the model is told, the run goes on
            effect = Effect.NONE if tool.risk is Risk.READ else Effect.WRITE  # how far it came is not known
            return Outcome(f"the tool broke: {type(error).__name__}: {error}", failed=True, effect=effect)
