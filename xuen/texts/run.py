"""What the loop itself says."""

from __future__ import annotations

from xuen.texts import Text

SINK_DROPPED = Text(
    "{name} failed and gets no more events: {error}",
    "{name} 出错，不再接收事件：{error}",
)
