"""A disk that loses power: what can be left of a folder after a recorded call, by a pessimist's rules.

A file's data is safe as far as its last fsync saw it, a name as far as the last fsync of its folder did. What is not
safe may be there or not: of a folder's names since its last sync the first so many, or only the last, whatever the
other folders have; of the data all, none, a part, zeros in its place or in that of its end, of all files or of one.
Syncing a file does not save its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path, PurePosixPath

from recorded import Done

MOST_WAYS = 24
"""The most combinations of folders' names that are looked at after one call."""

Files = dict[str, bytes | None]
"""Path below the folder -> content; None is a folder."""


@dataclass(eq=False)
class Inode:
    """A file's data now and as it was last synced, or a folder."""

    folder: bool = False
    now: bytes = b""
    safe: bytes = b""


Names = dict[str, Inode]
Left = Callable[[Inode], bytes]
Step = Callable[[Names], None]


@dataclass
class Disk:
    """The folder `root` while a recording is played back."""

    root: str
    names: Names = field(default_factory=dict)
    safe: Names = field(default_factory=dict)
    pending: dict[str, list[Step]] = field(default_factory=dict)  # folder -> what happened to its names since its sync

    def play(self, done: Done) -> bool:
        """Let one call happen; whether it changed anything that could be lost or made it safe."""
        above = str(PurePosixPath(self.root).parent)
        if not any(path.startswith(self.root) or (path == above and done.name == "fsync") for path in done.paths):
            return False
        method = getattr(self, f"_{done.name}", None)
        return bool(method(done)) if method else False

    def _openat(self, done: Done) -> bool:
        path = done.paths[0]
        if "O_CREAT" in done.flags and path not in self.names:
            self._add(path, Inode())
            return True
        if "O_TRUNC" in done.flags and path in self.names and self.names[path].now:
            self.names[path].now = b""
            return True
        return False

    def _write(self, done: Done) -> bool:
        inode = self.names.get(done.paths[0])
        if inode is not None:
            inode.now += done.data
        return inode is not None

    def _ftruncate(self, done: Done) -> bool:
        inode = self.names.get(done.paths[0])
        if inode is not None:
            inode.now = b""
        return inode is not None

    def _fsync(self, done: Done) -> bool:
        path = done.paths[0]
        inode = self.names.get(path)
        if inode is not None and not inode.folder:
            inode.safe = inode.now
        else:
            for step in self.pending.pop(path, []):
                step(self.safe)
        return True

    def _mkdir(self, done: Done) -> bool:
        self._add(done.paths[0], Inode(folder=True))
        return True

    def _link(self, done: Done) -> bool:
        old, new = done.paths
        self._add(new, self.names[old])
        return True

    def _rename(self, done: Done) -> bool:
        old, new = done.paths
        inode = self.names[old]

        def step(names: Names) -> None:
            names.pop(old, None)
            names[new] = inode

        self._step(new, step)
        return True

    def _unlink(self, done: Done) -> bool:
        path = done.paths[-1]
        self._step(path, lambda names: names.pop(path, None) and None)
        return True

    _unlinkat = _rmdir = _unlink

    def _add(self, path: str, inode: Inode) -> None:
        self._step(path, lambda names: names.__setitem__(path, inode))

    def _step(self, path: str, step: Step) -> None:
        step(self.names)
        self.pending.setdefault(str(PurePosixPath(path).parent), []).append(step)

    # --- the power goes

    def states(self) -> Iterator[Files]:
        """Everything that may be found afterwards."""
        for names in self._names_left():
            open_files = {inode for inode in names.values() if not inode.folder and inode.now != inode.safe}
            for left in LEFT if open_files else LEFT[:1]:
                yield self._reachable(names, {}, left)
            if len(open_files) > 1:
                for inode in open_files:
                    for left in LEFT[1:]:
                        yield self._reachable(names, {inode: left}, LEFT[0])

    def _names_left(self) -> Iterator[Names]:
        ways = [[steps[:count] for count in range(len(steps), -1, -1)] for steps in self.pending.values()]
        for way, steps in zip(ways, self.pending.values(), strict=True):
            if len(steps) > 1:
                way.append(steps[-1:])
        for chosen in islice(product(*ways), MOST_WAYS):
            names = dict(self.safe)
            for step in (step for steps in chosen for step in steps):
                step(names)
            yield names

    def _reachable(self, names: Names, special: dict[Inode, Left], left: Left) -> Files:
        found: Files = {}
        for path, inode in sorted(names.items()):
            above = str(PurePosixPath(path).parent)
            if path != self.root and above != self.root and found.get(self._below(above), b"") is not None:
                continue  # its folder is lost
            if path != self.root:
                found[self._below(path)] = None if inode.folder else special.get(inode, left)(inode)
        return found if self.root in names else {}

    def _below(self, path: str) -> str:
        return path.removeprefix(self.root + "/")


def put(files: Files, root: Path) -> None:
    """Make the files of a state."""
    root.mkdir(parents=True)
    for name, data in files.items():
        if data is None:
            (root / name).mkdir(parents=True, exist_ok=True)
        else:
            (root / name).write_bytes(data)


def _all(inode: Inode) -> bytes:
    return inode.now


def _none(inode: Inode) -> bytes:
    return inode.safe


def _part(share: float, rest: Callable[[int], bytes]) -> Left:
    """A share of what was not synced, and then `rest` of the length that is missing."""

    def left(inode: Inode) -> bytes:
        same = len(inode.safe) if inode.now.startswith(inode.safe) else 0
        end = same + round((len(inode.now) - same) * share)
        return inode.now[:end] + rest(len(inode.now) - end)

    return left


def _nothing(_: int) -> bytes:
    return b""


LEFT: tuple[Left, ...] = (
    _all,
    _none,
    *(_part(share, _nothing) for share in (0.0, 0.2, 0.5, 0.9)),
    *(_part(share, bytes) for share in (0.0, 0.3, 0.8)),
)
"""What becomes of a file's data; the first is that nothing is lost."""
