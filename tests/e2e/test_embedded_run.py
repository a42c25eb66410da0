"""The README's promise: with no key, no server and no configuration, a task comes to its end on the built-in agent."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from xuen.workspace.research import parse
from xuen.xwork.errors import ModelMissing
from xuen.xwork.model.weights import weights_file

pytestmark = [pytest.mark.real_model, pytest.mark.timeout(900), pytest.mark.xdist_group("real_model")]


@pytest.fixture(scope="module")
def weights() -> Path:
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    never = threading.Event()
    try:
        return weights_file(os.environ, progress=lambda done, total: None, say=lambda text: None, cancel=never)
    except ModelMissing as error:
        pytest.skip(f"the weights are not in the cache and could not be fetched: {error}")


def test_a_round_on_the_embedded_model_without_any_configuration(xuen: Callable, tmp_path: Path, weights: Path) -> None:
    done = xuen(
        "How could a small town reduce traffic noise?",
        "--iterations",
        "1",
        "--no-tui",
        "--seed",
        "1",
        timeout=800,
        XWORK_MODEL_FILE=str(weights),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rounds = tmp_path / "workspace" / "rounds"
    events = [json.loads(line) for line in (rounds / "history.jsonl").read_text("utf-8").splitlines()]
    names = [event["event"] for event in events]
    assert "candidate" in names
    candidate = next(event for event in events if event["event"] == "candidate")
    assert len(candidate["words"]) == 3
    sections = parse((rounds / f"cand-{candidate['id']}.md").read_bytes()).sections
    assert len(sections.idea.split()) > 5
    assert len(sections.artifact.split()) > 5
    assert sections.idea in done.stdout, "what was written is what the model was seen to say"
    judged = next((event for event in events if event["event"] in ("adopted", "rejected")), None)
    assert judged is not None, done.stdout
    assert 0 <= judged["score"] <= 10
    assert judged["verify"] == "ai"
