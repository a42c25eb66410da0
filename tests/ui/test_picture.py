from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import story

from xuen.ui.jsonl import open_events

ROOT = Path(__file__).parents[2]


@pytest.fixture
def recording(tmp_path):
    sink = open_events(str(tmp_path / "events.jsonl"), "zh")
    for event in story.whole_run("zh"):
        sink.emit(event)
    sink.close()
    return tmp_path / "events.jsonl"


def test_a_recorded_run_becomes_a_picture_of_its_screen(recording, tmp_path):
    picture = tmp_path / "screen.svg"
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "picture.py"), str(recording), str(picture), "--size", "100x30"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    svg = picture.read_text(encoding="utf-8")
    assert "草稿用树而不用链" in svg
    assert set(re.findall(r"https?://[^\s\"')]+", svg)) <= {"http://www.w3.org/2000/svg", "https://www.textualize.io"}
    wide = re.search(r'textLength="([\d.]+)"[^>]*>最佳</text>', svg)
    assert wide is not None
    assert float(wide[1]) == pytest.approx(4 * 12.2)  # four cells, not two characters
