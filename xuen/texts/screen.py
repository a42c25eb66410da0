"""What only the screen says: panels, status line, keys."""

from __future__ import annotations

from xuen.texts import Text

# --- panels --------------------------------------------------------------------------------------------------------

TITLE = Text("xuen · {task}", "xuen · {task}")
IDEA = Text("Idea", "修改想法区")
ARTIFACT = Text("Artifact", "修改产物区")
LOG = Text("Log", "输出日志")
INPUT = Text("Input", "输入")
PLACEHOLDER = Text("Enter queues it for the next call of the agent", "回车后排队，下次调用 agent 时带给它")
CHANGED = Text("changed in round {round}", "第 {round} 轮改写")
OF_BEST = Text("best {id}", "最佳 {id}")
EMPTY = Text("nothing here yet", "还没有内容")
SECTION_SIZE = Text(" {count} characters", " 共 {count} 字")
FOLLOWING = Text("following", "跟随中")
NOT_FOLLOWING = Text("not following: f goes on", "已停止跟随：按 f 继续")
LINES_SKIPPED = Text("… {count} lines came too fast to show", "…… 输出过快，略去 {count} 行")

# --- status --------------------------------------------------------------------------------------------------------

ROUND = Text("Round {round}", "第 {round} 轮")
PHASE_STARTING = Text("starting", "启动中")
PHASE_WORDS = Text("word bank {have}/{want}", "生成词库 {have}/{want}")
PHASE_BETWEEN = Text("between calls", "准备下一步")
PHASE_RESEARCH = Text("{agent} at work", "{agent} 工作中")
PHASE_VERIFYING = Text("checking: {verifier}", "检验中：{verifier}")
PHASE_JUDGING = Text("{agent} judges", "{agent} 评审中")
PHASE_FINISHED = Text("Finished: {reason}", "已结束：{reason}")
PHASE_ENDING = Text("ending the agent …", "正在结束 agent……")
HOW_TO_LEAVE = Text("q or Ctrl+Q leaves", "按 q 或 Ctrl+Q 离开")
NO_WORD_YET = Text("no word yet", "尚无输出")
SILENT = Text("silent for {seconds} s", "已静默 {seconds} 秒")
BEST = Text("best {id} {score}", "最佳 {id} {score}")
BEST_NONE = Text("no best yet", "暂无最佳")
PENDING = Text("{count} pending", "待评 {count}")
FAILURES = Text("{count} failed", "失败 {count}")
GUARD_OFF = Text("guard off", "守卫停用")
TO_GO = Text("{left} to go", "还有 {left} 轮")
LAST = Text("last round", "最后一轮")
ENDLESS = Text("endless", "不限轮数")
WORDS = Text("words  {words}", "灵感词  {words}")
NO_WORDS = Text("no words this round", "本轮无灵感词")
QUEUED = Text("queued {count}", "排队 {count}")
TAKEN = Text("✓ your input went into round {round}", "✓ 用户输入已随第 {round} 轮交给 agent")
NOT_QUEUED = Text("not queued: {error}", "未能排队：{error}")
COPIED = Text("copied", "已复制")
NOTHING_SELECTED = Text("nothing is selected: drag over some text first", "没有选中文字：先用鼠标拖选")

# --- keys and commands ---------------------------------------------------------------------------------------------

KEY_QUIT = Text("Quit", "退出")
KEY_PANELS = Text("Panels", "切换面板")
KEY_INPUT = Text("Input", "输入")
KEY_LEAVE_INPUT = Text("Leave input", "离开输入框")
KEY_SEND = Text("Queue", "排队")
KEY_NEWLINE = Text("New line", "换行")
KEY_FOLLOW = Text("Follow", "跟随")
KEY_COPY = Text("Copy", "复制")
KEY_THEME = Text("Light/dark", "明暗")
KEY_COMMANDS = Text("Commands", "命令")
HELP_QUIT = Text("End the agent, then leave", "先结束 agent，再退出")
HELP_FOLLOW = Text("Go to the end of the log and stay there", "跳到日志末尾并保持跟随")
HELP_COPY = Text("Copy the selected text", "复制选中的文字")
HELP_THEME = Text("Switch between light and dark", "切换明暗配色")
HELP_INPUT = Text("Type for the agent", "给 agent 写点什么")
SEARCH_COMMANDS = Text("Search for a command …", "搜索命令……")

# --- no screen -----------------------------------------------------------------------------------------------------

NO_TEXTUAL = Text("no screen: textual is not installed; plain console", "未安装 textual，改用普通终端输出")
NO_TERMINAL = Text("no screen: this is not a terminal; plain console", "不在终端中，改用普通终端输出")
DUMB_TERMINAL = Text("no screen: TERM is {term}; plain console", "TERM 为 {term}，改用普通终端输出")
TERM_UNSET = Text("not set", "未设置")
START_FAILED = Text(
    "no screen: it could not start ({error}); plain console", "界面无法启动（{error}），改用普通终端输出"
)
CRASHED = Text("the screen failed ({error}); the run is being ended", "界面出错（{error}），正在结束本次运行")
