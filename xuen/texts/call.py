"""How a call of an agent ended, in words."""

from __future__ import annotations

from xuen.texts import Text

ENDED = {
    "ok": Text("it ended well", "正常结束"),
    "failed": Text("exit code {code}", "退出码 {code}"),
    "timeout": Text("over its time limit, ended after {seconds} s", "超出时限，{seconds} 秒后被终止"),
    "idle": Text("silent and idle for too long, ended after {seconds} s", "长时间无输出且空闲，{seconds} 秒后被终止"),
    "stopped": Text("stopped", "被停止"),
    "not_found": Text("command not found (exit code 127)", "找不到命令（退出码 127）"),
    "too_long": Text("the prompt is too long", "提示词过长"),
}
FAILED_WELL = Text("exit code 0, but nothing was changed", "退出码为 0，但没有任何改动")
FAILED_UNKNOWN = Text("it failed", "执行失败")
