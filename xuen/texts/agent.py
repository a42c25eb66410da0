"""What is said about agents and their calls."""

from __future__ import annotations

from xuen.texts import Text

# --- calls ---------------------------------------------------------------------------------------------------------

CANNOT_START = Text("the agent could not be started: {error}", "无法启动 agent：{error}")
NO_PRIVATE_FOLDER = Text(
    "the folder for the prompt and the agent's temporary files could not be made: {error}",
    "无法创建存放提示词和 agent 临时文件的文件夹：{error}",
)
LOG_NOT_KEPT = Text(
    "the agent's output could not be kept whole in {file} ({error}); this is said once",
    "无法把 agent 的输出完整保存到 {file}（{error}），此提示只出现一次",
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
RESEARCH_NOT_PUT_BACK = Text(
    "the {purpose} call changed research.md and it could not be put back: {error}",
    "{purpose} 调用修改了 research.md，且无法恢复：{error}",
)

# --- likely causes, each followed by the line that led to it ---------------------------------------------------------

ENDED_BECAUSE = Text("{how}; {cause}", "{how}；{cause}")
AND_SAID = Text("{how}; it said: {line}", "{how}；它说：{line}")
AND_LAST_ERROR = Text("{text} Its last error line: {line}", "{text} 它最后的错误行：{line}")
CAUSE_NO_KEY = Text(
    "it has no login or API key: run it by hand once and log in, or put its key into the environment. It said: {line}",
    "它还没有登录或没有 API 密钥：请先手动运行一次并登录，或在环境变量中设置密钥。它说：{line}",
)
CAUSE_REFUSED_KEY = Text(
    "its model server refuses the key or login (401, 403): check that it is right and still valid. It said: {line}",
    "模型服务拒绝了密钥或登录（401、403）：请检查它是否正确、是否仍然有效。它说：{line}",
)
CAUSE_QUOTA = Text(
    "its model server turns requests away: a quota, a rate limit or no credit (429). It said: {line}",
    "模型服务拒绝了请求：额度、速率限制或余额不足（429）。它说：{line}",
)
CAUSE_MODEL = Text(
    "it does not know the model that it was given, or may not use it. It said: {line}",
    "它不认识所指定的模型，或无权使用。它说：{line}",
)
CAUSE_SERVER = Text(
    "it does not reach its model server: check the address, the network and whether the server runs. It said: {line}",
    "它连不上模型服务：请检查地址、网络以及服务是否在运行。它说：{line}",
)
CAUSE_OVERLOADED = Text(
    "its model server fails or is overloaded (5xx). It said: {line}",
    "模型服务出错或过载（5xx）。它说：{line}",
)
CAUSE_NOT_EXECUTABLE = Text(
    "the shell may not execute its program: make the file executable with chmod +x. It said: {line}",
    "shell 无权执行它的程序：请用 chmod +x 给文件加上执行权限。它说：{line}",
)
CAUSE_PERMISSION = Text(
    "it was not permitted to run commands or write files: unattended it needs flags that allow this "
    "(the presets have them). It said: {line}",
    "它没有获准执行命令或写文件：无人值守时需要加上相应的允许参数（预设中已包含）。它说：{line}",
)
CAUSE_CONTEXT = Text(
    "the prompt is too long for its model: lower prompt.max_state_chars or take a model with a larger context. "
    "It said: {line}",
    "提示词超出了模型的上下文：请调小 prompt.max_state_chars，或换用上下文更大的模型。它说：{line}",
)
CAUSE_BROKEN_ANSWER = Text(
    "the answer of its model server broke off or is none that it understands: check that the address is the server's "
    "own, and no web page or login page. It said: {line}",
    "模型服务的回答中断了，或不是它能理解的格式：请检查地址是否就是该服务本身，而不是网页或登录页面。它说：{line}",
)
CAUSE_EMPTY = Text(
    "its model answered with nothing: try again, or take another model. It said: {line}",
    "模型返回了空的回答：请重试，或换一个模型。它说：{line}",
)
CAUSE_USAGE = Text(
    "it does not understand its own options; versions differ, so look at its help. It said: {line}",
    "它不认识命令中的选项；各版本不同，请查看它的帮助。它说：{line}",
)
CAUSE_HELPER = Text(
    "write_section.py refused what it wanted to write. It said: {line}",
    "write_section.py 拒绝了它要写入的内容。它说：{line}",
)
CAUSE_SILENT = Text(
    "it ended without a word and without a change; check that its command passes the prompt on, and that its model "
    "answers and has room for the prompt",
    "它一言不发、毫无改动就结束了；请检查命令是否把提示词传给了它，以及模型是否有回答、上下文是否够用",
)
CAUSE_ONLY_TALKED = Text(
    "it answered in words and did not run write_section.py; it may lack a tool for commands, or its model is too "
    "weak for it. Its last line: {line}",
    "它只用文字作答，没有运行 write_section.py；可能没有执行命令的工具，或模型能力不足。它的最后一行：{line}",
)
