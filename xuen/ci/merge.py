"""A workspace and the branch, brought together file by file.

Pure: contents in, contents out. What always holds: every candidate of both sides is there afterwards under a name of
its own, and the history (`ledgers`) says the same names. The other files, by what both grew from (`base`, where it is
known): one that only one side changed is that side's; of those that both changed,

- verdicts.txt keeps the branch's lines as they are (a person edits them on the web) and gets what this run added,
- inbox.jsonl loses what either side has used and has what either side added,
- words.txt is the branch's,
- research.md is the branch's, unless only this side's was edited by hand; where nobody edited the sections, they are
  those of the best.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from xuen.ci import content as names
from xuen.ci.content import Content, Files, id_of, is_candidate, is_log, is_talk, travels
from xuen.ci.ledgers import Joined, Ledgers, join, read
from xuen.guard.best import record_bytes
from xuen.guard.candidates import digest, is_id
from xuen.guard.history import Anchor
from xuen.texts import Language
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Research, parse_or_none

BASE = (names.VERDICTS, names.RESEARCH, names.WORDS, names.INBOX)
"""The files of which a later merge wants to know what both sides grew from."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The workspace after the merge; `ours_new` and `theirs_new` are counts of history lines."""

    files: dict[str, Content]
    best: Anchor | None
    ours_new: int
    theirs_new: int

    @property
    def diverged(self) -> bool:
        """Whether both sides had gone on."""
        return bool(self.ours_new and self.theirs_new)


def merge(ours: Files, theirs: Files, base: Mapping[str, bytes] | None, *, now: str, language: Language) -> Merged:
    """Bring a workspace (`ours`) and the branch (`theirs`) together; only files that travel are in the result."""
    ours = _without_halves(ours, theirs)
    both = read(_bytes(theirs, names.HISTORY), _bytes(ours, names.HISTORY))
    rename = _renames(ours, theirs, both)
    files = {path: each for path, each in theirs.items() if travels(path)}
    sums = _sums(both)
    for path, each in ours.items():
        if path not in names.STATE:
            _place(files, _new_path(path, rename), each, sums)
    joined = join(both, rename, _Intact(files), now=now, language=language)
    if joined.data:
        files[names.HISTORY] = Content.of(joined.data)
    _follow(files, ours, theirs, joined)
    for path, merge_both in _MERGERS.items():
        mine, other = _optional(ours, path), _optional(theirs, path)
        if path == names.VERDICTS and mine is not None:
            mine = _with_new_ids(mine, other if base is None else base.get(path), rename)
        _set(files, path, _three_way(mine, other, base, path, merge_both))
    _set(files, names.RESEARCH, _research(ours, theirs, base, files))
    return Merged(files, joined.best, len(both.ours_alone), len(both.theirs_alone))


# --- candidates and what goes with them -----------------------------------------------------------------------------


def _without_halves(ours: Files, theirs: Files) -> Files:
    """Ours without candidates and prompts that a restore was killed in the middle of: the branch has them whole."""

    def is_half(path: str, each: Content) -> bool:
        other = theirs.get(path)
        written_once = is_candidate(path) or (is_talk(path) and not is_log(path))
        return written_once and other is not None and other.oid != each.oid and other.load().startswith(each.load())

    return {path: each for path, each in ours.items() if not is_half(path, each)}


def _renames(ours: Files, theirs: Files, both: Ledgers) -> dict[str, str]:
    """What ids of ours are called after the merge; an id that both sides gave to different rounds is made free."""
    groups: dict[str, dict[str, Content]] = {}
    for path, each in ours.items():
        identity = id_of(path)
        if identity is not None and not is_log(path):  # a log may have grown since it was last pushed
            groups.setdefault(identity, {})[path] = each
    taken = {identity for path in theirs if (identity := id_of(path))} | set(groups)
    rename = dict(both.ids)
    for identity, group in groups.items():
        if identity not in rename and _same(group, theirs, identity, identity) is False:
            rename[identity] = _free_name(identity, group, theirs, taken)
            taken.add(rename[identity])
    return rename


def _free_name(identity: str, group: Files, theirs: Files, taken: set[str]) -> str:
    """The next name that is free, or under which an earlier merge has put the same files already."""
    head, _, tail = identity.rpartition("-")
    stem, count = (head, int(tail)) if is_id(head) else (identity, 1)
    while True:
        count += 1
        name = f"{stem}-{count}"
        if name not in taken or _same(group, theirs, identity, name):
            return name


def _same(group: Files, theirs: Files, identity: str, name: str) -> bool | None:
    """Whether the branch has the same under that name; None when it has nothing there."""
    places = {path.replace(identity, name): each for path, each in group.items()}
    found = [theirs[place].oid == each.oid for place, each in places.items() if place in theirs]
    return all(found) if found else None


def _sums(both: Ledgers) -> dict[str, str]:
    """The sha256 of the snapshots that both sides know, by id on the branch."""
    values = [line.value for line in both.theirs if line.value is not None]
    return {
        str(value["id"]): str(value["sha256"])
        for value in values
        if value.get("event") in ("candidate", "baseline") and "id" in value and "sha256" in value
    }


def _place(files: dict[str, Content], path: str, each: Content, sums: Mapping[str, str]) -> None:
    """Add a file of ours to those of the branch; of two under one name keep the right one, or both."""
    other = files.get(path)
    if other is None:
        files[path] = each
    elif other.oid == each.oid:
        return
    elif is_candidate(path):
        wanted = sums.get(id_of(path) or "")
        if digest(other.load()) != wanted and digest(each.load()) == wanted:
            files[path] = each
    elif is_log(path):
        if len(each.load()) >= len(other.load()):
            files[path] = each
    elif not is_talk(path):
        count = 2
        while files.get(f"{path}-{count}", each).oid != each.oid:
            count += 1
        files[f"{path}-{count}"] = each


class _Intact:
    """Whether the snapshot of an anchor is among the files."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._seen: dict[str, str] = {}

    def __call__(self, anchor: Anchor) -> bool:
        path = _candidate(anchor.id)
        if path not in self._files:
            return False
        if path not in self._seen:
            self._seen[path] = digest(self._files[path].load())
        return self._seen[path] == anchor.sha256


def _candidate(identity: str) -> str:
    return Workspace(Path()).candidate(identity).as_posix()


def _follow(files: dict[str, Content], ours: Files, theirs: Files, joined: Joined) -> None:
    """best.md and best.json: the leading side's own, or made anew where its numbers or names have changed."""
    if joined.best is not None and joined.rewritten:
        files[names.BEST] = files[_candidate(joined.best.id)]
        files[names.BEST_JSON] = Content.of(record_bytes(joined.best))
        return
    side = ours if joined.leader == "ours" else theirs
    for path in (names.BEST, names.BEST_JSON):
        if path in side:
            files[path] = side[path]


# --- the files that change ------------------------------------------------------------------------------------------

_Merge = Callable[[bytes, bytes, bytes | None], bytes]


def _three_way(
    mine: bytes | None, other: bytes | None, base: Mapping[str, bytes] | None, path: str, merge_both: _Merge
) -> bytes | None:
    was = None if base is None else base.get(path)
    if mine == other or (base is not None and mine == was):
        return other
    if base is not None and other == was:
        return mine
    if mine is None or other is None:
        return mine if other is None else other
    return merge_both(mine, other, was)


def _with_new_ids(verdicts: bytes, known: bytes | None, rename: Mapping[str, str]) -> bytes:
    """Verdicts of this run, about its candidates as the branch calls them; `known` lines are not of this run."""

    def renamed(line: bytes) -> bytes:
        word = line.split(maxsplit=1)[0] if line.strip() else b""
        name = rename.get(word.decode(errors="replace"), "")
        return line.replace(word, name.encode(), 1) if name and line not in old else line

    old = set(_lines(known or b""))
    return b"\n".join(renamed(line) for line in verdicts.split(b"\n"))


def _verdicts(ours: bytes, theirs: bytes, was: bytes | None) -> bytes:
    """The branch's lines, then what this run added."""
    if was is not None and ours.startswith(was):
        pushed = _minus(_lines(theirs), _lines(was))  # by an earlier checkpoint of this run, perhaps
        added = _minus(_lines(ours[len(was) :]), pushed)
    else:
        added = _minus(_lines(ours), _lines(theirs) + _lines(was or b""))
    return _joined([*_lines(theirs), *added])


def _inbox(ours: bytes, theirs: bytes, was: bytes | None) -> bytes:
    """What neither side has used, in the order of the branch."""
    first = _lines(was or b"")
    used = _minus(first, _lines(ours)) if was is not None else []
    added = _minus(_lines(ours), first if was is not None else _lines(theirs))
    return _joined([*_minus(_lines(theirs), used), *added])


def _words(_: bytes, theirs: bytes, __: bytes | None) -> bytes:
    return theirs


def _models(ours: bytes, theirs: bytes, _: bytes | None) -> bytes:
    """For each model what was found last."""
    found: dict[str, dict[str, str]] = {}
    for data in (theirs, ours):
        for name, each in dead_models(data).items():
            if name not in found or found[name]["at"] <= each["at"]:
                found[name] = each
    return models_bytes(found)


_MERGERS: Mapping[str, _Merge] = {
    names.VERDICTS: _verdicts,
    names.INBOX: _inbox,
    names.WORDS: _words,
    names.MODELS: _models,
}


def dead_models(data: bytes) -> dict[str, dict[str, str]]:
    """The memory of models that did not answer: `{"at", "reason"}` by name; anything else in it is passed over."""
    try:
        value = json.loads(data)["dead"]
        return {str(name): {"at": str(each["at"]), "reason": str(each["reason"])} for name, each in value.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}


def models_bytes(dead: Mapping[str, Mapping[str, str]]) -> bytes:
    """The content of the file that remembers them."""
    return (json.dumps({"dead": dead}, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _research(ours: Files, theirs: Files, base: Mapping[str, bytes] | None, files: Files) -> bytes | None:
    mine, other = _optional(ours, names.RESEARCH), _optional(theirs, names.RESEARCH)
    if mine is None or other is None:
        return mine if other is None else other
    was = None if base is None else base.get(names.RESEARCH)
    best = parse_or_none(_optional(files, names.BEST))
    if other == was:
        document = mine
    elif _edited(other, parse_or_none(_optional(theirs, names.BEST))):
        return other
    else:
        document = other
    if _edited(mine, parse_or_none(_optional(ours, names.BEST))):
        return mine
    parsed = parse_or_none(document)
    return document if parsed is None or best is None else parsed.with_sections(best.sections)


def _edited(data: bytes, best: Research | None) -> bool:
    """Whether the sections are not those of the best that its side has."""
    parsed = parse_or_none(data)
    return parsed is None or (best is not None and parsed.sections != best.sections)


# --- small things ---------------------------------------------------------------------------------------------------


def _new_path(path: str, rename: Mapping[str, str]) -> str:
    identity = id_of(path)
    return path if identity is None else path.replace(identity, rename.get(identity, identity))


def _bytes(files: Files, path: str) -> bytes:
    return files[path].load() if path in files else b""


def _optional(files: Files, path: str) -> bytes | None:
    return files[path].load() if path in files else None


def _set(files: dict[str, Content], path: str, data: bytes | None) -> None:
    files.pop(path, None)
    if data is not None:
        files[path] = Content.of(data)


def _lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1] if data.endswith(b"\n") or not data else data.split(b"\n")


def _minus(lines: list[bytes], others: list[bytes]) -> list[bytes]:
    """Those lines that are not among the others, each of which cancels one."""
    left = Counter(others)
    kept = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        elif line.strip():
            kept.append(line)
    return kept


def _joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
