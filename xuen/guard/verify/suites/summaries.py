"""What a runner's output says about its tests, for suites behind `make test` and `npm test`; pure.

Owns the summary lines of common runners, and what they and the exit code mean together. Refuses to find words in the
middle of prose: only whole lines of known form count, so that a test which prints "1 failed" does not speak for the
suite. Also knows commands that test nothing.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Final

from xuen.guard.verify.suites.suite_run import Finding, Ran
from xuen.texts import Text
from xuen.texts import verify as texts

_SOME: Final = r"[1-9]\d*"
_PASSED: Final = re.compile(
    rf"^(?:=+ )?(?:.*, )?{_SOME} passed\b.* in [\d.]+s"  # pytest
    rf"|^\s*Tests:?\s+.*\b{_SOME} passed\b"  # jest, vitest
    rf"|^\s*{_SOME} passing\b"  # mocha
    rf"|^(?:# |ℹ )pass {_SOME}$"  # node --test
    r"|^ok {1,3}\d+\b(?!.*# (?:SKIP|TODO))"  # TAP
    r"|^ok {2,}\t?\S+\s+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])"  # go
    rf"|^test result: ok\. {_SOME} passed"  # cargo
    rf"|tests passed, 0 tests failed out of {_SOME}"  # ctest
    r"|^OK(?: \(.*\))?$",  # unittest, PHPUnit
    re.MULTILINE,
)
_FAILED: Final = re.compile(
    rf"^(?:=+ )?(?:.*, )?{_SOME} (?:failed|errors?)\b.* in [\d.]+s"
    rf"|^\s*(?:Tests|Test Suites|Test Files):?\s+(?:.*\b)?{_SOME} failed\b"
    rf"|^\s*{_SOME} failing\b"
    rf"|^(?:# |ℹ )fail {_SOME}$"
    r"|^not ok \d+\b(?!.*# (?:SKIP|TODO))"
    r"|^--- FAIL: |^FAIL\t"
    r"|^test result: FAILED"
    rf"|tests passed, {_SOME} tests failed out of"
    r"|^FAILED \(|^FAILURES!$"
    r"|^g?make(?:\[\d+\])?: \[.*\] Error \d+ \(ignored\)$",
    re.MULTILINE | re.IGNORECASE,
)
_NONE: Final = re.compile(
    r"no tests ran in [\d.]+s|^no tests ran\b|^Ran 0 tests in |^NO TESTS RAN"
    r"|^\s*No tests? (?:files? )?found\b"
    r"|^\s*0 passing\b"
    r"|^(?:# |ℹ )tests 0$|^1\.\.0\b"
    r"|\[no test files\]|\[no tests to run\]|matched no packages"
    r"|^No tests were found!!!",
    re.MULTILINE | re.IGNORECASE,
)
_TESTS_NOTHING: Final = frozenset(("echo", "printf", "true", ":", "cd", "exit"))
_JOINT: Final = re.compile(r"[;&|()]+")


@dataclass(frozen=True, slots=True)
class Summary:
    """What was seen in an output: a test that passed, one that failed, a runner that found none."""

    passed: bool
    failed: bool
    none: bool


def summary_of(output: str) -> Summary:
    """What the summary lines of an output say."""
    return Summary(*(bool(form.search(output)) for form in (_PASSED, _FAILED, _NONE)))


def finding_of(ran: Ran, runner: str, *, lacks: Text | None) -> Finding:
    """What a `runner` that ended by itself found out.

    `lacks` says what seems not to be installed. That explains a failure in which no test is seen to fail.
    """
    seen = summary_of(ran.output)
    if ran.code == 0 and seen.failed:
        return Finding("unknown", texts.SUITE_CONTRADICTS.of(runner=runner), ran.output)
    if seen.none and not seen.passed and not seen.failed:
        return Finding("unavailable", texts.TESTS_NOTHING.of(runner=runner), ran.output)
    if ran.code == 0:
        return Finding("passed", texts.SUITE_PASSED.of(runner=runner), ran.output)
    if lacks is not None and not seen.failed:
        return Finding("unavailable", lacks, ran.output)
    return Finding("failed", texts.SUITE_FAILED.of(runner=runner, code=ran.code), ran.output)


def does_nothing(command: str) -> bool:
    """Whether a shell command surely does nothing but print, change folder or end."""
    if any(mark in command for mark in ("$(", "`", "\n", "<(", ">(")):
        return False
    lexer = shlex.shlex(command.lstrip("@+-"), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # an open quote: a shell knows more about it
        return False
    first = True
    for word in words:
        if first and word not in _TESTS_NOTHING:
            return False
        if "|" in word and word != "||":
            return False
        first = _JOINT.fullmatch(word) is not None
    return True
