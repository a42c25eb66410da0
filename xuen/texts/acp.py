"""What xwork says to people in an editor, through the Agent Client Protocol."""

from __future__ import annotations

from xuen.texts import Text

PACKAGE_MISSING = Text(
    "serving an editor needs the package agent-client-protocol, which this Python ({python}) does not have",
    "要供编辑器使用，需要软件包 agent-client-protocol，而这个 Python（{python}）里没有安装",
)
PACKAGE_MEND = Text(
    "install it: {python} -m pip install agent-client-protocol",
    "请安装：{python} -m pip install agent-client-protocol",
)
CLOSED = Text(
    "an editor is served over standard input and output, and one of them is closed",
    "供编辑器使用时要通过标准输入和标准输出通信，而其中一个已关闭",
)
UNWRITABLE = Text("standard output cannot be written: {reason}", "无法写入标准输出：{reason}")
NO_FOLDER = Text(
    "the session's folder does not exist, or its path is not absolute: {path}",
    "会话的文件夹不存在，或不是绝对路径：{path}",
)
NO_SESSION = Text("there is no such session: {name}", "没有这个会话：{name}")
BUSY = Text("this session is busy with another prompt", "这个会话正在处理另一个提示词")
TEXT_ONLY = Text("a prompt can only be text, not {kind}", "提示词只能是文字，不能是 {kind}")
EMPTY = Text("the prompt is empty", "提示词是空的")
NO_TRANSPORT = Text(
    "the MCP server {name} cannot be used: only standard streams and streamable HTTP are supported",
    "无法使用 MCP 服务器 {name}：只支持标准流和 streamable HTTP",
)
WAITS = Text(
    "Interrupted work waits in this session. /resume goes on with it; any other prompt gives it up.",
    "这个会话里有被中断的工作。/resume 继续；输入其他提示词则放弃它。",
)
RESUME = Text("Go on with interrupted work", "继续被中断的工作")
COMPACT = Text("Shorten the conversation", "压缩对话")
ALLOW = Text("Allow", "允许")
ALLOW_ALWAYS = Text("Always allow {tool} in this session", "在本会话中始终允许 {tool}")
REJECT = Text("Reject", "拒绝")
