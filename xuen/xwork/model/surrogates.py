"""Surrogate pairs that a server split: some send the two halves of one character in different pieces.

Pure. Always holds: what comes out can be encoded as UTF-8 and does not depend on where the text was split; a lone
surrogate becomes U+FFFD.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xuen.xwork.model.client import Delta, Finished, ReasoningDelta, TextDelta
from xuen.xwork.session.records import whole


def joined(deltas: Iterable[Delta]) -> Iterator[Delta]:
    """The same pieces; a high surrogate at the end of one is held back until the next piece of that text arrives."""
    held: dict[type[TextDelta | ReasoningDelta], str] = {}
    for delta in deltas:
        match delta:
            case TextDelta(text) | ReasoningDelta(text):
                text = held.pop(type(delta), "") + text
                if "\ud800" <= text[-1:] <= "\udbff":
                    held[type(delta)], text = text[-1], text[:-1]
                if text:
                    yield type(delta)(whole(text))
            case Finished():
                yield from _rest(held)
                yield delta
            case _:
                yield delta
    yield from _rest(held)


def _rest(held: dict[type[TextDelta | ReasoningDelta], str]) -> Iterator[Delta]:
    while held:
        kind, half = held.popitem()
        yield kind(whole(half))
