"""Why a model stopped writing, from the word that its server has for it. Pure.

Servers agree on no list of words, so an answer counts as whole only for the words that are known to say so.
Sources: the documentation of OpenAI, Anthropic, Mistral, Cohere, Gemini, Zhipu, DeepSeek, Together, vLLM and TGI.
"""

from __future__ import annotations

import re

from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.errors import Retryable
from xuen.xwork.messages import Finish

_WORDS = {
    Finish.STOP: "stop eos eos_token end end_turn stop_sequence complete completed",
    Finish.CALLS: "tool_calls tool_call tool_use function_call",
    Finish.LENGTH: "length max_tokens max_output_tokens max_new_tokens max_length model_length"
    " model_context_window_exceeded",
    Finish.REFUSED: "content_filter sensitive refusal safety recitation blocklist prohibited_content spii",
}
_KNOWN = {word: finish for finish, words in _WORDS.items() for word in words.split()}
_FAILED = re.compile(
    r"error|fail|abort|cancel|interrupt|time_?d?_?out|overload|unavailable|insufficient", re.IGNORECASE
)


def ending(word: str) -> Finish:
    """What the server's word means; `Finish.OTHER` where it is not known, or empty.

    Raises:
        Retryable: the server failed while the model was writing.
    """
    known = _KNOWN.get(word.strip().lower())
    if known is None and _FAILED.search(word):
        raise Retryable(texts.BROKEN_STREAM.of(reason=texts.ENDED_WITH.of(word=plain(repr(word)))))
    return known or Finish.OTHER
