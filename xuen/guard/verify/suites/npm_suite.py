"""`npm test` as the judge: the script `test` of package.json, with its steps before and after.

Owns which scripts are none: missing, empty, npm's placeholder, one that only prints, one whose tool or packages are
not installed. Always: npm's own settings from the surroundings decide nothing, those in the project's .npmrc may.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from xuen.guard.verify.suites.suite_run import Finding, Present, Site, SuiteRun
from xuen.guard.verify.suites.summaries import does_nothing, finding_of
from xuen.texts import Text
from xuen.texts import verify as texts

_PLACEHOLDER: Final = re.compile(r"no test specified", re.IGNORECASE)
# On the command line, where they go before every file of settings.
_RUN: Final = ("run", "test", "--ignore-scripts=false", "--if-present=false", "--workspaces=false")


def present(site: Site) -> Present | Text:
    """A test script that does something; else why there is nothing for npm."""
    if not site.has("package.json"):
        return texts.NO_FILE.of(runner="npm", file="package.json")
    package = _package(site.folder)
    if package is None:
        return texts.NPM_UNREADABLE
    script = _script(package)
    if not script or _PLACEHOLDER.search(script):
        return texts.NPM_NO_SCRIPT
    if does_nothing(script):
        return texts.TESTS_NOTHING.of(runner="npm test")
    doubt = texts.NPM_NO_PACKAGES if _lacks_packages(site.folder) else None
    return Present("npm test", site.which("npm"), doubt=doubt)


def judge(suite: SuiteRun, npm: str) -> Finding:
    """Run the project's test script."""
    lacks_packages = _lacks_packages(suite.folder)
    ran = suite.run([npm, *_RUN])
    lacks = texts.NPM_NO_PACKAGES if lacks_packages else None
    return suite.unfinished(ran) or finding_of(ran, "npm test", lacks=lacks)


def _package(folder: Path) -> dict[str, Any] | None:
    try:
        package = json.loads((folder / "package.json").read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return package if isinstance(package, dict) else None


def _script(package: dict[str, Any]) -> str:
    scripts = package.get("scripts")
    script = scripts.get("test") if isinstance(scripts, dict) else None
    return script.strip() if isinstance(script, str) else ""


def _lacks_packages(folder: Path) -> bool:
    package = _package(folder) or {}
    declared = package.get("dependencies") or package.get("devDependencies")
    return bool(declared) and not any((place / "node_modules").is_dir() for place in (folder, *folder.parents))
