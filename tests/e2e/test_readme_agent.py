"""The sample agents of the two READMEs, taken from the page and run as it says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("page", "idea"), [("README.md", "An idea of round 2"), ("README.zh-CN.md", "第 2 轮的想法")])
def test_the_sample_agent_of_the_readme_works_as_it_stands_there(tmp_path: Path, page: str, idea: str) -> None:
    sample = re.search(r"```sh\n(#!/bin/sh\n# my-agent.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    assert sample is not None
    agent = tmp_path / "my-agent"
    agent.write_text(sample[1], "utf-8")
    agent.chmod(0o755)
    (tmp_path / "config.yaml").write_text(json.dumps({"agent": {"command": f"{agent} < $prompt_file"}}), "utf-8")
    done = subprocess.run(
        [sys.executable, str(ROOT / "main.py"), "a task", "--iterations", "2", "--no-tui"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode()
    assert idea in (tmp_path / "workspace" / "rounds" / "best.md").read_text("utf-8")
    assert len((tmp_path / "workspace" / "words.txt").read_text("utf-8").split("\n")) > 3
