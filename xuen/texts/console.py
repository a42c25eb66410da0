"""What both faces say about a run: the console line by line, the screen in its log."""

from __future__ import annotations

from xuen.texts import Text

# --- the run -------------------------------------------------------------------------------------------------------

HEADER = Text("xuen", "xuen")
HEADER_TASK = Text(" · {task}", " · {task}")
LABEL_WORKSPACE = Text("  workspace  ", "  工作区      ")
LABEL_AGENT = Text("  agent      ", "  agent       ")
LABEL_VERIFY = Text("  checked by ", "  验证方式    ")
LABEL_ROUNDS = Text("  rounds     ", "  轮数        ")
ROUNDS_ENDLESS = Text("until you stop it", "不限，直到你停止")
ROUNDS_BEFORE = Text(" (done before: {done})", "（此前已有 {done} 轮）")

FINISHED = Text("── Finished", "── 结束")
FINISHED_WHY = Text(" · {reason}", " · {reason}")
LABEL_RESULT = Text("  rounds   ", "  轮次  ")
RESULT = Text("{succeeded} completed, {failed} failed", "agent 完成 {succeeded} 轮，失败 {failed} 轮")
RESULT_UNCHANGED = Text(", {unchanged} without a change", "，无改动 {unchanged} 轮")
LABEL_BEST = Text("  best     ", "  最佳  ")
BEST = Text("{id}, {score}", "{id}，{score}")
LABEL_PENDING = Text("  pending  ", "  挂起  ")
LABEL_FILES = Text("  files    ", "  文件  ")
FILES = Text("{workspace}/research.md", "{workspace}/research.md")
FILES_ROUNDS = Text(", every candidate in {workspace}/rounds/", "，所有候选都在 {workspace}/rounds/")

# --- the word bank -------------------------------------------------------------------------------------------------

WORDS = Text("Words", "词库")
WORDS_STARTED = Text(": asking the agent for {want} words of the field", "：请 agent 列出 {want} 个领域词")
WORDS_PROGRESS = Text(": {have} of {want}", "：{have} / {want}")
WORDS_MADE = Text(": {count}, made now", "：{count} 个词，刚刚生成")
WORDS_REUSED = Text(": {count}, from words.txt", "：{count} 个词，沿用 words.txt")
WORDS_OLD = Text(": making them failed, the {count} old ones are used", "：生成失败，沿用旧词库的 {count} 个词")
WORDS_NONE = Text(": there are none, the rounds go on without", "：没有可用的词，各轮不给灵感词")

# --- a round -------------------------------------------------------------------------------------------------------

ROUND = Text("── Round {round}", "── 第 {round} 轮")
ROUND_LEFT = Text(" · {left} to go", " · 还有 {left} 轮")
ROUND_LAST = Text(" · the last one", " · 最后一轮")
ROUND_WORDS = Text(" · words: {words}", " · 灵感词：{words}")
WORDS_JOINT = Text(", ", "、")
INPUT = Text("Your input", "用户输入")
INPUT_TAKEN = Text(" went into round {round}: {text}", "已随第 {round} 轮交给 agent：{text}")
CALL_WORDS = Text("{agent} lists words (process {pid})", "{agent} 正在列词（进程 {pid}）")
CALL_RESEARCH = Text("{agent} is at work (process {pid})", "{agent} 开始工作（进程 {pid}）")
CALL_JUDGE = Text("{agent} judges (process {pid})", "{agent} 正在评审（进程 {pid}）")
CALL_DONE = Text("the agent is done after {time}", "agent 用时 {time}，已结束")
CALL_BROKEN = Text("The call did not work", "调用未成功")
CALL_WHY = Text(": {why}", "：{why}")
SECONDS = Text("{seconds} s", "{seconds} 秒")
MINUTES = Text("{minutes} min {seconds} s", "{minutes} 分 {seconds} 秒")
IDEA_UPDATED = Text("[idea updated]", "[修改想法区]")
ARTIFACT_UPDATED = Text("[artifact updated]", "[修改产物区]")

# --- the guard -----------------------------------------------------------------------------------------------------

SCORE = Text("score {score}/10", "评分 {score}/10")
SCORE_NONE = Text("no score", "无评分")
BY_TESTS = Text("the tests", "测试")
BY_AI = Text("the judge", "评审")
BY_USER = Text("you", "用户")
BY_REPEAT = Text("an earlier decision", "先前的决定")
BY_OFF = Text("nobody (the newest state counts)", "不验证，以最新为准")
BY_AUTO = Text("the tests if there are any, then a judge or you", "有测试则先跑测试，再由评审员或你决定")
BASELINE = Text("Baseline", "基线")
BASELINE_KEPT = Text(": {id}, what the first round starts from", "：{id}，第一轮由此出发")
CANDIDATE = Text("candidate {id} is kept", "候选 {id} 已存为快照")
VERIFYING = Text("{verifier}: checking {id}", "{verifier}：正在检验 {id}")
JUDGED = Text("{verifier}: {outcome}", "{verifier}：{outcome}")
JUDGED_WHY = Text(" ({reason})", "（{reason}）")
PASSED = Text("passed", "通过")
FAILED = Text("not passed", "未通过")
UNKNOWN = Text("cannot tell", "无法判断")
UNAVAILABLE = Text("not available", "不可用")
ADOPTED = Text("✓ Adopted", "✓ 采纳")
ADOPTED_BEST = Text(": {id} is the new best, {score}, by {verifier}", "：{id} 成为新的最佳，{score}（{verifier}）")
REJECTED = Text("✗ Rejected", "✗ 拒绝")
REJECTED_WHY = Text(": {id}, {score}, by {verifier}: {reason}", "：{id}，{score}（{verifier}）：{reason}")
PENDING = Text("? Pending", "? 挂起")
PENDING_WHY = Text(": {id}: {reason}", "：{id}：{reason}")
PENDING_HOW = Text(
    "  to score it, add the line  {id} 8 why  to {workspace}/rounds/verdicts.txt, or run  {score}",
    "  评分方法：在 {workspace}/rounds/verdicts.txt 加一行“{id} 8 评语”，或运行“{score}”",
)
HEARTBEAT = Text("Heartbeat", "心跳")
HEARTBEAT_ONCE = Text(": the agent changed nothing", "：agent 没有改动")
HEARTBEAT_STREAK = Text(": the agent changed nothing, {streak} times in a row", "：agent 连续 {streak} 轮没有改动")
HEARTBEAT_CAUSE = Text("  likely because: {cause}", "  可能原因：{cause}")
DAMAGED = Text("✗ Damaged", "✗ 标记损坏")
DAMAGED_WHY = Text(": research.md: {reason}", "：research.md：{reason}")
DAMAGED_KEPT = Text("; kept as {kept}", "；原文件保留为 {kept}")
AGENT_FAILED = Text("✗ Agent failed", "✗ agent 失败")
AGENT_FAILED_WHY = Text(": {reason}", "：{reason}")
ROUND_STOPPED = Text("Stopped", "已中止")
ROUND_STOPPED_WHY = Text(": round {round} was ended before its time", "：第 {round} 轮提前结束")
RESTORED = Text("research.md now holds the best: {id}", "research.md 现为最佳：{id}")
VERDICT = Text("Your verdict", "用户评分")
VERDICT_SCORE = Text(": {id}, {score}", "：{id}，{score}")
VERDICT_COMMENT = Text(": {comment}", "：{comment}")
RECOVERED = Text("Recovered", "已恢复")
RECOVERED_WHY = Text(": {reason}; the best is {id}", "：{reason}；当前最佳为 {id}")
GUARD_OFF = Text("! Guard off", "! 守卫停用")
GUARD_OFF_WHY = Text(": {reason}", "：{reason}")
GUARD_ON = Text("Guard on", "守卫恢复")
GUARD_ON_WHY = Text(": it can work again", "：可以继续工作了")
WARNING = Text("! ", "! ")

# --- where it is written -------------------------------------------------------------------------------------------

EVENTS_UNWRITABLE = Text("the events cannot be written there: {error}", "无法把事件写到那里：{error}")
EVENTS_MEND = Text("Name a file in a folder that exists and can be written", "请指定一个所在文件夹存在且可写的文件")

NOT_SHOWN = Text(
    "\n[... {count} characters are not shown here; the file has them ...]\n",
    "\n【……此处未显示 {count} 个字符，文件里有全文……】\n",
)
