"""What is said within a command's output."""

from __future__ import annotations

from xuen.texts import Text

LINE_CUT = Text(" … [line cut: {count} more bytes]", " … [本行过长已截断：另有 {count} 字节]")
LINES_SKIPPED = Text(
    "… [{count} lines not shown: they came faster than anyone can read]",
    "… [{count} 行未显示：输出速度超过了阅读速度]",
)
LEFT_OUT = Text("… [{count} bytes left out here]", "… [此处省略 {count} 字节]")

NO_PROC = Text(
    "/proc cannot be read, so xuen cannot see which processes an agent leaves behind",
    "无法读取 /proc，xuen 因此看不到 agent 留下了哪些进程",
)
NO_PROC_MEND = Text("Mount it: mount -t proc proc /proc", "请先挂载：mount -t proc proc /proc")
