"""What the guard's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from guard_play import Play


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """A fresh workspace."""
    return Play(tmp_path / "workspace")
