"""What the loop itself says."""

from __future__ import annotations

from xuen.texts import Text

SINK_DROPPED = Text(
    "{name} failed and gets no more events: {error}",
    "{name} 出错，不再接收事件：{error}",
)

ROUNDS_DONE = Text("{count} of {count} rounds done", "本次的 {count} 轮已全部完成")
STOPPED = Text("stopped", "已停止")
PAUSED = Text("paused between rounds until you resume", "已在两轮之间暂停，等待继续")
GOES_ON = Text("goes on", "继续运行")
NO_ROUND_WORKED = Text("no round succeeded", "没有一轮成功")
NO_ROUND_BECAUSE = Text("no round succeeded; {trouble}", "没有一轮成功；{trouble}")
TOO_MANY_FAILURES = Text(
    "the agent failed {count} times in a row; the last time: {reason}",
    "agent 连续失败 {count} 次；最后一次：{reason}",
)
UNCHANGED = Text(
    "research calls in a row that changed nothing: {count}; likely because: {cause}",
    "agent 连续 {count} 次调用都没有改动；可能原因：{cause}",
)
RESTS = Text("nothing changed; the next call begins in {seconds} s", "没有改动；{seconds} 秒后开始下一次调用")
EVALUATION_FAILED = Text(
    "the evaluation failed {count} times in a row; the last time: {reason}",
    "评判连续失败 {count} 次；最后一次：{reason}",
)
FAULT = Text("a fault inside xuen", "xuen 内部出错")
PROMPT_TOO_LONG = Text("the prompt does not fit", "提示词过长")
TAKEN_OVER = Text("another run has taken over the workspace", "工作区已被另一次运行接管")

WORDS_FAILED_OLD = Text(
    "the agent could not make a word bank ({reason}); the old one is used",
    "agent 没能生成词库（{reason}），沿用旧词库",
)
WORDS_FAILED_NONE = Text(
    "there is no word bank ({reason}); the rounds go on without words",
    "没有词库（{reason}），各轮不带灵感词继续",
)
WORK_NOT_READY = Text(
    "can't write to the work folder ({error}); the agent works on what is there until it works again",
    "无法写入工作文件夹（{error}）；恢复之前，agent 在其中现有的内容上工作",
)
WORDS_NO_ANSWER = Text("its answer held no words", "回答里没有词")
WORDS_OTHER_TASK = Text(
    "the word bank was made for another task; a new one is made for this one",
    "词库是为另一个任务生成的，现在为本任务重新生成",
)
WORDS_OLD_KEPT = Text("the old word bank is kept as {name}", "旧词库已另存为 {name}")
WORDS_UNREADABLE = Text("words.txt cannot be read: {error}", "words.txt 无法读取：{error}")
WORDS_NOT_KEPT = Text(
    "the word bank could not be kept in words.txt ({error}); this run uses it all the same",
    "词库没能写入 words.txt（{error}），本次运行照常使用",
)
INBOX_UNREADABLE = Text(
    "inbox.jsonl cannot be read ({error}); this round goes on without your texts",
    "inbox.jsonl 无法读取（{error}），本轮不带你的输入继续",
)
INPUT_NOT_TAKEN = Text(
    "the texts could not be taken out of inbox.jsonl yet ({error}); this run will not send them again and tries later",
    "暂时无法把这些输入从 inbox.jsonl 中取出（{error}）；本次运行不会再次发送它们，稍后会重试",
)
ROUNDS_OF_ANOTHER = Text(
    "this workspace has rounds of another task ({old})", "这个工作区里已有另一个任务（{old}）的轮次"
)
BOTH_WAYS = Text(
    "Use another folder with --workspace OTHER, or begin the new task here with --new-task, which keeps the record "
    "and makes the word bank anew",
    "请用 --workspace OTHER 换一个文件夹；或用 --new-task 在这里开始新任务，原有记录保留，词库重新生成",
)
NEW_TASK_HERE = Text(
    "This workspace has rounds of another task ({old}).\n"
    "Begin the new task here? The record stays, the word bank is made anew. [y/N] ",
    "这个工作区里已有另一个任务（{old}）的轮次。\n要在这里开始新任务吗？原有记录保留，词库重新生成。[y/N] ",
)
NEW_TASK = Text(
    "this workspace had another task ({old}); its record stays, the word bank is made anew, and the prompts carry the "
    "new task",
    "此工作区先前用于另一个任务（{old}）；原有记录保留，词库重新生成，提示词改用新任务",
)
OTHER_TASK = Text(
    "this workspace was begun for another task ({old}); from now on the prompts carry the new one. "
    "For a question of its own, give it another --workspace",
    "此工作区原本用于另一个任务（{old}），从现在起提示词使用新任务。若是另一个问题，请换一个 --workspace",
)

LEFTOVERS_ENDED = Text(
    "{count} processes that an earlier, killed run had left behind were ended",
    "已终止先前被强行结束的运行遗留的 {count} 个进程",
)
SMALL_MODEL = Text(
    "the built-in agent works with a very small model and writes poor research; connect a real one with --agent NAME "
    "(`doctor` lists them) or --base-url URL --model NAME",
    "内置 agent 使用的模型很小，写不出好研究；"
    "请用 --agent 名称（doctor 会列出）或 --base-url URL --model 名称接上真正的 agent",
)
SMALL_MODEL_CHINESE = Text(
    "the built-in agent works with a very small model, whose Chinese is so poor that it answers in simple English; "
    "connect a real one with --agent NAME (`doctor` lists them) or --base-url URL --model NAME",
    "内置 agent 使用的模型很小，中文太差，所以会用简单的英文回答；"
    "请用 --agent 名称（doctor 会列出）或 --base-url URL --model 名称接上真正的 agent",
)
