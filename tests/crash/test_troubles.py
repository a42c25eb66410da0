"""Short forms of the other proofs: failing operations, damaged files, many at once, the state machine, the cost."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

import speed

Figures = Callable[..., str]
CLEAN = "0 lost, 0 not starting, 0 other faults"

pytestmark = pytest.mark.timeout(600)


def test_the_guard_lives_through_failures_of_some_of_its_operations(figures: Figures) -> None:
    assert CLEAN in figures("faults.py", "guard", "--every", "61")


@pytest.mark.needs("strace")
def test_the_command_line_lives_through_failures_of_some_of_its_calls(figures: Figures) -> None:
    assert CLEAN in figures("faults.py", "cli", "--every", "41")


def test_damage_to_one_or_two_files_neither_stops_a_start_nor_leads_to_the_baseline(figures: Figures) -> None:
    assert CLEAN in figures("damage.py", "--count", "400")


def test_helpers_starts_and_a_person_at_once_lose_nothing(figures: Figures) -> None:
    assert CLEAN in figures("concurrency.py", "--writes", "400")


def test_the_model_is_right_about_two_hundred_workspaces(figures: Figures) -> None:
    assert "0 broken promises" in figures("machine.py", "--examples", "200", "--steps", "40")


def test_a_round_costs_the_same_however_many_came_before(tmp_path: Path) -> None:
    early, late = speed.growth(tmp_path, 40)
    assert statistics.median(late.processor) < speed.GROWTH * statistics.median(early.processor)
