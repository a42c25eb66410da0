"""Output that is too long for a conversation: the whole goes into a file, its head and tail into the context.

Owns `.xwork/artifacts` in the workspace and the shape of what is left in the context. Always holds: what is left
out is said with its size and where it can be read; a file that is there already is never changed.
"""

from __future__ import annotations

import os
import time
from collections import deque

from xuen.xwork.bounds import ARTIFACTS
from xuen.xwork.policy.paths import PathRefused, Workspace

SHOWN = 16_000
"""Characters of one result in the context, head and tail together."""

CUT = "[... the output has "
"""How the line begins that stands for the middle of a long output."""

_HEAD = SHOWN * 2 // 5  # errors tend to stand at the end
_DISK = 64 << 20  # bytes of one artifact
_MEMORY = 64 << 10  # bytes of one output in memory, of its head and of its tail


class Artifacts:
    """The artifacts of one agent; their names carry its start time, so that a free name is found at once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._began = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        self._number = 0

    def shorten(self, text: str) -> str:
        """The text, or its head and tail with a line between them that names the file with the whole."""
        if len(text) <= SHOWN:
            return text
        head, tail = _cuts(text)
        left_out = len(text) - len(head) - len(tail)
        try:
            where = self.store(text.encode("utf-8", "replace"))
        except (PathRefused, OSError) as error:
            return f"{head}\n[... {left_out:,} characters left out; they could not be kept: {error} ...]\n{tail}"
        return f"{head}\n[... {left_out:,} characters left out; the whole output is in {where} ...]\n{tail}"

    def store(self, data: bytes) -> str:
        """Keep `data` in a new file; its path in the workspace."""
        descriptor, where = self.open()
        with os.fdopen(descriptor, "wb") as file:
            file.write(data[:_DISK])
        return where

    def open(self) -> tuple[int, str]:
        """A descriptor of a new empty artifact and its path in the workspace.

        Raises:
            PathRefused, OSError: it cannot be made.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        while True:
            self._number += 1
            shown = f"{ARTIFACTS}/output-{self._began}-{self._number:04}.txt"
            with self._workspace.place(shown, create_parents=True) as place:
                try:
                    return place.open_new(flags), shown
                except FileExistsError:
                    continue


class Capture:
    """One output as it arrives: bounded in memory; once it is too long, also written to disk, up to a limit there."""

    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._file = -1
        self._written = 0
        self._where = ""
        self._trouble = ""
        self.size = 0  # bytes that came

    def add(self, chunk: bytes) -> None:
        """Take the next piece."""
        self.size += len(chunk)
        room = _MEMORY - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            rest = chunk[room:]
        else:
            rest = chunk
        if not rest:
            return
        self._spill(rest)
        self._tail.append(rest)
        self._tail_size += len(rest)
        while self._tail_size - len(self._tail[0]) >= _MEMORY:
            self._tail_size -= len(self._tail.popleft())

    def text(self) -> str:
        """What the context gets to see; closes the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        head = bytes(self._head)
        tail = b"".join(self._tail)
        whole = len(head) + len(tail) == self.size
        if whole and self.size <= 2 * _MEMORY:
            text = clean(head + tail)
            if len(text) <= SHOWN:
                return text
        shown_head, _ = _cuts(clean(head))
        _, shown_tail = _cuts(clean(tail if len(tail) >= _MEMORY else head + tail))
        return f"{shown_head}\n{CUT}{self._gap(whole, head + tail)} ...]\n{shown_tail}"

    def digest(self) -> str:
        """What tells this output from another one, as far as memory holds it; the name of its file does not count."""
        tail = b"".join(self._tail)[-_MEMORY:]  # how it was cut into pieces does not count either
        return f"{self.size} {hash((bytes(self._head), tail))}"

    def _gap(self, whole: bool, data: bytes) -> str:
        about = f"{self.size:,} bytes"
        if whole and not self._where and not self._trouble:
            try:
                self._where = self._artifacts.store(data)
                self._written = self.size
            except (PathRefused, OSError) as error:
                self._trouble = str(error)
        if self._trouble:
            return f"{about}; they could not be kept: {self._trouble}"
        if self._written < self.size:
            return f"{about}; the first {self._written:,} are in {self._where}"
        return f"{about}; the whole output is in {self._where}"

    def _spill(self, rest: bytes) -> None:
        """Write what memory has no place for, the head before it; a full disk ends the writing, not the command."""
        if self._trouble or self._written >= _DISK:
            return
        try:
            if self._file < 0:
                self._file, self._where = self._artifacts.open()
                self._write(bytes(self._head))
            self._write(rest)
        except (PathRefused, OSError) as error:
            self._trouble = str(error)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)[: _DISK - self._written]
        while view:
            count = os.write(self._file, view)
            self._written += count
            view = view[count:]


def clean(data: bytes) -> str:
    """Output as text: UTF-8 with replacement, without NUL."""
    return clean_text(data.decode("utf-8", "replace"))


def clean_text(text: str) -> str:
    """Output that is text already, as the context gets it."""
    return text.replace("\r\n", "\n").replace("\0", "\ufffd")


def _cuts(text: str) -> tuple[str, str]:
    """Head and tail of a text that is too long, cut at line ends where one is near."""
    head = text[:_HEAD]
    tail = text[-(SHOWN - _HEAD) :]
    if (end := head.rfind("\n")) > _HEAD // 2:
        head = head[:end]
    if 0 <= (start := tail.find("\n")) < len(tail) // 2:
        tail = tail[start + 1 :]
    return head, tail
