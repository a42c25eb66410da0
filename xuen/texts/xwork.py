"""What xwork's agent and its sessions say to people. What it says to a model stands beside the code that says it."""

from __future__ import annotations

from xuen.texts import Text

# --- sessions --------------------------------------------------------------------------------------------------------

SESSION_BUSY = Text("another process works on this session", "另一个进程正在使用这个会话")
SESSION_BUSY_MEND = Text("Wait for it, or name another file with --session", "请等它结束，或用 --session 换一个文件")
SESSION_UNREADABLE = Text("the session cannot be read: {reason}", "无法读取会话：{reason}")
SESSION_UNWRITABLE = Text("the session cannot be written: {reason}", "无法写入会话：{reason}")
NO_SESSION = Text("this file is not a session of xwork", "这个文件不是 xwork 的会话")
NO_SESSION_MEND = Text("Name another file with --session", "请用 --session 指定另一个文件")
SESSION_NEWER = Text("a newer version of xwork has written this session", "这个会话由更新版本的 xwork 写入")
SESSION_DAMAGED = Text("{count} damaged lines of the session were passed over", "会话中有 {count} 行已损坏，已跳过")
SESSION_WAITS = Text("interrupted work waits in this session", "这个会话里有被中断、尚未完成的工作")
SESSION_WAITS_MEND = Text(
    "Go on with it: python -m xuen.xwork resume, or begin anew with another --session",
    "请用 python -m xuen.xwork resume 继续，或用另一个 --session 重新开始",
)
NOTHING_WAITS = Text("nothing waits in this session, so there is nothing to resume", "这个会话没有中断的工作，无需继续")
NOTHING_WAITS_MEND = Text("Give it a task: python -m xuen.xwork run …", "请给出任务：python -m xuen.xwork run …")

# --- the agent -------------------------------------------------------------------------------------------------------

NO_MODEL = Text("no model is named for the server {url}", "没有为服务器 {url} 指定模型")
NO_MODEL_MEND = Text("Name one: --model NAME (xwork.model)", "请指定模型：--model 名称（xwork.model）")
BAD_URL = Text("{url} is no address of a model server", "{url} 不是模型服务器的地址")
BAD_URL_MEND = Text(
    "It begins with http:// or https:// and mostly ends with /v1", "地址以 http:// 或 https:// 开头，通常以 /v1 结尾"
)
TURNS_OVER = Text("stopped after {count} turns, as --max-turns asks for", "已按 --max-turns 在 {count} 轮后停止")
REPEATS = Text(
    "stopped: the model made the same tool calls {count} times with the same results",
    "已停止：模型用相同的工具调用得到相同的结果，重复了 {count} 次",
)
FAILURES = Text("stopped: {count} tool calls in a row failed", "已停止：连续 {count} 次工具调用失败")
NEVER_CHECKED = Text(
    "stopped: the model wanted to finish without a successful command after its last change",
    "已停止：模型在最后一次修改之后没有成功运行过任何检查命令就想结束",
)
CUT_SHORT = Text("the last answer was cut off at its output limit", "最后的回答达到输出上限，已被截断")
WITHHELD = Text("the provider withheld the answer", "服务商没有给出回答")
CANNOT_FIT = Text(
    "the conversation does not fit into the model's context, even shortened",
    "即使压缩之后，对话仍超出模型的上下文长度",
)
NOTHING_TO_COMPACT = Text("the conversation is too short to be compacted", "对话太短，无需压缩")
NOT_COMPACTED = Text("the conversation could not be compacted: {reason}", "对话压缩失败：{reason}")
WORKSPACE_UNUSABLE = Text("the workspace cannot be opened: {reason}", "无法打开工作区：{reason}")

# --- model servers ---------------------------------------------------------------------------------------------------

SERVER_SAID = Text("the model server answered {status}: {reason}", "模型服务器返回 {status}：{reason}")
SERVER_ERROR = Text("the model server reported an error: {reason}", "模型服务器报告错误：{reason}")
UNREACHABLE = Text("the model server {url} cannot be reached: {reason}", "无法连接模型服务器 {url}：{reason}")
UNREACHABLE_MEND = Text("Is it running, and is --base-url right?", "服务器在运行吗？--base-url 正确吗？")
BROKEN_STREAM = Text("the answer of the model server broke off: {reason}", "模型服务器的回答中断：{reason}")
NO_END = Text("it has no end", "没有结束标记")
UNREADABLE_CHUNK = Text("it holds what is no JSON", "其中有无法解析的 JSON")
ACCESS = Text("the model server denied access ({status}): {reason}", "模型服务器拒绝访问（{status}）：{reason}")
ACCESS_MEND = Text("Is the key in {variable} right?", "环境变量 {variable} 里的密钥正确吗？")
ACCESS_MEND_NO_KEY = Text("Put a key into the environment variable {variable}", "请把密钥放进环境变量 {variable}")
NOT_FOUND_MEND = Text("Check --base-url and --model", "请检查 --base-url 和 --model")
TOO_LONG = Text("the request does not fit into the model's context: {reason}", "请求超出模型的上下文：{reason}")
GAVE_UP = Text("gave up after {count} tries: {reason}", "尝试 {count} 次后放弃：{reason}")
WAIT_TOO_LONG = Text(
    "the model server asks to wait {seconds} seconds, longer than xwork waits: {reason}",
    "模型服务器要求等待 {seconds} 秒，超过了 xwork 的等待上限：{reason}",
)

# --- permissions -----------------------------------------------------------------------------------------------------

MAY_IT = Text("xwork wants to use {tool} ({about}): {arguments}", "xwork 想使用 {tool}（{about}）：{arguments}")
