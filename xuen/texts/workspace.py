"""What the workspace says."""

from __future__ import annotations

from xuen.texts import Text

RESEARCH_MISSING = Text("research.md is missing", "research.md 不存在")
RESEARCH_NOT_A_FILE = Text("research.md is not a regular file", "research.md 不是普通文件")

BUSY = Text("another run (process {pid}) holds this workspace", "另一个运行（进程 {pid}）正在使用这个工作区")
BUSY_UNKNOWN = Text("another run holds this workspace", "另一个运行正在使用这个工作区")
BUSY_MEND = Text(
    "Wait until it has ended, stop it, or use another folder with --workspace",
    "请等它结束、停止它，或用 --workspace 换一个文件夹",
)
CANNOT_LOCK = Text("the file system cannot lock: {error}", "文件系统无法加锁：{error}")
CANNOT_LOCK_MEND = Text(
    "Use a folder on a local disk with --workspace; a network folder must be mounted with locks",
    "请用 --workspace 指定本地磁盘上的文件夹；网络文件夹需要启用文件锁后再挂载",
)
CANNOT_USE = Text("the workspace cannot be used: {error}", "无法使用这个工作区：{error}")
CANNOT_USE_MEND = Text(
    "Give it a folder that you may write to, with --workspace",
    "请用 --workspace 指定一个可以写入的文件夹",
)
NO_WORKSPACE = Text("there is no workspace here yet", "这里还没有工作区")
NO_WORKSPACE_MEND = Text(
    "Start a run first, or name its folder with --workspace",
    "请先开始一次运行，或用 --workspace 指定它的文件夹",
)
