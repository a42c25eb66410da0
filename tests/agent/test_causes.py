"""What agents print when they cannot work is recognised; what they write about the world is not."""

import pytest

from xuen.agent.call import Outcome
from xuen.agent.causes import likely_cause, sign_of
from xuen.agent.presets import PRESETS
from xuen.events import Why
from xuen.texts import agent as texts


def outcome(stdout="", stderr="", why=Why.OK, code=0) -> Outcome:
    return Outcome(why=why, code=code, seconds=1.0, stdout=stdout, stderr=stderr)


def kind(text) -> str:
    """Which cause a text is of."""
    names = [name for name in vars(texts) if name.startswith("CAUSE_")]
    return next(name for name in names if text.en.startswith(getattr(texts, name).en.partition("{")[0]))


# agent, what it printed, the cause
SAID = [
    ("claude", "Invalid API key · Please run /login", "CAUSE_NO_KEY"),
    ("claude", 'API Error: 401 {"type":"error","error":{"type":"authentication_error"}}', "CAUSE_REFUSED_KEY"),
    ("claude", "Credit balance is too low", "CAUSE_QUOTA"),
    ("claude", "API Error: 429 rate_limit_error", "CAUSE_QUOTA"),
    (
        "claude",
        "There's an issue with the selected model (x-1). It may not exist or you may not have access to it.",
        "CAUSE_MODEL",
    ),
    ("claude", "Prompt is too long", "CAUSE_CONTEXT"),
    ("claude", "API Error: Unable to connect to API (ConnectionRefused)", "CAUSE_SERVER"),
    ("claude", "API Error: 529 overloaded_error", "CAUSE_OVERLOADED"),
    (
        "claude",
        "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons",
        "CAUSE_PERMISSION",
    ),
    ("claude", "I need your approval to run the command `python write_section.py idea`.", "CAUSE_PERMISSION"),
    ("codex", "ERROR: unexpected status 401 Unauthorized: Missing bearer", "CAUSE_REFUSED_KEY"),
    ("codex", "ERROR: You've hit your usage limit. Try again at 3 PM.", "CAUSE_QUOTA"),
    ("codex", "Not inside a trusted directory and --skip-git-repo-check was not specified.", "CAUSE_PERMISSION"),
    ("codex", "ERROR: Reconnecting... waiting for network", "CAUSE_SERVER"),
    ("codex", "stream disconnected before completion: error sending request for url", "CAUSE_SERVER"),
    ("codex", "error: unexpected argument '--full-auto' found", "CAUSE_USAGE"),
    ("codex", "The 'gpt-x' model is not supported when using Codex with a ChatGPT account.", "CAUSE_MODEL"),
    ("gemini", "Please set an Auth method in your settings.json or specify GEMINI_API_KEY", "CAUSE_NO_KEY"),
    ("gemini", "Invalid auth method selected.", "CAUSE_NO_KEY"),
    ("gemini", "[API Error: API key not valid. Please pass a valid API key.]", "CAUSE_REFUSED_KEY"),
    ("gemini", '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}', "CAUSE_QUOTA"),
    ("gemini", "ModelNotFoundError: Requested entity was not found.", "CAUSE_MODEL"),
    ("gemini", "Gemini CLI is not running in a trusted directory.", "CAUSE_PERMISSION"),
    ("qwen", "Missing API key for OpenAI-compatible auth.", "CAUSE_NO_KEY"),
    ("qwen", "[API Error: 401 Incorrect API key provided]", "CAUSE_REFUSED_KEY"),
    ("opencode", "ProviderModelNotFoundError: ProviderModelNotFoundError", "CAUSE_MODEL"),
    ("opencode", "Error: Model not found: local/none.", "CAUSE_MODEL"),
    ("opencode", "Error: The user rejected permission to use this specific tool call.", "CAUSE_PERMISSION"),
    ("opencode", "Error: Unable to connect. Is the computer able to access the url?", "CAUSE_SERVER"),
    ("opencode", "Error: Unauthorized: 401 unauthorized", "CAUSE_REFUSED_KEY"),
    ("pi", "No API key found for anthropic.", "CAUSE_NO_KEY"),
    ("pi", "401: invalid x-api-key", "CAUSE_REFUSED_KEY"),
    (
        "aider",
        "litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key",
        "CAUSE_REFUSED_KEY",
    ),
    ("aider", "litellm.RateLimitError: RateLimitError: OpenAIException", "CAUSE_QUOTA"),
    ("aider", "litellm.APIConnectionError: OpenAIException - Connection error.", "CAUSE_SERVER"),
    ("aider", "litellm.InternalServerError: InternalServerError: OpenAIException", "CAUSE_OVERLOADED"),
    ("aider", "litellm.ContextWindowExceededError: too long", "CAUSE_CONTEXT"),
    ("aider", "litellm.BadRequestError: LLM Provider NOT provided. Pass in the LLM provider", "CAUSE_MODEL"),
    ("aider", "Missing these environment variables: OPENAI_API_KEY: Not set", "CAUSE_NO_KEY"),
    ("mini", "Aborted.", "CAUSE_PERMISSION"),
    ("mini", "openai.NotFoundError: Error code: 404 - model 'x' does not exist", "CAUSE_MODEL"),
    ("xwork", "the server refuses the key: HTTP 401", "CAUSE_REFUSED_KEY"),
    ("xwork", "cannot reach the server at http://127.0.0.1:1: Connection refused", "CAUSE_SERVER"),
    ("my-agent", "connect ECONNREFUSED 127.0.0.1:11434", "CAUSE_SERVER"),
    ("my-agent", "This model's maximum context length is 8192 tokens", "CAUSE_CONTEXT"),
    ("my-agent", "the request exceeds the available context size", "CAUSE_CONTEXT"),
    ("my-agent", "HTTP 503 Service Unavailable", "CAUSE_OVERLOADED"),
    ("my-agent", "Error code: 429 - insufficient_quota", "CAUSE_QUOTA"),
    ("my-agent", "bash: write.sh: Permission denied", "CAUSE_PERMISSION"),
    ("my-agent", "write_section: refused: the content holds a marker line", "CAUSE_HELPER"),
    ("my-agent", "错误：未登录，请先登录", "CAUSE_NO_KEY"),
    ("my-agent", "API 密钥无效", "CAUSE_REFUSED_KEY"),
    ("my-agent", "账户余额不足", "CAUSE_QUOTA"),
    ("my-agent", "模型 glm-9 不存在", "CAUSE_MODEL"),
    ("my-agent", "连接超时", "CAUSE_SERVER"),
    ("my-agent", "服务繁忙，请稍后再试", "CAUSE_OVERLOADED"),
    ("my-agent", "等待用户授权", "CAUSE_PERMISSION"),
    ("my-agent", "上下文长度超限", "CAUSE_CONTEXT"),
]

# Research about permissions, networks and keys is no error.
HARMLESS = [
    "A neural network with 500 layers reaches an error of 0.03.",
    "The optimizer keeps a limit on the rate of change, and quota sampling is used.",
    "We compare 429 models; 401 of them converge.",
    "Access control by permission bits and capability tokens is well studied.",
    "Public-key authentication and API design are topics of section 3.",
    "The context of the sentence matters for the model.",
    "残差网络的连接方式可以改进，模型的权限与额度另行讨论。",
    "I have written the idea and the artifact.",
    "Servers may be overloaded at peak times; queueing theory explains why.",
    "a sandbox of ideas, approved by nobody",
]


@pytest.mark.parametrize(("agent", "said", "cause"), SAID)
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_known_message_gives_its_cause(agent, said, cause, stream):
    text = f"starting\n{said}\n"
    got = likely_cause(outcome(**{stream: text}), agent)
    assert kind(got) == cause
    assert said[:200] in got.en
    assert said[:200] in got.zh
    assert sign_of(outcome(**{stream: text}), agent) == got


@pytest.mark.parametrize("said", HARMLESS)
@pytest.mark.parametrize("agent", ["", *PRESETS])
def test_ordinary_text_is_no_sign(said, agent):
    got = likely_cause(outcome(stdout=said + "\n"), agent)
    assert kind(got) == "CAUSE_ONLY_TALKED"
    assert sign_of(outcome(stdout=said), agent) is None


def test_silence_is_called_that():
    assert likely_cause(outcome(stdout=" \n\n"), "pi") == texts.CAUSE_SILENT
    assert sign_of(outcome(), "pi") is None


def test_standard_error_counts_before_standard_output_and_the_last_line_before_earlier_ones():
    got = likely_cause(outcome(stdout="HTTP 401\n", stderr="HTTP 503 once\nHTTP 429\n"))
    assert kind(got) == "CAUSE_QUOTA"


def test_a_long_line_is_shortened_and_braces_are_no_format():
    got = likely_cause(outcome(stderr="HTTP 401 {0} {line} " + "x" * 1000))
    assert "{0} {line}" in got.en
    assert len(got.en) < 500
