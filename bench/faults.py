"""Every operation on files fails, with every error that a system may give. `python bench/faults.py [guard|cli]`

guard   Six rounds of the guard (tests/guard/guard_points.py) in forked processes. The N-th operation below the
        workspace fails once, from there on for twenty operations, or for ever, for all N and all of EIO, ENOSPC, EROFS,
        EACCES, EMFILE and ENOLCK that this kind of operation can meet.
cli     The story of six_rounds.py by the real command line; strace lets its N-th call fail, EINTR too.

Goals: the loop never dies of it, no adopted result is lost, one message for each trouble, and after the next start no
temporary file is left and a second start changes nothing.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench"), str(ROOT / "tests" / "guard")]

import crash  # noqa: E402
import guard_points  # noqa: E402
import six_rounds  # noqa: E402
from guard_play import Play  # noqa: E402

NAMES = ["EIO", "ENOSPC", "EROFS", "EACCES"]
CAN_FAIL = {
    "read": ["EIO", "EACCES", "EMFILE"],
    "make": ["EIO", "ENOSPC", "EROFS", "EACCES", "EMFILE"],
    "list": ["EIO", "EACCES", "EMFILE"],
    "link": NAMES,
    "replace": NAMES,
    "rename": NAMES,
    "mkdir": NAMES,
    "unlink": ["EIO", "EROFS", "EACCES"],
    "stat": ["EIO", "EACCES"],
    "lstat": ["EIO", "EACCES"],
    "write": ["EIO", "ENOSPC"],
    "fsync": ["EIO", "ENOSPC"],
    "ftruncate": ["EIO", "ENOSPC"],
    "fchmod": ["EIO", "EROFS"],
    "flock": ["ENOLCK", "EIO"],
}
"""The kinds of operations, and what a system answers to each when it cannot."""
LASTING = (1, 20, 10**9)
OPEN_FILES = Path("/proc/self/fd")


class Faults:
    """Counts the operations below `root` while `armed`, and lets some of them fail."""

    def __init__(self, root: Path, at: int, lasting: int, number: int) -> None:
        self.root, self.at, self.lasting, self.number = str(root), at, lasting, number
        self.armed = False
        self.kinds: list[str] = []
        sys.addaudithook(self.hook)
        for name in ("link", "replace", "rename", "mkdir", "unlink", "stat", "lstat"):
            setattr(os, name, self.named(name, getattr(os, name)))
        for name in ("write", "fsync", "ftruncate", "fchmod"):
            setattr(os, name, self.opened(name, getattr(os, name)))
        fcntl.flock = self.opened("flock", fcntl.flock)

    def strike(self, kind: str, path: str) -> None:
        """Count one operation on `path`; raise when it is its turn to fail."""
        if not self.armed or not path.startswith(self.root):
            return
        self.kinds.append(kind)
        # What cannot fail in this way (a stat on a full disk) goes on working while the rest does not.
        if self.at <= len(self.kinds) < self.at + self.lasting and errno.errorcode[self.number] in CAN_FAIL[kind]:
            raise OSError(self.number, os.strerror(self.number), path)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """What the interpreter does itself, below the os module."""
        if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
            self.strike("make" if arguments[2] & os.O_CREAT else "read", os.fsdecode(arguments[0]))
        elif event in ("os.listdir", "os.scandir") and isinstance(arguments[0], (str, os.PathLike)):
            self.strike("list", os.fsdecode(arguments[0]))

    def named(self, kind: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """An operation on a path."""

        def struck(path: Any, *arguments: Any, **named: Any) -> Any:
            if not isinstance(path, int):
                self.strike(kind, os.fsdecode(path))
            return call(path, *arguments, **named)

        return struck

    def opened(self, kind: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """An operation on an open file."""

        def struck(descriptor: int, *arguments: Any) -> Any:
            if self.armed:
                self.strike(kind, OPEN_FILES.joinpath(str(descriptor)).readlink().as_posix())
            return call(descriptor, *arguments)

        return struck


def child(root: Path, acknowledged: Path, at: int, lasting: int, number: int) -> list[str] | None:
    """Run the scenario in a fork; the kinds of its operations, or None when it raised."""
    result = acknowledged.with_name("kinds")
    result.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        code = 2
        try:
            play = Play(root)
            play.ears = guard_points.Acknowledged(acknowledged)  # type: ignore[assignment]
            faults = Faults(root, at, lasting, number)
            guard_points.scenario(play, faults, 0)  # type: ignore[arg-type]
            result.write_text(json.dumps(faults.kinds))
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return list(json.loads(result.read_text())) if os.waitstatus_to_exitcode(status) == 0 else None


def failing_guard(at: int, lasting: int, name: str) -> list[str]:
    """One run with one trouble; the broken promises."""
    with crash.folder() as place:
        root, acknowledged = Path(place) / "w", Path(place) / "acknowledged"
        kinds = child(root, acknowledged, at, lasting, getattr(errno, name))
        told = acknowledged.read_text().count('"GuardOff"') if acknowledged.exists() else 0
        found = guard_points.broken_promises(root, acknowledged, "fail")
    if kinds is None:
        found.append("the loop died")
    if lasting == 1 and told > 1:
        found.append("one trouble was told more than once")
    return [f"{name} at {at} for {lasting}: {each}" for each in found]


def guard(jobs: int, every: int) -> bool:
    """All operations, all errors, three durations."""
    began = time.monotonic()
    with crash.folder() as place:
        acknowledged = Path(place) / "acknowledged"
        kinds = child(Path(place) / "w", acknowledged, 0, 0, 0)
        unlike = ["it raised"] if kinds is None else guard_points.unlike_itself(acknowledged)
    if kinds is None or unlike:
        sys.exit(f"the scenario does not come to its end: {unlike}")
    cases = [
        (at, lasting, name)
        for at, kind in enumerate(kinds, 1)
        if at > 1
        for name in CAN_FAIL[kind]
        for lasting in LASTING
    ][::every]
    with ProcessPoolExecutor(jobs) as pool:
        broken = [each for some in pool.map(failing_guard, *zip(*cases, strict=True), chunksize=10) for each in some]
    counts = ", ".join(f"{name} {count}" for name, count in sorted(Counter(name for _, _, name in cases).items()))
    return crash.report("guard", f"{len(cases)} runs over {len(kinds)} operations ({counts})", broken, began)


# --- the command line ------------------------------------------------------------------------------------------------

BY_CALL = {
    "write": ["EIO", "ENOSPC", "EINTR"],
    "fsync": ["EIO", "ENOSPC", "EINTR"],
    "rename": ["EIO", "ENOSPC", "EROFS", "EACCES"],
    "link": ["EIO", "ENOSPC", "EROFS", "EACCES"],
    "unlink": ["EIO", "EROFS", "EACCES"],
    "mkdir": ["EIO", "ENOSPC", "EROFS", "EACCES"],
    "ftruncate": ["EIO", "ENOSPC", "EINTR"],
    "fchmod": ["EIO", "EROFS", "EINTR"],
    "flock": ["ENOLCK", "EIO", "EINTR"],
}


def failing_run(name: str, number: int, error: str) -> list[str]:
    """One run of the command line with one failing call, or (`+`) all from there on."""
    when = f"{number}+" if error.endswith("+") else str(number)
    inject = ["-e", f"trace={name}", "-e", f"inject={name}:error={error.removesuffix('+')}:when={when}"]
    with tempfile.TemporaryDirectory(prefix="xuen-faults-") as place:
        here, root = Path(place), Path(place) / "w"
        six_rounds.write_configs(here)
        told = six_rounds.run(here, "story.yaml", 6, ["strace", "-o", str(here / "log"), *inject])
        found = []
        refused = told.code == 2 and not told.events and len(told.errors.strip().splitlines()) == 1
        # The call that was meant may come a place later, and its turn is then that of our own standard output.
        deaf = "gets no more events" in told.errors
        if not refused and (told.code != 0 or not (deaf or told.of("run_finished"))):
            found.append(f"the loop died with {told.code}: {told.errors[-300:]}")
        if "Traceback" in told.errors:
            found.append("a traceback")
        if len(told.of("guard_off")) > 1:
            found.append("trouble was told more than once")
        if error == "EINTR" and len(told.of("adopted")) != 2:
            found.append("an interruption changed the result")
        found += after_trouble(here, root, told)
    return [f"{name} {number} {error}: {each}" for each in found]


def after_trouble(here: Path, root: Path, told: six_rounds.Told) -> list[str]:
    """Start twice; what is lost or left."""
    first = six_rounds.run(here, "still.yaml", 1)
    if first.code != six_rounds.STILL:
        return [f"did not start: {first.errors[-300:]}"]
    adopted = told.of("baseline", "adopted")
    best = six_rounds.sha256(root / "rounds" / "best.md")
    kept = [six_rounds.sha256(root / "rounds" / f"cand-{each['id']}.md") == each["sha256"] for each in adopted]
    found = [] if all(kept) else ["lost: a snapshot that was told"]
    later = [event["sha256"] for event in first.of("adopted")]
    if adopted and best not in [adopted[-1]["sha256"], *later] and b"adopted" not in _since(root, adopted[-1]["id"]):
        found.append("lost: the best is not the last adoption that was told")
    if list(root.rglob("*.tmp")):
        found.append("a temporary file is left")
    files = six_rounds.tree(root)
    six_rounds.run(here, "still.yaml", 1)
    return found if six_rounds.tree(root) == files else [*found, "a second start changed a file"]


def _since(root: Path, identity: str) -> bytes:
    """The history after the last line that adopted `identity`."""
    data = (root / "rounds" / "history.jsonl").read_bytes()
    at = max(data.rfind(b'"adopted"'), 0)
    line = data[data.rfind(b"\n", 0, at) + 1 :].partition(b"\n")[0]
    return b"" if identity.encode() in line else line


def cli(jobs: int, every: int) -> bool:
    """One case for each call of the story, its error in turn; and for each kind of call, all from some call on."""
    began = time.monotonic()
    points = crash.kill_points()
    cases = [(name, number, BY_CALL[name][place % len(BY_CALL[name])]) for place, (name, number) in enumerate(points)]
    firsts = {name: number for name, number in reversed(points)}
    middles = {name: number for name, number in points[: len(points) // 2]}
    # A run whose every write fails could not even speak.
    cases += [
        (name, number, f"{error}+")
        for some in (firsts, middles)
        for name, number in some.items()
        for error in BY_CALL[name]
        if name != "write" and error != "EINTR"
    ]
    chosen = cases[::every]
    with ProcessPoolExecutor(jobs) as pool:
        broken = [each for some in pool.map(failing_run, *zip(*chosen, strict=True)) for each in some]
    counts = ", ".join(f"{name} {n}" for name, n in sorted(Counter(error for _, _, error in chosen).items()))
    return crash.report("cli", f"{len(chosen)} of {len(cases)} runs with failing calls ({counts})", broken, began)


PARTS = {"guard": guard, "cli": cli}


def main(arguments: Sequence[str]) -> int:
    """Run the parts; 0 when all goals were met."""
    return crash.run_parts(PARTS, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
