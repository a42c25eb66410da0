"""`make test` as the judge: GNU make itself says whether there is such a target and what it would do.

Owns reading make's own words, in the C locale, from a dry run in which no recipe can imitate them. Refuses to read
Makefiles. Always: what make says about a target is believed only from the topmost make, not from one below; a rule
that is built into make is no test.
"""

from __future__ import annotations

import re
from typing import Final

from xuen.guard.verify.suites.suite_run import Finding, Present, Ran, Site, SuiteRun
from xuen.guard.verify.suites.summaries import does_nothing, finding_of
from xuen.texts import Text
from xuen.texts import verify as texts

_FILES: Final = ("GNUmakefile", "makefile", "Makefile")
_NO_RULE: Final = re.compile(
    r"^g?make: \*\*\* No rule to make target [`'‘]test['’]\.\s+Stop\.$"
    r"|^b?make: don't know how to make test\. Stop$",  # BSD make
    re.MULTILINE,
)
_NOTHING: Final = re.compile(
    r"^g?make: Nothing to be done for [`'‘]test['’]\.$|^(?:g?make: )?[`'‘]test['’] is up to date\.$", re.MULTILINE
)
_UNREADABLE: Final = re.compile(
    r"^[^\s:]+:\d+: \*\*\* .*Stop\.$|^b?make: Fatal errors encountered -- cannot continue$", re.MULTILINE
)
_BELOW: Final = re.compile(r"^g?make\[\d+\]: ", re.MULTILINE)
_ASK: Final = ("-n", "-r")  # what it would do without its built-in rules, by which `test` is made of `test.sh`
_CALLS_MAKE: Final = re.compile(r"^\S*\bg?make(?:\s|$)")


def present(site: Site) -> Present | Text:
    """A Makefile; else why there is nothing for make. Whether it has a target `test` is for make itself to say."""
    if not site.has(*_FILES):
        return texts.NO_FILE.of(runner="make", file="Makefile")
    return Present("make test", site.which("gmake", "make"), doubt=texts.MAKE_DOUBT)


def judge(suite: SuiteRun, make: str) -> Finding:
    """Run `make test` if the Makefile says what to do for it."""
    asked = suite.run([make, *_ASK, "test"])
    if nothing := suite.unfinished(asked) or _nothing_to_run(asked):
        return nothing
    ran = suite.run([make, *_as_phony(suite, make, asked), "test"])
    return suite.unfinished(ran) or finding_of(ran, "make test")


def _as_phony(suite: SuiteRun, make: str, asked: Ran) -> list[str]:
    """Arguments that keep make from making a file `test` from one such as `test.sh`, by a rule of its own.

    None are given where no such file is, and where they change what make would do: a pattern of the Makefile itself
    makes `test` then.
    """
    if not any(suite.folder.glob("test.*")):
        return []
    phony = suite.private / "phony.mk"
    phony.write_text(".PHONY: test\n", encoding="utf-8")
    makefile = next(name for name in _FILES if suite.site.has(name))
    arguments = ["-f", makefile, "-f", str(phony)]
    return arguments if suite.run([make, *_ASK, *arguments, "test"]).stdout == asked.stdout else []


def _nothing_to_run(asked: Ran) -> Finding | None:
    if _NO_RULE.search(asked.stderr):
        return Finding("unavailable", texts.MAKE_NO_TARGET, asked.output)
    if _NOTHING.search(asked.output):
        return Finding("unavailable", texts.MAKE_NOTHING, asked.output)
    if asked.code and _UNREADABLE.search(asked.stderr):
        return Finding("unknown", texts.MAKE_UNREADABLE, asked.output)
    if asked.code == 0 and all(does_nothing(command) for command in _commands(asked.stdout)):
        return Finding("unavailable", texts.TESTS_NOTHING.of(runner="make test"), asked.output)
    return None


def _commands(stdout: str) -> list[str]:
    """What a dry run printed, one command each; calls of a make below stand for what that one printed."""
    below = _BELOW.search(stdout) is not None
    lines = stdout.replace("\\\n", " ").splitlines()
    return [
        line
        for line in lines
        if line.strip() and not _BELOW.match(line) and not (below and _CALLS_MAKE.match(line.lstrip()))
    ]
