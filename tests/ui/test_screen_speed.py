"""The short form of `bench/screen.py`: that it measures a real flood, and that memory stays bounded in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_short_flood_and_a_short_night_are_measured_and_memory_stays_bounded():
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "bench" / "screen.py"),
            "--lines",
            "20000",
            "--keys",
            "20",
            "--pairs",
            "1",
            "--rounds",
            "20",
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    flood, night = (json.loads(line) for line in done.stdout.splitlines())
    assert 0 < flood["key_median_ms"] < 5000  # an idle machine needs a hundredth of it
    assert flood["memory_peak_mb"] < flood["memory_before_mb"] + 60
    assert night["memory_late_mb"] < night["memory_early_mb"] * 1.5
