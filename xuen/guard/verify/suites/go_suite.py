"""`go test` as the judge: a line `ok` for a package with tests, and no line `FAIL`.

Always: flags from the surroundings and results from the cache do not count.
"""

from __future__ import annotations

from typing import Final

from xuen.guard.verify.suites.suite_run import Finding, Present, Ran, Site, SuiteRun
from xuen.guard.verify.suites.summaries import Summary, finding_of, summary_of
from xuen.texts import Text
from xuen.texts import verify as texts

_FILES: Final = ("go.mod", "go.work")


def present(site: Site) -> Present | Text:
    """A Go module; else why there is nothing for go."""
    if not site.has(*_FILES):
        return texts.NO_FILE.of(runner="go", file="go.mod")
    return Present("go test", site.which("go"), doubt=texts.GO_DOUBT)


def judge(suite: SuiteRun, go: str) -> Finding:
    """Run `go test`."""
    ran = suite.run([go, "test", "-v", "./..."])
    return suite.unfinished(ran) or _nothing_seen(ran) or finding_of(ran, "go test")


def _nothing_seen(ran: Ran) -> Finding | None:
    """go prints a line for each package that it tests; without one, it tested none."""
    if ran.code == 0 and summary_of(ran.output) == Summary(passed=False, failed=False, none=False):
        return Finding("unavailable", texts.TESTS_NOTHING.of(runner="go test"), ran.output)
    return None
