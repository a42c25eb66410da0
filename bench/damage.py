"""Damage to every file of a workspace. `python bench/damage.py [--count N] [--jobs N]`

The story of six_rounds.py is run once by the real command line. Then its files are damaged: cut at every byte (the last
prompts, logs and the copied-out program at some bytes), bits flipped, filled with zeros, CRLF for LF, a BOM, lines
and whole contents doubled, deleted; alone and in pairs. Each time the workspace is looked at by `status`, `history`
and `show` (one time in eight), started, and (one time in four) started again.

Goals: no exception; where a snapshot that was adopted is intact the best is an adopted one, never the baseline; the
best is in research.md; the history only grows; no temporary file; a second start changes nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

import crash  # noqa: E402
import opening  # noqa: E402
import six_rounds  # noqa: E402

from xuen.cli.main import main as xuen  # noqa: E402
from xuen.words import write_bank  # noqa: E402
from xuen.workspace import inbox  # noqa: E402
from xuen.workspace.paths import Workspace  # noqa: E402

Change = dict[str, bytes | None]
"""Which files have another content; None deletes one."""

KINDS = ["cut", "flip", "flip", "zeros", "zero tail", "crlf", "bom", "again", "line again", "drop", "delete"]


class Whole:
    """The workspace of the story: its files, and what was told of them."""

    def __init__(self) -> None:
        with crash.folder() as place:
            here, root = Path(place), Path(place) / "w"
            six_rounds.write_configs(here)
            told = six_rounds.run_whole(here)
            workspace = Workspace(root)
            write_bank(workspace.words, ["entropy", "lattice", "回火"], "a task")
            inbox.put(workspace, "a question that waits")
            self.files = {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}
        for name in list(self.files):  # those of one round say it all, and writing them so often takes time
            if name.startswith(("rounds/prompts/", "rounds/logs/")) and "-r1." not in name:
                del self.files[name]
        adopted = told.of("adopted")
        self.adopted = {f"rounds/cand-{event['id']}.md": str(event["sha256"]) for event in adopted}
        self.last = f"rounds/cand-{adopted[-1]['id']}.md"
        self.kept = {str(event["sha256"]) for event in told.of("candidate")}
        self.best = str(adopted[-1]["id"])


def damaged(data: bytes, kind: str, chance: random.Random) -> bytes | None:
    """One kind of damage, at a place by chance."""
    at, to = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    flipped = bytearray(data or b"\0")
    flipped[min(at, len(flipped) - 1)] ^= 1 << chance.randrange(8)
    lines = data.splitlines(keepends=True)
    place = chance.randrange(len(lines) + 1)
    made = {
        "cut": data[:at],
        "flip": bytes(flipped),
        "zeros": bytes(len(data)),
        "zero tail": data[:at] + bytes(len(data) - at),
        "crlf": data.replace(b"\n", b"\r\n"),
        "bom": b"\xef\xbb\xbf" + data,
        "again": data + data,
        "line again": b"".join(lines[:place] + lines[max(place - 1, 0) :]),
        "drop": data[:at] + data[to:],
    }
    return made.get(kind)


def alone(files: dict[str, bytes]) -> Iterator[Change]:
    """Every cut of every file, and one of each other damage."""
    for name, data in files.items():
        step = 1 if not name.startswith(("rounds/prompts/", "rounds/logs/", "write_section")) else 97
        for end in range(0, len(data), step):
            yield {name: data[:end]}
        for kind in KINDS:
            yield {name: damaged(data, kind, random.Random(name + kind))}


def changes(whole: Whole, count: int) -> list[Change]:
    """All damage to single files (or a sample, when there is more than fits), then pairs by chance."""
    chance = random.Random(4)
    singles = list(alone(whole.files))
    if len(singles) > count * 2 // 3:
        singles = chance.sample(singles, count * 2 // 3)
    names = sorted(whole.files)
    weights = [5 if name.endswith((".md", ".json", ".jsonl")) else 1 for name in names]
    rest: list[Change] = []
    while len(singles) + len(rest) < count:
        pair = chance.choices(names, weights, k=chance.choice([1, 2, 2, 2]))
        rest.append({name: damaged(whole.files[name], chance.choice(KINDS), chance) for name in pair})
    return singles + rest


def started(whole: Whole, change: Change, number: int) -> list[str]:
    """Damage, look, start; the broken promises."""
    hit = {name for name, data in change.items() if data != whole.files[name]}
    what = " and ".join(f"{name} ({_size(change[name])})" for name in change)
    with crash.folder() as place:
        root = Path(place) / "w"
        for name, data in (whole.files | change).items():
            if data is not None:
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        found = looked_at(root, whole.best) if number % 8 == 0 else []
        ledger = root / "rounds" / "history.jsonl"
        before = ledger.read_bytes() if ledger.is_file() else b""
        try:
            told = opening.start(root).names()
            found += faults_of(whole, root, hit)
            if "GuardOff" in told:
                found.append("the guard is off")
            if not ledger.read_bytes().startswith(before):
                found.append("the history did not only grow")
            if number % 4 == 0:
                found += started_again(root, ledger)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is being looked for
            found.append(f"did not start: {error!r}")
    return [f"{number}, {what}: {each}" for each in found]


def faults_of(whole: Whole, root: Path, hit: set[str]) -> list[str]:
    """What is wrong after the start."""
    best = root / "rounds" / "best.md"
    digest, found = six_rounds.sha256(best), []
    legal = set(whole.adopted.values()) | (whole.kept if "rounds/verdicts.txt" in hit else set())
    if whole.adopted.keys() - hit and digest not in legal:
        found.append(f"lost: the best is {six_rounds.idea(best)!r} though an adopted snapshot is intact")
    if not hit & {"rounds/history.jsonl", "rounds/verdicts.txt", whole.last} and digest != whole.adopted[whole.last]:
        found.append(f"lost: the best is {six_rounds.idea(best)!r} and not the last adopted one")
    if six_rounds.idea(root / "research.md") != six_rounds.idea(best):
        found.append("research.md is not the best")
    if list(root.rglob("*.tmp")):
        found.append("a temporary file is left")
    return found


def started_again(root: Path, ledger: Path) -> list[str]:
    """What a second start does that it should not."""
    files, before, found = six_rounds.tree(root), ledger.read_bytes(), []
    opening.start(root)
    if six_rounds.tree(root) != files:
        found.append("a second start changed a file")
    after = ledger.read_bytes()
    if not after.startswith(before) or six_rounds.history_lines(after[len(before) :]) != opening.OWN_LINES:
        found.append("a second start added other lines than its own")
    return found


def looked_at(root: Path, identity: str) -> list[str]:
    """Whether the commands that only look can do so."""
    found = []
    for words in (["status"], ["history", "--json"], ["show", identity]):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = xuen([*words, "--workspace", str(root)])
        if code not in (0, 2):
            found.append(f"did not start: {words[0]} ended with {code}: {said.getvalue()[-200:]}")
    return found


def _size(data: bytes | None) -> str:
    return "deleted" if data is None else f"{len(data)} bytes"


def main(arguments: Sequence[str]) -> int:
    """Damage, start, judge; 0 when all goals were met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=20_000, help="mutations")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    asked = parser.parse_args(arguments)
    began, whole = time.monotonic(), Whole()
    todo = changes(whole, asked.count)
    with ProcessPoolExecutor(asked.jobs) as pool:
        results = pool.map(started, [whole] * len(todo), todo, range(len(todo)), chunksize=50)
        broken = [each for some in results for each in some]
    sizes = Counter(len(change) for change in todo)
    counts = f"{len(todo)} mutations of {len(whole.files)} files, {sizes[1]} of one and {sizes[2]} of two"
    met = crash.report("damage", counts, broken, began)
    print("goals met" if met else "a goal was missed")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
