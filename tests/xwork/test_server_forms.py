"""Model servers that say the same in other forms: nothing that they send is read as empty, whatever its form or label.

Forms seen in public reports: ggml-org/llama.cpp#20198, sipeed/picoclaw#1292, simonw/llm-mistral#39,
meilisearch/meilisearch#6327, fox1245/NeoGraph#124, InternLM/xtuner#1755, tidyverse/ellmer#3.
"""

import json
import subprocess
import sys
import threading

import pytest

from xuen.xwork.errors import EmptyAnswer, ModelError, Retryable
from xuen.xwork.messages import Finish, ToolCall, Usage, User
from xuen.xwork.model.anthropic import Anthropic
from xuen.xwork.model.body import UnreadableBody, parts
from xuen.xwork.model.client import Options, assemble
from xuen.xwork.model.openai_compatible import OpenAICompatible

JSON, STREAM = "application/json", "text/event-stream"


def chunk(finish=None, **delta):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def calling(**function):
    return chunk(
        tool_calls=[{"index": 0, "id": "c1", "type": "function", "function": {"name": "read_file", **function}}]
    )


def sent(*events, done=True):
    data = "".join(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n" for event in events)
    return (data + "data: [DONE]\n\n" * done).encode()


FINE = sent(chunk(content="fine"), chunk("stop"))
WHOLE = {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}


def ask(kind, server, *replies):
    server.replies = list(replies)
    client = kind(server.url, "m", key="sk-secret")
    try:
        return assemble(client.complete([User("q")], options=Options(), cancel=threading.Event()))
    finally:
        client.close()


@pytest.fixture
def xwork(model_server, tmp_path, environment):
    """Runs the program against the server: exit code, standard output, standard error."""
    (tmp_path / "a.txt").write_text("hello\n")

    def run(*replies):
        model_server.replies = list(replies)
        argv = [sys.executable, "-m", "xuen.xwork", "run", "go", "--workspace", str(tmp_path), "--model", "m"]
        argv += ["--base-url", model_server.url, "--session", str(tmp_path / f"{len(model_server.requests)}.jsonl")]
        env = environment(OPENAI_API_KEY="sk-secret")
        done = subprocess.run(argv, env=env, capture_output=True, encoding="utf-8", timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


# --- through the program ---------------------------------------------------------------------------------------------


def test_arguments_may_come_as_the_object_itself(xwork, model_server, say):
    code, out, _ = xwork(say.stream(sent(calling(arguments={"path": "a.txt"}), chunk("tool_calls"))), say.stream(FINE))
    assert (code, out) == (0, "fine\n")
    assert "hello" in model_server.requests[1]["messages"][-1]["content"]


def test_content_may_come_in_parts_of_which_some_are_thoughts(xwork, say):
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    content = [thought, {"type": "text", "text": "hello"}, " there"]
    assert xwork(say.stream(sent(chunk(content=content), chunk("stop")))) == (0, "hello there\n", "hm\n")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (sent({"object": "error", "message": "CUDA out of memory", "code": 50001}), "50001: CUDA out of memory"),
        (sent({"detail": [{"loc": ["body", "top"], "msg": "field required"}]}), "body: top: field required"),
        (sent({"message": "no such model", "request_id": "r"}), "no such model"),
        (sent({"error": "sk-secret is wrong"}), "*** is wrong"),
        (b"event: error\ndata: out of memory\n\n", "out of memory"),
        (b'error: {"code":400,"message":"boom"}\n\n', "400: boom"),
        (b'[{"error": {"code": 400, "message": "no such key"}}]', "400: no such key"),
        (b'{"choices": [{"error": {"code": 400, "message": "gone"}}]}', "400: gone"),
    ],
)
def test_the_words_of_a_server_that_failed_are_shown(xwork, say, body, words):
    code, out, errors = xwork(say.stream(body))
    assert (code, out) == (1, "") and words in errors and "sk-secret" not in errors


def test_the_first_bytes_decide_and_not_the_label(xwork, model_server, say):
    whole = json.dumps(WHOLE, indent=1).encode()
    assert xwork(say.stream(FINE, kind=JSON)) == (0, "fine\n", "")
    assert xwork(say.stream(whole, kind=STREAM)) == (0, "hi\n", "")
    for label in (JSON, STREAM, "text/plain", "application/octet-stream"):
        assert ask(OpenAICompatible, model_server, say.stream(FINE, kind=label)).message.text == "fine"
        assert ask(OpenAICompatible, model_server, say.stream(whole, kind=label)).message.text == "hi"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("error", "ended it with 'error'; trying again"),
        ("abort", "ended it with 'abort'; trying again"),
        ("network_error", "ended it with 'network_error'; trying again"),
        ("max_tokens", "cut off at its output limit"),
        ("SENSITIVE", "withheld the answer"),
        ("wandered off", "'wandered off', which xwork does not know: the answer may not be whole"),
        (None, "without a reason: the answer may not be whole"),
        ("stop", ""),
        ("eos", ""),
    ],
)
def test_an_answer_is_whole_only_for_known_endings(xwork, model_server, say, word, said):
    code, out, errors = xwork(say.stream(sent(chunk(content="The answ"), chunk(word))), say.stream(FINE))
    assert said in errors and bool(said) == bool(errors)
    again = "trying again" in said
    assert (code, len(model_server.requests)) == (int(word == "SENSITIVE"), 1 + again)
    assert out == "The answ\n" + "fine\n" * again


# --- field by field --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "event",
    [
        calling(arguments={"path": "ü"}),
        calling(parameters={"path": "ü"}),
        chunk(tool_calls={"id": "c1", "function": {"name": "read_file", "arguments": {"path": "ü"}}}),
        chunk(tool_calls=[{"index": "0", "id": "c1", "name": "read_file", "arguments": '{"path": "ü"}'}]),
        {"choices": calling(arguments={"path": "ü"})["choices"][0]},
    ],
)
def test_forms_of_a_call(model_server, say, event):
    answer = ask(OpenAICompatible, model_server, say.stream(sent(event, chunk("tool_calls"))))
    assert answer.message.calls == (ToolCall("c1", "read_file", '{"path": "ü"}'),)


def test_the_older_form_of_a_call_and_one_without_arguments(model_server, say):
    older = [chunk(function_call={"name": "list_files", "arguments": ""}), chunk(function_call={"arguments": "{}"})]
    answer = ask(OpenAICompatible, model_server, say.stream(sent(*older, chunk("function_call"))))
    assert answer.message.calls == (ToolCall("call_0", "list_files", "{}"),)
    pieces = [calling(arguments={}), chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"path": "a"}'}}])]
    answer = ask(OpenAICompatible, model_server, say.stream(sent(*pieces, chunk("tool_calls"))))
    assert answer.message.calls == (ToolCall("c1", "read_file", '{"path": "a"}'),)


@pytest.mark.parametrize(
    ("delta", "text", "reasoning"),
    [
        ({"content": {"type": "text", "text": {"value": "a"}}}, "a", ""),
        ({"content": [{"type": "output_text", "text": "a"}, {"type": "image_url"}, 7]}, "a7", ""),
        ({"content": 42}, "42", ""),
        ({"content": [{"type": "reasoning", "summary": [{"text": "hm"}]}, "a"]}, "a", "hm"),
        ({"refusal": "I will not"}, "I will not", ""),
        ({"reasoning": "hm", "reasoning_details": [{"text": "hm"}], "content": "a"}, "a", "hm"),
        ({"reasoning_details": [{"text": "hm"}], "content": "a"}, "a", "hm"),
        ({"reasoning_content": [{"text": "h"}, "m"], "content": "a"}, "a", "hm"),
    ],
)
def test_forms_of_a_text(model_server, say, delta, text, reasoning):
    for event in (chunk(**delta), {"choices": [{"message": delta}]}):
        message = ask(OpenAICompatible, model_server, say.stream(sent(event, chunk("stop")))).message
        assert (message.text, message.reasoning, message.finish) == (text, reasoning, Finish.STOP)


def test_forms_of_the_rest(model_server, say):
    repeated = {"choices": [{"message": {"content": "fine"}, "finish_reason": {"type": "stop", "matched": 2}}]}
    counted = {"choices": [{"text": "!", "finish_reason": "", "usage": {"prompt_tokens": 7, "completion_tokens": 2}}]}
    answer = ask(OpenAICompatible, model_server, say.stream(sent(chunk("", content="fine"), counted, repeated)))
    assert (answer.message.text, answer.message.finish) == ("fine!", Finish.STOP)
    assert answer.usage == Usage(7, 2)


@pytest.mark.parametrize(
    ("body", "kind", "part"),
    [
        (sent(chunk(audio={"id": "x"}), chunk("stop")), EmptyAnswer, '{"audio": {"id": "x"}}'),
        (sent({"base_resp": {"status_msg": "insufficient balance"}}), EmptyAnswer, "insufficient balance"),
        (sent('"quota is used up"'), EmptyAnswer, "quota is used up"),
        (b"upstream connect error", Retryable, "upstream connect error"),
        (b"data: no healthy upstream\n\n", Retryable, "no healthy upstream"),
        (b'{"choices": [{"message": {"content": "a"', Retryable, '{"choices": [{"message"'),
        (sent(chunk(content="a"), done=False) + b'{"error":{"message":"try again","code":503}}', Retryable, "503"),
    ],
)
def test_what_is_not_understood_is_never_an_empty_answer(model_server, say, body, kind, part):
    with pytest.raises(ModelError) as failed:
        ask(OpenAICompatible, model_server, say.stream(body))
    assert type(failed.value) is kind and part in failed.value.line("en") and part in failed.value.line("zh")


def test_a_body_is_the_same_for_every_cut_of_its_bytes():
    bodies = [
        b"\xef\xbb\xbf: hello\r\nevent: x\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata: : WAIT\n\nid: 7\rdata: [DONE]\r\r",
        b'\xef\xbb\xbf\r\n[{"type": "x", "a": 1}]\n',
        b'{"type": "x",\n"a": 1}',
    ]  # fmt: skip
    for body in bodies:
        for at in range(len(body) + 1):
            assert list(parts([body[:at], body[at:]])) == [{"type": "x", "a": 1}, None], (body, at)
        assert list(parts(bytes([byte]) for byte in body)) == [{"type": "x", "a": 1}, None]
    assert list(parts([b'{"a": 1}\n{"a": 2}\n'])) == [{"a": 1}, {"a": 2}, None]
    assert list(parts([])) == []
    with pytest.raises(UnreadableBody):
        list(parts([b"[" * 100_000]))


# --- the other protocol ----------------------------------------------------------------------------------------------


MESSAGE = {
    "type": "message",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": "fine"},
        {"type": "tool_use", "id": "t1", "name": "a", "input": {"x": "ü"}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 7, "output_tokens": 2},
}


def streamed(message):
    yield {"type": "message_start", "message": {"usage": message["usage"]}}
    for block in message["content"]:
        yield {"type": "content_block_start", "content_block": block}  # whole at once, without a number
        yield {"type": "content_block_stop"}
    yield {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"]}}
    yield {"type": "message_stop"}


@pytest.mark.parametrize("label", [JSON, STREAM])
@pytest.mark.parametrize("form", ["whole", "numbered", "named by their events only"])
def test_blocks_may_be_whole_at_once(model_server, say, form, label):
    events = [dict(event) for event in streamed(MESSAGE)]
    for number, event in enumerate(events[1:-2]):
        event["index"] = number // 2
    if form == "whole":
        body = json.dumps(MESSAGE).encode()
    elif form == "numbered":
        body = sent(*events, done=False)
    else:
        body = "".join(f"event: {event.pop('type')}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
    answer = ask(Anthropic, model_server, say.stream(body, kind=label))
    message = answer.message
    assert (message.text, message.reasoning, message.finish) == ("fine", "hm", Finish.CALLS)
    assert message.calls == (ToolCall("t1", "a", '{"x": "ü"}'),)
    assert json.loads(message.replay) == MESSAGE["content"][:1] and answer.usage == Usage(7, 2)


def test_pieces_of_an_input_may_be_objects_and_replace_the_one_at_the_start(model_server, say):
    block = {"type": "tool_use", "id": "t", "name": "a", "input": {"x": 1}}
    for part in ({"x": 1}, '{"x": 1}'):
        events = [
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": part}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        ]
        answer = ask(Anthropic, model_server, say.stream(sent(*events, done=False)))
        assert answer.message.calls == (ToolCall("t", "a", '{"x": 1}'),)


@pytest.mark.parametrize(
    ("events", "kind", "words"),
    [
        ([{"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}], Retryable, "busy"),
        ([{"message": "no such model"}], ModelError, "no such model"),
        ([{"type": "content_block_start", "content_block": {"type": "novel"}}], EmptyAnswer, "novel"),
        ([{"type": "message_delta", "delta": {"stop_reason": "api_error"}}], Retryable, "api_error"),
    ],
)
def test_failures_in_the_other_protocol(model_server, say, events, kind, words):
    with pytest.raises(kind, match=words):
        ask(Anthropic, model_server, say.stream(sent(*events, {"type": "message_stop"}, done=False)))


def test_an_unknown_end_in_the_other_protocol(model_server, say):
    for reason, word in ((None, ""), ("pause_turn", "pause_turn")):
        events = [*streamed(MESSAGE | {"stop_reason": reason})]
        assert ask(Anthropic, model_server, say.stream(sent(*events))).message.finish is Finish.OTHER, word
