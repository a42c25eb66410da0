"""The environment of programs: the inherited one without the repository that xuen was started from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GIT_LOCAL: Final = frozenset(
    (
        # What `git rev-parse --local-env-vars` prints, of git 2.30 to 2.50: git sets them for its hooks.
        *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT"),
        *("GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE"),
        *("GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"),
        *("GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE"),
        *("GIT_NAMESPACE", "GIT_QUARANTINE_PATH"),  # local as well, but git does not print them
    )
)


def outside_git(inherited: Mapping[str, str]) -> dict[str, str]:
    """A copy in which no variable ties git to the repository of a hook, so that each program finds its own."""
    return {name: value for name, value in inherited.items() if name not in GIT_LOCAL}
