"""The help of xwork's command line."""

from __future__ import annotations

from xuen.texts import Text

USAGE = Text("usage: ", "用法：")
ARGUMENTS = Text("arguments", "参数")
OPTIONS = Text("options", "选项")

ABOUT = Text("xwork, the agent runtime inside xuen", "xwork，xuen 内置的 agent 运行时")
RUN = Text(
    "carry out a task; on a finished session its conversation goes on",
    "完成一项任务；会话若已结束，则接着它的对话",
)
RESUME = Text("go on with interrupted work, without a new task", "继续被中断的工作，不需要新任务")
COMPACT = Text("shorten the conversation of a session", "压缩一个会话的对话")
ACP = Text(
    "serve an editor through the Agent Client Protocol (needs the package agent-client-protocol)",
    "通过 Agent Client Protocol 供编辑器使用（需要软件包 agent-client-protocol）",
)
SHOW = Text("what a session holds, and whether work in it was interrupted", "会话里有什么，工作是否被中断")

HELP = Text("show this help and exit", "显示本帮助")
TASK = Text("what to do", "要做的事")
PROMPT_FILE = Text("read the task from a file (UTF-8)", "从文件（UTF-8）读取任务")
WORKSPACE = Text("the folder to work in (default: the current one)", "工作的文件夹（默认：当前目录）")
SESSION = Text(
    "the journal (default: .xwork/session.jsonl in the workspace)",
    "会话文件（默认：工作区里的 .xwork/session.jsonl）",
)
JSON = Text("print JSON, one object a line", "输出 JSON，每行一个对象")
BASE_URL = Text(
    "an OpenAI-compatible server; without it the embedded model, or for resume and compact the server and "
    "model that the session had ('' = the embedded model)",
    "兼容 OpenAI 的服务器；不给时用内置模型，resume 和 compact 则沿用会话之前的服务器和模型（'' 表示内置模型）",
)
MODEL = Text("the model's name; script:FILE replays a script instead", "模型名称；script:文件 则改为重放脚本")
API_KEY_ENV = Text(
    "the environment variable with the key, which may be absent (default: %(default)s)",
    "存放密钥的环境变量（默认 %(default)s），可以没有",
)
APPROVAL = Text(
    "who agrees to what goes beyond reading (default: %(default)s)",
    "读取以外的操作由谁同意（默认：%(default)s）",
)
SANDBOX = Text(
    "run commands inside bubblewrap, where only the workspace and a /tmp of their own can be written: "
    "on = or not at all, auto = where it works (default: %(default)s)",
    "在 bubblewrap 里运行命令，只有工作区和专用的 /tmp 可写：on 必须能用才运行，auto 能用则用（默认：%(default)s）",
)
SANDBOX_NETWORK = Text(
    "let commands in the sandbox use the network (default: none)", "允许沙箱里的命令使用网络（默认：不允许）"
)
MCP = Text(
    'offer the tools of MCP servers too: JSON with "mcpServers" (needs the package mcp)',
    "另外提供 MCP 服务器的工具：含有 “mcpServers” 的 JSON 文件（需要软件包 mcp）",
)
MAX_TURNS = Text("answers of the model at most (default: 0, no limit)", "模型最多回答的次数（默认：0，不限）")
CONTEXT_TOKENS = Text("the size of the model's context", "模型上下文的大小")
