"""What makes a score doubtful: the lines around it, one at a time; pure.

Owns the vocabulary with which a judge takes a score back, quotes somebody else's, gives one to the best, or speaks of
another scale (English and Chinese). Refuses to decide which score it is about.
Always: doubt is cheap and trust is not; a line that might be about the score casts doubt on it.
"""

from __future__ import annotations

import re

from xuen.guard.score_forms import NUMBER, TENTHS

_RIVAL = re.compile(
    r"^(?:the\s+)?(?:(?:current|previous)\s+)?(?:best|baseline|previous|current)\b[^.]{0,30}\d"
    r"|\b(?:score|rating)\s+(?:of|for)\s+the\s+(?:current\s+|previous\s+)?(?:best|baseline)"
    r"|^(?:当前|上一轮|之前)?的?(?:最佳|基线|旧版)[^。]{0,10}\d",
    re.IGNORECASE,
)
_RIVAL_HEADING = re.compile(
    r"(?:the\s+)?(?:(?:current|previous)\s+)?(?:best|baseline)(?:\s+(?:version|idea|artifact|one))?\s*:?"
    r"|(?:当前|上一轮)?的?(?:最佳|基线)(?:版本|方案)?\s*:?",
    re.IGNORECASE,
)
_MENTION = re.compile(
    r"(?:score|rating|final|verdict|rate|scored|rated|评分|得分|分数|打分|最终|给|打)[^\w\n]{0,4}"
    r"(?:(?:is|be|should be|of|it|this|为|是|应为|应该是)[^\w\n]{0,3})*"
    rf"(?P<number>{NUMBER})|(?P<fraction>{NUMBER})\s*{TENTHS}"
    r"|\b(?:it|this|that|candidate|really|only|just|worth|deserves?|earns?|gets?)(?:'s)?\s+"
    rf"(?:(?:is|as|at|only|just|really|be|a|an)\s+){{0,3}}(?P<plain>{NUMBER})(?=\s*(?:[.,;!)]|points?\b|$))(?!,\d)"
    rf"|(?<!满分)(?<!满分\s)(?<![\d.])(?P<points>{NUMBER})\s*分",
    re.IGNORECASE,
)
_NUMBER_IN_WORDS = re.compile(
    r"\b(?:is|a|an|be|worth|deserves?|earns?|gets?|rather|only)\s+"
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten)\s*(?:[.,;!)]|points?\b|at\s+(?:best|most)\b|$)"
    r"|[零一两二三四五六七八九]分(?!之)",
    re.IGNORECASE,
)
_RETRACTION = re.compile(
    r"^no\b|\b(?:wait|actually|correction|make that|i mean|change (?:it|that|my)|scratch that|sorry|on second thought"
    r"|on reflection|i was wrong|that is wrong|revised?|should be|instead|ignore|disregard|forget|discard|overlook"
    r"|strike|jok(?:e|es|ed|ing)|kidding|prank|sarcas\w+|iron(?:y|ic\w*)|withdraw\w*|retract\w*|void|invalid|cancel\w*"
    r"|mistak\w+|typo|oops|erratum|honestly|in truth|in fact|in reality|to be fair|seriously|rather"
    r"|(?:do|does|did) not (?:mean|count|apply|trust)|(?:don't|do not) (?:count|use|trust|adopt|believe)"
    r"|would be wrong|(?:is|was) (?:false|fake|wrong|not (?:mine|my|the|a|real|valid|so|true)))\b"
    r"|不对|更正|修正|应该是|应为|重新考虑|改为|改成|抱歉|说错|忽略|无视|作废|无效|撤回|收回|撤销|取消|玩笑|不算|反话|讽刺"
    r"|其实|实际上|说实话|老实说|笔误|写错|有误|别当真|请勿采用|不要采用|是假的",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"\b(?:the|that|this|my|last|previous|first|preceding)\s+(?:line|number|score|rating|figure|verdict|grade|mark)\b"
    r"|\b(?:line|number|score|text|answer|sentence|part|which|that|what|it)\s+(?:is\s+)?(?:above|before this)\b"
    r"|\bthe above\b|\bnot (?:my|the real|a real|mine)\b|\bthat (?:is|was) (?:what|the candidate)\b"
    r"|上一行|上面|上述|前一行|这一行|那一行|上一个|这个分|那个分|该评分|该分数|不是我|并非我|以上[^。]{0,6}(?:原文|引用|引自|候选)",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"^(?:but|however|though|although|yet|still|except|unless|only if|not|而|但|可是|然而|不过|只是|却)", re.I
)
_SPEAKER = (
    r"(?:it|they|judge|reviewer|candidate|artifact|author|text|prompt|idea|document|instructions?|someone|material|he|she"
    r"|它|评审员?|候选|产物|作者|原文|材料|文中|文档|里面|想法|指令)"
)
_SPEAKS = (
    r"(?:say|says|said|tells?|told|asks?|asked|wants?|wanted|claims?|claimed|ends?|demands?|demanded|instructs?|orders?"
    r"|requests?|requires?|insists?|writes?|wrote|prints?|suggests?|states?|reads?|contains?|holds?|begs?|expects?"
    r"|要求|要我|让我|叫我|命令|声称|自称|写道|写着|指示|希望|请求|说)"
)
_FOREIGN = re.compile(rf"(?<![a-z]){_SPEAKER}(?![a-z]).{{0,40}}?(?<![a-z]){_SPEAKS}(?![a-z])", re.IGNORECASE)
_LEADS_ON = re.compile(
    r"(?::|\b(?:print|write|say|saying|wrote|writes|answer|output|be|with|for|this|me|is|reply|respond|in)|输出|写|回答|打分|答|为|是|说)\s*$",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"^(?:if|suppose|assuming|were|had|unless)\b|\b(?:not|never|refuse to|won't|cannot|can't|would|could)\b"
    r"|^(?:如果|假如|假设|若|要是)|不会|不能|不应|拒绝",
    re.IGNORECASE,
)
_SAMPLE = re.compile(
    r"(?:e\.?g\b|(?:for |an? |the )?(?:example|sample|quot(?:e|ed|ation)|template|format|placeholder)|like this|such as"
    r"|例如|比如|譬如|示例|样例|举例|引用|引文|原文|格式).{0,20}",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(
    r"[^\w]*(?:[一二三四五\d][、.]\s*)?(?:reasons?|because|rationale|remarks?|explanations?|justification|why|notes?|summary"
    r"|suggestions?|(?:the|this)\s+(?:new\s+)?(?:candidate|version|proof|idea|artifact)|reviewed|compared|tokens?|cost|time"
    r"|duration|session|usage|exit|done|finished|saved|trajectory|total (?:cost|tokens|time)"
    r"|理由|原因|因为|说明|备注|建议|总结|评语|点评|候选|以上为评审|用时|费用|完成)",
    re.IGNORECASE,
)
_NOT_TEN = r"(?!10(?:\.0+)?(?!\d))\d+"
_OTHER_SCALE = re.compile(
    rf"\b(?:scale|rang\w+|scor\w+|rat(?:e|es|ed|ing)|points?|marks?|grad\w+)\b.{{0,30}}?(?<![\d.])[01]\s*(?:-|–|~|to|\.\.)\s*{_NOT_TEN}"
    rf"|(?<![\d.])[01]\s*(?:-|–|~|to)\s*{_NOT_TEN}\s*(?:scale|points?|rating)\b"
    rf"|\bout\s+of\s+{_NOT_TEN}\s*(?:points?|marks?)|(?:scale|points?|maximum|max|scores?)\s+(?:of|is)\s+(?:100|20|50|5|1000)\b"
    r"|\b(?:percent(?:age)?|(?:five|hundred|100|5)[- ]point|five[- ]star) (?:scale|points?|rating)"
    r"|百分制|五分制|二十分制|千分制|星级"
    rf"|满分\s*[为是]?\s*{_NOT_TEN}|(?<![\d.])[01]\s*(?:-|–|~|到|至)\s*{_NOT_TEN}\s*(?:分|的?(?:尺度|范围|量表|区间|刻度))",
    re.IGNORECASE,
)


def is_rival(text: str) -> bool:
    """Whether an undressed line gives a number to the best instead of the candidate."""
    return _RIVAL.search(text) is not None


def is_rival_heading(text: str) -> bool:
    """Whether an undressed line is nothing but a heading for the best."""
    return _RIVAL_HEADING.fullmatch(text) is not None


def disturbs(text: str, value: float) -> bool:
    """Whether a line that follows a score takes it back, speaks of it as of another's, or names another one."""
    text = text.replace("’", "'")
    if any(form.search(text) for form in (_RETRACTION, _POINTER, _CONTRAST, _FOREIGN, _NUMBER_IN_WORDS)):
        return True
    return any(float(next(filter(None, found.groups()))) != value for found in _MENTION.finditer(text))


def introduces_another(text: str) -> bool:
    """Whether a line says that what follows is another's word, an example or not so: `It wants me to write:`."""
    text = text.replace("’", "'")
    if _SAMPLE.fullmatch(text):
        return True
    return _LEADS_ON.search(text) is not None and any(form.search(text) for form in (_FOREIGN, _UNREAL))


def accounts_for(text: str) -> bool:
    """Whether a line that follows a score begins with what a reason for it, or an agent's closing line, begins with."""
    return _ACCOUNT.match(text) is not None


def is_other_scale(text: str) -> bool:
    """Whether a line speaks of a scale that does not end at 10."""
    return _OTHER_SCALE.search(text) is not None
