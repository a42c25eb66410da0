"""The environment of a suite: the inherited one without whatever could bend its result; pure.

Owns the list of what is removed and what is set. Always: two runs of one suite see the same settings for the tools
that judge, whether xuen was started from a shell, from make, from a hook of git, from npm or from another test run.
A project's own settings stand in its files; those count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from xuen.agent.template import clean_environment

_FAMILIES: Final = (
    *("PYTEST_", "PYTHON", "HYPOTHESIS_", "COV_CORE_", "COVERAGE_", "TOX_", "NOX_"),  # Python and its test runners
    *("NPM_CONFIG_", "NPM_LIFECYCLE_", "NPM_PACKAGE_", "JEST_", "VITEST", "MOCHA_"),
    *("LC_", "XUEN_"),
)
_NAMES: Final = frozenset(
    (
        *("MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL", "MAKEFILES", "MAKEOVERRIDES", "MAKE_TERMOUT"),
        *("MAKE_TERMERR", "NODE_OPTIONS", "NODE_ENV", "NODE_TEST_CONTEXT", "NODE_V8_COVERAGE", "INIT_CWD"),
        *("CDPATH", "GREP_OPTIONS", "FORCE_COLOR", "CLICOLOR_FORCE", "LANG", "LANGUAGE"),
    )
)
_SET: Final = {
    "LC_ALL": "C",  # the words of make are read; Python and node take UTF-8 all the same
    "CI": "true",  # runners that would watch for changes run once instead
    "PYTHONDONTWRITEBYTECODE": "1",
    "GOFLAGS": "-count=1",  # a result out of a cache was not seen; and the user's own flags, wherever kept, stay out
    "npm_config_update_notifier": "false",
    "npm_config_logs_max": "0",
    "npm_config_audit": "false",
    "npm_config_fund": "false",
}


def suite_environment(inherited: Mapping[str, str], marks: Mapping[str, str]) -> dict[str, str]:
    """The environment for a suite; `marks` are xuen's own variables, by which leftovers are found."""
    kept = {
        name: value
        for name, value in clean_environment(inherited).items()
        if name not in _NAMES and not name.upper().startswith(_FAMILIES)
    }
    return kept | _SET | dict(marks)
