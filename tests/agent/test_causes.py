"""What agents print when they cannot work is recognised; what they write about the world is not."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from xuen.agent import causes
from xuen.agent.call import Outcome, ending
from xuen.agent.causes import likely_cause, remember, sign_of, why_failed
from xuen.agent.presets import PRESETS
from xuen.events import Why
from xuen.texts import Text
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

# Recorded from the real programs on a scripted server: agent, version, stream, the end of what it printed, the cause.
CODEX_BANNER = """\
--------
user
You are a researcher working on an open question, round after round.

[Task]
Why does my client say: HTTP 401 Unauthorized, connection refused?
warning: Model metadata for `scripted` not found. Defaulting to fallback metadata; this can degrade performance.
"""
RECORDED = [
    ("codex", "stderr", CODEX_BANNER + "ERROR: Missing environment variable: `LOCAL_KEY`.", "CAUSE_NO_KEY"),
    (
        "codex",
        "stderr",
        CODEX_BANNER + "ERROR: Codex ran out of room in the model's context window. Start a new thread or clear "
        "earlier history before retrying.\ntokens used\n0",
        "CAUSE_CONTEXT",
    ),
    ("codex", "stderr", CODEX_BANNER + "ERROR: Quota exceeded. Check your plan and billing details.", "CAUSE_QUOTA"),
    (
        "codex",
        "stderr",
        CODEX_BANNER
        + "ERROR: unexpected status 401 Unauthorized: Incorrect API key provided: sk-x****., url: http://x",
        "CAUSE_REFUSED_KEY",
    ),
    (
        "codex",
        "stderr",
        CODEX_BANNER + "write_section.py: .research.lock cannot be locked: [Errno 30] Read-only file system: '/x/y'",
        "CAUSE_PERMISSION",
    ),
    ("codex", "stderr", CODEX_BANNER + "ERROR: Reconnecting... waiting for network", "CAUSE_SERVER"),
    ("codex", "stderr", CODEX_BANNER + "tokens used\n110", "CAUSE_SILENT"),
    ("claude", "stdout", "Not logged in · Please run /login", "CAUSE_NO_KEY"),
    ("claude", "stdout", "Invalid API key · Fix external API key", "CAUSE_REFUSED_KEY"),
    ("claude", "stdout", "API Error: Request rejected (429) · This request would exceed a rate limit.", "CAUSE_QUOTA"),
    (
        "claude",
        "stdout",
        "Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~1810 tokens",
        "CAUSE_CONTEXT",
    ),
    (
        "gemini",
        "stderr",
        "Warning: 256-color support not detected.\nError when talking to Gemini API Full report available at: "
        + "/tmp/x" * 30
        + '.json _ApiError: {"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number '
        'of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}\n    at throwErrorIfNotOK (file:///x.js:2:24) {\n'
        "  status: 400\n}\nAn unexpected critical error occurred:[object Object]",
        "CAUSE_CONTEXT",
    ),
    (
        "gemini",
        "stderr",
        "[ERROR] The model returned an empty response with no text or thoughts. This may be a transient API issue.",
        "CAUSE_EMPTY",
    ),
    ("pi", "stderr", "503 The engine is currently overloaded, please try again later", "CAUSE_OVERLOADED"),
    ("pi", "stderr", "No API key found for the selected model.", "CAUSE_NO_KEY"),
    ("pi", "stderr", "401 Incorrect API key provided: sk-x****.", "CAUSE_REFUSED_KEY"),
    (
        "mini",
        "stdout",
        "│   2926 │   │   │   raised_exc: Final = APIConnectionError(    │\n"
        "│        message=f'RateLimitError: {exception_provider}'       │\n"
        "╰──────────────────────────────────────────────────────────────╯\n"
        "NotFoundError: litellm.NotFoundError: NotFoundError: OpenAIException - The model `scripted` does not exist or "
        "you do not have access to it.\n│   2926 │   │   │   raised_exc: Final = APIConnectionError(    │\n"
        "│        message=f'RateLimitError: {exception_provider}'       │",
        "CAUSE_MODEL",
    ),
    (
        "mini",
        "stdout",
        "AuthenticationError: litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key "
        "provided: sk-x****. You can permanently set your API key with `mini-extra config set KEY VALUE`.",
        "CAUSE_REFUSED_KEY",
    ),
    (
        "mini",
        "stdout",
        "AuthenticationError: OpenAIException - Missing credentials. Please pass an `api_key`, or set OPENAI_API_KEY"
        " in the environment. You can permanently set your API key with `mini-extra config set KEY VALUE`.",
        "CAUSE_NO_KEY",
    ),
    (
        "mini",
        "stdout",
        "Exit:\nRepeatedFormatError\n\nSaved trajectory to '/x/last_mini_run.traj.json'",
        "CAUSE_ONLY_TALKED",
    ),
    (
        "claude",
        "stdout",
        "API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway",
        "CAUSE_BROKEN_ANSWER",
    ),
    (
        "aider",
        "stdout",
        "Model openai/scripted has hit a token limit!\nTotal tokens: ~850 of 0 -- possibly exhausted context window!\n"
        "To reduce input tokens:\n- Use /tokens to see token usage.\n\nOpen URL for more info? (Y)es/(N)o [Yes]:",
        "CAUSE_CONTEXT",
    ),
    (
        "aider",
        "stdout",
        "litellm.InternalServerError: InternalServerError: OpenAIException - Connection error.\nRetrying in 32 s",
        "CAUSE_SERVER",
    ),
    (
        "aider",
        "stdout",
        "litellm.ServiceUnavailableError: ServiceUnavailableError: OpenAIException - The engine is overloaded",
        "CAUSE_OVERLOADED",
    ),
    (
        "aider",
        "stdout",
        "Empty response received from LLM. Check your provider account?\n\nTokens: 1.0k sent, 0 received.",
        "CAUSE_EMPTY",
    ),
    ("qwen", "stderr", "[API Error: Model stream ended with empty response text.]", "CAUSE_EMPTY"),
    ("qwen", "stderr", "[API Error: Model stream ended without a finish reason.]", "CAUSE_BROKEN_ANSWER"),
    (
        "gemini",
        "stderr",
        "Full report Error: Incomplete JSON segment at the end\n    at x (y.js:1:2)",
        "CAUSE_BROKEN_ANSWER",
    ),
    (
        "codex",
        "stderr",
        CODEX_BANNER + "ERROR: Reconnecting... 1/1\nERROR: stream disconnected before completion: stream closed before "
        "response.completed",
        "CAUSE_BROKEN_ANSWER",
    ),
    ("opencode", "stderr", "> build · scripted\nError: Incorrect API key provided: sk-x****.", "CAUSE_REFUSED_KEY"),
    ("opencode", "stderr", "> build · scripted\n", "CAUSE_SILENT"),
    (
        "codex",
        "stderr",
        CODEX_BANNER + "ERROR: Reconnecting... 1/1\nERROR: We’re currently experiencing high demand, which may cause "
        "temporary errors.\nERROR: We’re currently experiencing high demand, which may cause temporary errors.",
        "CAUSE_OVERLOADED",
    ),
    (
        "pi",
        "stderr",
        '500: {"message":"The server had an error while processing your request. Sorry about that!",'
        '"type":"server_error","param":null,"code":null}',
        "CAUSE_OVERLOADED",
    ),
    (
        "opencode",
        "stderr",
        "Error: The server had an error while processing your request. Sorry about that!",
        "CAUSE_OVERLOADED",
    ),
    ("cn", "stdout", '{"status":"error","message":"500 Something went wrong."}', "CAUSE_OVERLOADED"),
    (
        "cline",
        "stderr",
        "error: Model returned empty response\nDeprecationWarning: AI SDK Warning (openai-compatible.chat / scripted): "
        'Deprecated: "providerOptions key".\n',
        "CAUSE_EMPTY",
    ),
    (
        "copilot",
        "stderr",
        "Authentication failed with provider at http://127.0.0.1:43005/v1 (HTTP 401).\n\n\nChanges    +0 -0\n"
        "Duration   3s\nResume     copilot --resume=6be1890b\n",
        "CAUSE_REFUSED_KEY",
    ),
    (
        "qwen",
        "stderr",
        "Ripgrep is not available: spawn /opt/rg EACCES. Falling back to built-in grep.\n",
        "CAUSE_SILENT",
    ),
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
    sign = sign_of(outcome(**{stream: text}), agent)
    assert (sign.text, sign.line, f"CAUSE_{sign.cause.upper()}") == (got, said, cause)


@pytest.mark.parametrize(("agent", "stream", "said", "cause"), RECORDED)
def test_what_the_real_programs_print_gives_its_cause(agent, stream, said, cause):
    asked = CODEX_BANNER.partition("user\n")[2]
    got = likely_cause(replace(outcome(**{stream: said}), asked=asked), agent)
    assert kind(got) == cause


def test_the_part_of_a_long_line_that_tells_is_shown():
    said = "Full report available at: " + "/x" * 300 + ' {"message":"API key not valid"} ' + "y" * 500
    got = sign_of(outcome(stderr=said), "gemini").text
    assert "API key not valid" in got.en
    assert "API key not valid" in got.zh
    assert len(got.en) < 400


def test_lines_of_the_prompt_are_no_signs():
    said = outcome(stdout="User: \n  HTTP 401 Unauthorized\n")
    assert sign_of(said) is not None
    assert sign_of(replace(said, asked="Why is it?\nHTTP 401 Unauthorized")) is None


@pytest.mark.parametrize("why", [Why.FAILED, Why.TIMEOUT, Why.IDLE])
def test_a_failed_call_says_how_it_ended_and_the_cause_that_the_agent_named(why):
    failed = outcome(stderr="HTTP 401 Unauthorized\ntokens used\n0", why=why, code=1 if why is Why.FAILED else None)
    got = why_failed(failed, "codex")
    how = ending(why, failed.code, failed.seconds)
    for language in ("en", "zh"):
        told = got.in_language(language)
        assert told.startswith(how.in_language(language))
        assert "HTTP 401 Unauthorized" in told
    assert kind(Text(got.en.removeprefix(f"{how.en}; "), "")) == "CAUSE_REFUSED_KEY"


def test_a_line_of_which_only_the_beginning_is_told_says_so():
    short, long = "x" * 200, "x" * 201
    assert why_failed(outcome(stderr=short, why=Why.FAILED, code=1)).en == f"exit code 1; it said: {short}"
    assert why_failed(outcome(stderr=long, why=Why.FAILED, code=1)).en == f"exit code 1; it said: {short} …"


def test_a_program_that_may_not_be_executed_is_told_apart_from_an_agent_that_may_not_act():
    said = "xuen: 2: /home/me/my-agent: Permission denied"
    got = why_failed(outcome(stderr=f"{said}\n", why=Why.FAILED, code=126))
    assert got.en == f"exit code 126; {texts.CAUSE_NOT_EXECUTABLE.en.format(line=said)}"
    agents_own = sign_of(outcome(stderr="/usr/bin/tool: Permission denied\n", why=Why.FAILED, code=126))
    assert agents_own is not None
    assert agents_own.cause == "permission"


def test_a_failed_call_without_a_sign_says_its_last_line_and_a_stopped_one_nothing_more():
    failed = outcome(stderr="so\nbe it", why=Why.FAILED, code=3)
    assert why_failed(failed, "codex").en == "exit code 3; it said: be it"
    stopped = outcome(stderr="HTTP 401 Unauthorized", why=Why.STOPPED, code=None)
    assert why_failed(stopped, "codex").en == "stopped"


def test_the_last_error_line_is_always_shown():
    failed = outcome(stderr="fatal: no such table\n  at line 3\ntokens used\n0", why=Why.FAILED, code=1)
    assert why_failed(failed).en == "exit code 1; it said: fatal: no such table"
    ended = replace(failed, why=Why.TIMEOUT, code=None)
    assert why_failed(ended).en.endswith("it said: fatal: no such table")
    assert "say" not in why_failed(outcome(stdout="it may fail, I say", why=Why.TIMEOUT, code=None)).en
    named = outcome(stderr="HTTP 401 Unauthorized\nCannot go on: the journal is gone\nbye", why=Why.FAILED, code=1)
    got = why_failed(named)
    for line in ("HTTP 401 Unauthorized", "Cannot go on: the journal is gone"):
        assert line in got.en
        assert line in got.zh
    talked = outcome(stdout="I am done.\n", stderr="error: the tool is not there\n")
    assert likely_cause(talked, "codex").en.endswith("Its last error line: error: the tool is not there")


def test_a_line_of_a_good_call_is_no_sign_in_later_ones():
    warning = "Ripgrep is not available: spawn /opt/rg EACCES. Falling back to built-in grep."
    good = outcome(stderr=f"{warning}\nwelcome\n", stdout="I wrote it.")
    later = replace(outcome(stderr=f"{warning}\n", why=Why.FAILED, code=1), usual=good.usual)
    assert sign_of(later).cause == "permission"
    remember(good)
    assert good.usual == {warning}
    assert sign_of(later) is None
    assert why_failed(later).en == f"exit code 1; it said: {warning}"
    remember(replace(good, stderr="HTTP 429, trying again\n"))
    assert sign_of(replace(later, stderr="HTTP 429, trying again\n")).cause == "quota"
    real = replace(later, stderr=f"{warning}\nconnect ECONNREFUSED 127.0.0.1:1\n{warning}\n")
    assert sign_of(real).cause == "server"


def test_what_a_server_says_in_json_behind_its_status_gives_the_cause():
    for status, cause in ((401, "refused_key"), (403, "refused_key"), (429, "quota"), (500, "overloaded")):
        assert sign_of(outcome(stderr=f'{status}: {{"message":"Sorry about that!"}}'), "pi").cause == cause
    assert sign_of(outcome(stdout="500: a number of which much is said")) is None


def test_a_sign_that_no_model_answered_is_definite():
    lines = {"HTTP 401 Unauthorized": True, "HTTP 429": True, "HTTP 503": True, "model not found": True}
    lines |= {"OPENAI_API_KEY is not set": True, "connect ECONNREFUSED 127.0.0.1:1": False, "access denied": False}
    assert {line: sign_of(outcome(stderr=line)).definite for line in lines} == lines


def test_the_data_of_signs_is_whole():
    table = tomllib.loads((Path(causes.__file__).parent / "signs.toml").read_text("utf-8"))
    tables = [table["signs"], *(preset.signs for preset in PRESETS.values())]
    named = {f"CAUSE_{cause.upper()}" for each in tables for cause in each}
    assert named | {"CAUSE_NOT_EXECUTABLE", "CAUSE_SILENT", "CAUSE_ONLY_TALKED"} == {
        name for name in vars(texts) if name.startswith("CAUSE_")
    }
    assert set(table["definite"]) <= set(table["signs"])
    for patterns in (table["harmless"], table["error"], *(row for each in tables for row in each.values())):
        re.compile("|".join(patterns))


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
