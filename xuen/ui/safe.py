"""Foreign text made harmless for a terminal: agents, section contents and file names are never trusted.

Owns the last filter before a person's terminal. Whatever goes through `clean` holds no control character
but newline and tab, no terminal control sequence, no direction override and nothing that UTF-8 cannot encode;
printable text, markup-looking text included, comes through unchanged.
"""

from __future__ import annotations

import re

from xuen.proc.output import DIRECTIONS

_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, reports
    r"|(?:\x1b[\]P^_X]|[\x9d\x90\x9e\x9f\x98])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, PM, APC, SOS, closed
    r"|\x1b[ -/]*[0-Z\\^-~]"  # two-character escapes, RIS among them
)
_CONTROLS = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{DIRECTIONS}]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text without anything that a terminal would obey.

    An unterminated sequence loses its introducer only, so that what follows it stays readable.
    """
    if text.isprintable():
        return text
    return without_controls(_SEQUENCES.sub("", text))


def without_controls(text: str) -> str:
    """The same where a text is edited: only what takes no room on the screen goes, so that the cursor stands right."""
    if text.isprintable():
        return text
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", _CONTROLS.sub("", text))
