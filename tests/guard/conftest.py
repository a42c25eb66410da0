"""What the guard's tests share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from guard_play import Play


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """A fresh workspace."""
    return Play(tmp_path / "workspace")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is such a thing: for much work, and a kill loses no written data."""
    if not Path("/dev/shm").is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)
