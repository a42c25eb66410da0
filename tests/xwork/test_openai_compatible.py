"""A model server on loopback: every cut of the bytes, every kind of refusal, a caller that gives up."""

import json
import subprocess
import sys
import threading
import time

import pytest

from xuen.xwork.errors import AccessDenied, BadUse, ContextOverflow, Interrupted, ModelError, RequestRefused, Retryable
from xuen.xwork.messages import Assistant, Finish, System, ToolCall, ToolDefinition, ToolResult, Usage, User
from xuen.xwork.model.anthropic import Anthropic
from xuen.xwork.model.client import Options, assemble
from xuen.xwork.model.openai_compatible import OpenAICompatible
from xuen.xwork.model.openai_format import Stream
from xuen.xwork.model.retry import Asker, Patience
from xuen.xwork.model.server import Reading, sendable
from xuen.xwork.model.server_errors import refusal, seconds

NEVER = threading.Event()


def chunk(finish=None, **delta):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(index, **parts):
    function = {name: parts.pop(name) for name in ("name", "arguments") if name in parts}
    return {"tool_calls": [{"index": index, "function": function, **parts}]}


EVENTS = [
    chunk(role="assistant", content=""),
    chunk(reasoning_content="hm "),
    chunk(reasoning_content="词"),
    chunk(content="Zwei Wörter"),
    chunk(content=" 词😀\u2028\x85"),
    chunk(**call(0, id="a1", type="function", name="read_file", arguments="")),
    chunk(**call(0, arguments='{"path": ')),
    chunk(**call(1, id="b2", type="function", name="list_files", arguments='{"pa')),
    chunk(**call(0, arguments='"ü.txt"}')),
    chunk(**call(1, arguments='th": "."}')),
    chunk("tool_calls"),
    {
        "choices": [],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}},
    },
]
WHOLE = Assistant(
    "Zwei Wörter 词😀\u2028\x85",
    "hm 词",
    (ToolCall("a1", "read_file", '{"path": "ü.txt"}'), ToolCall("b2", "list_files", '{"path": "."}')),
    Finish.CALLS,
)


@pytest.fixture
def client(model_server):
    made = OpenAICompatible(model_server.url, "m", key="sk-secret", silence=20)
    yield made
    made.close()


def ask(client, *messages, cancel=NEVER, tools=()):
    return assemble(client.complete(messages or (User("q"),), tools, options=Options(), cancel=cancel))


@pytest.mark.parametrize("given", ["sk-1\n", " sk-1\r\n", "sk-1"])
def test_a_key_is_sent_without_the_newline_of_its_file(model_server, say, given):
    model_server.replies = [say.stream(say.sse(*EVENTS))]
    made = OpenAICompatible(model_server.url, "m", key=given)
    ask(made)
    made.close()
    assert model_server.headers[0]["authorization"] == "Bearer sk-1"
    assert sendable(" \n", "K") is None and sendable(None, "K") is None


@pytest.mark.parametrize("streamed", [False, True])
def test_a_server_that_repeats_the_key_is_told_without_it(model_server, say, client, streamed):
    error = {"error": {"message": "invalid api key: sk-secret", "type": "server_error"}}
    model_server.replies = [say.stream(say.sse(error)) if streamed else say.refuse(401, error)]
    with pytest.raises(ModelError, match=r"invalid api key: \*\*\*") as caught:
        ask(client)
    assert "sk-secret" not in caught.value.line("en") + caught.value.line("zh")


def halves(*pieces: dict) -> bytes:
    """A stream whose text is all escapes, as many servers write it."""
    events = [*(chunk(**piece) for piece in pieces), chunk("stop")]
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode() + b"data: [DONE]\n\n"


def test_the_two_halves_of_a_character_are_told_as_one(model_server, say, tmp_path, environment):
    high, low = "\ud83d", "\ude00"
    pieces = [{"reasoning_content": f"r{high}"}, {"content": f"a{high}"}, {"reasoning_content": low}]
    pieces += [{"content": f"{low}b"}, {"content": high}, {"content": "c"}, {"content": f"{low}{high}"}]
    model_server.replies = [
        say.refuse(503, {"error": {"message": f"later {high}"}}, retry_after="0"),
        say.stream(halves(*pieces)),
    ]
    argv = [sys.executable, "-m", "xuen.xwork", "run", "go", "--json", "--workspace", str(tmp_path)]
    done = subprocess.run(
        [*argv, "--base-url", model_server.url, "--model", "m"], env=environment(), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    events = [json.loads(line) for line in done.stdout.decode().splitlines()]
    text, thought = (
        "".join(one["text"] for one in events if one["event"] == f"{kind}_chunk") for kind in ("text", "reasoning")
    )
    assert (text, thought) == ("a\U0001f600b\ufffdc\ufffd\ufffd", "r\U0001f600")
    assert events[-1]["event"] == "completed" and events[-1]["text"] == text


@pytest.mark.parametrize("bad", ["sk-1\nsk-2", "sk-\u00e9", "sk-\udcff", "sk-\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_told(bad):
    for kind in (OpenAICompatible, Anthropic):
        with pytest.raises(BadUse, match="MY_KEY") as caught:
            kind("http://127.0.0.1:1", "m", key=bad, key_variable="MY_KEY")
        assert "sk-" not in caught.value.line("en") + caught.value.line("zh")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_reading_thread_that_dies_of_whatever_ends_the_answer(model_server):
    import httpx

    cancel = threading.Event()
    patience = threading.Timer(20, cancel.set)
    patience.start()  # so that the test fails and does not hang
    with httpx.Client() as http:
        reading = Reading(
            http, model_server.url, b"{}", {"A": "\u00e9"}, key=None, key_variable="K"
        )  # that a header cannot hold
        with pytest.raises(ModelError, match="broke off"):
            next(reading.chunks(cancel))
    patience.cancel()
    for thread in threading.enumerate():
        if thread.name == "model-server":
            thread.join()


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_the_answer_is_the_same_for_every_cut_of_the_bytes(newline, say):
    """Fed through httpx itself, without a socket: 2,000 requests would take long."""
    import httpx

    data = say.sse(*EVENTS).replace(b"\n", newline)
    cuts: list[int] = []

    def serve(request: httpx.Request) -> httpx.Response:
        at = cuts[-1]
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Pieces(data[:at], data[at:]))

    class Pieces(httpx.SyncByteStream):
        def __init__(self, *pieces: bytes) -> None:
            self.pieces = pieces

        def __iter__(self):
            yield from self.pieces

    model = OpenAICompatible("http://127.0.0.1:1/v1", "m")
    model._client = httpx.Client(transport=httpx.MockTransport(serve))
    for at in range(len(data) + 1):
        cuts.append(at)
        answer = ask(model)
        assert answer.message == WHOLE
        assert answer.usage == Usage(7, 3, 2)
    model.close()


def test_byte_by_byte_over_a_socket(model_server, client, say):
    model_server.replies = [say.stream(*(bytes([byte]) for byte in say.sse(*EVENTS)))]
    assert ask(client).message == WHOLE


def test_what_is_sent(model_server, client, say):
    model_server.replies = [say.stream(say.sse(chunk("stop", content="ok")))]
    messages = (
        System("s"),
        User("u"),
        WHOLE,
        ToolResult("a1", "read_file", "text"),
        ToolResult("b2", "list_files", ""),
    )
    tool = ToolDefinition("t", "d", {"type": "object"})
    ask(client, *messages, tools=[tool])
    body = model_server.requests[0]
    assert body["model"] == "m" and body["stream"] is True and body["stream_options"] == {"include_usage": True}
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    assert body["messages"][2]["tool_calls"][0]["function"] == {"name": "read_file", "arguments": '{"path": "ü.txt"}'}
    assert body["tools"][0]["function"]["name"] == "t"
    assert model_server.headers[0]["authorization"] == "Bearer sk-secret"


def test_without_a_key_none_is_sent_and_a_proxy_is_not_asked_for_this_machine(model_server, say, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    model_server.replies = [say.stream(say.sse(chunk("stop", content="ok")))]
    client = OpenAICompatible(model_server.url, "m")
    assert ask(client).message.text == "ok"
    assert "authorization" not in model_server.headers[0]
    client.close()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n', Assistant("a", finish=Finish.OTHER)),
        (b': ping\n\ndata:{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n', Assistant("a")),
        (b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}\n\ndata: [DONE]\n\n',
         Assistant("a", finish=Finish.LENGTH)),
        (b'data: {"choices":null}\n\ndata: 7\n\ndata: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n',  # noqa: E501
         Assistant("a")),
    ],
)  # fmt: skip
def test_servers_that_are_sloppy(model_server, client, say, data, message):
    model_server.replies = [say.stream(data)]
    assert ask(client).message == message


def test_a_server_that_does_not_stream(model_server, client, say):
    whole = {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}
    model_server.replies = [say.refuse(200, whole)]
    assert ask(client).message == Assistant("hi")


@pytest.mark.parametrize(
    ("reply", "kind", "part"),
    [
        (("stream", b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'), Retryable, "broke off"),
        (("stream", b"data: {nonsense\n\n"), Retryable, "not JSON"),
        (("stream", b'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'), Retryable, "overloaded"),
        (("stream", b'data: {"error":{"message":"maximum context length is 9"}}\n\n'), ContextOverflow, "context"),
        ((401, {"error": {"message": "bad key"}}), AccessDenied, "Is the key in OPENAI_API_KEY right"),
        ((403, "forbidden"), AccessDenied, "forbidden"),
        ((404, {"error": {"message": "model not found"}}), RequestRefused, "Check --base-url and --model"),
        ((400, {"error": {"message": "unknown field"}}), RequestRefused, "unknown field"),
        ((400, {"error": {"code": "context_length_exceeded", "message": "too long"}}), ContextOverflow, "too long"),
        ((413, "x"), ContextOverflow, "x"),
        ((429, {"error": {"message": "slow down"}}), Retryable, "slow down"),
        ((429, {"error": {"code": "insufficient_quota", "message": "pay"}}), AccessDenied, "pay"),
        ((500, ""), Retryable, "500"),
        ((503, {"detail": "loading"}), Retryable, "loading"),
        ((529, {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}), Retryable, "overloaded"),
    ],
)
def test_what_refusals_mean(model_server, client, say, reply, kind, part):
    first, second = reply
    model_server.replies = [say.stream(second) if first == "stream" else say.refuse(first, second)]
    with pytest.raises(kind) as refused:
        ask(client)
    assert type(refused.value) is kind
    assert part in str(refused.value) and "sk-secret" not in str(refused.value)


def test_a_connection_that_breaks_in_the_middle_can_be_tried_again(model_server, client):
    def reply(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
        handler.close_connection = True

    model_server.replies = [reply]
    with pytest.raises(Retryable, match="broke off"):
        ask(client)


def test_nobody_at_the_address(client):
    lonely = OpenAICompatible("http://127.0.0.1:9/v1", "m")
    with pytest.raises(Retryable, match="cannot be reached") as refused:
        ask(lonely)
    assert "--base-url" in str(refused.value)


@pytest.mark.parametrize("when", ["before the headers", "in the middle"])
def test_a_caller_that_gives_up_is_free_within_half_a_second(model_server, client, when):
    over = threading.Event()

    def reply(handler):
        if when == "in the middle":
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.end_headers()
            handler.wfile.write(b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
            handler.wfile.flush()
        over.wait(60)
        handler.close_connection = True

    model_server.replies = [reply]
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    began = time.monotonic()
    with pytest.raises(Interrupted):
        ask(client, cancel=cancel)
    took = time.monotonic() - began
    over.set()
    assert took < 5


@pytest.mark.parametrize(
    "url", ["", "localhost:11434", "ftp://x/v1", "http://", "http://a b/v1", "http://[x/v1", "http://h:99999999/v1"]
)
def test_what_is_no_address_is_said_to_be_none(url):
    with pytest.raises(BadUse):
        OpenAICompatible(url, "m")


def test_addresses():
    assert OpenAICompatible("http://h:1/v1/", "m").url == "http://h:1/v1/chat/completions"
    assert OpenAICompatible("https://h/v1/chat/completions", "m").url == "https://h/v1/chat/completions"


# --- patience ---


def asker(client, events, **patience):
    return Asker(client, events.append, NEVER, language="en", patience=Patience(**patience), jitter=lambda: 0.5)


def test_retries_wait_as_long_as_the_server_asks_and_earlier_pieces_are_void(model_server, client, say):
    model_server.replies = [
        say.refuse(429, {"error": {"message": "slow"}}, Retry_After="0.2"),
        say.stream(b'data: {"choices":[{"delta":{"content":"lost"}}]}\n\n'),
        say.stream(say.sse(chunk("stop", content=""))),
        say.stream(say.sse(chunk("stop", content="kept"))),
    ]
    events = []
    began = time.monotonic()
    answer = asker(client, events, first=0.01).ask([User("q")], (), Options())
    assert time.monotonic() - began >= 0.2
    assert answer.message.text == "kept"
    waits = [event.seconds for event in events if type(event).__name__ == "Retrying"]
    assert waits == [0.2, 0.02, 0.04]


def test_patience_ends_clearly(model_server, client, say):
    model_server.replies = [say.refuse(500, "busy")]
    with pytest.raises(ModelError, match=r"gave up after 3 tries: .*busy"):
        asker(client, [], tries=3, first=0.0).ask([User("q")], (), Options())
    assert len(model_server.requests) == 3
    model_server.replies = [say.refuse(429, "slow", Retry_After="3600")]
    with pytest.raises(ModelError, match="asks to wait 3600 seconds"):
        asker(client, [], server=60.0).ask([User("q")], (), Options())


def test_what_cannot_get_better_is_not_tried_again(model_server, client, say):
    model_server.replies = [say.refuse(401, "no")]
    with pytest.raises(AccessDenied):
        asker(client, []).ask([User("q")], (), Options())
    assert len(model_server.requests) == 1


def test_how_long_a_server_asks_to_wait():
    from email.utils import formatdate

    assert seconds("2.5") == 2.5 and seconds("7", "1500") == 1.5
    assert 50 < seconds(formatdate(time.time() + 60, usegmt=True)) <= 60
    assert seconds(None) is None and seconds("soon") is None and seconds("-1") is None and seconds("nan") is None


@pytest.mark.parametrize(
    "reason",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)",
        "the request exceeds the available context size. try increasing the context size",
        "Input is too long for requested model.",
        "Please reduce the length of the messages or completion",
        "exceed_context_size_error",
    ],
)
def test_requests_that_are_too_long_are_recognised_whatever_the_words(reason):
    assert isinstance(refusal(400, reason, "K", has_key=True), ContextOverflow)


def test_a_rate_limit_that_speaks_of_tokens_is_no_overflow():
    said = refusal(429, "Rate limit reached: too many tokens per minute", "K", has_key=True)
    assert isinstance(said, Retryable)


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 0, "cost": 0.25}, Usage(7, 0, cost=0.25)),
        ({"prompt_tokens": None, "completion_tokens": "3", "cost": "free"}, Usage()),
        ({"prompt_tokens": -1, "completion_tokens": True, "cost": float("inf")}, Usage()),
    ],
)
def test_what_a_server_does_not_count_stays_unknown(told, usage):
    assert assemble(Stream().pieces({"choices": [], "usage": told})).usage == usage
