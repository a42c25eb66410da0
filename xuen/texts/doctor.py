"""What `xuen doctor` says."""

from __future__ import annotations

from xuen.texts import Text

SYSTEM = Text("system", "系统")
CONFIGURATION = Text("configuration", "配置")
AGENT = Text("agent", "agent")
PERMITS = Text("permissions", "权限")
KEY = Text("key", "密钥")
JUDGE = Text("judge", "评审员")
TESTS = Text("test suite", "测试套件")
WORKSPACE = Text("workspace", "工作区")

MEND = Text("mend: {mend}", "解决：{mend}")
ALL_GOOD = Text("Everything is in place.", "一切就绪。")
SOME_FAIL = Text("{count} of the checks failed; each names its mend above.", "有 {count} 项检查未通过；解决办法见上。")

NO_FILE = Text("no file here; the defaults hold", "当前目录没有配置文件；使用默认值")

NOT_ON_PATH = Text("{name} is not on PATH", "PATH 中找不到 {name}")
INSTALL = Text("install it: {command}", "安装：{command}")
PRESET_AT = Text("{name}, at {path}", "{name}，位于 {path}")
OWN_COMMAND = Text("a command of your own", "你自己的命令")
OWN_PROGRAM = Text("a command of your own, with {path}", "你自己的命令，使用 {path}")
COMMAND_MEND = Text(
    "install it, or give its full path in {key}",
    "请安装它，或在 {key} 中写出完整路径",
)
NO_PROGRAM_FILE = Text("there is no file {path}", "没有文件 {path}")
PROGRAM_FILE_MEND = Text(
    "write its absolute path in {key}; the command runs in folders of xuen's",
    "请在 {key} 中写出绝对路径；命令在 xuen 指定的文件夹里运行",
)
RELATIVE_PROGRAM = Text(
    "{path} is a relative path, and the command does not run in your current folder",
    "{path} 是相对路径，而命令并不在你的当前目录里运行",
)
RELATIVE_MEND = Text("write its absolute path in {key}, such as {path}", "请在 {key} 中写出绝对路径，例如 {path}")
NOT_EXECUTABLE = Text("{path} may not be executed", "{path} 没有执行权限")
EXECUTABLE_MEND = Text("run chmod +x {path}", "请运行 chmod +x {path}")
EMBEDDED_AT = Text("the embedded model, {path}", "内嵌模型，{path}")
EMBEDDED_LATER = Text(
    "the embedded model; its weights (93 MB) will be fetched once, to {path}",
    "内嵌模型；权重（93 MB）会在首次使用时下载到 {path}",
)
WEIGHTS_MISSING = Text(
    "XWORK_MODEL_FILE names a file that is not there: {path}", "XWORK_MODEL_FILE 指向的文件不存在：{path}"
)
WEIGHTS_MEND = Text("name an existing GGUF file, or unset it", "请指向一个已有的 GGUF 文件，或取消该变量")
MAY_PASS = Text(
    "a run starts all the same: this may pass, and the calls that fail are counted",
    "运行仍可启动：这可能只是暂时的，失败的调用会被计数",
)
SERVER_AT = Text("the built-in one, with the server at {url}", "内置 agent，使用位于 {url} 的服务器")
NO_SERVER = Text("no connection to {url}: {reason}", "无法连接 {url}：{reason}")
SERVER_MEND = Text("start the server, or correct xwork.base_url", "请启动该服务器，或更正 xwork.base_url")
NO_URL = Text("{url} is not the address of a server", "{url} 不是服务器地址")
URL_MEND = Text("write it like http://127.0.0.1:11434/v1", "请写成 http://127.0.0.1:11434/v1 的形式")
NO_KEY = Text("{name} is not set; fine for a server that asks for none", "未设置 {name}；若服务器不需要密钥则无妨")

GUARD_OFF = Text("not asked: the guard is off", "不使用：轮次守卫已关闭")
NOT_ASKED = Text("not asked: rounds.verify is {verify}", "不使用：rounds.verify 为 {verify}")
NO_FOLDER = Text("{path} is not a folder", "{path} 不是文件夹")
REPO_MEND = Text("name an existing folder in rounds.repo", "请在 rounds.repo 中写一个已有的文件夹")
SUITE_IN = Text("{runner} in {folder}", "{runner}，位于 {folder}")
BYPASSED = Text(
    "none of the tests in {folder} can run, so rounds.fallback would decide without them: {fallback}",
    "{folder} 中的测试都无法运行，将由 rounds.fallback 单独决定：{fallback}",
)
RUNNER_MEND = Text(
    "Install what is missing (pytest: into the project's .venv)", "请安装缺少的程序（pytest 装进项目的 .venv）"
)
RUNNER_MISSING = Text(
    "there is something for {runner}, but it is not installed", "有 {runner} 可用的内容，但未安装该程序"
)
NO_REPO = Text("tests can't decide without a repository", "没有仓库，无法由测试决定")
NO_REPO_MEND = Text(
    "name the repository whose tests decide in rounds.repo, or choose another rounds.verify",
    "请在 rounds.repo 中指定由哪个仓库的测试决定，或改用其他 rounds.verify",
)
NO_REPO_FALLBACK = Text(
    "none without rounds.repo; rounds.fallback decides: {fallback}",
    "未设置 rounds.repo，没有测试套件；由 rounds.fallback 决定：{fallback}",
)
NO_SUITE = Text(
    "none that could run in {folder}, so every candidate would stay pending",
    "{folder} 中没有可运行的测试套件，所有候选都会挂起",
)
SUITE_MEND = Text(
    "name the repository in rounds.repo, or set rounds.verify to auto",
    "请在 rounds.repo 中指定仓库，或把 rounds.verify 设为 auto",
)
FALLBACK = Text(
    "none in {folder}; rounds.fallback decides: {fallback}", "{folder} 中没有；由 rounds.fallback 决定：{fallback}"
)

WILL_BE_MADE = Text("{path} will be made", "将新建 {path}")
CANNOT_BE_MADE = Text("{path} cannot be made", "无法新建 {path}")
NOT_WRITABLE = Text("{path} cannot be written to", "无法写入 {path}")
WORKSPACE_MEND = Text(
    "name another folder with --workspace, or fix its permissions", "请用 --workspace 另选文件夹，或修正其权限"
)
RUN_IS = Text("a run is going on there (process {pid})", "其中有运行正在进行（进程 {pid}）")
DAMAGED = Text(
    "research.md is damaged ({reason}); the next start keeps it aside and puts the best back",
    "research.md 已损坏（{reason}）；下次启动会另存它并还原最佳",
)

AGENTS_HEAD = Text("Agents that xuen knows", "xuen 认识的 agent")
BUILT_IN = Text("built in", "内置")
NOT_HERE = Text("not on PATH", "不在 PATH 中")
WRITE = Text("in the configuration: agent: {{preset: {name}}}", "写入配置：agent: {{preset: {name}}}")
