"""The embedded model for real: its weights are fetched on the first run of these tests and then come from the cache."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from xuen.workspace import section_script
from xuen.workspace.research import new_research, parse
from xuen.xwork.errors import ContextOverflow, ModelMissing, RequestRefused
from xuen.xwork.messages import Finish, User
from xuen.xwork.model.client import Options, TextDelta, assemble
from xuen.xwork.model.embedded import EmbeddedModel, free_cores
from xuen.xwork.model.weights import weights_file

pytestmark = [pytest.mark.real_model, pytest.mark.timeout(900), pytest.mark.xdist_group("real_model")]
_NEVER = threading.Event()
_TASK = "How could a small town reduce traffic noise?"


@pytest.fixture(scope="module")
def weights():
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    try:
        return weights_file(os.environ, progress=lambda done, total: None, say=lambda text: None, cancel=_NEVER)
    except ModelMissing as error:
        pytest.skip(f"the weights are not in the cache and could not be fetched: {error}")


@pytest.fixture(scope="module")
def model(weights) -> Iterator[EmbeddedModel]:
    model = EmbeddedModel(weights)
    yield model
    model.close()


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    shutil.copy(section_script.__file__, folder / "write_section.py")
    (folder / "research.md").write_bytes(new_research(_TASK))
    return folder


@pytest.fixture
def xwork(workspace, weights, environment):
    def start(*options, prompt="go", **request):
        (workspace / "prompt.txt").write_text(prompt, "utf-8")
        (workspace / "request.json").write_text(json.dumps({"task": _TASK, **request}), "utf-8")
        env = environment(XWORK_MODEL_FILE=str(weights), XUEN_WORKSPACE=str(workspace))
        if request:
            env["XUEN_REQUEST"] = str(workspace / "request.json")
        return subprocess.Popen(
            [sys.executable, "-m", "xuen.xwork", "run", "--prompt-file", "prompt.txt", *options],
            cwd=workspace,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    return start


def ask(model, text, **options):
    return model.complete([User(text)], options=Options(**options), cancel=_NEVER)


def test_an_answer_comes_in_pieces_and_says_what_it_cost(model):
    pieces = list(ask(model, "Write three sentences about bees.", max_tokens=24, temperature=0.0))
    answer = assemble(pieces)
    assert sum(isinstance(piece, TextDelta) for piece in pieces) > 10
    assert answer.message.finish is Finish.LENGTH
    assert answer.message.text.strip()
    assert answer.usage.output_tokens == 24
    assert answer.usage.cost is None


def test_grammar_stop_text_and_seed_are_kept(model):
    digit = assemble(ask(model, "Rate bees from 0 to 9.", grammar="root ::= [0-9]", max_tokens=2))
    assert digit.message.text in set("0123456789")
    stopped = assemble(ask(model, "Count from 1 to 9.", stop=("\n", " "), max_tokens=40))
    assert not set(stopped.message.text) & set("\n ")
    same = {assemble(ask(model, "Name a bird.", seed=7, temperature=1.0, max_tokens=8)).message.text for _ in range(2)}
    assert len(same) == 1


def test_what_does_not_fit_and_what_is_refused_are_told_apart(model):
    with pytest.raises(ContextOverflow):
        assemble(ask(model, "bee " * 9000))
    with pytest.raises(RequestRefused):
        assemble(ask(model, "bee", grammar="root ::= ["))
    assert assemble(ask(model, "Name a bird.", max_tokens=4)).message.text


def test_a_file_that_is_no_model_says_so(tmp_path, weights):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(weights.read_bytes()[:1_000_000])
    with pytest.raises(ModelMissing, match=r"broken\.gguf"):
        EmbeddedModel(broken).load(_NEVER)


def test_a_model_that_was_loaded_and_never_asked_is_released_at_once(weights, environment):
    program = """
import os, pathlib, sys, threading
from xuen.xwork.model.embedded import EmbeddedModel

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # on one core its native loop has mostly not begun by then
for _ in range(4):
    model = EmbeddedModel(pathlib.Path(sys.argv[1]), context_tokens=256, threads=1)
    model.load(threading.Event())
    model.close()
"""
    subprocess.run([sys.executable, "-c", program, str(weights)], check=True, timeout=60, env=environment())


def test_threads_are_no_more_than_the_cores_that_may_be_used():
    assert 1 <= free_cores() <= min(8, len(os.sched_getaffinity(0)))


def test_words_research_and_judgement_end_to_end(workspace, xwork):
    words, _ = (process := xwork(purpose="words", count=12, known=["bypass"], nonce="c0ffee42")).communicate()
    terms = words.splitlines()
    assert process.returncode == 0
    assert 6 <= len({term.casefold() for term in terms}) == len(terms) <= 12
    assert all(len(term) <= 40 and term != "bypass" for term in terms)

    out, err = (process := xwork(purpose="research", words=terms[:3])).communicate()
    assert process.returncode == 0, err
    written = parse((workspace / "research.md").read_bytes()).sections
    assert len(written.idea.split()) > 10
    assert written.artifact.startswith("1. ")
    assert written.idea.endswith((".", "!", "?", '"'))
    assert written.idea.split()[0] in out

    candidate = {"idea": written.idea, "artifact": written.artifact}
    out, _ = (process := xwork(purpose="judge", candidate=candidate, nonce="c0ffee42")).communicate()
    assert process.returncode == 0
    score = out.splitlines()[-1].removeprefix("SCORE c0ffee42: ")
    assert 0 <= float(score) <= 10
    assert parse((workspace / "research.md").read_bytes()).sections == written


def test_a_signal_while_it_reads_a_long_prompt_ends_it_at_once(workspace, xwork):
    process = xwork("--json", prompt="bees and honey " * 2300)  # far more than it reads in two seconds
    while json.loads(process.stdout.readline())["event"] != "model_started":
        pass
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, "")
    assert json.loads(out) == {"event": "failed", "error": "interrupted", "code": 130}
