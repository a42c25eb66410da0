"""What the command line says: help, usage errors, the answers of the commands."""

from __future__ import annotations

from xuen.texts import Text

# --- help ----------------------------------------------------------------------------------------------------------

USAGE = Text("Usage", "用法")
OPTIONS = Text("options", "选项")
OPTIONS_HEAD = Text("Options", "选项")
COMMANDS_HEAD = Text("Commands (the first word, exactly)", "子命令（第一个词须完全一致）")
COMMAND_WORD = Text("COMMAND", "子命令")
ABOUT = Text(
    "An outside agent works on an open question, round after round; only what is better stays, and nothing is lost.",
    "由外部 agent 一轮接一轮地研究一个开放问题：只有更好的结果会留下，任何进展都不会丢失。",
)
WORD_AS_TASK = Text(
    'A task that is one of these words goes after "--": {program} -- doctor',
    "若任务本身就是其中一个词，请写在 “--” 之后：{program} -- doctor",
)

H_TASK = Text(
    "the research task, - = from standard input; else --task-file, else asked for on a terminal",
    "研究任务，- 表示从标准输入读取；否则用 --task-file，再否则在终端里询问",
)
H_CONFIG = Text(
    "configuration file (default: config.yaml, config.yml or xuen.yaml here, if there is one)",
    "配置文件（默认：当前目录下的 config.yaml、config.yml 或 xuen.yaml，没有也可以）",
)
H_TASK_FILE = Text("read the task from a UTF-8 file", "从 UTF-8 文件读取任务")
H_ITERATIONS = Text("rounds to run in this call, 1 or more, or inf", "本次运行的轮数，至少为 1，或 inf")
H_PICK = Text("inspiration words per round; 0 = no word bank at all", "每轮灵感词个数；0 表示完全不用词库")
H_WORKSPACE = Text("the folder that holds all state (default: workspace)", "存放所有状态的目录（默认：workspace）")
H_REGEN = Text("make the word bank anew", "重新生成词库")
H_NEW_TASK = Text(
    "begin another task in a workspace that has rounds: the record stays, the word bank is made anew",
    "在已有轮次的工作区里开始另一个任务：原有记录保留，词库重新生成",
)
H_NO_TUI = Text("plain console instead of the screen", "用纯终端输出代替界面")
H_NO_COLOR = Text(
    "no colour (also: NO_COLOR, TERM=dumb, not a terminal)", "不用颜色（NO_COLOR、TERM=dumb 或非终端时亦然）"
)
H_NO_ROUNDS = Text("guard off: no snapshots, no best", "关闭轮次守卫：没有快照，也没有最佳")
H_VERIFY = Text("how a candidate is judged: auto, tests, user, ai or off", "候选如何验证：auto、tests、user、ai 或 off")
H_FALLBACK = Text("who decides with auto after the test suite: user or ai", "auto 在测试套件之后由谁决定：user 或 ai")
H_SCORE = Text("the score from which a candidate is adopted, 0 to 10", "采纳候选的分数线，0 到 10")
H_AGENT = Text(
    "a preset instead of agent.command; the command doctor lists them", "用预设代替 agent.command；doctor 命令会列出"
)
H_BASE_URL = Text("built-in agent: an OpenAI-compatible server", "内置 agent：一个 OpenAI 兼容的服务器")
H_MODEL = Text("built-in agent: the model to ask there", "内置 agent：使用的模型")
H_SEED = Text("make the word draws reproducible", "使抽词结果可以重现")
H_LANGUAGE = Text("language of the screen and of the prompts: auto, zh or en", "界面与提示词的语言：auto、zh 或 en")
H_EVENTS = Text(
    "also write every event as a JSON line; - = standard output, then without the screen",
    "把每个事件另写成一行 JSON；- 表示标准输出，此时没有界面",
)
H_EVENTS_FILE = Text("also write every event as a JSON line", "把每个事件另写成一行 JSON")
H_VERSION = Text("print the version", "显示版本")
H_HELP = Text("print this help", "显示本帮助")
H_JSON = Text("print JSON", "以 JSON 输出")

C_RUN = Text("work on a task", "研究一个任务")
C_DOCTOR = Text(
    "check configuration, agent, test suite and workspace; asks no model",
    "检查配置、agent、测试套件和工作区；不调用模型",
)
C_STATUS = Text("the best, what is pending, rounds and failures", "当前最佳、挂起的候选、轮次与失败")
C_SAY = Text("queue input for the next research call", "为下一次研究调用排队输入")
C_SCORE = Text(
    "score a candidate from 0 to 10; this decides one that was not adopted",
    "给候选打 0 到 10 分；未被采纳的候选以此为准",
)
C_HISTORY = Text("everything that happened to the candidates", "候选的全部历史")
H_HOST = Text(
    "the address to listen on (default: 127.0.0.1, this machine only)", "监听的地址（默认：127.0.0.1，仅本机）"
)
H_PORT = Text("the port to listen on (default: 8000; 0 = any free one)", "监听的端口（默认：8000；0 表示任一空闲端口）")
C_SERVE = Text(
    "the screen in a browser; the task may be the workspace's last one", "在浏览器里显示界面；任务可沿用工作区的上一个"
)
C_INIT = Text("write a config.yaml with every setting, explained", "写一个 config.yaml，列出并说明全部设置")
C_HELP = Text("this help, or that of a command", "显示本帮助，或某个命令的帮助")
C_SHOW = Text("one candidate: its diff, how it was judged and why", "查看一个候选：差异、评判过程及原因")

# --- usage errors --------------------------------------------------------------------------------------------------

UNKNOWN_OPTION = Text("unknown option", "未知选项")
NOT_FOR_COMMAND = Text("not an option of xuen {command}", "xuen {command} 没有这个选项")
NEEDS_VALUE = Text("a value is missing", "缺少值")
TAKES_NO_VALUE = Text("this option takes no value", "这个选项不带值")
NOT_WHOLE = Text("expected a whole number, found {found}", "应为整数，实际为 {found}")
TOO_MANY_WORDS = Text("unexpected argument: {found}", "多余的参数：{found}")
TASK_TWICE = Text("a task and --task-file were both given", "同时给出了任务和 --task-file")
NO_TASK = Text("no task", "没有任务")
BLANK_TASK = Text("the task is empty", "任务为空")
TASK_NOT_UTF8 = Text("the task is not valid text", "任务不是有效的文本")
TASK_FILE_UNREADABLE = Text("cannot read the task file: {reason}", "无法读取任务文件：{reason}")
TASK_FILE_NOT_UTF8 = Text("the task file is not UTF-8", "任务文件不是 UTF-8 编码")
TASK_FILE_TOO_LARGE = Text(
    "a task file of more than {limit} bytes is not read", "超过 {limit} 字节的任务文件不会被读取"
)
NO_COMMAND = Text('there is no command "{name}"', "没有名为 “{name}” 的命令")
LATER_COMMAND = Text('the command "{name}" is not available in this version', "这个版本还没有命令 “{name}”")
NEAR_COMMAND = Text('"{task}" is no command (did you mean {call}?)', "“{task}” 不是命令（是否想输入 {call}？）")
NEAR_OR_QUOTE = Text("Did you mean {call}? A task goes in one pair of quotes", "是否想输入 {call}？任务请放进一对引号")
A_SCORE = Text("the score X, a number from 0 to 10,", "分数 X（0 到 10 的数字）")
TYPE_IT = Text("Type it like this: {call}", "请这样输入：{call}")
MISSING_WORD = Text("{name} is missing", "缺少 {name}")
BAD_SCORE = Text("expected a number from 0 to 10, found {found}", "应为 0 到 10 之间的数字，实际为 {found}")

SEE_HELP = Text("See {call} --help", "见 {call} --help")
OR_TASK = Text(
    'To make "{command}" the task: {program} -- {command}', "若要把 “{command}” 作为任务：{program} -- {command}"
)
QUOTE_TASK = Text("Put the whole task in one pair of quotes", "请把整个任务放进一对引号")
DASH_TASK = Text('A task that begins with "-" goes after "--"', "以 “-” 开头的任务请写在 “--” 之后")
GIVE_ONE = Text("Give only one of them", "请只给出其中一个")
HOW_TO_TASK = Text('Write it: {call} "your task"', '请这样写：{call} "你的任务"')
ASK_TASK = Text("Research task: ", "研究任务：")
IS_IT_A_TASK = Text("{what}.\nRun it as the research task? [y/N] ", "{what}。\n要把它作为研究任务运行吗？[y/N] ")
TASK_ALL_THE_SAME = Text("To make it the research task: {call} -- {task}", "若要把它作为研究任务：{call} -- {task}")
YES = ("y", "yes", "是")
NOT_STARTED = Text("nothing was started", "没有启动任何东西")
COMMAND_MEANT = Text("The command is: {call}", "命令是：{call}")

# --- say -----------------------------------------------------------------------------------------------------------

QUEUED = Text("queued; the next research call takes it", "已排队；下一次研究调用会带上它")
QUEUED_MORE = Text("queued; the next research call takes all {count}", "已排队；下一次研究调用会带上全部 {count} 条")
CANNOT_QUEUE = Text("cannot queue it: {reason}", "无法排队：{reason}")

# --- looking at a workspace ----------------------------------------------------------------------------------------

CANNOT_USE_FILE = Text("cannot be used: {reason}", "无法使用：{reason}")
NOTHING_YET = Text("nothing has happened yet", "还没有任何记录")

E_BASELINE = Text("baseline", "基线")
E_CANDIDATE = Text("candidate", "候选")
E_ADOPTED = Text("adopted", "已采纳")
E_REJECTED = Text("rejected", "已拒绝")
E_PENDING = Text("pending", "挂起")
E_OPEN = Text("not decided yet", "尚未决定")
E_HEARTBEAT = Text("no change", "无改动")
E_DAMAGED = Text("damaged", "已损坏")
E_STOPPED = Text("stopped", "已中止")
E_AGENT_FAILED = Text("agent failed", "agent 失败")
E_RESTORED = Text("restored", "已还原")
E_VERDICT = Text("verdict", "评分")
E_RECOVERED = Text("recovered", "已恢复")
E_RUN_STARTED = Text("run started", "运行开始")
E_RUN_FINISHED = Text("run finished", "运行结束")

L_WORKSPACE = Text("Workspace", "工作区")
L_TASK = Text("Task", "任务")
L_RUN = Text("Run", "运行")
L_BEST = Text("Best", "最佳")
L_ROUNDS = Text("Rounds", "轮次")
L_JUDGING = Text("Judging", "评判中")
L_PENDING = Text("Pending", "挂起")
L_NOTED = Text("Verdicts", "评分")
WAITING_VERDICT = Text("{id}  {score}  counts from the next round on", "{id}  {score} 分  下一轮起生效")
L_FAILURES = Text("Failures", "失败")
L_QUEUED = Text("Queued", "排队输入")
COUNTED = Text("{event} {count}", "{event} {count}")
ROUNDS_WITH = Text("{rounds} ({counts})", "{rounds}（{counts}）")
NO_RUN = Text("none is going on", "当前没有运行")
RUN_IS = Text("going on (process {pid})", "正在运行（进程 {pid}）")
HOW_TO_SCORE = Text("to decide one, from 0 to 10: {score}", "要决定其中一个（0 至 10 分）：{score}")

NOTED = Text("noted {score} for {id}; the next run honours it first", "已记下 {id} 的 {score} 分；下次运行开始时生效")
NOTED_RUNNING = Text("noted {score} for {id}; counts from the next round on", "已记下 {id} 的 {score} 分；下一轮起生效")
NOTED_IN_VAIN = Text(
    "noted {score} for {id}, but it was adopted before, so nothing changes",
    "已记下 {id} 的 {score} 分，但它早已被采纳，结果不变",
)

S_IDEA = Text("[idea]", "[想法区]")
S_ARTIFACT = Text("[artifact]", "[产物区]")
O_PASSED = Text("passed", "通过")
O_FAILED = Text("failed", "未通过")
O_UNKNOWN = Text("could not tell", "无结论")
O_UNAVAILABLE = Text("not available here", "此处不可用")
F_ROUND = Text("round     {round}", "轮次      {round}")
F_WORDS = Text("words     {words}", "灵感词    {words}")
F_PARENT = Text("parent    {parent}", "父版本    {parent}")
F_SNAPSHOT = Text("snapshot  {path}", "快照      {path}")
F_PROMPT = Text("prompt    {path}", "提示词    {path}")
F_LOG = Text("log       {path}", "日志      {path}")
PARENT_GONE = Text("the snapshot of its parent is missing or damaged", "父版本的快照缺失或已损坏")
DIFF = Text("What changed against {parent}", "与 {parent} 的差异")
DIFF_CUT = Text("only the first {count} lines of each section are compared", "每个区只比较前 {count} 行")
NO_DIFFERENCE = Text("nothing in the two sections", "两个区均无变化")

NO_PACKAGE = Text("the package {name} is not installed for {python}", "{python} 没有安装软件包 {name}")
NO_PACKAGE_MEND = Text(
    "Use the Python of the environment that was made for xuen, .venv/bin/python in a checkout; the README's first "
    "line makes it",
    "请使用为 xuen 建立的环境里的 Python（检出目录中为 .venv/bin/python）；README 的第一行命令会建立它",
)
OLD_PYTHON = Text(
    "xuen needs Python 3.11 or newer, and {python} is {version}",
    "xuen 需要 Python 3.11 或更新版本，而 {python} 是 {version}",
)
OLD_PYTHON_MEND = Text("Make the environment with a newer one", "请用更新的 Python 建立环境")
NO_CURRENT_FOLDER = Text("the current folder cannot be used: {reason}", "无法使用当前文件夹：{reason}")
OTHER_FOLDER = Text("Go to another folder with cd", "请用 cd 换到别的文件夹")
OUTPUT_LOST = Text("standard output cannot be written: {reason}", "无法写到标准输出：{reason}")
UNEXPECTED = Text(
    "an unexpected error in xuen itself ({error}); {where}",
    "xuen 自身出现意外错误（{error}）；{where}",
)
DETAILS_IN = Text("the details are in {file}", "详情见 {file}")
DETAILS_LOST = Text("the details could not be kept: {reason}", "详情无法保存：{reason}")
