"""The quick part of the layouts corpus, with real pytest, make, npm; `bench/suites.py` runs all of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from suite_play import RUNNERS, decided_by, judge, layouts, lean_python

ALL = layouts()
QUICK = [layout for layout in ALL if layout.get("quick")]
NEEDS_NPM = [layout for layout in QUICK if layout["name"].startswith("npm:") or layout.get("by") == "npm"]
OTHERS = [layout for layout in QUICK if layout not in NEEDS_NPM]


def test_the_corpus_is_large_and_well_formed() -> None:
    assert len(ALL) >= 120
    assert len({layout["name"] for layout in ALL}) == len(ALL)
    assert {layout["expect"] for layout in ALL} == {"passed", "failed", "unknown", "unavailable"}
    assert all((layout.get("by") in RUNNERS) == (layout["expect"] != "unavailable") for layout in ALL)


@pytest.mark.parametrize("layout", OTHERS, ids=lambda layout: layout["name"].replace(" ", "-"))
def test_a_layout_gets_its_outcome(layout: dict[str, Any], tmp_path: Path) -> None:
    found = judge(layout, tmp_path, python=lean_python(tmp_path))
    assert (found.outcome, decided_by(found)) == (layout["expect"], layout.get("by")), found.raw
    assert found.verifier == "tests"
    assert found.score is None


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
@pytest.mark.parametrize("layout", NEEDS_NPM, ids=lambda layout: layout["name"].replace(" ", "-"))
def test_a_layout_for_npm_gets_its_outcome(layout: dict[str, Any], tmp_path: Path) -> None:
    found = judge(layout, tmp_path, python=lean_python(tmp_path))
    assert (found.outcome, decided_by(found)) == (layout["expect"], layout.get("by")), found.raw
