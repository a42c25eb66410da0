"""What tools work with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from xuen.xwork.cancel import Cancel
from xuen.xwork.policy.paths import Workspace

if TYPE_CHECKING:
    from xuen.xwork.sandbox.bubblewrap import Sandbox
    from xuen.xwork.tools.artifacts import Artifacts
    from xuen.xwork.tools.processes import ProcessTable


class ToolContext(msgspec.Struct, frozen=True):
    """Made once for an agent."""

    workspace: Workspace
    cancel: Cancel
    artifacts: Artifacts
    processes: ProcessTable
    env: Mapping[str, str]
    sandbox: Sandbox | None = None  # around every program that a tool starts
