"""The errors of xwork.

    UserError (xuen)             one line for a person: what, where, the mend
    ├── BadUse                   arguments of the command that make no sense; ends with code 2
    └── XworkError               a run that failed; ends with code 1
        ├── Interrupted          somebody asked for the end; ends with code 130
        └── ModelError           a completion that did not come about
            ├── Retryable        the same request may work later: overload, rate limit, a broken stream
            ├── ContextOverflow  the request does not fit into the model's context
            ├── AccessDenied     no key, a wrong key, no right to this model
            ├── RequestRefused   the server does not want this request, and would not want it again
            ├── ModelMissing     the runtime or the weights of the embedded model are not there
            ├── EmptyAnswer      the model ended without a word and without a call
            └── ScriptOver       a scripted model was asked for more than its script holds

A client raises nothing else for what a provider or the network does.
"""

from __future__ import annotations

from xuen.errors import UserError
from xuen.texts import Text


class BadUse(UserError):
    """The command line of xwork, or a file named on it."""


class XworkError(UserError):
    """A run that failed."""

    exit_code = 1


class Interrupted(XworkError):
    """The cancel token was set while something was waited for."""

    exit_code = 130


class ModelError(XworkError):
    """A completion that did not come about; `status` is the HTTP status where there was one."""

    def __init__(self, what: Text, *, where: str = "", mend: Text | None = None, status: int | None = None) -> None:
        super().__init__(what, where=where, mend=mend)
        self.status = status


class Retryable(ModelError):
    """The same request may work later; `retry_after` is what the server asked for, in seconds."""

    def __init__(
        self,
        what: Text,
        *,
        where: str = "",
        mend: Text | None = None,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(what, where=where, mend=mend, status=status)
        self.retry_after = retry_after


class ContextOverflow(ModelError):
    """The request does not fit into the model's context; a shorter one may."""


class AccessDenied(ModelError):
    """The provider refuses this key, or wants one, for this model."""


class RequestRefused(ModelError):
    """The server refused the request for good: an unknown model, a field that it does not take."""


class ModelMissing(ModelError):
    """The embedded model cannot run here; the mend is the one command that changes it."""


class EmptyAnswer(ModelError):
    """The model ended without a word and without a call."""


class ScriptOver(ModelError):
    """A scripted model was asked more often than its script has answers."""
