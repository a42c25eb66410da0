"""What the refusals of model servers mean, as pure functions: from status and message to one of xwork's errors.

Owns the patterns by which servers say that a request is too long; they agree on no code for it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.errors import AccessDenied, ContextOverflow, ModelError, RequestRefused, Retryable
from xuen.xwork.session.records import whole

if TYPE_CHECKING:
    import httpx

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
_DEEPEST = 5  # levels of an error within an error


def is_error(event: Mapping[str, Any]) -> bool:
    """Whether a part of an answer reports a failure instead, in any of the shapes that servers use."""
    choices = event.get("choices")
    holders = [event, *(choices if isinstance(choices, list) else ())]
    if any(isinstance(holder, dict) and (holder.get("error") or holder.get("errors")) for holder in holders):
        return True
    if "error" in (event.get("object"), event.get("type"), event.get("status")):
        return True
    return "choices" not in event and any(
        isinstance(event.get(name), str | list) for name in ("message", "msg", "detail")
    )


def status_of(event: object, level: int = 0) -> int:
    """The HTTP status that a report of a failure holds as its code; 0 without one."""
    if not isinstance(event, dict) or level > _DEEPEST:
        return 0
    for name in ("code", "status", "status_code"):
        if isinstance(code := event.get(name), int) and 400 <= code < 600:
            return code
    return status_of(event.get("error"), level + 1)


def told(body: object) -> str:
    """What a server says about its error: the words in it, or all of it where they are in no known place."""
    text = ": ".join(dict.fromkeys(_words(body)))
    return shown(text or (json.dumps(body, ensure_ascii=False) if body else ""))


def _words(body: object, level: int = 0) -> Iterator[str]:
    if isinstance(body, dict) and level < _DEEPEST:
        for name in ("choices", "error", "errors", "type", "code", "loc", "message", "msg", "detail"):
            yield from _words(body.get(name), level + 1)
    elif isinstance(body, list) and level < _DEEPEST:
        for item in body:
            yield from _words(item, level + 1)
    elif isinstance(body, str | int) and not isinstance(body, bool) and body not in ("", "error"):
        yield str(body)


def shown(text: str) -> str:
    """What a server sent as one line that can be shown."""
    return " ".join(whole(text).split())[:_SHOWN]


def refusal_of(response: httpx.Response, key: str | None, key_variable: str) -> ModelError:
    """What an answer that is no success means; some servers repeat the key in it."""
    try:
        reason = told(response.json())
    except (ValueError, RecursionError):
        reason = ""
    reason = reason or " ".join(response.text.split())[:300] or response.reason_phrase
    after = response.headers.get("retry-after"), response.headers.get("retry-after-ms")
    return refusal(response.status_code, without(key, reason), key_variable, has_key=bool(key), after=after)


def without(key: str | None, text: str) -> str:
    """The text without the key."""
    return text.replace(key, "***") if key else text


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
