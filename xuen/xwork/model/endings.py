"""Why a model stopped writing, from the word that its server has for it. Pure."""

from __future__ import annotations

from xuen.xwork.messages import Finish

_KNOWN = {
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "tool_calls": Finish.CALLS,
    "function_call": Finish.CALLS,
    "tool_use": Finish.CALLS,
    "content_filter": Finish.REFUSED,
    "refusal": Finish.REFUSED,
}


def ending(word: str) -> Finish:
    """What the server's word means."""
    return _KNOWN.get(word, Finish.STOP)
