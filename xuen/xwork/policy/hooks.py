"""Hooks of the host around tool calls, and the only place where its code is called from the loop.

A hook sees the full arguments before a call and the full result after it, and may object. Fails closed: a hook or
a permission callback that raises counts as an objection, and why is told. An objection before a call prevents it;
one after it marks the result failed and says that what was done stays done. `Interrupted` alone passes through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from xuen.xwork.errors import Interrupted
from xuen.xwork.policy.permission import Denied, OnPermission, Request, Verdict


class Hook(Protocol):
    """What a host may put around every call; a returned text is the objection."""

    def before(self, request: Request) -> str | None:
        """Called when the call is permitted and not yet begun."""
        ...

    def after(self, request: Request, text: str, failed: bool) -> str | None:
        """Called with the whole result, before anything of it is shortened."""
        ...


def permission(callback: OnPermission | None, request: Request) -> Verdict | Denied:
    """The callback's verdict; DEFAULT without one, a denial when it broke or answered something else."""
    if callback is None:
        return Verdict.DEFAULT
    try:
        return Verdict(callback(request))
    except Interrupted:
        raise
    except Exception as error:  # noqa: BLE001 - the hook boundary: code of the host, whatever it does, must not open a door
        return Denied(f"denied: the permission check broke: {_told(error)}")


def before(hooks: Sequence[Hook], request: Request) -> Denied | None:
    """The first objection to a call that has not begun."""
    objection = _first(hooks, lambda hook: hook.before(request), "before")
    return None if objection is None else Denied(f"denied: {objection}")


def after(hooks: Sequence[Hook], request: Request, text: str, failed: bool) -> Denied | None:
    """The first objection to a call that is over."""
    objection = _first(hooks, lambda hook: hook.after(request, text, failed), "after")
    if objection is None:
        return None
    return Denied(f"rejected after it ran: {objection}. What the call did is not undone: its effects stay.")


def _first(hooks: Sequence[Hook], ask: Callable[[Hook], str | None], when: str) -> str | None:
    for hook in hooks:
        try:
            objection = ask(hook)
        except Interrupted:
            raise
        except Exception as error:  # noqa: BLE001 - the hook boundary
            return f"the check {when} the call broke: {_told(error)}"
        if objection is not None:
            return objection or "a check objected"
    return None


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
