"""Habits of the house that no single room owns."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LEFT_BY_A_RUN = [
    "workspace/research.md",
    "workspace/rounds/best.md",
    "research.md",
    "words.txt",
    "write_section.py",
    "inbox.jsonl",
    "rounds/history.jsonl",
    ".rounds/anything",
    ".xuen.lock",
    ".research.lock",
    ".inbox.lock",
    ".xwork/session.jsonl",
    "config.yaml",
]


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return done.stdout


def requirements(name: str) -> list[str]:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith(("#", "-r"))]


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_requirements_and_pyproject_say_the_same() -> None:
    told = project()
    extras = told["optional-dependencies"]
    optional = [each for extra in ("local", "web", "mcp", "acp", "socks") for each in extras[extra]]
    assert requirements("requirements.txt") == told["dependencies"] + optional
    assert requirements("requirements-dev.txt") == extras["dev"]


def test_pinned_requirements_cover_all_direct_dependencies() -> None:
    pinned = {re.split("==", line)[0].lower().replace("_", "-") for line in requirements("requirements-ci.txt")}
    direct = requirements("requirements.txt") + requirements("requirements-dev.txt")
    names = {re.split(r"[<>=\[; ]", line)[0].lower().replace("_", "-") for line in direct}
    assert names <= pinned
    assert all("==" in line for line in requirements("requirements-ci.txt"))


def test_every_dependency_has_a_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    extras = project()["optional-dependencies"]
    for requirement in project()["dependencies"] + [each for extra in extras.values() for each in extra]:
        assert re.search(rf'"{re.escape(requirement)}",\s+# \w', text), requirement


@pytest.mark.parametrize("path", LEFT_BY_A_RUN)
def test_what_a_run_leaves_is_ignored(path: str) -> None:
    assert git("check-ignore", path).strip() == path


def test_nothing_that_a_run_leaves_is_tracked() -> None:
    tracked = set(git("ls-files").splitlines())
    left = {path for path in tracked if path.split("/")[0] in {"workspace", "rounds", ".rounds", ".xwork"}}
    assert not left
    assert not tracked & set(LEFT_BY_A_RUN)


def test_arrows_between_the_rooms_run_one_way() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_strict_and_style_is_kept() -> None:
    for command in (["mypy"], ["ruff", "check", "."], ["ruff", "format", "--check", "."], ["deptry", "."]):
        done = subprocess.run(
            [str(Path(sys.executable).with_name(command[0])), *command[1:]],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_no_source_file_grows_beyond_a_room() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in (ROOT / "xuen").rglob("*.py")}
    assert not {str(path.relative_to(ROOT)): n for path, n in lengths.items() if n > 400}


def broad_handlers(path: Path) -> int:
    """How many handlers take any exception and do not end by raising it again."""
    handlers = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ExceptHandler)]
    names = {"Exception", "BaseException", "None"}
    broad = [each for each in handlers if (ast.unparse(each.type) if each.type else "None") in names]
    return sum(not isinstance(each.body[-1], ast.Raise) for each in broad)


def test_broad_handlers_stand_in_four_places_only() -> None:
    places = {path.relative_to(ROOT).as_posix() for path in (ROOT / "xuen").rglob("*.py") if broad_handlers(path)}
    assert places <= {"xuen/sink.py", "xuen/cli/main.py", "xuen/xwork/tools/registry.py", "xuen/xwork/policy/hooks.py"}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_quick_answers_import_nothing_heavy(option: str) -> None:
    heavy = ("textual", "rich", "httpx", "psutil", "yaml", "hypothesis", "xllamacpp", "mcp", "acp", "pydantic")
    heavy += ("tomllib", "xuen.agent.presets", "xuen.agent.causes")
    program = (
        "import sys\nfrom xuen.cli.main import main\n"
        f"try: main([{option!r}])\nexcept SystemExit: pass\n"
        f"print(sorted(name for name in {heavy!r} if name in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
