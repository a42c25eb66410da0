"""Whether commands run in a sandbox; apart from it, because the settings of every agent hold it."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """Whether commands run in a sandbox."""

    OFF = "off"
    AUTO = "auto"  # where it works; where not, that is said once
    ON = "on"  # or not at all
