"""Whether a tool call may be carried out: the approval mode, and a callback of the host.

Owns the order: read-only is a ceiling that nothing lifts; below it the callback decides; where it has no opinion,
or there is none, the mode does. Fails closed: a callback that breaks denies. A command is judged as the whole text
that the shell gets, never by how it begins.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec


class Risk(StrEnum):
    """What a call can do at most."""

    READ = "read"  # looks at files or processes
    WRITE = "write"  # changes files in the workspace
    EXECUTE = "execute"  # runs or steers programs, which may do anything


class Approval(StrEnum):
    """Who agrees to what goes beyond reading."""

    AUTO = "auto"
    ASK = "ask"
    READ_ONLY = "read-only"


class Resource(msgspec.Struct, frozen=True):
    """What a call is about: a `path` in the workspace, a `command`, or a managed `process`."""

    kind: str
    value: str


class Request(msgspec.Struct, frozen=True):
    """What the callback gets to see of a call."""

    call_id: str
    tool: str
    arguments: str  # the whole JSON object
    risk: Risk
    resources: tuple[Resource, ...]


class Verdict(StrEnum):
    """The callback's answer; `default` leaves it to the approval mode."""

    ALLOW = "allow"
    DENY = "deny"
    DEFAULT = "default"


OnPermission = Callable[[Request], Verdict]


class Denied(msgspec.Struct, frozen=True):
    """Why a call is not carried out; for the model."""

    reason: str


def decide(approval: Approval, request: Request, verdict: Verdict) -> Denied | None:
    """None when the call may go on; `verdict` is what the callback said, DEFAULT without one."""
    if approval is Approval.READ_ONLY and request.risk is not Risk.READ:
        return Denied("denied: this agent is read-only; only tools that read are available")
    if verdict is Verdict.DENY:
        return Denied("denied: this call was not permitted")
    if verdict is Verdict.ALLOW or approval is not Approval.ASK or request.risk is Risk.READ:
        return None
    return Denied("denied: this call needs a permission, and nobody gave it")
