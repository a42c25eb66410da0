"""Lays out the projects of the corpus and lets the real verifier judge them with real programs."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import yaml

from xuen.guard.candidates import Snapshot
from xuen.guard.verify import Judgement
from xuen.guard.verify.suite import SuiteVerifier
from xuen.stop import Stop

CORPUS = Path(__file__).parent.parent / "corpora" / "suite_layouts.yaml"
RUNNERS = ("pytest", "make", "npm", "go")


def layouts() -> list[dict[str, Any]]:
    """All layouts of the corpus."""
    loaded = yaml.safe_load(CORPUS.read_text(encoding="utf-8"))
    assert isinstance(loaded, list)
    return loaded


def snapshot(text: str = "# t\n", id: str = "20260101-000000-r1") -> Snapshot:
    """A snapshot with this content."""
    data = text.encode()
    return Snapshot(id, 1, data, hashlib.sha256(data).hexdigest())


def put(folder: Path, files: dict[str, str]) -> Path:
    """Write files; those that begin with `#!` can be run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.replace("@PYTHON@", sys.executable), encoding="utf-8")
        if content.startswith("#!"):
            path.chmod(0o755)
    return folder


def path_without(place: Path, programs: list[str]) -> str:
    """A folder for PATH that holds all system programs but these."""
    place.mkdir()
    for folder in os.get_exec_path():
        for program in Path(folder).iterdir() if Path(folder).is_dir() else ():
            link = place / program.name
            if program.name not in programs and not link.is_symlink():
                link.symlink_to(program)
    return str(place)


def lean_python(place: Path) -> str:
    """This interpreter with a pytest that loads no plugins of ours, which take most of its start."""
    script = '#!/bin/sh\nPYTEST_DISABLE_PLUGIN_AUTOLOAD=1 exec @PYTHON@ "$@"\n'
    return str(put(place, {"lean-python": script}) / "lean-python")


def judge(layout: dict[str, Any], place: Path, *, python: str = sys.executable) -> Judgement:
    """What the verifier says about one layout."""
    project = put(place / "outer" / "project", layout["files"])
    path = os.environ["PATH"]
    if layout.get("without"):
        path = path_without(place / "programs", layout["without"])
    if layout.get("tools"):
        path = f"{put(place / 'tools', layout['tools'])}{os.pathsep}{path}"
    verifier = SuiteVerifier(
        project,
        timeout=layout.get("timeout", 100),
        stop=Stop(),
        is_repo=layout.get("repo", False),
        python=python,
        surroundings={**os.environ, **layout.get("env", {}), "PATH": path},
    )
    return verifier.verify(snapshot(), snapshot())


def decided_by(judgement: Judgement) -> str | None:
    """The runner that decided; None when none could."""
    if judgement.outcome == "unavailable":
        return None
    last = [line.split(":")[0] for line in judgement.raw.splitlines() if line.split(":")[0] in RUNNERS]
    return last[-1]
