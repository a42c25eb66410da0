"""What a language model said after it stopped thinking.

Owns the marks with which models and their servers fence thinking in. Pure. Always: what is left was said outside all
of them, in order; in doubt it is less than was said, never more.
"""

from __future__ import annotations

import re

_NAME = r"(?:[\w.-]{1,20}:)?(?:think|thinking|thoughts?|reasoning|reflection)"
_OPENER = rf"(?:<{_NAME}(?:\s[^<>]{{0,200}})?>|\[THINK\]|◁think▷)"
_CLOSER = rf"(?:</{_NAME}\s{{0,20}}>|\[/THINK\]|◁/think▷)"
_TAG = re.compile(rf"(?P<opening>{_OPENER})|{_CLOSER}", re.IGNORECASE)
_CHANNEL, _FINAL_CHANNEL = "<|channel|>", "<|channel|>final<|message|>"


def without_thinking(text: str) -> str:
    """The text after the model stopped thinking; where a thought stood between other text, a line ends.

    Whatever stands before a closing tag without an opening one was thought (servers drop the opening one), and so
    was everything after an opening tag that is never closed.
    """
    if _CHANNEL in text:
        return text.rpartition(_FINAL_CHANNEL)[2].split("<|", 1)[0] if _FINAL_CHANNEL in text else ""
    said: list[str] = []
    depth = at = 0
    for tag in _TAG.finditer(text):
        if not depth:
            said.append(text[at : tag.start()])
        at = tag.end()
        if tag["opening"]:
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                said.append("\n")
        else:
            said.clear()
    return "".join(said if depth else [*said, text[at:]])
