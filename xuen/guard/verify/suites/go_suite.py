"""`go test` as the judge: a line `ok` for a package with tests, and no line `FAIL`.

Owns reading go's package lines, which tell a package without tests from one whose tests passed although both end
with success. Always: flags from the surroundings and results from the cache do not count.
"""

from __future__ import annotations

import re
from typing import Final

from xuen.guard.verify.suites.suite_run import Finding, Present, Ran, Site, SuiteRun
from xuen.texts import Text
from xuen.texts import verify as texts

_FILES: Final = ("go.mod", "go.work")
_OK: Final = re.compile(r"^ok\s+\S+\s+(?!.*\[no tests to run\])", re.MULTILINE)
_FAIL: Final = re.compile(r"^(?:FAIL(?:\s|$)|\s*--- FAIL: )", re.MULTILINE)
_RESULT: Final = re.compile(r"^\s*--- (PASS|SKIP): ", re.MULTILINE)
_NO_PACKAGES: Final = re.compile(r"matched no packages|no packages to test|no Go files in", re.MULTILINE)


def present(site: Site) -> Present | Text:
    """A Go module; else why there is nothing for go."""
    if not site.has(*_FILES):
        return texts.NO_FILE.of(runner="go", file="go.mod")
    return Present("go test", site.which("go"), doubt=texts.GO_DOUBT)


def judge(suite: SuiteRun, go: str) -> Finding:
    """Run `go test`."""
    ran = suite.run([go, "test", "-v", "./..."])
    return suite.unfinished(ran) or _finding(ran)


def _finding(ran: Ran) -> Finding:
    output = ran.output
    failed = _FAIL.search(output) is not None
    if _NO_PACKAGES.search(output) and not failed and not _OK.search(output):
        return Finding("unavailable", texts.TESTS_NOTHING.of(runner="go test"), output)
    if ran.code:
        return Finding("failed", texts.SUITE_FAILED.of(runner="go test", code=ran.code), output)
    if failed:
        return Finding("unknown", texts.SUITE_CONTRADICTS.of(runner="go test"), output)
    results = set(_RESULT.findall(output))
    if not _OK.search(output) or results == {"SKIP"}:
        return Finding("unavailable", texts.TESTS_NOTHING.of(runner="go test"), output)
    return Finding("passed", texts.SUITE_PASSED.of(runner="go test"), output)
