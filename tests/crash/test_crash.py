"""Short forms of bench/crash.py: some of the points at which a run is killed, some of the states without power."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Figures = Callable[..., str]

pytestmark = pytest.mark.timeout(600)


@pytest.mark.needs("strace")
def test_the_command_line_killed_at_some_of_its_calls_loses_nothing(figures: Figures) -> None:
    said = figures("crash.py", "cli", "--every", "45")
    assert "0 lost, 0 not starting, 0 other faults" in said


def test_the_guard_killed_in_rounds_of_any_order_loses_nothing(figures: Figures) -> None:
    said = figures("crash.py", "points", "--every", "23")
    assert "in 12 orders of the rounds; 0 lost, 0 not starting, 0 other faults" in said


@pytest.mark.needs("strace")
def test_every_state_that_a_power_loss_can_leave_starts_and_has_what_was_adopted(figures: Figures) -> None:
    said = figures("crash.py", "power", "--every", "9")
    assert "0 lost, 0 not starting, 0 other faults" in said
