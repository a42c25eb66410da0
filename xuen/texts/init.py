"""What `xuen init` says."""

from __future__ import annotations

from xuen.texts import Text

IS_THERE = Text("there is a configuration file already, and it stays as it is", "已有配置文件，保持不变")
EDIT_IT = Text("Edit it, or name a new file with -c FILE", "请直接编辑它，或用 -c FILE 指定一个新文件")
NOT_WRITTEN = Text("the configuration file cannot be written: {reason}", "无法写入配置文件：{reason}")
WRITTEN = Text(
    "{path} written: every setting with its default and what it means", "已写入 {path}：全部设置、默认值及说明"
)
EDIT_FIRST = Text(
    "Edit first: agent.preset or agent.command (who does the thinking), then rounds.verify (who judges).\n"
    "Then check it, and see the agents that are here: {call}",
    "请先修改 agent.preset 或 agent.command（由谁思考），再看 rounds.verify（由谁评判）。\n"
    "然后检查配置，并查看本机有哪些 agent：{call}",
)
