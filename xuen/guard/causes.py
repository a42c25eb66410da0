"""Why an agent that ends well may have changed nothing, read from what it printed. A guess, and worded as one."""

from __future__ import annotations

import re

from xuen.agent.call import Outcome
from xuen.texts import Text, plain
from xuen.texts import guard as texts

_SIGNS: tuple[tuple[re.Pattern[str], Text], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), text)
    for pattern, text in (
        (r"write_section\.py.*(refus|error|damaged|marker|empty)|(refus|empty).*write_section", texts.CAUSE_HELPER),
        (r"api[ _-]?key|log ?in\b|unauthori[sz]ed|authenticat|\b401\b|credential|未登录|密钥", texts.CAUSE_LOGIN),
        (r"rate.?limit|quota|too many requests|\b429\b|overloaded|\b503\b|限流|额度|配额", texts.CAUSE_LIMIT),
        (r"model.{0,40}(not found|unknown|does not exist|invalid)|模型.{0,10}(不存在|找不到)", texts.CAUSE_MODEL),
        (r"connection (refused|reset)|ECONN|ENOTFOUND|timed out|unreachable|network|无法连接", texts.CAUSE_NETWORK),
        (r"permission|approv|not allowed|read.only|sandbox|denied|\[y/n\]|授权|许可|只读", texts.CAUSE_PERMISSION),
    )
)


def likely_cause(outcome: Outcome) -> Text:
    """The likely cause, with the line that led to it."""
    lines = [line.strip() for line in (outcome.stdout + "\n" + outcome.stderr).splitlines() if line.strip()]
    if not lines:
        return texts.CAUSE_SILENT
    for sign, text in _SIGNS:
        for line in reversed(lines):
            if sign.search(line):
                return text.of(line=plain(line[:200]))
    return texts.CAUSE_UNKNOWN.of(line=plain(lines[-1][:200]))
