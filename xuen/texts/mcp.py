"""What xwork says to people about MCP servers."""

from __future__ import annotations

from xuen.texts import Text

PACKAGE_MISSING = Text(
    "MCP servers need the package mcp, which this Python ({python}) does not have",
    "使用 MCP 服务器需要软件包 mcp，而这个 Python（{python}）里没有安装",
)
PACKAGE_MEND = Text(
    "install it: {python} -m pip install mcp",
    "请安装：{python} -m pip install mcp",
)
FILE_UNREADABLE = Text("the file of MCP servers cannot be read: {reason}", "无法读取 MCP 服务器的配置文件：{reason}")
FILE_WRONG = Text("this is no list of MCP servers: {reason}", "这不是 MCP 服务器的配置：{reason}")
FILE_MEND = Text(
    'it is JSON: {{"mcpServers": {{"NAME": {{"command": "…", "args": ["…"]}}}}}}, or "url" instead of "command"',
    '它是 JSON：{{"mcpServers": {{"名称": {{"command": "…", "args": ["…"]}}}}}}，或用 "url" 代替 "command"',
)
BAD_NAME = Text(
    "the name of an MCP server may hold letters, digits, - and single _, 32 at most: {name}",
    "MCP 服务器的名称只能用字母、数字、- 和单个 _，最多 32 个字符：{name}",
)
NO_WAY = Text(
    "the MCP server {name} needs either a command or a url",
    "MCP 服务器 {name} 需要 command 或 url，且只能有一个",
)
NO_VARIABLE = Text(
    "the MCP server {name} needs the environment variable {variable}, which is not set or blank",
    "MCP 服务器 {name} 需要环境变量 {variable}，但它没有设置或是空白",
)
BAD_VARIABLE = Text(
    "the MCP server {name} is sent the environment variable {variable}, which may only hold printable ASCII characters",
    "环境变量 {variable} 要发送给 MCP 服务器 {name}，它只能包含可打印的 ASCII 字符",
)
BAD_HEADER = Text(
    "the header {header} of the MCP server {name} may only hold printable ASCII characters",
    "MCP 服务器 {name} 的请求头 {header} 只能包含可打印的 ASCII 字符",
)
NOT_THERE = Text(
    "the MCP server {name} is not there, its tools are missing: {reason}",
    "MCP 服务器 {name} 不可用，缺少它的工具：{reason}",
)
TOO_SLOW = Text("it was not ready within {seconds} s", "在 {seconds} 秒内没有就绪")
NO_ANSWER = Text("it did not answer within {seconds} s", "在 {seconds} 秒内没有回答")
ENDED = Text("it ended with exit code {code}", "它已结束，退出码 {code}")
SAID = Text("{what}; it said: {last}", "{what}；它最后的输出：{last}")
