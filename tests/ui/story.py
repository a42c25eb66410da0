"""A run as it could have been, told in events: replayed into the console and the screen by the tests here."""

from __future__ import annotations

from xuen import events as ev
from xuen.events import Event, Purpose, Why
from xuen.texts import Language, Text, language_of

R1, R2, R3, R4 = (f"20261130-10{minute}00-r{n}" for n, minute in enumerate((12, 17, 21, 26), start=1))
BASE = "20261130-100900-r0"
SHA = "0" * 64

IDEA = {
    "en": "Draft trees, not draft chains: let the small model propose a tree of continuations and verify all of "
    "its branches in one pass of the large model.\n\n"
    "Open: how wide may the tree be before memory traffic eats the gain?",
    "zh": "草稿用树而不用链：小模型一次给出一棵续写树，大模型一遍前向同时验证所有分支。\n\n"
    "待定：树宽到多少时，KV 缓存的访存开销会吃掉收益？灵感「潮汐」提示按负载起落调节树宽。",
}
ARTIFACT = {
    "en": "# Tree drafting\n\n1. Draft k tokens greedily, keep the top-b alternatives at each step.\n"
    "2. Build one attention mask over the tree.\n3. Accept the longest branch that the large model agrees with.\n\n"
    "| width | accepted / step | speed-up |\n|---|---|---|\n| 1 | 2.1 | 1.7x |\n| 4 | 3.0 | 2.2x |",
    "zh": "# 树形草稿解码\n\n1. 贪心生成 k 个草稿词元，每步保留前 b 个备选。\n2. 在整棵树上构造一个注意力掩码。\n"
    "3. 接受大模型认可的最长分支。\n\n"
    "| 树宽 | 每步接受 | 加速 |\n|---|---|---|\n| 1 | 2.1 | 1.7x |\n| 4 | 3.0 | 2.2x |",
}
TASK = {
    "en": "Make decoding of a language model faster without losing quality",
    "zh": "在不损失质量的前提下加快大模型解码",
}
WORDS = {"en": ("tide", "beam", "cache line"), "zh": ("潮汐", "束搜索", "缓存行")}
INPUT = {"en": "look at memory traffic first", "zh": "先看访存开销"}
SAID = {
    "en": (
        "Reading research.md …",
        "The last idea ignores the cost of a wide tree.",
        "Rewriting the artifact with a table [b=4].",
    ),
    "zh": ("正在阅读 research.md …", "上一版没有考虑树变宽的代价。", "用一张表改写产物区 [b=4]。"),
}


def start(language: Language) -> list[Event]:
    """The head of the run: the workspace, the word bank."""
    return [
        ev.RunStarted(
            round=0,
            task=TASK[language],
            workspace="workspace",
            language=language,
            agent="opencode",
            verify="ai",
            iterations=4,
        ),
        ev.Baseline(round=0, id=BASE, sha256=SHA),
        ev.SectionsShown(idea="", artifact=""),
        ev.WordsStarted(want=200),
        ev.WordsProgress(have=112, want=200),
        ev.WordsReady(count=198, source="made"),
    ]


def research(round_: int, language: Language, *, left: int) -> list[Event]:
    """A round up to the end of a research call that changed both sections."""
    agent = ev.CallStarted(round=round_, purpose=Purpose.RESEARCH, agent="opencode", pid=4711)
    said = [ev.Output(round=round_, purpose=Purpose.RESEARCH, stream="stdout", line=line) for line in SAID[language]]
    return [
        ev.RoundStarted(round=round_, words=WORDS[language], left=left),
        agent,
        *said,
        ev.CallEnded(round=round_, purpose=Purpose.RESEARCH, why=Why.OK, code=0, seconds=83.4),
        ev.SectionChanged(round=round_, section="idea", content=IDEA[language]),
        ev.SectionChanged(round=round_, section="artifact", content=ARTIFACT[language]),
    ]


def judged(round_: int, id_: str, language: Language, score: float | None, reason: Text) -> list[Event]:
    """Candidate and judgement of a round."""
    line = {"en": f"Score: {score}", "zh": f"评分：{score}"}[language]
    return [
        ev.Candidate(round=round_, id=id_, sha256=SHA, parent=BASE),
        ev.Verifying(round=round_, id=id_, verifier="ai"),
        ev.CallStarted(round=round_, purpose=Purpose.JUDGE, agent="opencode", pid=4720),
        ev.Output(round=round_, purpose=Purpose.JUDGE, stream="stdout", line=line),
        ev.CallEnded(round=round_, purpose=Purpose.JUDGE, why=Why.OK, code=0, seconds=6.2),
        ev.Judged(
            round=round_, id=id_, verifier="ai", outcome="passed" if score else "unknown", score=score, reason=reason
        ),
    ]


def adopted_round(language: Language) -> list[Event]:
    """Round 1: adopted with 8."""
    better = Text("clearer than the baseline", "比基线更清楚")
    return [
        *research(1, language, left=4),
        *judged(1, R1, language, 8.0, better),
        ev.Adopted(round=1, id=R1, sha256=SHA, score=8.0, verify="ai"),
    ]


def pending_round(language: Language) -> list[Event]:
    """Round 2: user input goes in, the judge cannot tell."""
    no_score = Text("no score in the judge's answer", "评审的回答里没有分数")
    events = [*research(2, language, left=3), *judged(2, R2, language, None, no_score)]
    events.insert(1, ev.InputTaken(round=2, texts=(INPUT[language],)))
    return [
        *events,
        ev.Pending(round=2, id=R2, verify="ai", reason=no_score),
        ev.Restored(round=2, id=R1),
        ev.SectionsShown(idea=IDEA[language], artifact=ARTIFACT[language]),
    ]


def rejected_round(language: Language) -> list[Event]:
    """Round 3: worse than the best."""
    worse = Text("the table has gone", "表格不见了")
    return [
        *research(3, language, left=2),
        *judged(3, R3, language, 3.5, worse),
        ev.Rejected(round=3, id=R3, score=3.5, verify="ai", reason=worse),
        ev.Restored(round=3, id=R1),
        ev.SectionsShown(idea=IDEA[language], artifact=ARTIFACT[language]),
    ]


def failed_round() -> list[Event]:
    """Round 4: the agent fails; then the run is over."""
    limit = Text("the time limit of 1800 s was reached", "超过 1800 秒时限")
    return [
        ev.RoundStarted(round=4, words=(), left=1),
        ev.CallStarted(round=4, purpose=Purpose.RESEARCH, agent="opencode", pid=4801),
        ev.CallEnded(round=4, purpose=Purpose.RESEARCH, why=Why.TIMEOUT, code=None, seconds=1800.0),
        ev.AgentFailed(round=4, why=Why.TIMEOUT, code=None, reason=limit),
        ev.RunFinished(
            round=4, reason=Text("all rounds are done", "所有轮次已完成"), exit_code=0, succeeded=3, failed=1
        ),
    ]


def whole_run(language: Language) -> list[Event]:
    """All of it."""
    return [
        *start(language),
        *adopted_round(language),
        *pending_round(language),
        *rejected_round(language),
        *failed_round(),
    ]


HOSTILE = "[/bold] [red]x[/red] [@click=app.quit]x a [node_modules] b \x1b]52;c;aGk=\x07\x1b[2J\x9b6n:smile: \ud83d"
HARMLESS = "[/bold] [red]x[/red] [@click=app.quit]x a [node_modules] b :smile: \N{REPLACEMENT CHARACTER}"

assert language_of(TASK["zh"]) == "zh"


def one_of_each() -> list[Event]:
    """The events that `whole_run` has none of."""
    return [
        ev.Notice(level="warning", text=Text("careful", "当心")),
        ev.Notice(level="info", text=Text("note", "提示")),
        ev.InputTaken(round=1, texts=("hi",)),
        ev.Heartbeat(round=1, streak=3, cause=Text("it asks for permission", "它在等待许可")),
        ev.Heartbeat(round=1, streak=1),
        ev.Damaged(round=1, reason=Text("a marker is gone", "少了一个标记"), kept="research.md.damaged-1"),
        ev.Verdict(round=1, id=R2, score=8.0, comment="nice"),
        ev.Recovered(round=1, id=R1, reason=Text("best.json was empty", "best.json 为空")),
        ev.GuardOff(reason=Text("read-only", "只读")),
        ev.GuardOn(),
        ev.CallEnded(round=0, purpose=Purpose.WORDS, why=Why.FAILED, code=3, seconds=2.0),
        ev.CallEnded(round=0, purpose=Purpose.JUDGE, why=Why.FAILED, code=None, seconds=75.0),
        ev.WordsReady(count=0, source="none"),
    ]
