"""What all tests share: the real command line, and the rule that a skip is listed or the run fails."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Whoever starts the tests has settings, a language and a terminal; tests that need any of it bring their own.
FOREIGN = ("XUEN_", "XWORK_", "OPENAI_", "ANTHROPIC_", "GITHUB_", "TEXTUAL", "NO_COLOR", "LANG", "LC_", "COLUMNS")
OURS = ("XWORK_MODEL_FILE", "TEXTUAL_SNAPSHOT_TEMPDIR")  # the latter is between the snapshots' plugin and its workers
for name in [name for name in os.environ if name.startswith(FOREIGN) and name not in OURS]:
    del os.environ[name]
os.environ["LANG"] = "C.UTF-8"
STATE = tempfile.TemporaryDirectory(
    prefix="xuen-state-"
)  # whoever starts the tests keeps a state folder without traces
os.environ["XDG_STATE_HOME"] = STATE.name

# Whoever starts the tests in the background may have these ignored; programs under test would inherit it.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

ROOT = Path(__file__).resolve().parent.parent
SKIPS = ROOT / "tests" / "skips.txt"

Xuen = Callable[..., "subprocess.CompletedProcess[str]"]


def clean_environment(**extra: str) -> dict[str, str]:
    """The environment of this process without what would reach into the programs under test."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith((*FOREIGN, "PYTEST_"))}
    return kept | {"LANG": "C.UTF-8", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | extra


@pytest.fixture
def environment() -> Callable[..., dict[str, str]]:
    """Makes the environment for a program under test."""
    return clean_environment


@pytest.fixture
def agents() -> Path:
    """The folder with the small agent programs."""
    return ROOT / "tests" / "agents"


@pytest.fixture
def xuen(tmp_path: Path) -> Xuen:
    """Runs the real command line in `tmp_path` and returns the finished process."""

    def run(*arguments: str, timeout: float = 60, cwd: Path = tmp_path, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(ROOT / "main.py"), *arguments],
            cwd=cwd,
            env=clean_environment(**env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )

    return run


# --- properties ------------------------------------------------------------------------------------------------------

# How long an example takes is the machine's business.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


# --- skips -----------------------------------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """`@pytest.mark.needs("program")` skips a test where that program, or each in `one|other`, is not installed.

    A test that is not listed fails everywhere, so that a machine that has all programs notices too.
    """
    programs = [name for mark in item.iter_markers("needs") for name in mark.args]
    if programs and item.nodeid.split("[")[0] not in listed_skips():
        pytest.fail(f"it needs {', '.join(programs)}: list it in tests/skips.txt", pytrace=False)
    for program in programs:
        if not any(map(shutil.which, program.split("|"))):
            pytest.skip(f"{program} is not installed")


class _Skips:
    """Collects skipped tests where the reports arrive; those that tests/skips.txt does not list fail the run."""

    def __init__(self, listed: set[str]) -> None:
        self.listed = listed
        self.unlisted: list[tuple[str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail") and report.nodeid.split("[")[0] not in self.listed:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.unlisted.append((report.nodeid, reason))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped and report.nodeid not in self.listed:
            self.unlisted.append((report.nodeid, str(report.longrepr)))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unlisted and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for nodeid, reason in self.unlisted:
            terminalreporter.write_line(f"skipped, but not listed in tests/skips.txt: {nodeid}: {reason}", red=True)


@cache
def listed_skips() -> dict[str, str]:
    """The tests that may be skipped, and when: `nodeid: reason` a line."""
    lines = [line.strip() for line in SKIPS.read_text("utf-8").splitlines()]
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Skips(set(listed_skips())), "xuen-skips")
