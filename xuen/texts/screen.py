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
RAW = Text("plain text", "纯文本")
AGAINST = Text("against {id}", "与 {id} 对比")
AGAINST_START = Text("against the start of the round", "与本轮开始时对比")
DIFF_NONE = Text("nothing changed", "没有变化")
DIFF_GAP = Text("  ⋯", "  ⋯")
DIFF_CUT = Text("  ⋯ too long to compare further", "  ⋯ 内容过长，后面不再对比")
LINES_SKIPPED = Text("… {count} lines came too fast to show", "…… 输出过快，略去 {count} 行")

# --- status --------------------------------------------------------------------------------------------------------

ROUND = Text("Round {round}", "第 {round} 轮")
PHASE_STARTING = Text("starting", "启动中")
PHASE_WORDS = Text("{agent} lists words: {have} of {want}", "{agent} 正在列词：{have}/{want}")
WORDS_CALL = Text("call {call}, lines so far: {lines}", "第 {call} 次调用，已输出 {lines} 行")
WORDS_WHY = Text("each round draws a few of these words at random", "每轮从这些词中随机抽取灵感词")
PHASE_BETWEEN = Text("between calls", "准备下一步")
PHASE_RESEARCH = Text("{agent} at work", "{agent} 工作中")
PHASE_VERIFYING = Text("checking: {verifier}", "检验中：{verifier}")
PHASE_JUDGING = Text("{agent} judges", "{agent} 评审中")
PHASE_FINISHED = Text("Finished: {reason}", "已结束：{reason}")
PHASE_ENDING = Text("ending the agent …", "正在结束 agent……")
PHASE_PAUSED = Text("paused: F5 goes on", "已暂停：按 F5 继续")
WILL_PAUSE = Text("pauses after this round", "本轮结束后暂停")
ENDING_CALL = Text("ending this call …", "正在中止这次调用……")
HOW_TO_LEAVE = Text("q or Ctrl+Q leaves", "按 q 或 Ctrl+Q 离开")
NO_WORD_YET = Text("no word yet", "尚无输出")
NO_CPU = Text("no CPU use", "未占用 CPU")
SILENT = Text("silent for {seconds} s", "已静默 {seconds} 秒")
BEST = Text("best {id} {score}", "最佳 {id} {score}")
BEST_NONE = Text("no best yet", "暂无最佳")
PENDING = Text("{count} pending", "挂起 {count}")
FAILURES = Text("{count} failed", "失败 {count}")
GUARD_OFF = Text("guard off", "守卫停用")
TO_GO = Text("{left} to go", "还有 {left} 轮")
TIME_TO_GO = Text("{left} to go, about {time}", "还有 {left} 轮，约 {time}")
SOME_SECONDS = Text("{count} s", "{count} 秒")
SOME_MINUTES = Text("{count} min", "{count} 分钟")
SOME_HOURS = Text("{count} h", "{count} 小时")
LAST_TIME = Text("last round, about {time} left", "最后一轮，约剩 {time}")
LAST = Text("last round", "最后一轮")
CHART = Text("rounds", "各轮")
ENDLESS = Text("endless", "不限轮数")
WORDS = Text("words  {words}", "灵感词  {words}")
NO_WORDS = Text("no words this round", "本轮无灵感词")
QUEUED = Text("queued {count}", "排队 {count}")
HOW_TO_EDIT = Text("F4 edits", "按 F4 修改")
TAKEN = Text("✓ your input went into round {round}", "✓ 用户输入已随第 {round} 轮交给 agent")
NOT_QUEUED = Text("not queued: {error}", "未能排队：{error}")
COPIED = Text("copied", "已复制")
COPIED_ALL = Text("copied the whole panel", "已复制整个面板")
NOT_FOUND_TEXT = Text("not found: {text}", "没有找到：{text}")
OVERTURNED = Text("your verdict: {id} is the new best", "按你的评分，{id} 成为新的最佳")
CONFIRMED_REJECTED = Text("your verdict: {id} is rejected", "按你的评分，{id} 被拒绝")
NOTHING_RUNS = Text("no agent runs now", "现在没有 agent 在运行")
CALL_SKIPPED = Text("only this call is ended; the loop goes on with the next round", "只中止这次调用，循环会继续下一轮")
PAUSED_NOW = Text("the loop will wait when this round is over", "本轮结束后循环会等待")
PENDING_KEYS = Text("  to score it: F9, then s", "  评分：按 F9，再按 s")

# --- keys and commands ---------------------------------------------------------------------------------------------

KEY_QUIT = Text("Quit", "退出")
KEY_PANELS = Text("Panels", "切换面板")
KEY_INPUT = Text("Input", "输入")
KEY_LEAVE_INPUT = Text("Leave input", "离开输入框")
KEY_SEND = Text("Queue", "排队")
KEY_NEWLINE = Text("New line", "换行")
KEY_PAUSE = Text("Pause", "暂停")
KEY_GO_ON = Text("Go on", "继续")
KEY_SKIP = Text("Stop call", "中止调用")
KEY_CANDIDATES = Text("Candidates", "候选")
KEY_DIFF = Text("Diff", "对比")
KEY_RAW = Text("Plain", "纯文本")
KEY_FIND = Text("Find", "查找")
KEY_QUEUE = Text("Edit queue", "修改排队")
KEY_NEXT = Text("Next find", "下一处")
KEY_BACK = Text("Back", "返回")
KEY_SCORE = Text("Score", "评分")
KEY_WHOLE = Text("Whole/diff", "全文/对比")
KEY_EDIT = Text("Edit", "修改")
KEY_REMOVE = Text("Remove", "移除")
KEY_FOLLOW = Text("Follow", "跟随")
KEY_COPY = Text("Copy", "复制")
KEY_THEME = Text("Light/dark", "明暗")
KEY_COMMANDS = Text("More", "更多")
KEY_HELP = Text("Help", "帮助")
KEY_NOTE = Text("Note it", "记下")
KEY_SAVE = Text("Save", "保存")
KEY_CANCEL = Text("Cancel", "取消")
KEY_UPWARDS = Text("Upwards", "向上找")
KEY_DOWNWARDS = Text("Downwards", "向下找")
HELP_QUIT = Text("End the agent, then leave", "先结束 agent，再退出")
HELP_PAUSE = Text("Wait when this round is over", "本轮结束后等待")
HELP_GO_ON = Text("End the pause", "结束暂停")
HELP_SKIP = Text("End only what runs now; the loop goes on", "只结束正在运行的调用，循环继续")
HELP_CANDIDATES = Text("All candidates: open, compare, score", "查看、对比所有候选并评分")
HELP_DIFF = Text("Show what changed against the best", "显示相对最佳的变化")
HELP_RAW = Text("Switch between formatted and plain text", "切换排版与纯文本")
HELP_FIND = Text("Search the panel in use", "在当前面板中查找")
HELP_QUEUE = Text("Change or remove what waits for the next call", "修改或移除排队中的内容")
HELP_FOLLOW = Text("Go to the end of the log and stay there", "跳到日志末尾并保持跟随")
HELP_COPY = Text("Copy the selected text, or the whole panel", "复制选中的文字，未选中则复制整个面板")
HELP_THEME = Text("Switch between light and dark", "切换明暗配色")
HELP_NEXT = Text("To the next place that was found: n further up, N further down", "跳到另一处查找结果：n 向上，N 向下")
HELP_PANEL = Text("Go to this panel", "切换到该面板")
HELP_PANELS = Text("From panel to panel", "在各面板之间切换")
HELP_HELP = Text("All keys, and the signs of the chart", "所有按键与图表符号")
HELP_INPUT = Text("Type for the agent", "给 agent 写点什么")
NO_COMMAND = Text("no such command", "没有这个命令")
SEARCH_COMMANDS = Text("Search for a command …", "搜索命令……")

# --- help ----------------------------------------------------------------------------------------------------------

HELP_OUTSIDE = Text("Keys outside of the input box", "输入框之外的按键")
HELP_INSIDE = Text("Keys in the input box", "输入框中的按键")
HELP_CHART = Text("The chart: one sign a round, the newest at the right", "图表：每轮一个符号，最新的在右")
HELP_SEND = Text("Queue the text for the next call of the agent", "排队，下次调用 agent 时带给它")
HELP_FUNCTION_KEYS = Text(
    "Edit queue, pause or go on, stop this call, candidates", "修改排队、暂停或继续、中止调用、候选"
)
SIGN_ADOPTED = Text("adopted, as high as its score from 0 to 10", "已采纳，高度为 0 到 10 的评分")
SIGN_REJECTED = Text("rejected, as high as its score", "已拒绝，高度为评分")
SIGN_PENDING = Text("pending: nobody could tell yet", "挂起：尚无结论")
SIGN_STILL = Text("the agent changed nothing", "agent 没有改动")
SIGN_FAILED = Text("the agent failed, or damaged research.md", "agent 失败，或 research.md 标记损坏")
SIGN_STOPPED = Text("ended by you before its time", "被用户提前中止")

# --- candidates ----------------------------------------------------------------------------------------------------

CANDIDATES = Text("Candidates", "候选")
NO_CANDIDATES = Text("no candidates yet", "还没有候选")
UNREADABLE = Text("cannot be read: {error}", "无法读取：{error}")
IS_BEST = Text("best", "最佳")
STATUS = {
    "baseline": Text("baseline", "基线"),
    "adopted": Text("adopted", "已采纳"),
    "rejected": Text("rejected", "已拒绝"),
    "pending": Text("pending", "挂起"),
    "open": Text("open", "未评"),
}
SCORED = Text("scored {score}", "已评 {score}")
JUDGED_BY = Text("{status} by {verifier}: {reason}", "{status}（{verifier}）：{reason}")
JUDGED_BY_BARE = Text("{status} by {verifier}", "{status}（{verifier}）")
AGAINST_BEST = Text("changes against the best, {id}", "相对最佳 {id} 的变化")
THE_BEST = Text("this is the best", "这就是当前最佳")
SCORE_HINT = Text(
    "0 to 10, then a comment if you like; Enter writes it to verdicts.txt",
    "0 到 10，后面可加评语；回车写入 verdicts.txt",
)
SCORE_TITLE = Text("Your score for {id}", "给 {id} 评分")
SCORE_BAD = Text("that does not begin with a number from 0 to 10", "开头不是 0 到 10 之间的数")
SCORE_NOTED = Text("noted: counts from the next round on", "已记下，下一轮起生效")
SCORE_NOTED_LATER = Text("noted: counts when xuen is started again", "已记下，下次启动时生效")
NOT_SCORED = Text("not noted: {error}", "未能记下：{error}")

# --- the queue -----------------------------------------------------------------------------------------------------

QUEUE_TITLE = Text("Waits for the next call", "等待下次调用")
QUEUE_EMPTY = Text("nothing waits", "没有排队的内容")
QUEUE_TOO_LATE = Text("too late: a call has it already", "来不及了：已交给 agent")
QUEUE_NEXT_CALL = Text(
    "too late: a call has it already; what you wrote waits for the next one",
    "来不及了：已交给 agent；改后的内容排队等下次调用",
)
FIND_HINT = Text("what to find", "要查找的内容")

# --- no screen -----------------------------------------------------------------------------------------------------

NO_TEXTUAL = Text("no screen: textual is not installed; plain console", "未安装 textual，改用普通终端输出")
NO_TERMINAL = Text("no screen: this is not a terminal; plain console", "不在终端中，改用普通终端输出")
DUMB_TERMINAL = Text("no screen: TERM is {term}; plain console", "TERM 为 {term}，改用普通终端输出")
TERM_UNSET = Text("not set", "未设置")
START_FAILED = Text(
    "no screen: it could not start ({error}); plain console", "界面无法启动（{error}），改用普通终端输出"
)
CRASHED = Text("the screen failed ({error}); the run is being ended", "界面出错（{error}），正在结束本次运行")
