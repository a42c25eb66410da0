"""The language of xwork's messages: of the request or of the prompt, else of the locale, and never of a path."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


def said(folder: Path, environ: dict[str, str], *words: str) -> str:
    """What a run says whose model, a script, is not there."""
    argv = [sys.executable, "-m", "xuen.xwork", "run", "--model", "script:gone", *words]
    done = subprocess.run(argv, cwd=folder, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (1, 2), done.stdout + done.stderr
    return done.stdout + done.stderr


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= char <= "\u9fff" for char in text.replace("用户", ""))


@pytest.mark.parametrize(
    ("prompt", "chinese"),
    [
        ("Sort /home/用户/a.txt and ~/用户/b", False),
        ("Sort '/home/用户 x/用户/a.txt' and `./用户/b`, then stop", False),
        ("Call python '/a 用户/write_section.py' idea", False),
        ("整理 /home/user/a.txt", True),
        ("把 a 和/或 b 排序", True),
        ("和/或", True),
    ],
)
def test_a_prompt_tells_its_language_beside_its_paths(
    tmp_path: Path, environment: Callable, prompt: str, chinese: bool
) -> None:
    assert is_chinese(said(tmp_path, environment(), prompt)) is chinese


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_request_of_xuen_goes_before_the_prompt(tmp_path: Path, environment: Callable, language: str) -> None:
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"purpose": "research", "task": "t", "language": language}), "utf-8")
    prompt = "Sort in /home/用户 x/用户 it. 结果"
    assert is_chinese(said(tmp_path, environment(XUEN_REQUEST=str(request)), prompt)) is (language == "zh")


def test_an_english_task_in_a_folder_with_a_chinese_name_is_met_in_english(xuen: Callable, tmp_path: Path) -> None:
    here = tmp_path / "用户 用户" / "用户"
    here.mkdir(parents=True)
    config = {"xwork": {"base_url": "http://127.0.0.1:9/v1", "model": "script:gone"}, "words": {"pick": 0}}
    (here / "config.yaml").write_text(json.dumps(config), "utf-8")
    done = xuen("Sort faster", "--no-tui", "--iterations", "1", cwd=here)
    lines = [line for line in done.stdout.splitlines() if "xwork:" in line]
    assert lines
    assert not any(is_chinese(line) for line in lines), lines
