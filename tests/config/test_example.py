"""config.example.yaml says what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from xuen.config.load import load
from xuen.config.model import Config
from xuen.config.values import KINDS

ROOT = Path(__file__).parents[2]


def test_the_example_is_exactly_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert load(Path("config.example.yaml")).config == Config()


def test_the_example_has_every_key_in_the_order_of_the_model() -> None:
    assert list(load(ROOT / "config.example.yaml").places) == list(KINDS)


def test_every_key_is_explained_in_both_languages() -> None:
    lines = (ROOT / "config.example.yaml").read_text(encoding="utf-8").splitlines()
    for place in load(ROOT / "config.example.yaml").places.values():
        above = []
        for line in reversed(lines[: place.line - 1]):
            if not line.lstrip().startswith("#"):
                break
            above.append(line)
        assert any(line.isascii() for line in above), lines[place.line - 1]
        assert any(not line.isascii() for line in above), lines[place.line - 1]
