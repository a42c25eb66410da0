"""What the refusals of model servers mean, as pure functions: from status and message to one of xwork's errors.

Owns the patterns by which servers say that a request is too long; they agree on no code for it.
"""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from typing import Any

from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.errors import AccessDenied, ContextOverflow, ModelError, RequestRefused, Retryable
from xuen.xwork.session.records import whole

_TOO_LONG = re.compile(
    r"context[ _]length[ _]exceeded|exceed_context_size|maximum context length|context (?:window|length|size)"
    r"|exceeds? (?:the )?(?:available |model'?s? |maximum )?context|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|input token count|maximum (?:number of )?(?:input )?tokens"
    r"|reduce the length|max_?prompt_?tokens|token limit exceeded|request too large for"
    r"|longer than the (?:model|maximum)",
    re.IGNORECASE,
)
_RATE = re.compile(r"rate.?limit|tokens per (?:minute|day)|requests per|too many requests|throttl", re.IGNORECASE)
_OUT_OF_MONEY = re.compile(r"insufficient_quota|billing|credit balance|exceeded your current quota", re.IGNORECASE)
_LATER = re.compile(
    r"overloaded|rate.?limit|try again|temporar|unavailable|timed? ?out|timeout|capacity|internal.?(?:server.?)?error"
    r"|server_error|api_error",
    re.IGNORECASE,
)
_TRANSIENT = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_SHOWN = 500  # characters of a server's message


def told(body: Any) -> str:
    """What a server says about its error, in any of the shapes that they use."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        parts = [error.get(name) for name in ("type", "code", "message", "detail")]
        words = [str(part) for part in parts if isinstance(part, str | int) and part not in ("", None)]
        text = ": ".join(words)
    else:
        text = error if isinstance(error, str) else ""
    return " ".join(whole(text).split())[:_SHOWN]


def refusal(
    status: int,
    reason: str,
    key_variable: str,
    *,
    has_key: bool,
    after: tuple[str | None, str | None] = (None, None),
) -> ModelError:
    """The error for a refused request; status 0 for one that a stream reported. `after` are the headers
    `retry-after` and `retry-after-ms`."""
    shown = plain(reason)
    what = texts.SERVER_SAID.of(status=status, reason=shown) if status else texts.SERVER_ERROR.of(reason=shown)
    if _TOO_LONG.search(reason) and not _RATE.search(reason) and status not in (401, 403):
        return ContextOverflow(texts.TOO_LONG.of(reason=shown), status=status)
    if status in (401, 403) or (status in (402, 429) and _OUT_OF_MONEY.search(reason)):
        mend = texts.ACCESS_MEND if has_key else texts.ACCESS_MEND_NO_KEY
        return AccessDenied(
            texts.ACCESS.of(status=status, reason=shown), mend=mend.of(variable=plain(key_variable)), status=status
        )
    if status == 413:
        return ContextOverflow(texts.TOO_LONG.of(reason=shown), status=status)
    if status in _TRANSIENT or (status == 0 and _LATER.search(reason)):
        return Retryable(what, status=status, retry_after=seconds(*after))
    return RequestRefused(what, mend=texts.NOT_FOUND_MEND if status == 404 else None, status=status)


def seconds(after: str | None, milliseconds: str | None = None) -> float | None:
    """How long a server asks to wait: seconds, milliseconds, or a date."""
    for text, unit in ((milliseconds, 0.001), (after, 1.0)):
        try:
            number = float(text or "") * unit
        except ValueError:
            continue
        if 0 <= number < float("inf"):
            return number
    try:
        return max(0.0, parsedate_to_datetime(after or "").timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
