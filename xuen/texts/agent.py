"""What is said about agents and their calls."""

from __future__ import annotations

from xuen.texts import Text

# --- output --------------------------------------------------------------------------------------------------------

LINE_CUT = Text(" … [line cut: {count} more bytes]", " … [本行过长已截断：另有 {count} 字节]")
LINES_SKIPPED = Text(
    "… [{count} lines not shown: they came faster than anyone can read]",
    "… [{count} 行未显示：输出速度超过了阅读速度]",
)
LEFT_OUT = Text("… [{count} bytes left out here]", "… [此处省略 {count} 字节]")

# --- calls ---------------------------------------------------------------------------------------------------------

CANNOT_START = Text("the agent could not be started: {error}", "无法启动 agent：{error}")
CANNOT_KEEP_PROMPT = Text(
    "the prompt file could not be written in the workspace: {error}",
    "无法在工作区写入提示词文件：{error}",
)
SURVIVORS = Text(
    "some processes of the agent could not be ended (pid {pids}); they may belong to another user",
    "agent 的部分进程无法终止（pid {pids}），它们可能属于其他用户",
)
ENVIRONMENT_TOO_LARGE = Text(
    "the system refuses the agent's command because prompt and environment together are too large",
    "提示词与环境变量合计过大，系统拒绝启动 agent 命令",
)
USE_PROMPT_FILE = Text(
    "Use $prompt_file instead of $prompt in the command template",
    "请在命令模板中用 $prompt_file 代替 $prompt",
)
RESEARCH_PUT_BACK = Text(
    "the {purpose} call changed research.md; it was put back as it was",
    "{purpose} 调用修改了 research.md，已恢复原样",
)
