"""`replace_text`: exact replacement that notices when the file is not what the model believes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from xuen.xwork.policy.permission import Risk
from xuen.xwork.tools.base import Arguments, Count, PathText, Tool, path_of
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Effect, Outcome, ToolError
from xuen.xwork.tools.text_file import LIMIT, TextFile, decode, encode, newline_of


class ReplaceText(Arguments, frozen=True, kw_only=True):
    """Arguments of `replace_text`."""

    path: PathText
    old_text: Annotated[str, Meta(min_length=1, description="Exactly as it stands in the file, spaces included")]
    new_text: str
    expected_count: Annotated[Count, Meta(description="How often old_text must stand there; all are replaced")] = 1


def _run(asked: ReplaceText, context: ToolContext) -> Outcome:
    if asked.old_text == asked.new_text:
        raise ToolError("old_text and new_text are the same")
    encode(asked.old_text + asked.new_text)  # both can stand in a file
    with context.workspace.place(asked.path, writing=True) as place:
        file = decode(place.read(LIMIT), place.shown)
        old, new = _in_line_ends_of(file.text, asked)
        places = _places(file.text, old)
        if len(places) != asked.expected_count:
            raise ToolError(_conflict(file.text, places, place.shown, asked))
        place.write(TextFile(file.text.replace(old, new), file.bom).encode())
    times = f"{len(places)} times" if len(places) > 1 else f"in line {places[0]}"
    return Outcome(f"Replaced {times} in {place.shown}", effect=Effect.WRITE)


def _in_line_ends_of(text: str, asked: ReplaceText) -> tuple[str, str]:
    """Old and new text with the file's line ends, where the model wrote plain ones into a file that has others."""
    if asked.old_text in text or newline_of(text) == "\n":
        if newline_of(text) == "\r\n" and "\n" not in asked.old_text:  # one line of it: only the new text has ends
            return asked.old_text, _crlf(asked.new_text)
        return asked.old_text, asked.new_text
    return _crlf(asked.old_text), _crlf(asked.new_text)


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _places(text: str, old: str) -> list[int]:
    """The lines, from 1, in which the old text begins."""
    places: list[int] = []
    number, counted, at = 1, 0, text.find(old)
    while at >= 0:
        number += text.count("\n", counted, at)
        counted = at
        places.append(number)
        at = text.find(old, at + len(old))
    return places


def _conflict(text: str, places: list[int], shown: str, asked: ReplaceText) -> str:
    if places:
        lines = ", ".join(map(str, places[:20]))
        return (
            f"old_text stands {len(places)} times in {shown} (lines {lines}), expected {asked.expected_count}. "
            "Nothing was changed: give more of the text around it, or the right expected_count."
        )
    wanted = " ".join(asked.old_text.split())
    near = wanted and wanted in " ".join(text.split())
    hint = "It is there with other white space: read the file again and copy it exactly." if near else "Read it again."
    return f"old_text does not stand in {shown}. Nothing was changed. {hint}"


TOOL = Tool(
    "replace_text",
    "Replace an exact text in a file. Changes nothing unless old_text stands there exactly expected_count times.",
    ReplaceText,
    _run,
    risk=Risk.WRITE,
    resources=path_of,
)
