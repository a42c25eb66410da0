"""What a run did to files, as strace saw it: the calls in order, with their paths and their data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CALLS = "openat,write,fsync,rename,link,unlink,unlinkat,mkdir,rmdir,ftruncate,fchmod,chmod,flock"
"""Everything that xuen, its helper and a shell do to files and names."""

_LINE = re.compile(rb"(?:(\d+) +)?(\w+)\((.*)\) += (-?\d+|\?)(.*)")
_BROKEN = re.compile(rb"(?:(\d+) +)?(\w+)\((.*) <unfinished \.\.\.>")
_RESUMED = re.compile(rb"(?:(\d+) +)?<\.\.\. (\w+) resumed>(.*)")
_STRING = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"')
_NAMED = re.compile(rb"<((?:\\x[0-9a-f]{2})+)>")


@dataclass(frozen=True)
class Done:
    """One call that ended well. `paths` are its named files in order, open ones too; `data` is what `write` took."""

    pid: int
    name: str
    paths: tuple[str, ...]
    data: bytes
    flags: str
    descriptor: int
    result: int


def strace(log: Path, *options: str) -> list[str]:
    """The command that records a program's calls into `log`."""
    return ["strace", "-y", "-xx", "-s", "4000000", "-o", str(log), "-e", f"trace={CALLS}", *options]


def read(log: Path) -> Iterator[Done]:
    """The calls of a log in the order in which they ended, those that failed left out."""
    begun: dict[bytes, bytes] = {}
    for line in log.read_bytes().split(b"\n"):
        broken, resumed = _BROKEN.fullmatch(line), _RESUMED.fullmatch(line)
        if broken:
            begun[broken[1] or b""] = line.removesuffix(b" <unfinished ...>")
            continue
        whole = line
        if resumed:
            whole = begun.pop(resumed[1] or b"", b"") + resumed[3]
        found = _LINE.match(whole)
        if found and not found[4].startswith((b"-", b"?")):
            yield _done(found)


def _done(found: re.Match[bytes]) -> Done:
    name, arguments, result = found[2].decode(), found[3], int(found[4])
    strings = [_plain(each) for each in _STRING.findall(arguments)]
    named = [_plain(each).decode(errors="replace") for each in _NAMED.findall(arguments)]
    data = b""
    if name == "write":
        data, paths = (strings[0] if strings else b"")[:result], named[:1]
    elif name in ("fsync", "ftruncate", "fchmod", "flock"):
        paths = named[:1]
    else:
        paths = [each.decode(errors="replace") for each in strings]
        if paths and not paths[0].startswith("/") and named:
            paths = [f"{named[0]}/{each}" for each in paths]
    head = arguments.partition(b"<")[0]
    descriptor = result if name == "openat" else int(head) if head.isdigit() else -1
    flags = _STRING.sub(b"", arguments).decode(errors="replace")
    return Done(int(found[1] or 0), name, tuple(paths), data, flags, descriptor, result)


def _plain(text: bytes) -> bytes:
    return bytes.fromhex(text.replace(b"\\x", b"").decode())
