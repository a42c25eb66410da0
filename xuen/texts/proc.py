"""What is said within a command's output."""

from __future__ import annotations

from xuen.texts import Text

LINE_CUT = Text(" … [line cut: {count} more bytes]", " … [本行过长已截断：另有 {count} 字节]")
LINES_SKIPPED = Text(
    "… [{count} lines not shown: they came faster than anyone can read]",
    "… [{count} 行未显示：输出速度超过了阅读速度]",
)
LEFT_OUT = Text("… [{count} bytes left out here]", "… [此处省略 {count} 字节]")
