r"""What test runners print, as data: one row a runner. `summaries` reads it.

Owns the forms of summaries, of "there are no tests", and of "a tool is missing". Refuses prose: a form is a line from
its beginning, or lines that follow each other, so that a test which prints "1 failed" does not speak for the suite.

A row holds tiers, the more exact first. The first tier that is seen says what passed; a failure counts in every tier.
A form says it by its groups: `p` for what passed, `f` for what failed (a number, or a word for one), `c` and `c2` for
counts such as "2 passed, 1 skipped" or "Skipped: 1". A pattern without groups is counts as a whole. A form that names
neither a pass nor a failure says that nothing passed.
"""

from __future__ import annotations

from typing import Final

RUNNERS: Final[dict[str, tuple[str, ...]]] = {
    "pytest": (
        r"^(?:=+ )?(?P<c>(?:\d+ [a-z]+(?: [a-z]+)?, )*\d+ "
        r"(?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?|rerun|subtests passed)) in [\d.]+s\b"
        r"|^(?:=+ )?(?:\d+/)?\d+ tests? collected\b",
    ),
    "unittest, Django, shunit2": (
        r"^(?P<c>Ran \d+ tests?(?: in [\d.]+s|\.)\n+(?:OK|NO TESTS RAN)\b.*)$|^(?P<f>FAILED) \(\w",
    ),
    "RSpec, minitest, test-unit, ExUnit, Jasmine, Bats, Hspec, Crystal, Robot Framework": (
        r"^\d+ (?:examples?|tests?|runs|specs?|doctests?|properties|property|features?), .*\b(?:failures?|failed)\b.*$",
    ),
    "jest, vitest, Pest": (
        r"^[ \t]*Tests:? +(?P<c>\d+ [a-z]+(?:(?:,| \|) \d+ [a-z]+)*)(?: \(.*\))?$|^[ \t]*Tests:? +no tests$"
        r"|^[ \t]*Test (?:Suites|Files):? +(?:.* )?(?P<f>[1-9]\d*) failed\b"
        r"|^No tests? (?:files? )?found, exiting with code 0$",
    ),
    "mocha": (r"^ +(?P<c>\d+ (?:passing|pending|failing))\b",),
    "AVA": (r"^ +(?P<c>\d+ tests? (?:passed|failed|skipped|todo))$|^ +(?P<f>[1-9]\d*) (?:uncaught|unhandled) ",),
    "node --test, tape, node-tap, QUnit, any TAP": (
        r"^(?:# |ℹ )(?P<c>(?:pass|fail|cancelled) +\d+)$|^# \{ (?P<c2>total: \d+.*) \}$",
        r"^(?:not )?ok {1,3}\d+\b.*# *(?:SKIP|TODO|skip|todo)\b|^1\.\.0\b"
        r"|^(?P<f>not ok) \d+\b|^(?P<p>ok) {1,3}\d+\b",
    ),
    "Bun": (r"^ (?P<c>\d+ (?:pass|fail|skip|todo))$|^Ran 0 tests across ",),
    "Deno": (r"^(?:ok|FAILED) \| (?P<c>\d+ passed \|.*)$",),
    "Karma": (r"^.{0,80}: Executed (?P<p>\d+) of \d+(?: \((?P<f>\d+) FAILED\))?",),
    "uvu": (r"^ +Total: +\d+\n +Passed: +\d+\n +Skipped: +\d+$",),
    "Playwright, TestCafe": (r"^ +(?P<c>\d+ (?:passed|failed|skipped|flaky|did not run))(?: \(.*\))?$",),
    "Cypress": (r"^ *│ (?P<c>(?:Passing|Failing|Pending): +\d+) ",),
    "Cucumber, behave": (r"^\d+ scenarios? \((?P<c>.*)\)$|^(?P<c2>\d+ scenarios? passed, .*)$",),
    "cargo": (
        r"^test result: ok\. (?P<c>.*)$"
        r"|^(?P<f>test result: FAILED|error: (?:doc)?test failed|error: \d+ targets? failed)",
    ),
    "cargo-nextest": (r"^ *Summary \[.*\] +(?P<c>\d+ tests? run: .*)$",),
    "go": (
        r"^[ \t]*--- (?:(?P<p>PASS)|(?P<f>FAIL)|SKIP): ",
        r"^(?P<p>ok) {2}\t?\S+\s+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])|^(?P<f>FAIL)(?:\t|$)"
        r"|\[no test files\]|\[no tests to run\]|^\t\S+\t+coverage: 0\.0% of statements$",
    ),
    "gotestsum": (r"^DONE (?:\d+ runs, )?(?P<c>\d+ tests?\b.*) in [\d.]+s$",),
    "Surefire, JUnit 4": (r"^Tests run: +\d+, +Failures: \d+.*$|^No tests to run\.$",),
    "JUnit 5": (r"^\[ +(?P<c>\d+ tests (?:successful|failed|skipped|aborted)) +\]$",),
    "Gradle": (
        r"^\S.{0,200} > .{1,300} (?:(?P<p>PASSED)|(?P<f>FAILED)|SKIPPED)$"
        r"|^(?P<c>\d+ tests? completed(?:, .*)?)$|^> Task \S*[tT]est NO-SOURCE$",
    ),
    "sbt, ScalaTest": (r"^Passed: (?P<c>Total \d+, .*)$|^Tests: (?P<c2>succeeded \d+, .*)$|^No tests to run for ",),
    "clojure.test": (r"^Ran \d+ tests containing \d+ assertions\.\n\d+ failures, \d+ errors\.$",),
    "dotnet, xUnit": (
        r"^(?:Passed|Failed|Skipped)! +- +Failed: .*$|^Test summary: total: .*$"
        r"|^Total tests: \d+(?:\n +[A-Z]\w+: \d+)*$|^.{0,80}\bTotal: \d+, Errors: \d+, Failed: \d+, Skipped: \d+",
    ),
    "PHPUnit": (r"^OK \(\d+ tests?\b.*\)$|^Tests: \d+, Assertions: \d+.*$",),
    "ctest": (
        r"^ *\d+/\d+ +Test +#\d+: .*? (?:(?P<p>Passed) |\.*\*\*\*(?P<f>Failed|Exception|Timeout)|\.*\*\*\*\S)",
        r"^100% tests passed, 0 tests failed out of (?P<p>\d+)$|^\d+% tests passed, (?P<f>\d+) tests? failed out of ",
    ),
    "Meson": (r"^(?P<c>(?:Ok|Fail|Timeout|Skipped): +\d+) *$",),
    "Automake": (r"^# (?P<c>(?:PASS|FAIL|ERROR|SKIP): +\d+)$",),
    "GoogleTest, cmocka": (r"^\[ +PASSED +\] (?P<p>\d+) tests?\b|^\[ +FAILED +\] (?P<f>\d+) tests?\b",),
    "Catch2, doctest": (r"^(?:\[doctest\] )?test cases: +(?P<c>\d.*)$|^All tests passed \((?P<p>\d+) assertions? in ",),
    "Check": (r"^\d+%: Checks: \d+, Failures: \d+, Errors: \d+$",),
    "Unity": (r"^\d+ Tests \d+ Failures \d+ Ignored",),
    "prove": (r"^Files=\d+, (?P<c>Tests=\d+)|^Result: (?P<f>FAIL)$",),
    "busted": (r"^\d+ success(?:es)? / \d+ failures? / .*$",),
    "XCTest": (r"^[ \t]*Executed \d+ tests?, with .*\bfailures?\b.*$",),
    "Swift Testing": (r"^.{0,3}Test run with (?:(?P<p>\d+) tests?\b.* passed|(?P<f>\d+) tests?\b.* failed) after ",),
    "Dart": (r"^\d+:\d+ \+(?P<p>\d+)(?: ~\d+)?(?: -(?P<f>\d+))?: (?:All|Some) tests \w+[.!]$",),
    "Julia": (r"^Test Summary: +\|(?: +(?:(?P<p>Pass)|(?P<f>Fail|Error)|Broken|Total|Time))+$",),
    "testthat": (r"^\[ (?P<c>FAIL \d+ \| .*PASS \d+) \]",),
    "Pester": (r"^Tests Passed: (?P<p>\d+), Failed: (?P<f>\d+)",),
    "Alcotest": (r"^Test Successful in \S+ (?P<p>\d+) tests? run",),
    "Zig, Tasty, EUnit, old Automake": (r"^[ \t]*All (?P<p>\d+) tests? (?:passed|behaved as expected)\b",),
    "make": (r"^g?make(?:\[\d+\])?: \[.*\] (?P<f>Error \d+) \(ignored\)$",),
}

COUNTS: Final = {
    "passed": r"passed|passing|pass|success(?:es)?|successful|succeeded|ok",
    "failed": r"failed|failures?|failing|fail|errors?|cancelled|timeout|unexpected successes",
    "skipped": r"skipped|skips?|pendings?|ignored|todo|omissions|excluded|incomplete|risky|aborted|expected failures",
    "total": r"tests run|tests? completed|examples?|tests?|runs|specs?|doctests?|properties|property|features?"
    r"|total|checks",
}
"""The words beside the numbers. What none of these names (assertions, warnings) counts for nothing."""

EMPTY: Final = (
    r"^(?:=+ )?(?:no tests ran|\d+ (?:deselected|warnings?)(?:, \d+ warnings?)?) in [\d.]+s",  # pytest
    r"^NO TESTS RAN\b",  # unittest
    # jest, vitest, mocha, node-tap, Bun, Deno, Playwright
    r"^[ \t]*(?:Error: |error: )?No tests? (?:files? |modules )?found\b(?!, exiting with code 0)",
    r"^(?:Incomplete: )?No specs found$",  # Jasmine
    r"^[ \t]*[✘✖×] Couldn.t find any (?:files to test|matching tests)",  # AVA
    r"^.{0,80}: Executed 0 of (?:0|(?P<n>\d+) \(skipped (?P=n)\))\s",  # Karma
    r"^error: no tests to run$",  # cargo-nextest
    r"matched no packages|^no packages to test$|no Go files in ",
    r"^No examples found\.$",  # RSpec
    r"^There are no tests to run$|^All tests have been excluded\.$",  # ExUnit
    r"^No test (?:is available in|matches the given testcase filter) ",  # dotnet
    r"^No tests (?:executed!$|were executed!)",  # PHPUnit, Surefire
    r"^(?:> )?No tests found for given includes|^> There are test sources present and no filters are applied",  # Gradle
    r"^No tests (?:were found!!!|defined\.|ran\.|match )",  # ctest, Meson, Dart
    r"^No tests named and 't' directory not found",  # prove
)
"""A runner that had nothing to run and says so, whatever the code with which it ends."""

# A module that is not listed may be the candidate's own: one that it broke.
_JS: Final = (
    r"(?:@?(?:jest|vitest|playwright|cypress|ava|swc|babel|web)|@?tap(?:js)?|mocha|jasmine|karma|tape|qunit|uvu|nyc|c8"
    r"|tsx|ts-(?:jest|node|mocha)|typescript|chai|sinon|supertest|puppeteer|selenium-webdriver|webdriverio)"
)
_PYTHON: Final = r"(?:_?pytest|unittest2|nose2?|tox|nox|coverage|behave|hypothesis|stestr|testtools|ward)"
_RUBY: Final = r"(?:rspec|minitest|test/unit|cucumber|rake|bundler)"
_PROGRAM: Final = (
    rf"(?:[^\s'\"]*/)?(?:{_JS}|{_PYTHON}|{_RUBY}|tsc|node|npm|npx|pnpm|yarn|bun|deno|electron|python[\d.]*|uvx?|poetry"
    r"|pdm|hatch|pipenv|robot|ruby|bundle|php|composer|phpunit|pest|codecept|perl|prove|cargo|rustc|go|gotestsum|java"
    r"|mvnw?|gradlew?|sbt|lein|clojure|dotnet|mix|elixir|rebar3|bats|shellspec|shunit2|busted|lua|swift|dart|flutter"
    r"|zig|julia|Rscript|cabal|stack|dune|opam|g?make|cmake|ctest|meson|ninja|gcc|g\+\+|clang|cc|docker|podman|timeout)"
)

MISSING: Final = (
    r"^g?make(?:\[\d+\])?: \*\*\* \[.*\] Error 12[67]$",  # the code of a shell that could not run a command
    r"^\*\*\* Error code 12[67]\b|^\S*make: exec\(.*\) failed \(",  # BSD make
    rf": {_PROGRAM}: (?:command )?not found$|^zsh: command not found: {_PROGRAM}$",  # where the shell's code was lost
    r"^npm (?:ERR!|error) (?:Missing script: |could not determine executable|npx canceled due to missing packages)",
    r"^npm (?:ERR!|error) code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)$",  # npx had to fetch it
    r"^(?:error|[^\S\n]*ERR_PNPM_\S+)\s+(?:Command \"\S+\" not found|Missing script: )",  # Yarn, pnpm
    r"^Usage Error: Couldn't find a script named |^error: Script not found |^Task not found: ",  # Yarn, Bun, Deno
    rf"\bCannot find (?:module|package) ['\"](?:\S*/node_modules/)?{_JS}(?:[/-][^'\"]*)?['\"]",  # node
    rf"\bNo module named '?{_PYTHON}(?:\.\w+)*'?$",
    rf"\bcannot load such file -- {_RUBY}\b|^ruby: No such file or directory -- {_RUBY} |^bundler: command not found: ",
    rf"^Could not open input file: {_PROGRAM}$",  # PHP
    r"^Can't locate (?:Test|TAP|App/Prove)\S*\.pm in @INC",  # Perl
    r"^error: no such command: `|^error: toolchain '.*' is not installed|^error: rustup could not choose a version ",
    r"^go: no such tool |^go: .*requires go >= .* \(running go |^go: download go\S+ .*toolchain not available",
    r"^Error: Unable to access jarfile |Could not find or load main class org\.(?:gradle|apache\.maven)\.wrapper\.",
    r"^(?:ERROR: |Error: )?JAVA_HOME is (?:not set|set to an invalid|not defined)|Unable to locate a Java Runtime",
    r"^\*\* \(Mix\) The task \S+ could not be found|^No \.NET SDKs were found|^A compatible \.NET SDK was not found",
    r": (?:No binary for \S+ browser on your platform|Cannot load browser \"\S+\": it is not registered)",  # Karma
    r"^.{0,12}(?:Error: )?browserType\.launch: Executable doesn't exist at |^The cypress npm executable .* is missing",
)
"""A tool, a script or a browser that a suite needs is missing. It explains a failure where no test is seen to fail."""
