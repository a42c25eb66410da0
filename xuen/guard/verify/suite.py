"""The verifier `tests`: the project's own test suite, found in the order pytest, make, npm, go.

Owns the order and the bounds of the whole: one time limit, one clean environment, one private folder. Refuses to
touch what a suite changed; it says which files. Always: `passed` only on evidence of a test that passed and none that
failed; no suite, or one that could not come to an end, is never a failure of the candidate.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from xuen.guard.candidates import Snapshot
from xuen.guard.verify import Judgement
from xuen.guard.verify.excerpt import excerpt
from xuen.guard.verify.suites import go_suite, make_suite, npm_suite, pytest_suite
from xuen.guard.verify.suites.suite_run import Finding, Present, Site, SuiteRun
from xuen.guard.verify.suites.surroundings import suite_environment
from xuen.proc.private import private_folder
from xuen.stop import Stop
from xuen.texts import Language, Text
from xuen.texts import verify as texts

_PROBE: Final = 15.0  # seconds for a program to say whether it could run the suite


@dataclass(frozen=True, slots=True)
class _Runner:
    """One runner: what it would run in a place, or why nothing; and the run, with the program that was found."""

    name: str
    present: Callable[[Site], Present | Text]
    judge: Callable[[SuiteRun, str], Finding]


_RUNNERS: Final = (
    _Runner("pytest", pytest_suite.present, pytest_suite.judge),
    _Runner("make", make_suite.present, make_suite.judge),
    _Runner("npm", npm_suite.present, npm_suite.judge),
    _Runner("go", go_suite.present, go_suite.judge),
)


def runners_here(folder: Path) -> list[tuple[Present, bool]]:
    """What the runners would find in a folder, in the order in which they are asked, and whether they are installed.

    No suite is run.

    Raises:
        OSError: a file that tells of a suite cannot be read.
    """
    env = suite_environment(os.environ, {})
    site = Site(folder.absolute(), env.get("PATH"), sys.executable)
    found = [here for runner in _RUNNERS if isinstance(here := runner.present(site), Present)]
    return [(here, _can_run(here, env)) for here in found]


def _can_run(here: Present, env: Mapping[str, str]) -> bool:
    if here.program is None or not here.probe:
        return here.program is not None
    asked = [here.program, *here.probe]
    try:
        done = subprocess.run(
            asked, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


class SuiteVerifier:
    """Runs the suite in `folder`; `timeout` in seconds for all runners together, 0 for none.

    `is_repo` says that the user named the folder (`rounds.repo`), so that settings above it may belong to it; those
    above a workspace never do. `marks` are the variables by which a later start finds what a killed run left.
    `language` is that of the verifier's own words in what is kept for people.
    """

    name = "tests"

    def __init__(
        self,
        folder: Path,
        *,
        timeout: float,
        stop: Stop,
        is_repo: bool = False,
        surroundings: Mapping[str, str] | None = None,
        marks: Mapping[str, str] | None = None,
        python: str = sys.executable,
        language: Language = "en",
    ) -> None:
        self._folder = folder.absolute()
        self._timeout = timeout
        self._stop = stop
        self._is_repo = is_repo
        self._surroundings = surroundings
        self._marks = dict(marks or {})
        self._python = python
        self._language: Language = language

    def verify(self, candidate: Snapshot, best: Snapshot) -> Judgement:  # noqa: ARG002 - a suite judges a folder
        """Run the first suite that can run. `unavailable` when there is none, `unknown` when it could not tell."""
        try:
            if not self._folder.is_dir():
                return Judgement(self.name, "unavailable", None, texts.NO_FOLDER.of(folder=self._folder))
            with private_folder(Path(self._marks.get("XUEN_WORKSPACE", self._folder))) as private:
                return self._cascade(self._suite_run(private))
        except OSError as error:  # no room for the report, a file that may not be read: nobody's test has failed
            said = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
            return Judgement(self.name, "unknown", None, texts.SUITE_TROUBLE.of(error=said))

    def _suite_run(self, private: Path) -> SuiteRun:
        inherited = os.environ if self._surroundings is None else self._surroundings
        env = suite_environment(inherited, self._marks)
        temporary = private / "tmp"  # what a suite leaves among temporary files goes with the private folder
        temporary.mkdir()
        env["TMPDIR"] = str(temporary)
        return SuiteRun(
            folder=self._folder,
            private=private,
            env=env,
            stop=self._stop,
            timeout=self._timeout,
            climbs=self._is_repo,
            python=self._python,
        )

    def _cascade(self, suite: SuiteRun) -> Judgement:
        said: list[str] = []
        finding, reason = Finding("unavailable", texts.NO_SUITE), texts.NO_SUITE
        for runner in _RUNNERS:
            here = runner.present(suite.site)
            finding = _ask(runner, suite, here)
            said.append(self._told(runner.name, finding))
            if finding.outcome != "unavailable":
                reason = finding.reason
                break
            if isinstance(here, Present) and reason is texts.NO_SUITE:
                reason = texts.SUITE_CANNOT_RUN.of(reason=finding.reason)  # a person would expect it to judge
        if changed := suite.changed():
            reason = texts.SUITE_CHANGED.of(reason=reason, files=changed)
        return Judgement(self.name, finding.outcome, None, reason, "\n".join(said))

    def _told(self, runner: str, finding: Finding) -> str:
        reason, raw = finding.reason.in_language(self._language), excerpt(finding.raw, self._language)
        return f"{runner}: {reason}\n{raw}".rstrip()


def _ask(runner: _Runner, suite: SuiteRun, here: Present | Text) -> Finding:
    """What one runner says; it is started only where there is something for it."""
    if isinstance(here, Text):
        return Finding("unavailable", here)
    if here.program is None:
        return Finding("unavailable", texts.NO_PROGRAM.of(runner=runner.name))
    return runner.judge(suite, here.program)
