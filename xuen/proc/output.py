"""What an agent prints, made fit for people: bytes in, clean lines out, never more memory than stated.

Owns the cleaning (terminal control sequences, rewriting by carriage return, broken UTF-8, over-long lines) and the
cutting of a byte stream into lines. Refuses nothing: any bytes give some text. Always: a clean line holds no control
character but the tab, no direction override and no line break; what is left of a line over `LINE_LIMIT` bytes says
that it was cut; one line is cleaned without regard to those before it, so a sequence that is never finished cannot
swallow what follows on the next line. Colours are removed like everything else.
"""

from __future__ import annotations

import re
from typing import Final

from xuen.texts import Language
from xuen.texts.proc import LINE_CUT

LINE_LIMIT: Final = 64 * 1024  # bytes
_KEPT: Final = LINE_LIMIT - 256  # bytes that stay of a longer line, so that it fits with its notice

# ECMA-48 forms with their 7-bit and, as UTF-8, their 8-bit introducers. Strings (OSC, DCS, SOS, PM, APC) end with
# BEL or ST; one that does not end, or meets another introducer first, loses its own only, so the text after it stays.
_SEQUENCES: Final = re.compile(
    rb"(?:\x1b\[|\xc2\x9b)[0-?]*[ -/]*[@-~]?"  # CSI, also one that breaks off
    rb"|(?:\x1b[\]PX^_]|\xc2[\x9d\x90\x98\x9e\x9f])"  # strings
    rb"(?:(?:[^\x07\x18\x1a\x1b\xc2]|\xc2(?![\x90\x98\x9c-\x9f]))*(?:\x07|\x1b\\|\xc2\x9c))?"
    rb"|\x1b[ -/]+[0-~]?"  # escape with intermediates: character sets and the like
    rb"|\x1b[0-~]?"  # all other escapes
    rb"|\xc2[\x80-\x9f]"  # remaining C1
)
_CONTROLS: Final = bytes(set(range(32)) - {9}) + b"\x7f"
_SEPARATORS: Final = re.compile("[\u2028\u2029]")
DIRECTIONS: Final = "\u202a-\u202e\u2066-\u2069"
"""The characters, as ranges of a pattern, that would turn around whatever follows them on the screen."""
_HIDDEN: Final = re.compile(f"[\x80-\x9f{DIRECTIONS}]")  # C1 too, which arises where something between was removed


def clean_line(raw: bytes, language: Language = "en") -> str:
    """One line, without or with its line feed, as text that is safe to show."""
    raw = _last_state(raw.rstrip(b"\r\n"))
    left_out = 0
    if len(raw) > LINE_LIMIT:
        kept = whole_characters(raw[:_KEPT])
        raw, left_out = kept, len(raw) - len(kept)
    if b"\x1b" in raw or b"\xc2" in raw:
        raw = _SEQUENCES.sub(b"", raw)
    text = raw.translate(None, _CONTROLS).decode("utf-8", "replace")
    if not text.isascii():
        text = _HIDDEN.sub("", _SEPARATORS.sub(" ", text))
    return text + _cut_notice(left_out, language) if left_out else text


def clean_text(raw: bytes, language: Language = "en") -> str:
    """Any number of lines, cleaned each by itself; a final line feed stays."""
    return "\n".join(clean_line(line, language) for line in raw.split(b"\n"))


def whole_characters(raw: bytes) -> bytes:
    """`raw` without a UTF-8 character that a cut left incomplete at its end."""
    for back in range(1, min(4, len(raw)) + 1):
        byte = raw[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            need = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return raw[:-back] if need > back else raw
    return raw


def _cut_notice(count: int, language: Language) -> str:
    return LINE_CUT.of(count=f"{count:,}").in_language(language)


def _last_state(raw: bytes) -> bytes:
    """What a terminal would show after all rewriting: the last state that is not empty."""
    if b"\r" not in raw:
        return raw
    return next((state for state in reversed(raw.split(b"\r")) if state), b"")


class LineCutter:
    """A stream of bytes cut into whole lines; holds back one unfinished line of at most `LINE_LIMIT` bytes."""

    def __init__(self, language: Language = "en") -> None:
        self._language = language
        self._rest = bytearray()
        self._dropped = 0  # bytes of the unfinished line that are not kept
        self._turned = False  # the unfinished line ends with a carriage return
        self._rewritten = False

    def feed(self, chunk: bytes) -> bytes:
        """The lines that `chunk` completes, each with its line feed; empty when there is none."""
        end = chunk.rfind(b"\n") + 1
        if not end:
            self._hold(chunk)
            return b""
        whole = chunk[:end]
        if self._rest or self._dropped:
            first = chunk.index(b"\n")
            self._hold(chunk[:first])
            whole = self._take() + chunk[first:end]
        self._rewritten = False
        self._hold(chunk[end:])
        return whole

    def finish(self) -> bytes:
        """The unfinished line at the end of the stream, with a line feed; empty when there is none."""
        return self._take() + b"\n" if self._rest or self._dropped else b""

    def rewritten(self) -> bytes:
        """The present state of an unfinished line that was rewritten by carriage returns; else empty."""
        return bytes(self._rest) if self._rewritten else b""

    def _hold(self, piece: bytes) -> None:
        if not piece:
            return
        if b"\r" in piece:
            # Only the last state counts, so memory stays bounded however often the line is rewritten.
            held = bytes(self._rest)
            state = _last_state(held + (b"\r" if self._turned else b"") + piece)
            self._rewritten, self._turned = True, piece.endswith(b"\r")
            if state == held:
                return
            self._rest.clear()
            self._dropped = 0
            piece = state
        elif self._turned:
            self._turned = False
            self._rest.clear()
            self._dropped = 0
        room = max(0, _KEPT - len(self._rest))
        self._rest += piece[:room]
        self._dropped += max(0, len(piece) - room)

    def _take(self) -> bytes:
        raw = bytes(self._rest)
        if self._dropped:
            kept = whole_characters(raw)
            raw = kept + _cut_notice(self._dropped + len(raw) - len(kept), self._language).encode()
        self._rest.clear()
        self._dropped, self._turned, self._rewritten = 0, False, False
        return raw
