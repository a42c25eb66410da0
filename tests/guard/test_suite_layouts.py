"""The quick part of the layouts corpus, with real pytest, make, npm; `bench/suites.py` runs all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from suite_play import RUNNERS, decided_by, judge, layouts, lean_python

ALL = layouts()
QUICK = [layout for layout in ALL if layout.get("quick")]


def layouts_of(runner: str) -> list[dict[str, Any]]:
    """The quick layouts that need this runner."""
    return [layout for layout in QUICK if layout["name"].startswith(f"{runner}:") or layout.get("by") == runner]


OF_MAKE, OF_NPM = layouts_of("make"), layouts_of("npm")
OTHERS = [layout for layout in QUICK if layout not in OF_MAKE + OF_NPM]


def name(layout: dict[str, Any]) -> str:
    return layout["name"].replace(" ", "-")


def test_the_corpus_is_large_and_well_formed() -> None:
    assert len(ALL) >= 120
    assert len({layout["name"] for layout in ALL}) == len(ALL)
    assert {layout["expect"] for layout in ALL} == {"passed", "failed", "unknown", "unavailable"}
    assert all((layout.get("by") in RUNNERS) == (layout["expect"] != "unavailable") for layout in ALL)


@pytest.mark.parametrize("layout", OTHERS, ids=name)
def test_a_layout_gets_its_outcome(layout: dict[str, Any], tmp_path: Path) -> None:
    found = judge(layout, tmp_path, python=lean_python(tmp_path))
    assert (found.outcome, decided_by(found)) == (layout["expect"], layout.get("by")), found.raw
    assert found.verifier == "tests"
    assert found.score is None


@pytest.mark.needs("make")
@pytest.mark.parametrize("layout", OF_MAKE, ids=name)
def test_a_layout_for_make_gets_its_outcome(layout: dict[str, Any], tmp_path: Path) -> None:
    test_a_layout_gets_its_outcome(layout, tmp_path)


@pytest.mark.needs("npm")
@pytest.mark.parametrize("layout", OF_NPM, ids=name)
def test_a_layout_for_npm_gets_its_outcome(layout: dict[str, Any], tmp_path: Path) -> None:
    test_a_layout_gets_its_outcome(layout, tmp_path)
