"""pytest as the judge: the project's own interpreter and settings, the report in a file that only pytest writes to.

Owns what counts as evidence: the JUnit report, read together with the exit code, never the printed words. Refuses to
start pytest where nothing can be a test. Always: neither a cache nor a bytecode file is left, and where the folder is
no repository of its own right (a workspace inside somebody's project) the settings above it do not reach in.
"""

from __future__ import annotations

import configparser
import fnmatch
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from xuen.events import JudgeOutcome
from xuen.guard.verify.suites.suite_run import Finding, Present, Ran, Site, SuiteRun
from xuen.texts import Text
from xuen.texts import verify as texts

_HAS_PYTEST: Final = ("-c", "import importlib.util as u, sys; sys.exit(0 if u.find_spec('pytest') else 9)")
_NO_PYTEST: Final = 9
_INI: Final = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
_SECTIONS: Final = {"tox.ini": "pytest", "setup.cfg": "tool:pytest"}
_TEST_NAMES: Final = ("test_*.py", "*_test.py", "conftest.py")
_SKIPPED: Final = frozenset(("node_modules", "_darcs", "build", "CVS", "dist", "venv", "{arch}"))  # pytest's own list
_CUT_SHORT: Final = re.compile(r"^!{3,}.*\b(?:Exit|KeyboardInterrupt)\b", re.MULTILINE)
_OK, _FAILED, _INTERNAL, _USAGE, _NOTHING = 0, 1, 3, 4, 5


def present(site: Site) -> Present | Text:
    """Something that pytest could collect; else why there is nothing for it."""
    if not _may_have_tests(site.folder):
        return texts.PYTEST_NO_FILES
    python = _interpreter(site)
    return Present(f"pytest ({python})", python, _HAS_PYTEST)


def judge(suite: SuiteRun, python: str) -> Finding:
    """Run pytest if the interpreter has it."""
    probe = suite.run([python, *_HAS_PYTEST])
    if unfinished := suite.unfinished(probe):
        return unfinished
    if probe.code != 0:
        text = texts.PYTEST_MISSING if probe.code == _NO_PYTEST else texts.PYTHON_BROKEN
        return Finding("unavailable", text.of(python=python), probe.output)
    report = suite.private / "report.xml"
    ran = suite.run([python, "-m", "pytest", *_options(suite, report)])
    return suite.unfinished(ran) or _finding(ran, _read(report))


def _interpreter(site: Site) -> str:
    """The project's own interpreter where there is one."""
    inner = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    for name in (".venv", "venv"):
        path = site.folder.joinpath(name, *inner)
        if path.exists():
            return str(path)
    return site.python


def _options(suite: SuiteRun, report: Path) -> list[str]:
    # The cache goes elsewhere instead of away: a project's own --ff or --lf needs the plugin.
    options = [f"--junitxml={report}", "-o", f"cache_dir={suite.private / 'cache'}", "--color=no"]
    if not suite.climbs and not has_settings(suite.folder):
        empty = suite.private / "pytest.ini"
        empty.write_text("[pytest]\n", encoding="utf-8")
        options += ["-c", str(empty), f"--rootdir={suite.folder}", f"--confcutdir={suite.folder}"]
    return options


# --- is there anything ---------------------------------------------------------------------------------------------


def _may_have_tests(folder: Path) -> bool:
    """Whether pytest could collect anything: a file with a test's name, or settings that may name other files."""
    if any((folder / name).is_file() for name in _INI):
        return True
    for name in ("pyproject.toml", *_SECTIONS):
        path = folder / name
        if path.is_file() and b"pytest" in path.read_bytes():
            return True
    return _has_test_file(folder)


def _has_test_file(folder: Path) -> bool:
    seen: set[str] = set()
    for base, folders, files in os.walk(folder, followlinks=True):  # pytest follows links too
        real = os.path.realpath(base)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        if any(fnmatch.fnmatch(file, name) for file in files for name in _TEST_NAMES):
            return True
        folders[:] = [name for name in folders if not _left_out(base, name)]
    return False


def _left_out(base: str, name: str) -> bool:
    if name.startswith(".") or name.endswith(".egg") or name in _SKIPPED:
        return True
    return os.path.exists(os.path.join(base, name, "pyvenv.cfg"))  # noqa: PTH110, PTH118 - thousands of folders


def has_settings(folder: Path) -> bool:
    """Whether pytest finds settings in this very folder; a file that cannot be read counts, pytest will say so."""
    if any((folder / name).is_file() for name in _INI):
        return True
    try:
        return _has_table(folder / "pyproject.toml") or any(
            _has_section(folder / name, section) for name, section in _SECTIONS.items()
        )
    except (tomllib.TOMLDecodeError, configparser.Error, UnicodeDecodeError):
        return True


def _has_table(path: Path) -> bool:
    if not path.is_file():
        return False
    tool = tomllib.loads(path.read_text(encoding="utf-8")).get("tool")
    return isinstance(tool, dict) and "pytest" in tool


def _has_section(path: Path, section: str) -> bool:
    if not path.is_file():
        return False
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(path.read_text(encoding="utf-8"))
    return parser.has_section(section)


# --- what it found -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Counts:
    """What the report says, in test cases."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0


def _read(report: Path) -> _Counts | None:
    """The report's counts; None when pytest did not get as far as writing it."""
    counts = _Counts()
    try:
        for _, element in ElementTree.iterparse(report):
            if element.tag != "testcase":
                continue
            inner = {child.tag for child in element}
            if inner & {"failure", "error"}:
                counts.failed += 1
            elif "skipped" in inner:
                counts.skipped += 1
            else:
                counts.passed += 1
            element.clear()
    except (OSError, ElementTree.ParseError):
        return None
    return counts


def _finding(ran: Ran, counts: _Counts | None) -> Finding:
    """From exit code and report to the finding; see https://docs.pytest.org/en/stable/reference/exit-codes.html."""
    if counts is None:
        return Finding("unknown", texts.PYTEST_NO_REPORT.of(code=ran.code), ran.output)
    if ran.code in (_INTERNAL, _USAGE):  # its report names its own trouble as an error
        return Finding("unknown", texts.PYTEST_TROUBLE.of(code=ran.code), ran.output)
    if counts.failed:
        return Finding("failed", texts.PYTEST_FAILED.of(failed=counts.failed, passed=counts.passed), ran.output)
    outcome: JudgeOutcome
    if _CUT_SHORT.search(ran.output):
        outcome, reason = "unknown", texts.PYTEST_CUT_SHORT
    elif ran.code in (_OK, _NOTHING) and not counts.passed:
        outcome, reason = "unavailable", texts.PYTEST_NOTHING_RAN.of(skipped=counts.skipped)
    elif ran.code == _OK:
        outcome, reason = "passed", texts.PYTEST_PASSED.of(passed=counts.passed)
    elif ran.code == _FAILED:  # no single test, but what the project demands of the whole: a coverage, say
        outcome, reason = "failed", texts.SUITE_FAILED.of(runner="pytest", code=ran.code)
    else:
        outcome, reason = "unknown", texts.PYTEST_TROUBLE.of(code=ran.code)
    return Finding(outcome, reason, ran.output)
