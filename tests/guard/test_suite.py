"""How suites are run: what they may do to the folder, to the machine and to the verdict, with real processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from suite_play import lean_python, put, snapshot

from xuen.guard.verify import Judgement
from xuen.guard.verify.suite import SuiteVerifier
from xuen.guard.verify.suites.summaries import Summary, does_nothing, summary_of
from xuen.guard.verify.suites.surroundings import suite_environment
from xuen.proc.environment import GIT_LOCAL
from xuen.stop import Stop
from xuen.texts import Language

OK = "def test_ok():\n    assert True\n"


class Project:
    """A folder whose suite is judged."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.folder = put(place / "project", {})
        self.stop = Stop()
        self.python = lean_python(place)

    def put(self, files: dict[str, str]) -> None:
        put(self.folder, files)

    def names(self) -> set[str]:
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if ".git" not in path.parts}

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def judge(self, *, timeout: float = 60, language: Language = "en", **surroundings: str) -> Judgement:
        verifier = SuiteVerifier(
            self.folder,
            timeout=timeout,
            stop=self.stop,
            surroundings={**os.environ, **surroundings},
            marks={"XUEN_RUN": "mark"},
            python=self.python,
            language=language,
        )
        return verifier.verify(snapshot(), snapshot())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


# --- what is left behind ---------------------------------------------------------------------------------------------


def test_nothing_is_left_in_the_folder_and_among_temporary_files(project: Project, tmp_path: Path) -> None:
    temporary = put(tmp_path / "temporary", {})
    project.put({"test_a.py": "def test_a(tmp_path):\n    (tmp_path / 'x').write_text('x')\n", "core.py": ""})
    before = project.names()
    found = project.judge(TMPDIR=str(temporary))
    assert found.outcome == "passed"
    assert project.names() == before
    assert list(temporary.iterdir()) == []
    assert found.reason.en == "pytest: 1 passed"


@pytest.mark.needs("make")
@pytest.mark.parametrize(("timeout", "outcome"), [(60, "passed"), (5, "unknown")])
def test_edits_of_the_user_stay_and_changes_of_the_suite_are_reported(
    project: Project, timeout: float, outcome: str
) -> None:
    wait = "sleep 60" if outcome == "unknown" else "echo ok 1"
    project.put(
        {
            "Makefile": "test:\n\t@sh check.sh\n",
            "check.sh": f"echo suite >>tracked.txt; echo new >made.txt; {wait}\n",
            "tracked.txt": "one\n",
            "other.txt": "one\n",
        }
    )
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "first")
    project.put({"tracked.txt": "one\nuser\n", "other.txt": "user\n"})
    found = project.judge(timeout=timeout)
    assert found.outcome == outcome
    assert (project.folder / "tracked.txt").read_text() == "one\nuser\nsuite\n"
    assert (project.folder / "other.txt").read_text() == "user\n"
    assert "made.txt, tracked.txt" in found.reason.en
    assert "made.txt, tracked.txt" in found.reason.zh
    assert "other.txt" not in found.reason.en


@pytest.mark.needs("make")
def test_a_suite_runs_where_git_knows_the_folder(project: Project) -> None:
    project.put({"Makefile": "test:\n\tgit rev-parse HEAD\n\t@echo ok 1\n"})
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "first")
    assert project.judge(**dict.fromkeys(GIT_LOCAL, "/nowhere")).outcome == "passed"


@pytest.mark.needs("make")
@pytest.mark.parametrize(
    ("makefile", "outcome"), [("all:\n\ttrue\n", "unavailable"), ("test: unit\nunit:\n\t@sh test.sh\n", "passed")]
)
def test_make_makes_no_file_test_by_a_rule_of_its_own(project: Project, makefile: str, outcome: str) -> None:
    project.put({"Makefile": makefile, "test.sh": "echo ok 1\n"})
    before = project.names()
    assert [project.judge().outcome, project.judge().outcome] == [outcome, outcome]
    assert project.names() == before


# --- processes -------------------------------------------------------------------------------------------------------


def running(word: str) -> list[psutil.Process]:
    return [process for process in psutil.process_iter(["cmdline"]) if word in (process.info["cmdline"] or [])]


@pytest.mark.needs("make")
def test_at_the_time_limit_the_whole_tree_ends(project: Project) -> None:
    seconds = str(100_000 + os.getpid())
    project.put(
        {"Makefile": "test:\n\t@sh check.sh\n", "check.sh": f"setsid sleep {seconds} & sleep {seconds} & wait\n"}
    )
    began = time.monotonic()
    found = project.judge(timeout=1)
    assert found.outcome == "unknown"
    assert "1 s" in found.reason.en
    assert time.monotonic() - began < 1 + 10
    assert running(seconds) == []


@pytest.mark.needs("make")
def test_what_a_finished_suite_left_running_ends_too(project: Project) -> None:
    seconds = str(200_000 + os.getpid())
    project.put({"Makefile": "test:\n\t@sh check.sh\n", "check.sh": f"sleep {seconds} & echo ok 1\n"})
    assert project.judge().outcome == "passed"
    assert running(seconds) == []


@pytest.mark.needs("make")
def test_the_time_limit_is_one_for_all_runners(project: Project) -> None:
    project.put(
        {
            "test_a.py": "import time\ntime.sleep(1.5)\n",
            "Makefile": "test:\n\tsleep 60\n",
        }
    )
    began = time.monotonic()
    assert project.judge(timeout=4).outcome == "unknown"
    assert time.monotonic() - began < 4 + 10


@pytest.mark.needs("make")
def test_a_stop_ends_the_suite_and_decides_nothing(project: Project) -> None:
    project.put({"Makefile": "test:\n\tsleep 60\n"})
    timer = threading.Timer(0.7, project.stop.request, (130,))
    timer.start()
    began = time.monotonic()
    found = project.judge()
    timer.join()
    assert found.outcome == "unknown"
    assert found.reason.en == "the run was stopped while the tests were running"
    assert time.monotonic() - began < 20


@pytest.mark.needs("make")
def test_an_open_pipe_as_standard_input_holds_up_nothing(tmp_path: Path) -> None:
    put(tmp_path / "project", {"Makefile": "test:\n\t@sh check.sh\n", "check.sh": "cat\necho ok 1\n"})
    program = (
        "import sys; from pathlib import Path\n"
        "from xuen.guard.verify.suite import SuiteVerifier; from xuen.stop import Stop\n"
        "found = SuiteVerifier(Path('project'), timeout=60, stop=Stop()).verify(None, None)\n"
        "print(found.outcome)\n"
    )
    root = Path(__file__).resolve().parent.parent.parent
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "passed\n"


@pytest.mark.needs("make")
@pytest.mark.parametrize(("code", "outcome"), [(0, "passed"), (1, "failed")])
def test_200_megabytes_of_output_change_neither_memory_nor_verdict(project: Project, code: int, outcome: str) -> None:
    noise = f"yes {'x' * 99} | head -c 200000000; echo"
    project.put(
        {
            "Makefile": "test:\n\t@sh check.sh\n",
            "check.sh": f"echo the first line; {noise}; echo ok 1 - the last line; exit {code}\n",
        }
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = project.judge(timeout=100)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KiB
    assert found.outcome == outcome
    assert grown < 100 << 10
    assert "the first line" in found.raw
    assert "the last line" in found.raw
    assert len(found.raw) < 100_000


@pytest.mark.needs("make")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "pytest: no file that pytest would take for a test\nmake: make test passed\nok 1"),
        ("zh", "pytest: 没有 pytest 会视为测试的文件\nmake: make test 通过\nok 1"),
    ],
)
def test_what_each_runner_said_is_kept_in_the_language_of_the_run(
    project: Project, language: Language, said: str
) -> None:
    project.put({"Makefile": "test:\n\t@echo ok 1\n\t@test -f Makefile\n"})
    assert project.judge(language=language).raw == said


# --- quickly nothing -------------------------------------------------------------------------------------------------


def test_where_nothing_can_be_a_test_no_program_starts(project: Project) -> None:
    project.put({"research.md": "# t\n", "rounds/best.md": "# t\n", "pkg/core.py": "x = 1\n", "pyproject.toml": ""})
    project.python = str(put(project.place, {"python": "#!/bin/sh\ntouch ../started\n"}) / "python")
    found = project.judge()
    assert (found.outcome, found.reason.en) == ("unavailable", "no test suite can be run here")
    assert not (project.place / "started").exists()


def test_tests_that_cannot_run_are_not_told_as_no_tests(project: Project) -> None:
    project.put({"test_a.py": OK})
    project.python = str(put(project.place, {"python": "#!/bin/sh\nexit 9\n"}) / "python")
    found = project.judge()
    assert found.outcome == "unavailable"
    assert "pytest is not installed" in found.reason.en


def test_tests_behind_a_link_are_seen_and_a_circle_of_links_ends(project: Project) -> None:
    put(project.place / "elsewhere", {"test_a.py": OK})
    (project.folder / "linked").symlink_to(project.place / "elsewhere")
    (project.folder / "circle").symlink_to(project.folder)
    assert project.judge().outcome == "passed"


def test_a_folder_that_is_not_there_has_no_suite(tmp_path: Path) -> None:
    unseen = SuiteVerifier(tmp_path / ("x" * 300), timeout=1, stop=Stop()).verify(snapshot(), snapshot())
    assert (unseen.outcome, unseen.reason.en.endswith("File name too long")) == ("unknown", True)
    found = SuiteVerifier(tmp_path / "gone", timeout=1, stop=Stop()).verify(snapshot(), snapshot())
    assert found.outcome == "unavailable"
    assert str(tmp_path / "gone") in found.reason.en


def test_a_folder_that_is_called_like_a_file_of_settings_is_no_trouble(project: Project) -> None:
    project.put({"test_a.py": OK, "pyproject.toml/x": "", "Makefile/x": "", "pytest.ini/x": ""})
    assert project.judge().outcome == "passed"


def test_a_file_that_cannot_be_read_decides_nothing(project: Project) -> None:
    (project.folder / "package.json").symlink_to("/proc/self/mem")
    found = project.judge()
    assert found.outcome == "unknown"
    assert "package.json" in found.reason.en or "error" in found.reason.en.lower()


# --- surroundings ----------------------------------------------------------------------------------------------------


def test_the_environment_keeps_what_is_the_users_and_drops_what_bends() -> None:
    inherited = {
        "HOME": "/home/u",
        "PATH": "/bin",
        "API_TOKEN": "x",
        "PYTEST_ADDOPTS": "-x",
        "PYTHONPATH": "/x",
        "npm_config_registry": "x",
        "NPM_CONFIG_PREFIX": "x",
        "MAKEFLAGS": "n",
        "BASH_FUNC_make%%": "() { true; }",
        "BASH_ENV": "/x",
        "LANG": "zh_CN.UTF-8",
        "LC_MESSAGES": "zh_CN.UTF-8",
        "CI": "false",
        "GOFLAGS": "-run=x",
        "XUEN_ROUND": "3",
    }
    env = suite_environment(inherited, {"XUEN_RUN": "token"})
    assert {name: env[name] for name in ("HOME", "PATH", "API_TOKEN", "XUEN_RUN", "CI", "LC_ALL")} == {
        "HOME": "/home/u",
        "PATH": "/bin",
        "API_TOKEN": "x",
        "XUEN_RUN": "token",
        "CI": "true",
        "LC_ALL": "C",
    }
    bending = set(inherited) - {"HOME", "PATH", "API_TOKEN", "CI", "GOFLAGS"}
    assert not bending & set(env)
    assert env["GOFLAGS"] == "-count=1"


@pytest.mark.parametrize(
    "command",
    ["echo ok", "true", ":", "exit 0", "echo 'a; rm x' && true", "printf x; exit 0", "@echo hi", "echo x > y", ""],
)
def test_commands_that_test_nothing(command: str) -> None:
    assert does_nothing(command)


@pytest.mark.parametrize(
    "command",
    [
        "./run",
        "echo x | sh",
        "echo $(./run)",
        "echo `./run`",
        "true && ./run",
        "cd sub; make",
        "echo 'open",
        "echo a & ./run",
    ],
)
def test_commands_that_may_test_something(command: str) -> None:
    assert not does_nothing(command)


@pytest.mark.parametrize(
    ("line", "summary"),
    [
        ("===== 3 passed in 0.12s =====", (True, False, False)),
        ("1 failed, 3 passed in 0.12s", (True, True, False)),
        ("===== no tests ran in 0.01s =====", (False, False, True)),
        ("Tests:       1 failed, 2 passed, 3 total", (True, True, False)),
        ("      Tests  3 passed (3)", (True, False, False)),
        ("No tests found, exiting with code 1", (False, False, True)),
        ("  2 passing (5ms)", (True, False, False)),
        ("  1 failing", (False, True, False)),
        ("# tests 0\n# pass 0\n# fail 0", (False, False, True)),
        ("ℹ tests 2\nℹ pass 2\nℹ fail 0", (True, False, False)),
        ("ok 1 - works", (True, False, False)),
        ("not ok 2 - breaks", (False, True, False)),
        ("not ok 2 - later # TODO not yet", (False, False, True)),
        ("ok  \texample.com/x\t0.1s", (True, False, False)),
        ("ok  \texample.com/x\t0.1s [no tests to run]", (False, False, True)),
        ("FAIL\texample.com/x\t0.1s", (False, True, False)),
        ("test result: ok. 3 passed; 0 failed; 0 ignored", (True, False, False)),
        ("test result: ok. 0 passed; 0 failed; 0 ignored", (False, False, True)),
        ("test result: FAILED. 1 passed; 1 failed; 0 ignored", (False, True, False)),
        ("100% tests passed, 0 tests failed out of 3", (True, False, False)),
        ("Ran 3 tests in 0.001s\n\nOK", (True, False, False)),
        ("Ran 3 tests in 0.001s\n\nFAILED (failures=1)", (False, True, False)),
        ("make[1]: [Makefile:2: test] Error 1 (ignored)", (False, True, False)),
        ("in the log: 1 failed, then retried", (False, False, False)),
        ("0 failed", (False, False, False)),
    ],
)
def test_summary_lines_of_common_runners(line: str, summary: tuple[bool, bool, bool]) -> None:
    assert summary_of(f"before\n{line}\nafter") == Summary(*summary)
