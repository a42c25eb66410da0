"""Anthropic's Messages API against a loopback server: streams, what is sent back, refusals."""

import json
import threading

import pytest

from xuen.xwork.errors import AccessDenied, ContextOverflow, Retryable
from xuen.xwork.messages import Assistant, Finish, System, ToolCall, ToolDefinition, ToolResult, Usage, User
from xuen.xwork.model.anthropic import Anthropic, Stream, request_body
from xuen.xwork.model.client import Finished, Options, assemble

NEVER = threading.Event()
THINKING = [{"type": "thinking", "thinking": "hm 词", "signature": "c2ln"}]
EVENTS = [
    {"type": "message_start", "message": {"usage": {"input_tokens": 5, "cache_read_input_tokens": 90,
                                                    "cache_creation_input_tokens": 5, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "词"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Zwei "}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Wörter"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "content_block_start", "index": 2,
     "content_block": {"type": "tool_use", "id": "toolu_1", "name": "a", "input": {}}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"x": '}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '"ü"}'}},
    {"type": "content_block_stop", "index": 2},
    {"type": "content_block_start", "index": 3,
     "content_block": {"type": "tool_use", "id": "toolu_2", "name": "b", "input": {}}},
    {"type": "content_block_stop", "index": 3},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 30}},
    {"type": "message_stop"},
]  # fmt: skip
CALLS = (ToolCall("toolu_1", "a", '{"x": "ü"}'), ToolCall("toolu_2", "b", ""))


def stream(events) -> bytes:
    lines = (f"event: {each['type']}\ndata: {json.dumps(each, ensure_ascii=False)}\n\n" for each in events)
    return "".join(lines).encode()


@pytest.fixture
def client(model_server):
    made = Anthropic(model_server.url, "claude", key="sk-secret")
    yield made
    made.close()


def ask(client, *messages):
    return assemble(client.complete(messages or (User("q"),), options=Options(), cancel=NEVER))


def test_an_answer_byte_by_byte(model_server, client, say):
    model_server.replies = [say.stream(*(bytes([byte]) for byte in stream(EVENTS)))]
    answer = ask(client)
    assert answer.message.text == "Zwei Wörter" and answer.message.reasoning == "hm 词"
    assert answer.message.calls == CALLS and answer.message.finish is Finish.CALLS
    assert json.loads(answer.message.replay) == THINKING
    assert answer.usage == Usage(input_tokens=100, output_tokens=30, cached_tokens=90)
    assert model_server.headers[0]["x-api-key"] == "sk-secret"
    assert model_server.headers[0]["anthropic-version"] == "2023-06-01"


def test_pieces_join_to_the_same_answer():
    parts = Stream()
    deltas = [delta for event in EVENTS for delta in parts.pieces(event)]
    assert assemble([*deltas, Finished(parts.finish)]).message.calls == CALLS


def test_what_is_sent_alternates_and_carries_results_and_thinking():
    calls = (ToolCall("t1", "a", '{"x": 1}'), ToolCall("t2", "b", "{}"))
    messages = [
        System("be good"),
        User("one"),
        User("two"),
        Assistant("", "hm", calls, Finish.CALLS, json.dumps(THINKING)),
        ToolResult("t1", "a", "fine"),
        ToolResult("t2", "b", "", failed=True),
    ]
    body = request_body(messages, [ToolDefinition("a", "d", {"type": "object"})], Options(stop=("X",)))
    assert body["system"] == "be good" and body["stop_sequences"] == ["X"] and body["max_tokens"] > 0
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in body["messages"][1]["content"]] == ["thinking", "tool_use", "tool_use"]
    assert body["messages"][1]["content"][1]["input"] == {"x": 1}
    results = body["messages"][2]["content"]
    assert [block["tool_use_id"] for block in results] == ["t1", "t2"] and results[1]["is_error"] is True
    assert body["tools"] == [{"name": "a", "description": "d", "input_schema": {"type": "object"}}]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (stream(EVENTS[:9]), Retryable),
        (stream([{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}]), Retryable),
        ((529, {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}), Retryable),
        ((401, {"type": "error", "error": {"type": "authentication_error", "message": "x"}}), AccessDenied),
        ((400, {"error": {"type": "invalid_request_error", "message": "prompt is too long: 2 > 1"}}), ContextOverflow),
    ],
)
def test_refusals(model_server, client, say, reply, kind):
    model_server.replies = [say.stream(reply) if isinstance(reply, bytes) else say.refuse(*reply)]
    with pytest.raises(kind):
        ask(client)


def test_the_address_decides_the_protocol(monkeypatch, tmp_path):
    from xuen.xwork import AgentConfig
    from xuen.xwork.model.connect import connect

    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    config = AgentConfig(workspace=tmp_path, base_url="https://api.anthropic.com", model="claude")
    made = connect(config, lambda event: None, threading.Event())
    assert isinstance(made, Anthropic) and made._key == "k"
