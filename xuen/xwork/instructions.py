"""What the model is told before everything else: what it is, where it works, and the workspace's own AGENTS.md."""

from __future__ import annotations

import os

from xuen.xwork.policy.paths import PathRefused, Workspace
from xuen.xwork.policy.permission import Approval

_RULES = """\
You are xwork, an agent that carries out a task in a workspace with tools.
The workspace is {workspace}; paths are relative to it, and file tools cannot leave it.
Work until the task is done; nobody answers questions meanwhile. Look before you change. Prefer small, exact edits.
After changing files, run a command that shows that the result is right. Tool results tell what really happened:
never claim what they do not show. When you are done, say briefly what you did, in the language of the task."""
_READ_ONLY = "You are read-only: you may look at files and nothing else."
_NOTES = "AGENTS.md"
_NOTES_LIMIT = 32 << 10  # bytes


def instructions(workspace: Workspace, approval: Approval, *added: str) -> str:
    """The system message; of what is `added`, empty texts do not count."""
    parts = [_RULES.format(workspace=workspace.root)]
    if approval is Approval.READ_ONLY:
        parts.append(_READ_ONLY)
    parts += [text.strip() for text in added if text.strip()]
    if notes := _notes(workspace):
        parts.append(f"The workspace's {_NOTES} says:\n\n{notes}")
    return "\n\n".join(parts)


def _notes(workspace: Workspace) -> str:
    try:
        with workspace.place(_NOTES) as place, os.fdopen(place.open_file(), "rb") as file:
            data = file.read(_NOTES_LIMIT + 1)
    except (PathRefused, OSError):  # none, or none that can be used
        return ""
    text = data[:_NOTES_LIMIT].decode("utf-8", "replace").strip()
    if len(data) > _NOTES_LIMIT:
        text += f"\n[... the rest of {_NOTES} is left out here; read_file has it ...]"
    return text
