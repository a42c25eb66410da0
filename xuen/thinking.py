"""What a language model said after it stopped thinking.

Owns the marks with which models and their servers fence thinking in. Pure. Always: what is left was said outside all
of them, in order; in doubt it is less than was said, never more.
"""

from __future__ import annotations

import re

_NAME = r"(?:[\w.-]{1,20}:)?(?:think|thinking|thoughts?|reasoning|reflection)"
_OPENER = rf"(?:<{_NAME}(?:\s[^<>]{{0,200}})?>|\[THINK\]|◁think▷)"
_CLOSER = rf"(?:</{_NAME}\s{{0,20}}>|\[/THINK\]|◁/think▷)"
_THOUGHT = re.compile(rf"{_OPENER}(?:(?!{_OPENER}).)*?{_CLOSER}", re.IGNORECASE | re.DOTALL)
_OPEN = re.compile(_OPENER, re.IGNORECASE)
_CLOSE = re.compile(_CLOSER, re.IGNORECASE)
_CHANNEL, _FINAL_CHANNEL = "<|channel|>", "<|channel|>final<|message|>"


def without_thinking(text: str) -> str:
    """The text after the model stopped thinking; where a thought stood between other text, a line ends.

    Whatever stands before a closing tag without an opening one was thought (servers drop the opening one), and so
    was everything after an opening tag that is never closed.
    """
    if _CHANNEL in text:
        return text.rpartition(_FINAL_CHANNEL)[2].split("<|", 1)[0] if _FINAL_CHANNEL in text else ""
    while (shorter := _THOUGHT.sub("\n", text)) != text:
        text = shorter
    closers = list(_CLOSE.finditer(text))
    if closers:
        text = text[closers[-1].end() :]
    opener = _OPEN.search(text)
    return text[: opener.start()] if opener else text
