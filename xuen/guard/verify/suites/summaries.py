"""What a runner's output says about its tests, and what that and the exit code mean together; pure.

Owns the reading of `forms`. Refuses an exit code alone as evidence of success. Always: `passed` only where a test was
seen to pass; a runner that had nothing to run, or that is not there, fails nobody. Also knows commands that test
nothing.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Final

from xuen.guard.verify.suites.forms import COUNTS, EMPTY, MISSING, RUNNERS
from xuen.guard.verify.suites.suite_run import Finding, Ran
from xuen.texts import Text
from xuen.texts import verify as texts

_TIERS: Final = tuple(tuple(re.compile(tier, re.MULTILINE) for tier in tiers) for tiers in RUNNERS.values())
_EMPTY: Final = re.compile("|".join(EMPTY), re.MULTILINE)
_MISSING: Final = re.compile("|".join(MISSING), re.MULTILINE)
_NOT_RUN: Final = (126, 127)  # a shell's codes for a command that it could not run
# What runners of many packages, Maven, sbt and docker compose put before each line.
_PREFIX: Final = re.compile(
    r"^(?:[\w@./-]{1,60}(?::| )test: ?|\[(?:INFO|WARNING|ERROR|info|error)\] |\S{1,60}-\d+ +\| )", re.M
)
_WORD: Final = "|".join(COUNTS.values())
_KINDS: Final = {kind: re.compile(words, re.IGNORECASE) for kind, words in COUNTS.items()}
_COUNT: Final = re.compile(
    rf"(\d+) +(?:(?:tests?|scenarios?) +)?({_WORD})(?![\w-])|(?<![\w-])({_WORD})(?: *[:=] *| +)(\d+)", re.IGNORECASE
)
_TESTS_NOTHING: Final = frozenset(("echo", "printf", "true", ":", "cd", "exit"))
_JOINT: Final = re.compile(r"[;&|()]+")


@dataclass(frozen=True, slots=True)
class Summary:
    """What was seen in an output: a test that passed, one that failed, a known runner without either."""

    passed: bool
    failed: bool
    none: bool


def summary_of(output: str) -> Summary:
    """What the summaries in an output say."""
    text = _PREFIX.sub("", output)
    known = _EMPTY.search(text) is not None
    passed = failed = False
    for tiers in _TIERS:
        seen = [said for tier in tiers if (said := [_said(match) for match in tier.finditer(text)])]
        if seen:
            known = True
            passed |= any(of_this for of_this, _ in seen[0])
            failed |= any(of_this for said in seen for _, of_this in said)
    return Summary(passed, failed, known and not passed and not failed)


def _said(match: re.Match[str]) -> tuple[bool, bool]:
    """Whether a form says that a test passed, and whether it says that one failed."""
    groups = match.groupdict()
    counts = groups.get("c") or groups.get("c2") or ("" if groups else match[0])
    passed, failed = _counted(counts)
    return passed or groups.get("p") not in (None, "0"), failed or groups.get("f") not in (None, "0")


def _counted(counts: str) -> tuple[bool, bool]:
    """The same for counts such as `1 failed, 2 passed`."""
    sums = dict.fromkeys(COUNTS, 0)
    explicit = False
    for number, word, word_before, number_behind in _COUNT.findall(counts):
        kind = next(kind for kind, form in _KINDS.items() if form.fullmatch(word or word_before))
        sums[kind] += int(number or number_behind)
        explicit |= kind == "passed"
    passed = sums["passed"] if explicit else sums["total"] - sums["failed"] - sums["skipped"]
    return passed > 0, sums["failed"] > 0


def finding_of(ran: Ran, runner: str, *, lacks: Text | None = None) -> Finding:
    """What a `runner` that ended by itself found out.

    `lacks` says what seems not to be installed. That explains a failure in which no test is seen to fail.
    """
    seen = summary_of(ran.output)
    if ran.code == 0:
        return _of_success(ran, runner, seen)
    text = _PREFIX.sub("", ran.output)
    if seen.none and _EMPTY.search(text):
        return Finding("unavailable", texts.TESTS_NOTHING.of(runner=runner), ran.output)
    if ran.code in _NOT_RUN or _MISSING.search(text):
        lacks = texts.TOOL_MISSING.of(runner=runner)
    if lacks is not None and not seen.failed:
        return Finding("unavailable", lacks, ran.output)
    return Finding("failed", texts.SUITE_FAILED.of(runner=runner, code=ran.code), ran.output)


def _of_success(ran: Ran, runner: str, seen: Summary) -> Finding:
    """The finding for exit code 0, which alone is no evidence."""
    if seen.failed:
        return Finding("unknown", texts.SUITE_CONTRADICTS.of(runner=runner), ran.output)
    if seen.passed:
        return Finding("passed", texts.SUITE_PASSED.of(runner=runner), ran.output)
    if seen.none:
        return Finding("unavailable", texts.TESTS_NOTHING.of(runner=runner), ran.output)
    return Finding("unknown", texts.SUITE_UNSEEN.of(runner=runner), ran.output)


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
