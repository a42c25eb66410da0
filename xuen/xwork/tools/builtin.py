"""The eleven tools that every agent has."""

from __future__ import annotations

from typing import Final

from xuen.xwork.tools import (
    exec_command,
    poll_process,
    read_file,
    start_process,
    stop_process,
    write_file,
    write_process,
)
from xuen.xwork.tools.base import AnyTool

TOOLS: Final[tuple[AnyTool, ...]] = (
    read_file.TOOL,
    write_file.TOOL,
    exec_command.TOOL,
    start_process.TOOL,
    poll_process.TOOL,
    write_process.TOOL,
    stop_process.TOOL,
)
