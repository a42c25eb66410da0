"""The scripted model: what a script says is what comes, however it is cut, and then it is over."""

import threading
import time

import pytest

from xuen.xwork.errors import BadUse, ContextOverflow, Interrupted, Retryable, ScriptOver
from xuen.xwork.messages import Finish, ToolCall, Usage, User
from xuen.xwork.model.client import Options, assemble
from xuen.xwork.model.scripted import ScriptedAnswer, ScriptedCall, ScriptedModel

NEVER = threading.Event()


def ask(model, cancel=NEVER):
    return assemble(model.complete([User("x")], options=Options(), cancel=cancel))


@pytest.mark.parametrize("chunk", range(12))
def test_the_answer_is_the_same_for_every_cut(chunk):
    call = ScriptedCall("read_file", {"path": "a"})
    answer = ask(ScriptedModel([ScriptedAnswer("hello", "hm hm", (call,), usage=Usage(3, 4), chunk=chunk)]))
    assert answer.message.text == "hello"
    assert answer.message.reasoning == "hm hm"
    assert answer.message.calls == (ToolCall("call_0", "read_file", '{"path":"a"}'),)
    assert (answer.message.finish, answer.usage) == (Finish.CALLS, Usage(3, 4))


@pytest.mark.parametrize("text", ['["one", {"text": "two"}]', '"one"\n{"text": "two"}\n'])
def test_a_script_is_a_list_or_an_answer_a_line(tmp_path, text):
    path = tmp_path / "script"
    path.write_text(text, "utf-8")
    model = ScriptedModel.from_file(path)
    assert [ask(model).message.text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ScriptOver, match="2 answers"):
        ask(model)
    assert model.asked[0] == (User("x"),)


@pytest.mark.parametrize("text", ["", '{"text": 1}', '{"tetx": ""}', "[", "\xff"])
def test_what_is_no_script_is_refused(tmp_path, text):
    path = tmp_path / "script"
    path.write_bytes(text.encode("latin-1"))
    if text == "":
        with pytest.raises(ScriptOver):
            ask(ScriptedModel.from_file(path))
    else:
        with pytest.raises(BadUse, match="script"):
            ScriptedModel.from_file(path)


def test_scripted_errors_come_after_the_pieces_before_them():
    model = ScriptedModel(
        [ScriptedAnswer("par", error="retryable", retry_after=1.5, message="busy"), ScriptedAnswer(error="overflow")]
    )
    with pytest.raises(Retryable, match="busy") as caught:
        ask(model)
    assert caught.value.retry_after == 1.5
    with pytest.raises(ContextOverflow):
        ask(model)


def test_a_cancel_ends_a_slow_answer():
    cancel = threading.Event()
    threading.Timer(0.1, cancel.set).start()
    started = time.monotonic()
    with pytest.raises(Interrupted):
        ask(ScriptedModel([ScriptedAnswer("slow", delay=60)]), cancel)
    assert time.monotonic() - started < 30
