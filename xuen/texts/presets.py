"""What is said about the agent programs that xuen knows."""

from __future__ import annotations

from xuen.texts import Text

UNKNOWN_PRESET = Text('there is no agent called "{name}"', "没有名为“{name}”的 agent")
UNKNOWN_PRESET_MEND = Text("The presets are: {names}", "可用的预设：{names}")
NEAREST_PRESET_MEND = Text(
    'Did you mean "{nearest}"? The presets are: {names}', "是否想写“{nearest}”？可用的预设：{names}"
)

BAD_SERVER = Text('"{url}" is not the address of a server', "“{url}”不是服务器地址")
BAD_SERVER_MEND = Text("Write it like http://127.0.0.1:11434/v1", "请写成 http://127.0.0.1:11434/v1 这样")
NO_SERVER = Text("a model is named and no server that has it", "指定了模型，却没有指定服务器")
NO_SERVER_MEND = Text(
    "Add --base-url URL (xwork.base_url); the embedded model has no choice of models",
    "请加上 --base-url URL（xwork.base_url）；内嵌模型没有别的模型可选",
)
TWO_COMMANDS = Text("agent.command and agent.argv are both set", "agent.command 和 agent.argv 同时设置了")
NO_MODEL = Text("a server is named and no model", "指定了服务器，却没有指定模型")
NO_MODEL_MEND = Text("Add --model NAME (xwork.model)", "请加上 --model 名称（xwork.model）")
SERVER_UNUSED = Text(
    "--base-url and --model (xwork.*) are for the built-in agent; {name} has settings of its own",
    "--base-url 和 --model（xwork.*）只用于内置 agent；{name} 有它自己的设置",
)

# --- what unattended work permits them, in plain words; the keys stand in the files of the presets -------------------

PERMITS = {
    "commands": Text(
        "{name} runs without asking: it may execute any command and change any file that you may",
        "{name} 将不经询问地运行：凡是你有权执行的命令、有权修改的文件，它都可以执行和修改",
    ),
    "shell_tool": Text(
        "{name} runs without asking: its tool for shell commands is allowed, so it may execute any command that "
        "you may",
        "{name} 将不经询问地运行：已允许它使用 shell 命令工具，凡是你有权执行的命令它都可以执行",
    ),
    "no_sandbox": Text(
        "{name} runs without asking and without its sandbox: it may execute any command and change any file that "
        "you may",
        "{name} 将不经询问且不带沙箱地运行：凡是你有权执行的命令、有权修改的文件，它都可以执行和修改",
    ),
    "workspace": Text(
        "{name} changes files in the workspace without asking and may run commands there",
        "{name} 将不经询问地修改工作区中的文件，并可在其中执行命令",
    ),
    "nothing_else": Text(
        "{name} is in its read-only mode: it cannot write a section",
        "{name} 处于只读模式：无法写入任何区块",
    ),
    "edits": Text(
        "{name} edits files without asking: it may change research.md and make or change other files; it runs "
        "no command",
        "{name} 将不经询问地编辑文件：它可以修改 research.md，也可以新建或修改其他文件；它不执行任何命令",
    ),
}

ADVICE = {
    "login_first": Text(
        "run {program} once by hand, log in and choose a model; xuen uses what you chose",
        "请先手动运行一次 {program}，登录并选择模型；xuen 会沿用你的选择",
    ),
    "key_in_environment": Text(
        "put the key into the environment ({names}) and name the model",
        "请在环境变量中设置密钥（{names}），并指定模型",
    ),
    "name_a_model": Text(
        "without a model in its configuration it silently takes a hosted one; better: agent.command with {flag}",
        "若其配置中没有模型，它会悄悄使用托管模型；建议在 agent.command 中加上 {flag}",
    ),
    "embedded": Text(
        "no key and no server needed: a small language model runs inside this machine",
        "无需密钥和服务器：小型语言模型就在本机运行",
    ),
}
