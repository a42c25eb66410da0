"""Many at once in one workspace. `python bench/concurrency.py [--writes N]`

Four helpers overwrite the two sections (by the functions of the copied-out write_section.py, each in a process of its
own), two loops start the real command line, one appends verdicts; all are stopped (SIGSTOP) and killed (SIGKILL) by
chance and begun again, until N writes of the helpers were acknowledged.

Each helper notes in one journal, while it holds the lock, what it found and what it is about to write, and afterwards
that it is written. So the journal is the order of all writes, and judges them: a helper must have found what the one
before it wrote, or the best that a start put there; then what the start replaced must lie in a file of its own.
Goals: no acknowledged write or verdict lost, no section that holds a mixture, no temporary file left.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

import crash  # noqa: E402
import six_rounds  # noqa: E402

HELPERS = (("idea", "a"), ("idea", "b"), ("artifact", "c"), ("artifact", "d"))
KINDS = (b"idea", b"artifact")
_BODY = re.compile(
    rb"<!-- XUEN:IDEA:BEGIN -->\n(.*?)<!-- XUEN:IDEA:END -->\n.*"
    rb"<!-- XUEN:ARTIFACT:BEGIN -->\n(.*?)<!-- XUEN:ARTIFACT:END -->\n",
    re.DOTALL,
)


def sections(data: bytes) -> tuple[bytes, bytes]:
    """Both sections, by a reader of our own."""
    found = _BODY.search(data)
    return (found[1], found[2]) if found else (b"?", b"?")


# --- the writers -----------------------------------------------------------------------------------------------------


def helper(root: Path, section: str, name: str, journal: Path) -> None:
    """Write for ever; runs in a process of its own."""
    spec = importlib.util.spec_from_file_location("write_section", root / "write_section.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    log = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    replace = program.replace_file

    def note(what: str, **more: str) -> None:
        os.write(log, (json.dumps({"what": what, "pid": os.getpid(), **more}) + "\n").encode())

    def noting(path: Path, data: bytes) -> None:
        note("intent", found=path.read_bytes().decode(), new=data.decode())
        replace(path, data)
        note("done")

    program.replace_file = noting
    chance = random.Random()
    number = 0
    while True:
        number += 1
        line = f"{section} by {name} {os.getpid()} {number}\n".encode()
        content = line * chance.randrange(1, 40)
        program.write_section(root, section, content[:-1], "")
        note("acknowledged", content=content.decode())
        time.sleep(chance.random() * 0.004)


def verdict_writer(root: Path, journal: Path) -> None:
    """Append verdicts for whatever candidate there is, too low to adopt anything."""
    number = 0
    while True:
        number += 1
        names = sorted(path.stem.removeprefix("cand-") for path in (root / "rounds").glob("cand-*.md"))
        line = f"{names[number % len(names)]} 3 by {os.getpid()} {number}\n"
        with (root / "rounds" / "verdicts.txt").open("ab", buffering=0) as file:
            file.write(line.encode())
        with journal.open("ab", buffering=0) as file:
            file.write((json.dumps({"what": "verdict", "line": line}) + "\n").encode())
        time.sleep(0.05)


@dataclass
class Crowd:
    """All processes, each begun again when it ends or is killed."""

    here: Path
    journal: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)

    def command(self, name: str) -> list[str]:
        """What a member runs."""
        if name.startswith("start"):
            return six_rounds.command(self.here, "still.yaml", 1)
        return [sys.executable, __file__, "--member", name, str(self.here / "w"), str(self.journal)]

    def tend(self) -> None:
        """Begin again whoever is not there."""
        for name in [*(each for _, each in HELPERS), "start 1", "start 2", "verdicts"]:
            process = self.running.get(name)
            if process is not None and process.poll() is None:
                continue
            if process is not None and name.startswith("start"):
                self.starts.append(process.returncode)
            self.running[name] = subprocess.Popen(
                self.command(name),
                env=six_rounds.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def disturb(self, chance: random.Random) -> str:
        """Stop one of them for a moment, or kill it."""
        process = self.running[chance.choice(sorted(self.running))]
        if chance.random() < 0.25:
            process.kill()
            process.wait()
            return "kill"
        process.send_signal(signal.SIGSTOP)
        time.sleep(chance.random() * 0.1)
        process.send_signal(signal.SIGCONT)
        return "stop"

    def end(self) -> None:
        """Kill all."""
        for process in self.running.values():
            process.kill()
        for process in self.running.values():
            process.wait()


# --- the judge -------------------------------------------------------------------------------------------------------


def read(journal: Path) -> list[dict[str, Any]]:
    """The notes, whole lines only: a killed writer leaves no half one, `write` is one call."""
    return [json.loads(line) for line in journal.read_bytes().split(b"\n") if line]


def mixed(content: bytes, section: bytes) -> bool:
    """Whether a section is not one line over and over, of its own kind."""
    lines = set(content.splitlines())
    return len(lines) > 1 or any(not line.startswith(section + b" by ") for line in lines)


def kept_states(root: Path) -> set[tuple[bytes, bytes]]:
    """All states that lie in files of their own."""
    files = [*(root / "rounds").glob("cand-*.md"), *root.glob("research.*-*.md")]
    return {sections(path.read_bytes()) for path in files}


def carried_out(notes: list[dict[str, Any]]) -> set[int]:
    """The places of the intents whose process noted, as its next word, that they are written."""
    waiting: dict[int, int] = {}
    done = set()
    for place, note in enumerate(notes):
        if note["what"] == "intent":
            waiting[note["pid"]] = place
        elif note["what"] == "done":
            done.add(waiting.pop(note["pid"]))
    return done


def judge(root: Path, notes: list[dict[str, Any]], last: bytes) -> list[str]:
    """Walk through all writes in their order; `last` is what research.md holds at the end."""
    best, kept = sections((root / "rounds" / "best.md").read_bytes()), kept_states(root)
    done = carried_out(notes)
    found: list[str] = []
    stands = [best]  # what research.md may hold before the next write, the newest first
    for place, note in [*enumerate(notes), (-1, {"what": "intent", "found": last.decode(), "new": ""})]:
        if note["what"] != "intent":
            continue
        seen = sections(note["found"].encode())
        found += [f"mixed: {part[:80]!r}" for part, kind in zip(seen, KINDS, strict=True) if mixed(part, kind)]
        if seen not in stands and seen != best:
            found.append(f"lost: {seen[0][:40]!r} was found where {stands[0][0][:40]!r} should have been")
        elif seen not in stands and not any(each in kept or each == best for each in stands):
            found.append(f"lost: a start replaced {stands[0][0][:40]!r} and kept no copy")
        new = sections(note["new"].encode())
        stands = [new] if place in done else [new, seen]
    return found


def acknowledged_but_unknown(notes: list[dict[str, Any]]) -> list[str]:
    """Acknowledged writes that the journal's order does not know."""
    written = {part for note in notes if note["what"] == "intent" for part in sections(note["new"].encode())}
    return [
        f"lost: {note['content'][:40]!r} was acknowledged and never written"
        for note in notes
        if note["what"] == "acknowledged" and note["content"].encode() not in written
    ]


def run(writes: int) -> bool:
    """Let the crowd in until there are enough writes; whether the goals were met."""
    began, chance = time.monotonic(), random.Random(7)
    with crash.folder() as place:
        here, root, journal = Path(place), Path(place) / "w", Path(place) / "journal"
        six_rounds.write_configs(here)
        # Nobody judges here: what a start finds waits for a person.
        settings = json.loads((here / "still.yaml").read_text())
        settings["rounds"]["verify"] = "user"
        (here / "still.yaml").write_text(json.dumps(settings))
        assert six_rounds.run(here, "still.yaml", 1).code == six_rounds.STILL
        crowd, count, disturbed = Crowd(here, journal), 0, {"stop": 0, "kill": 0}
        try:
            while count < writes or not (root / "rounds" / "verdicts.txt").exists():
                crowd.tend()
                time.sleep(chance.random() * 0.1)
                disturbed[crowd.disturb(chance)] += 1
                if journal.exists():
                    count = journal.read_bytes().count(b'"acknowledged"')
        finally:
            crowd.end()
        notes, last = read(journal), (root / "research.md").read_bytes()
        broken = judge(root, notes, last) + acknowledged_but_unknown(notes)
        verdicts = (root / "rounds" / "verdicts.txt").read_text()
        lines = [note["line"] for note in notes if note["what"] == "verdict"]
        broken += [f"lost: the verdict {line!r}" for line in lines if line not in verdicts]
        after = six_rounds.run(here, "still.yaml", 1)
        if after.code != six_rounds.STILL:
            broken.append(f"did not start: {after.errors[-300:]}")
        if list(root.rglob("*.tmp")):
            broken.append("a temporary file is left")
    ends = {code: crowd.starts.count(code) for code in sorted(set(crowd.starts))}
    if set(ends) - {0, six_rounds.STILL, 2, -9}:
        broken.append("a start ended in another way than 0, 2 or killed")
    counts = f"{count} acknowledged writes, {len(lines)} verdicts, starts by exit code {ends}, {disturbed}"
    return crash.report("concurrency", counts, broken, began)


def main(arguments: Sequence[str]) -> int:
    """Run; 0 when all goals were met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--writes", type=int, default=10_000, help="acknowledged writes to reach")
    parser.add_argument("--member", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.member:
        name, root, journal = asked.member[0], Path(asked.member[1]), Path(asked.member[2])
        if name == "verdicts":
            verdict_writer(root, journal)
        section = next(each for each, who in HELPERS if who == name)
        helper(root, section, name, journal)
    met = run(asked.writes)
    print("goals met" if met else "a goal was missed")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
