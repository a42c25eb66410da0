"""The folder outside all workspaces where xuen keeps what a workspace must not be able to say about itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def state_folder(env: Mapping[str, str]) -> Path:
    """`$XDG_STATE_HOME/xuen`, by default `~/.local/state/xuen`; it need not exist.

    Raises:
        RuntimeError: there is no home folder.
    """
    named = Path(env.get("XDG_STATE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".local" / "state") / "xuen"
