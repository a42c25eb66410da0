"""What the guard's tests share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for `guard_play`

from guard_play import Play


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """A fresh workspace."""
    return Play(tmp_path / "workspace")
