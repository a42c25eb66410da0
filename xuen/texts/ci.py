"""What the commands for unattended runs say."""

from __future__ import annotations

from xuen.texts import Text

# --- help and usage ------------------------------------------------------------------------------------------------

C_CI = Text("unattended runs: the workspace on a branch of its own", "无人值守：用专用分支保存工作区")
C_RESTORE = Text("unattended runs: bring the workspace from its branch", "无人值守：从专用分支恢复工作区")
C_PICK_MODEL = Text("unattended runs: find a model that answers", "无人值守：挑选一个能应答的模型")
C_CHECKPOINT = Text("unattended runs: push the workspace to its branch", "无人值守：把工作区保存到专用分支")

H_REMOTE = Text(
    "the repository: a remote of this checkout, or a URL (default: origin)",
    "仓库：本检出的远程名或 URL（默认：origin）",
)
H_BRANCH = Text("the branch that holds the workspace (default: xuen-loop)", "保存工作区的分支（默认：xuen-loop）")
H_ATTEMPTS = Text(
    "how often a rejected push is tried, 1 to 50 (default: 5)", "推送被拒时最多尝试几次，1 到 50（默认：5）"
)
H_EXIT_CODE = Text("how the run ended, for the summary", "运行的退出码，写进摘要")
H_LIST = Text(
    "the command that lists the models, one a line (default: opencode models)",
    "列出模型的命令，每行一个（默认：opencode models）",
)
H_PREFER = Text("names to try first, in this order, with commas between", "优先尝试的名称，按顺序用逗号隔开")
H_JUDGE = Text(
    "names for the judge, in this order; else it is the main model", "评审模型的优先名称；都不行时与主模型相同"
)
H_ONLY = Text("take only models that match this pattern, such as '*-free'", "只使用符合此模式的模型，例如 '*-free'")
H_TIMEOUT = Text("seconds for one try, 1 to 3600 (default: 120)", "每次尝试的秒数上限，1 到 3600（默认：120）")
H_DEAD_HOURS = Text(
    "hours in which a dead model is not tried again, 0 to 8760 (default: 3)",
    "失效的模型在多少小时内不再尝试，0 到 8760（默认：3）",
)

WHICH_ACTION = Text("xuen ci needs one of: {names}", "xuen ci 之后须为：{names} 之一")
NOT_IN_RANGE = Text(
    "expected a whole number from {low} to {high}, found {found}", "应为 {low} 到 {high} 的整数，实际为 {found}"
)

# --- the branch ----------------------------------------------------------------------------------------------------

NO_GIT = Text("git was not found", "找不到 git")
NO_GIT_MEND = Text("Install git", "请安装 git")
NO_REMOTE = Text("this folder has no git remote of that name", "当前目录没有这个名称的 git 远程")
NO_REMOTE_MEND = Text(
    "Run it in the checkout, or name a URL with --remote", "请在检出目录中运行，或用 --remote 指定 URL"
)
BAD_BRANCH = Text("this cannot be the name of a branch", "不能作为分支名")
DEFAULT_BRANCH = Text(
    "{branch} is the default branch of the repository, which is never touched",
    "{branch} 是仓库的默认分支，绝不改动它",
)
DEFAULT_BRANCH_MEND = Text("Name another one with --branch", "请用 --branch 指定其它分支")
FOREIGN_BRANCH = Text(
    "the branch {branch} holds something other than a workspace ({path})",
    "分支 {branch} 里的内容不是工作区（{path}）",
)
GIT_FAILED = Text("git {command} failed: {reason}", "git {command} 失败：{reason}")
SILENT = Text("no answer within {seconds} seconds", "{seconds} 秒内没有应答")
GIT_MEND = Text(
    "Check the network, the repository's address and the rights of GITHUB_TOKEN (contents: write)",
    "请检查网络、仓库地址以及 GITHUB_TOKEN 的权限（contents: write）",
)
NOT_PUSHED = Text(
    "the branch {branch} was not pushed in {attempts} attempts: {reason}",
    "分支 {branch} 尝试推送 {attempts} 次仍未成功：{reason}",
)
NOT_PUSHED_MEND = Text(
    "The workspace is whole; run the command ci checkpoint again", "工作区完好无损；请再次运行 ci checkpoint 命令"
)
UNREADABLE = Text("cannot be read or written: {reason}", "无法读写：{reason}")

NO_BRANCH_YET = Text(
    "the branch {branch} does not exist yet: a new workspace", "分支 {branch} 尚不存在：从新的工作区开始"
)
EMPTY_BRANCH = Text("the branch {branch} is empty: a new workspace", "分支 {branch} 为空：从新的工作区开始")
RESTORED = Text("restored {count} files of {branch} ({commit})", "已从 {branch}（{commit}）恢复 {count} 个文件")
PUSHED = Text("pushed {count} files to {branch} ({commit})", "已把 {count} 个文件推送到 {branch}（{commit}）")
NOTHING_NEW = Text("nothing new for {branch}", "{branch} 没有新内容")
NOTHING_TO_KEEP = Text("there is no workspace to keep yet", "还没有可保存的工作区")
REJECTED_AGAIN = Text(
    "push {attempt} of {attempts} did not go through: {reason}", "第 {attempt}/{attempts} 次推送未成功：{reason}"
)
NO_ANSWER = Text(
    "attempt {attempt} of {attempts} to read the branch failed: {reason}",
    "第 {attempt}/{attempts} 次读取分支失败：{reason}",
)
MERGED = Text(
    "another run had pushed meanwhile: its {theirs} history lines and the {ours} of this one are both kept",
    "期间另一次运行已推送：它的 {theirs} 行历史与本次的 {ours} 行都已保留",
)
RIVAL = Text(
    "adopted by a run that went on at the same time as the one that brought {best}; never compared with it",
    "由与 {best} 同时进行的另一次运行采纳，两者从未比较过",
)

VERDICTS_HEAD = Text(
    "# One verdict a line: <id> <0-10> [comment]. The next run honours it.",
    "# 每行一个评分：<候选id> <0-10 分> [评语]，下次运行时生效。",
)
BRANCH_README = Text(
    "This branch holds the workspace of xuen's unattended runs. `rounds/best.md` is the best so far. To score a "
    "candidate, add a line `<id> <0-10> [comment]` to `rounds/verdicts.txt`; the next run honours it.",
    "本分支保存 xuen 无人值守运行的工作区。当前最佳见 `rounds/best.md`。要给候选评分，请在 `rounds/verdicts.txt` "
    "中添加一行 `<候选id> <0-10 分> [评语]`，下次运行时生效。",
)
CUT = Text("\n[… {count} bytes left out …]\n", "\n[…… 略去 {count} 字节 ……]\n")

# --- the models ----------------------------------------------------------------------------------------------------

NO_MODEL_VARIABLE = Text(
    "the command does not use $XUEN_MODEL, so no model can be picked for it",
    "命令中没有用到 $XUEN_MODEL，无法为它挑选模型",
)
NO_MODEL_VARIABLE_MEND = Text(
    'Write the model as "$XUEN_MODEL" in agent.command', '请在 agent.command 中用 "$XUEN_MODEL" 表示模型'
)
NO_LIST = Text("the models cannot be listed with {command}: {reason}", "无法用 {command} 列出模型：{reason}")
NO_LIST_MEND = Text("Check that the agent is installed, or set --list", "请确认 agent 已安装，或设置 --list")
NO_MODELS = Text("{command} lists no model", "{command} 没有列出任何模型")
NONE_MATCH = Text("none of the {count} listed models matches {pattern}", "列出的 {count} 个模型都不符合 {pattern}")
NONE_LEFT = Text("none of {count} models answers", "{count} 个模型都没有应答")
NONE_LEFT_MEND = Text(
    "Wait, or try the remembered ones at once with --dead-hours 0", "请稍候，或用 --dead-hours 0 立即重试已记住的模型"
)
TRYING = Text("trying {model}", "正在尝试 {model}")
ANSWERED = Text("{model} answered in {seconds} s", "{model} 在 {seconds} 秒内应答")
DEAD = Text("{model}: {reason}", "{model}：{reason}")
SKIPPED = Text("{model} not tried: dead since {at} ({reason})", "未尝试 {model}：自 {at} 起失效（{reason}）")
SAID_NOTHING = Text("it answered with nothing", "应答为空")
PICKED = Text("model: {model}; judge: {judge}", "模型：{model}；评审：{judge}")
QUESTION = Text(
    "What is 6 times 7? Answer with the number and nothing else; use no tool.",
    "6 乘 7 等于多少？只回答数字，不要使用任何工具。",
)

# --- the summary ---------------------------------------------------------------------------------------------------

S_TITLE = Text("xuen", "xuen")
S_WELL = Text("the run came to the end of its window", "运行到达窗口末尾")
S_DONE = Text("the run finished", "运行已完成")
S_BAD_SETTINGS = Text(
    "bad configuration, arguments or workspace; the log of the step says which",
    "配置、参数或工作区有误，详见该步骤的日志",
)
S_CODE = Text("the run ended with code {code}", "运行以退出码 {code} 结束")
S_KILLED = Text(
    "the run was killed before it could end by itself; its finished rounds are kept",
    "运行在自行结束之前被强制终止，已完成的轮次都已保留",
)
S_NOT_RUN = Text("the run did not start; the log of the earlier steps says why", "运行未能开始，原因见前面步骤的日志")
S_LAST_FAILURE = Text("Last failure (round {round}): {reason}", "最近一次失败（第 {round} 轮）：{reason}")
S_BEST = Text("Best", "当前最佳")
S_BEST_IS = Text("{id}, {how}, since {at}", "{id}，{how}，自 {at}")
S_IDEA = Text("Idea", "想法区")
S_ARTIFACT = Text("Artifact", "产物区")
S_SCORES = Text("Scores", "评分")
S_SCORES_NOTE = Text(
    "Bars: the latest {count} scored candidates; line: {threshold}, from which one is adopted.",
    "柱：最近 {count} 个有评分的候选；线：采纳分数线 {threshold}。",
)
S_NO_SCORES = Text("no candidate has a score yet", "还没有候选获得评分")
S_PENDING = Text("Waiting for a verdict", "等待评分")
S_UNJUDGED = Text("its run ended before it was judged", "所在运行在评判之前就结束了")
S_NOTHING_PENDING = Text("nothing", "无")
S_HOW_TO = Text(
    "To decide one, add a line such as `{id} 8 deeper than the rest` to {file} on the branch; the next run honours it.",
    "要决定其中一个，请在该分支的 {file} 中添加一行，例如 `{id} 8 比其它更深入`，下次运行时生效。",
)
S_COUNTS = Text(
    "{rounds} rounds so far, {adopted} adopted, {rejected} rejected",
    "至今 {rounds} 轮，采纳 {adopted}，拒绝 {rejected}",
)
AT = Text("{where}: {what}", "{where}：{what}")
