"""What `xuen serve` says."""

from __future__ import annotations

from xuen.texts import Text

NO_WEB = Text("the screen in a browser needs the package textual-serve", "在浏览器里显示界面需要 textual-serve 包")
INSTALL_WEB = Text('Install it: pip install "textual-serve>=1.1"', '请安装：pip install "textual-serve>=1.1"')
BAD_PORT = Text("expected a port from 0 to 65535, found {found}", "应为 0 到 65535 的端口，实际为 {found}")
EVENTS_TO_FILE = Text("the screen stands on standard output here", "此时标准输出被界面占用")
NAME_A_FILE = Text("Name a file", "请指定一个文件")
CANNOT_LISTEN = Text("cannot listen there: {reason}", "无法在此监听：{reason}")
OTHER_PORT = Text("Choose another one with --port", "请用 --port 另选一个端口")
LISTENING = Text("the screen is at {url} (Ctrl+C ends it)", "界面位于 {url} （Ctrl+C 结束）")
OPEN_TO_ALL = Text(
    "on {host}, anyone with the address below can type to your agent; the connection is not encrypted",
    "在 {host} 上，任何人只要有下面的地址就能向你的 agent 输入；连接未加密",
)
USE_PRINTED_ADDRESS = Text(
    "Open the address that `xuen serve` printed, with its token: this page is for that browser only.",
    "请打开 `xuen serve` 显示的完整地址（包含 token）：只有那样打开的浏览器才能使用本页面。",
)
BUSY = Text(
    "This run is open in another window. Close that one first: a run has one screen.",
    "这次运行已在另一个窗口中打开。请先关闭那个窗口：一次运行只有一个界面。",
)
