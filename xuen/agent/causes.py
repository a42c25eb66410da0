"""Why an agent failed or changed nothing, read from what it printed.

Owns one table of signs. A sign has the form of an error message, never a mere word: agents also print the text of
their model, and research may well be about permissions and networks. Refuses to guess: without a sign it says only
what was seen (nothing at all, or words instead of deeds). Pure.
"""

from __future__ import annotations

import re
from typing import Final

from xuen import redact
from xuen.agent.call import SHELL_SAYS, WIDTH, Outcome, beginning, ending
from xuen.events import Why
from xuen.texts import Text, plain
from xuen.texts import agent as texts

_LINES: Final = 400  # from the end of each stream
_READ: Final = 2000  # characters of a line that are looked at

# These print the answer on standard output and nothing else: what is on the other stream is no word to the user.
_ANSWER_ALONE: Final = {"opencode", "claude", "codex", "gemini", "qwen", "pi"}

_NOT_EXECUTED: Final = 126  # a shell's exit code for a file that is there and cannot be executed

Sign = tuple[re.Pattern[str], Text]


def _signs(*rows: tuple[Text, tuple[str, ...]]) -> tuple[Sign, ...]:
    return tuple((re.compile("|".join(patterns), re.IGNORECASE), text) for text, patterns in rows)


_CODE: Final = r"(?:error|status|code|https?)\W{0,3}(?:code)?\D{0,9}"  # what stands before a status code

# The order is that of precision: a line with several signs counts as the first of them.
GENERAL: Final = _signs(
    (texts.CAUSE_PERMISSION, (r"^write_section(?:\.py)?: .*(?:Errno (?:1|13|30)\]|WinError 5\])",)),
    (texts.CAUSE_HELPER, (r"^write_section(?:\.py)?: ", r"write_section(?:\.py)?.{0,40}(?:refused|拒绝)")),
    (
        texts.CAUSE_CONTEXT,
        (
            r"context[ _-]?(?:length|window|size)[ _-]?(?:is )?(?:exceed|limit|too)",
            r"exceeds? (?:the )?(?:available |model's |maximum )?context",
            r"maximum context length|prompt is too long|input is too long|too many (?:input )?tokens",
            r"token count\b.{0,40}exceeds|ran out of room in the model's context|context_length_exceeded",
            r"ContextWindowExceeded|上下文.{0,6}(?:超出|过长|超限)",
        ),
    ),
    (
        texts.CAUSE_QUOTA,
        (
            _CODE + r"\b429\b",
            r"\b429\b.{0,60}(?:error|too many|rate|quota|limit)",
            r"too many requests|RESOURCE_EXHAUSTED|RateLimitError",
            r"rate[ _-]?limit(?:ed\b|s?[ _-](?:error|exceeded|reached))",
            r"insufficient[ _](?:quota|balance|credits?|funds)|out of credits|payment required",
            r"credit balance is too low|quota (?:exceeded|reached|exhausted)|exceeded your (?:current )?quota",
            r"usage[ _-]?limit(?: has been)?[ _-]?(?:reached|exceeded|error)|hit your (?:usage )?limit",
            r"额度.{0,4}(?:不足|用尽|用完)|余额不足|请求过于频繁|触发限流",
        ),
    ),
    (
        texts.CAUSE_NO_KEY,
        (
            r"(?:no|missing|without|set(?: an| your)?|provide(?: an)?|needs?(?: an)?) (?:valid )?(?:\w+[ _])?"
            r"(?:api[ _-]?key|auth(?:entication)? (?:method|type)|credentials)",
            r"api[ _-]?key(?: \S+)? (?:is )?(?:not (?:set|found|configured|provided)|missing|required)",
            r"[A-Z]+_API_KEY\b.{0,30}(?:not set|missing|required|environment variable)",
            r"missing (?:these )?environment variables?\b|no auth type|not logged in|login required",
            r"(?:please|to) (?:run )?/?log ?in\b",
            r"未登录|请先登录|(?:缺少|没有|未设置|未配置).{0,8}(?:密钥|API ?key)",
        ),
    ),
    (
        texts.CAUSE_REFUSED_KEY,
        (
            _CODE + r"\b40[13]\b",
            r"\b40[13]\b.{0,20}(?:unauthori[sz]ed|forbidden|error)",
            r"invalid (?:\w+ )?(?:api[ _-]?key|x-api-key|auth method|credentials|token$)|incorrect api key",
            r"api[ _-]?key (?:is )?(?:not valid|invalid|expired|disabled)|token (?:has )?expired",
            r"authentication[ _-]?(?:error|failed)|AuthError\b",
            r"密钥.{0,4}(?:无效|错误|过期)|认证失败|鉴权失败",
        ),
    ),
    (
        texts.CAUSE_MODEL,
        (
            r"Model ?NotFound|model[ _]not[ _]found|(?:unknown|no such|unsupported|invalid) model\b",
            r"model\b.{0,60}(?:not found|(?:does|may) not exist|is not supported|(?:not|isn't) available)",
            r"no models? (?:available|configured)|unknown provider|provider not (?:found|provided)",
            r"(?:未知|找不到|不支持)的?模型|模型.{0,20}(?:不存在|不可用|找不到)",
        ),
    ),
    (
        texts.CAUSE_BROKEN_ANSWER,
        (
            r"stream (?:ended without a finish reason|closed before response\.completed)|Incomplete JSON segment",
            r"(?:empty or )?malformed response\b|invalid response from (?:LLM endpoint|the (?:API|server))",
        ),
    ),
    (
        texts.CAUSE_SERVER,
        (
            r"ECONN(?:REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH",
            r"Connection ?(?:was )?(?:Refused|Reset)|Connect(?:ion)?Error|connection error|connect(?:ion)? timed out",
            r"unable to connect|could ?n[o']t connect|failed to connect|cannot (?:connect to|reach the) ",
            r"fetch failed|error sending request|stream disconnected|waiting for network",
            r"name or service not known|getaddrinfo|network (?:is )?unreachable|no route to host",
            r"连接(?:被拒绝|超时|失败|被重置)|无法连接|连不上",
        ),
    ),
    (
        texts.CAUSE_OVERLOADED,
        (
            _CODE + r"\b5\d\d\b",
            r"\b50[0234]\b.{0,20}(?:internal|bad gateway|unavailable|server error)",
            r"\b50[0234]\b.{0,60}overloaded|(?:engine|model) is (?:currently )?overloaded.{0,3}please try again",
            r"overloaded_error|internal server error|InternalServerError|service ?unavailable",
            r"服务(?:过载|繁忙|不可用)",
        ),
    ),
    (
        texts.CAUSE_PERMISSION,
        (
            r"(?:permission|approval|tool|command|request)s?\b.{0,40}"
            r" (?:denied|rejected|not (?:granted|allowed|permitted))",
            r"(?:permission|approval|access) denied|rejected permission|\bEACCES\b|\bEROFS\b",
            r"requires? (?:your |user )?(?:approval|permission|confirmation)|approval required",
            r"need (?:your )?(?:approval|permission) to|permission to (?:run|use|write|execute)",
            r"not (?:inside|running in) a trusted|cannot be used with root|blocked by (?:the )?(?:sandbox|policy)",
            r"read-only (?:sandbox|file ?system|mode)|operation not permitted|\[y/n\]",
            r"权限(?:被拒绝|不足)|(?:需要|等待).{0,6}(?:授权|批准|许可)|拒绝访问",
        ),
    ),
    (
        texts.CAUSE_EMPTY,
        (
            r"model (?:returned|gave) an? empty (?:response|answer)|stream ended with empty response",
            r"Empty response received from LLM",
        ),
    ),
    (
        texts.CAUSE_USAGE,
        (
            r"(?:unknown|unrecognized|unexpected|invalid|no such) (?:option|arguments?|flag)\b",
            r"(?:未知|无效)的?(?:选项|参数)",
        ),
    ),
)

# What has the form of a sign, is said in every call, and hinders nothing.
_NO_TROUBLE: Final = re.compile(
    r"^warning: Model metadata for |^│ +(?:❱ +)?\d+ │|^│ {6,}.*│$",  # the last two: source code in a traceback
    re.IGNORECASE,
)

# Without these no model answers, so a call that changed nothing and names one of them did not work.
_DEFINITE: Final = (
    texts.CAUSE_NO_KEY,
    texts.CAUSE_REFUSED_KEY,
    texts.CAUSE_QUOTA,
    texts.CAUSE_MODEL,
    texts.CAUSE_CONTEXT,
    texts.CAUSE_OVERLOADED,
)

# What one program alone says.
SPECIAL: Final[dict[str, tuple[Sign, ...]]] = {
    "claude": _signs(
        (texts.CAUSE_NO_KEY, (r"Please run /login",)),
        (texts.CAUSE_MODEL, (r"issue with the selected model",)),
        (texts.CAUSE_PERMISSION, (r"^Unknown (?:slash )?command: /|haven't granted|bypassPermissions",)),
    ),
    "codex": _signs(
        (texts.CAUSE_MODEL, (r"model is not supported when using",)),
        (texts.CAUSE_SERVER, (r"Reconnecting\.\.\. ",)),
        (texts.CAUSE_PERMISSION, (r"sandbox(?:ed)? (?:denied|error)|approval policy",)),
    ),
    "gemini": _signs(
        (texts.CAUSE_NO_KEY, (r"set an Auth method|Invalid auth method selected",)),
        (texts.CAUSE_PERMISSION, (r"approval mode .{0,40}overridden|Tool .{0,60} not found in registry",)),
    ),
    "qwen": _signs(
        (texts.CAUSE_NO_KEY, (r"No auth type is selected|Missing API key",)),
    ),
    "opencode": _signs(
        (texts.CAUSE_NO_KEY, (r"ProviderAuthError",)),
        (texts.CAUSE_MODEL, (r"ProviderModelNotFoundError|ProviderInitError",)),
        (texts.CAUSE_QUOTA, (r"FreeUsageLimitError",)),
        (texts.CAUSE_PERMISSION, (r"The user rejected permission|auto-rejecting",)),
    ),
    "pi": _signs(
        (texts.CAUSE_NO_KEY, (r"No API key found for|No models available",)),
    ),
    "aider": _signs(
        (texts.CAUSE_CONTEXT, (r"has hit a token limit|possibly exhausted context window",)),
        (texts.CAUSE_MODEL, (r"LLM Provider NOT provided|Model .{0,80} Unknown context window",)),
    ),
    "mini": _signs(
        (texts.CAUSE_MODEL, (r"LLM Provider NOT provided",)),
        (texts.CAUSE_REFUSED_KEY, (r"AuthenticationError: .*(?:Incorrect|invalid).*set your API key",)),
        (texts.CAUSE_PERMISSION, (r"^Aborted\.?$",)),
        (texts.CAUSE_ONLY_TALKED, (r"^RepeatedFormatError$",)),
    ),
    "xwork": (),
}


def likely_cause(outcome: Outcome, agent: str = "") -> Text:
    """The likely cause of a failed call, or of one that changed nothing: a sign, else a guess; `agent` is its name."""
    sign = sign_of(outcome, agent)
    if sign is not None:
        return sign
    lines = _lines(outcome.stdout) or ([] if agent in _ANSWER_ALONE else _lines(outcome.stderr))
    return texts.CAUSE_ONLY_TALKED.of(line=plain(beginning(lines[-1]))) if lines else texts.CAUSE_SILENT


def why_failed(outcome: Outcome, agent: str = "") -> Text:
    """How a call that did not work ended, with the cause that the agent named; else with its last line."""
    if outcome.why not in (Why.FAILED, Why.TIMEOUT, Why.IDLE):
        return outcome.reason()
    sign = sign_of(outcome, agent)
    if sign is None:
        return outcome.reason()
    return texts.ENDED_BECAUSE.of(how=ending(outcome.why, outcome.code, outcome.seconds), cause=sign)


def sign_of(outcome: Outcome, agent: str = "") -> Text | None:
    """The cause that the agent itself named; None where it named none that is known.

    The last sign in what it printed counts, standard error before standard output.
    """
    found = _sign(outcome, agent)
    return None if found is None else found[0].of(line=plain(found[1]))


def is_failure(outcome: Outcome, agent: str = "") -> bool:
    """Whether a call that changed nothing has failed in truth: some agents exit with 0 when their model is refused."""
    found = _sign(outcome, agent)
    return found is not None and found[0] in _DEFINITE


def _sign(outcome: Outcome, agent: str) -> tuple[Text, str] | None:
    """The cause, and the line that named it."""
    if outcome.code == _NOT_EXECUTED and (said := SHELL_SAYS.search(outcome.stderr)):
        return texts.CAUSE_NOT_EXECUTABLE, beginning(redact.text(said[0]))
    known = SPECIAL.get(agent, ()) + GENERAL
    asked = {redact.text(line.strip()) for line in outcome.asked.splitlines()}  # several agents print their prompt
    for stream in (outcome.stderr, outcome.stdout):
        for line in reversed(_lines(stream)):
            if line in asked or _NO_TROUBLE.search(line):
                continue
            for sign, text in known:
                found = sign.search(line)
                if found:
                    return text, _around(line, found)
    return None


def _around(line: str, found: re.Match[str]) -> str:
    """As much of a long line as is shown: its beginning, or what stands around the sign."""
    if found.end() <= WIDTH:
        return beginning(line)
    return "… " + beginning(line[max(0, min(found.start() - WIDTH // 4, len(line) - WIDTH)) :])


def _lines(stream: str) -> list[str]:
    """The last lines, without secrets: what is told of them goes into the history."""
    return [redact.text(line.strip())[:_READ] for line in stream.splitlines()[-_LINES:] if line.strip()]
