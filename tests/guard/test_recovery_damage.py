"""Random damage to one or two files of a workspace: a start always works, and the best stays an adopted one."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from guard_play import Play

MUTATIONS = 150


def mutated(data: bytes, chance: random.Random) -> bytes | None:
    """What a bad disk, editor or copy makes of a file; None deletes it."""
    at, to = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    kind = chance.choice(["cut", "flip", "flip", "zero", "crlf", "bom", "drop", "repeat", "delete"])
    flipped = bytearray(data)
    flipped[min(at, len(data) - 1)] ^= 1 << chance.randrange(8)
    made = {
        "cut": data[:at],
        "flip": bytes(flipped),
        "zero": bytes(len(data)),
        "crlf": data.replace(b"\n", b"\r\n"),
        "bom": b"\xef\xbb\xbf" + data,
        "drop": data[:at] + data[to:],
        "repeat": data + data[at:to],
    }
    return made.get(kind)


@pytest.fixture
def memory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield Path(folder)


@pytest.mark.parametrize("seed", range(3))
def test_damage_never_stops_a_start_and_never_leads_back_to_the_baseline(memory: Path, seed: int) -> None:
    chance = random.Random(f"damage {seed}")
    first = Play(memory / "first")
    first.start(answers=[8, 9, 2, "unknown"])
    ids = [first.round(idea) for idea in ("one", "two", "three", "four")]
    first.finish()
    whole = {**first.files(), "rounds/history.jsonl": first.workspace.history.read_bytes()}
    names = sorted(name for name in whole if name.endswith((".md", ".json", ".jsonl")))
    for count in range(MUTATIONS):
        root = memory / "w"
        shutil.rmtree(root, ignore_errors=True)
        hit = chance.sample(names, chance.choice([1, 2]))
        for name, data in whole.items():
            made = mutated(data, chance) if name in hit else data
            if made is not None:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(made)
        play = Play(root)
        play.now = first.now.replace(hour=9)
        play.restart()
        best = play.best_idea()
        told = f"{count}: {hit} -> {best!r}"
        assert play.idea == best, told
        if f"rounds/cand-{ids[1]}.md" not in hit:
            assert best == "two", told
        elif "rounds/history.jsonl" not in hit and f"rounds/cand-{ids[0]}.md" not in hit:
            assert best in ("one", "two"), told
        files, lines = play.files(), len(play.lines())
        play.restart()
        assert play.files() == files, told
        assert [line["event"] for line in play.lines()[lines:]] == ["run_started", "run_finished"], told
