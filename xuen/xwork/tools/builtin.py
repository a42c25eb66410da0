"""The eleven tools that every agent has."""

from __future__ import annotations

from typing import Final

from xuen.xwork.tools import (
    apply_patch,
    exec_command,
    list_files,
    poll_process,
    read_file,
    replace_text,
    search_text,
    start_process,
    stop_process,
    write_file,
    write_process,
)
from xuen.xwork.tools.base import AnyTool

TOOLS: Final[tuple[AnyTool, ...]] = (
    read_file.TOOL,
    list_files.TOOL,
    search_text.TOOL,
    write_file.TOOL,
    replace_text.TOOL,
    apply_patch.TOOL,
    exec_command.TOOL,
    start_process.TOOL,
    poll_process.TOOL,
    write_process.TOOL,
    stop_process.TOOL,
)
