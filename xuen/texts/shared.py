"""What more than one room says word for word."""

from __future__ import annotations

from xuen.texts import Text

DID_YOU_MEAN = Text("Did you mean {name}?", "是否想写 {name}？")
EMPTY_VALUE = Text("an empty value", "值为空")
SAVE_UTF8 = Text("Save the file as UTF-8", "请把文件存为 UTF-8")
CHECK_PATH = Text("Check the path and its permissions", "请检查路径及其权限")

NO_BEST = Text("none yet", "暂无")
SCORED = Text("score {score} ({by})", "{score} 分（{by}）")
EARLIER_ONES = Text("and {count} before that", "以及更早的 {count} 个")
SNAPSHOT_GONE = Text("its snapshot is missing or damaged", "快照缺失或已损坏")
