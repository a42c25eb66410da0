"""What the round guard says."""

from __future__ import annotations

from xuen.texts import Text

# --- decisions -----------------------------------------------------------------------------------------------------

NEWEST_IS_BEST = Text(
    "rounds.verify is off, so the newest state is the best",
    "rounds.verify 为 off，最新状态即为最佳",
)
NOBODY_JUDGED = Text("nobody has judged it", "尚无人评判")
SCORE_REACHED = Text("score {score}, {needed} was needed", "得分 {score}，采纳线为 {needed}")
SCORE_BELOW = Text("score {score} is below the {needed} that was needed", "得分 {score}，低于采纳线 {needed}")
STRANGE_SCORE = Text("the score {score} is not between 0 and 10", "得分 {score} 不在 0 到 10 之间")
WAITS_FOR_PERSON = Text("it waits for your verdict", "等待你的评分")
NO_SUCH_VERIFIER = Text("this run has no verifier called {name}", "本次运行没有名为 {name} 的评判者")
STOPPED_BEFORE_JUDGED = Text("the run was stopped before it was judged", "运行在评判之前被停止")
KEPT_LATE = Text(
    "it could only be saved after the guard was able to work again, so nobody judged it",
    "守卫恢复工作后才得以保存，因此未经评判",
)

EQUAL_TO_BEST = Text("equal to the best, {id}", "与当前最佳 {id} 相同")
EQUAL_TO_SURPASSED = Text("equal to {id}, which was adopted and then surpassed", "与 {id} 相同，它曾被采纳，后来被超越")
EQUAL_TO_SCORED = Text("equal to {id}, which you scored {score}", "与 {id} 相同，你给过它 {score} 分")
EQUAL_TO_REJECTED = Text("equal to {id}, which was rejected", "与 {id} 相同，它已被拒绝")
EQUAL_TO_PENDING = Text("equal to {id}, which waits for your verdict", "与 {id} 相同，它正等待你的评分")

# --- what became of a round ----------------------------------------------------------------------------------------

RESEARCH_MISSING = Text(
    "research.md is gone, or is not a file that can be read", "research.md 不见了，或不是可以读取的文件"
)

# --- the start -----------------------------------------------------------------------------------------------------

EDITED_KEPT = Text(
    "research.md differed from the best and was kept as candidate {id}; the best is back in research.md. "
    "To adopt yours instead: score {id} 10",
    "research.md 与当前最佳不同，已保存为候选 {id}，并已还原最佳。若要采纳你的版本：score {id} 10",
)
FOUND_AT_START = Text(
    "research.md differed from the best (edited, or left by a round that was cut short)",
    "research.md 与最佳不同（被编辑过，或由中断的一轮留下）",
)
RESCUED = Text(
    "the last copy of a snapshot that is lost, taken from best.md",
    "取自 best.md 的最后一份副本，其原快照已丢失",
)
RESCUED_KEPT = Text(
    "the snapshot of an adopted state is lost; its copy in best.md was kept as candidate {id}. "
    "To adopt it: score {id} 10",
    "一个已采纳状态的快照已丢失；best.md 中的副本已保存为候选 {id}。若要采纳：score {id} 10",
)
FOUND_WITHOUT_RECORD = Text(
    "its snapshot was there without a record: the run ended between the two",
    "有快照而无记录：运行在两者之间中断",
)
NEVER_DECIDED = Text(
    "the run ended before it was decided on",
    "运行在作出决定之前中断",
)
BEST_JSON_DAMAGED = Text("best.json was unreadable", "best.json 无法读取")
BEST_JSON_STALE = Text("best.json was not up to date", "best.json 不是最新")
BEST_JSON_MISSING = Text("best.json was missing", "best.json 缺失")
BEST_MD_DAMAGED = Text("best.md did not match the best", "best.md 与最佳不符")
BEST_MD_STALE = Text("best.md was not up to date", "best.md 不是最新")
BEST_MD_MISSING = Text("best.md was missing", "best.md 缺失")
SNAPSHOT_DAMAGED = Text("the snapshot of {id} is damaged", "{id} 的快照已损坏")
SNAPSHOT_MISSING = Text("the snapshot of {id} is missing", "{id} 的快照缺失")
RECORD_MISSING = Text("the history did not know about the best", "历史中没有最佳的记录")
FROM_MIRROR = Text("best.md was all that was left of the best", "最佳只剩 best.md")
RESEARCH_DAMAGED = Text("research.md was damaged ({reason})", "research.md 已损坏（{reason}）")
RECOVERED_TO = Text(
    "{findings}; the best is {id} now, and what was damaged was kept aside",
    "{findings}；现在的最佳为 {id}，损坏的文件已另存",
)
WRITTEN_AGAIN = Text(
    "somebody deleted or changed {files} in rounds/ during the run; what is known of them was written back",
    "运行期间 rounds/ 中的 {files} 被删除或改动；已知的内容已重新写入",
)
NEXT_FINDING = Text("{first}; {next}", "{first}；{next}")

RESEARCH_KEPT_ASIDE = Text(
    "research.md was damaged; the damaged file was kept as {kept}",
    "research.md 已损坏；损坏的文件已另存为 {kept}",
)
RESEARCH_EDITED = Text(
    "research.md was changed while the guard was at work; what stood there was kept as {kept}",
    "守卫工作期间 research.md 被改动；当时的内容已另存为 {kept}",
)
VERDICT_MAY_BE_OLD = Text(
    "the history was damaged, so nobody knows whether this verdict was carried out before; "
    "to carry it out now: score {id} {score} again",
    "历史记录曾损坏，无法确定该评分是否已兑现；若要现在兑现：score {id} {score} again",
)

# --- verdicts ------------------------------------------------------------------------------------------------------

VERDICT_UNKNOWN_ID = Text(
    "verdicts.txt, line {line}: there is no candidate {id}; the line stays open",
    "verdicts.txt 第 {line} 行：没有候选 {id}；该行保持待处理",
)
VERDICT_BAD_SCORE = Text(
    "verdicts.txt, line {line}: the score must be a plain number from 0 to 10, such as 8 or 7.5; the line stays open",
    "verdicts.txt 第 {line} 行：评分须为 0 到 10 的普通数字，例如 8 或 7.5；该行保持待处理",
)
VERDICT_NO_SNAPSHOT = Text(
    "verdicts.txt, line {line}: the snapshot of {id} is missing or damaged; the line stays open",
    "verdicts.txt 第 {line} 行：{id} 的快照缺失或已损坏；该行保持待处理",
)
VERDICT_MORE = Text(
    "verdicts.txt: {count} more lines could not be used",
    "verdicts.txt：另有 {count} 行无法使用",
)
VERDICTS_UNREADABLE = Text(
    "verdicts.txt cannot be read, so your verdicts wait: {error}",
    "无法读取 verdicts.txt，你的评分暂不生效：{error}",
)
VERDICT_FOR_BEST = Text(
    "your {score} for {id} is noted; it is the current best and stays so until a better one is adopted",
    "已记下你给 {id} 的 {score} 分；它是当前最佳，在更好的候选被采纳之前保持不变",
)
VERDICT_FOR_ADOPTED = Text(
    "your {score} for {id} is noted; it was adopted before, so nothing changes",
    "已记下你给 {id} 的 {score} 分；它已被采纳过，因此没有变化",
)
PERSON_REJECTED = Text(
    "your verdict of {score} is below the {needed} that is needed",
    "你的评分 {score} 低于采纳线 {needed}",
)

# --- troubles ------------------------------------------------------------------------------------------------------

CANNOT_WORK = Text(
    "the round guard cannot write its files and stands aside until it can: {error}",
    "轮次守卫无法写入其文件，暂时让开，恢复后继续：{error}",
)
PROMPT_NOT_KEPT = Text(
    "the prompts of this run cannot be kept in rounds/prompts: {error}",
    "本次运行的提示词无法保存到 rounds/prompts：{error}",
)
RAW_NOT_KEPT = Text(
    "what the verifiers said cannot be kept in rounds/logs: {error}",
    "评判者的原始回答无法保存到 rounds/logs：{error}",
)

# --- commands ------------------------------------------------------------------------------------------------------

NO_SUCH_CANDIDATE = Text("there is no candidate {id}", "没有候选 {id}")
SEVERAL_CANDIDATES = Text('"{id}" could be any of {ids}', "“{id}” 可能是 {ids} 中的任何一个")
NAME_ONE = Text("Write more of the id", "请把编号写得更长一些")
SEE_STATUS = Text(
    "the command `status` lists those that wait, `history` all of them",
    "等待评分的候选见 `status` 命令，全部候选见 `history` 命令",
)
SCORE_OUT_OF_RANGE = Text("a score is a number from 0 to 10, not {score}", "评分须为 0 到 10 的数字，而不是 {score}")
