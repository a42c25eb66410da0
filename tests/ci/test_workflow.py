"""What holds for every workflow of this repository, and for the unattended one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LOOP = yaml.safe_load((ROOT / ".github/workflows/continuous-loop.yml").read_text("utf-8"))
JOB = LOOP["jobs"]["loop"]
STEPS = {step.get("name", step.get("uses", "").partition("@")[0]): step for step in JOB["steps"]}
INPUTS = LOOP[True]["workflow_dispatch"]["inputs"]  # `on:` is a truth to YAML


def tool(name: str, *words: str) -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name(name)), *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def steps(path: Path) -> list[dict]:
    return [step for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values() for step in job["steps"]]


def test_zizmor_finds_nothing() -> None:
    tool("zizmor", "--offline", "--no-progress", ".github/workflows")


def test_workflows_are_as_the_schema_has_them() -> None:
    tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_expression_is_pasted_into_a_shell_line(path: Path) -> None:
    assert not [step for step in steps(path) if "${{" in step.get("run", "")]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_and_keep_no_credentials(path: Path) -> None:
    text = path.read_text("utf-8")
    for line in re.findall(r"uses: .*", text):
        assert re.fullmatch(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
    for step in steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        assert "actions/cache" not in step.get("uses", "")


def test_rights_are_the_least_that_does() -> None:
    assert LOOP["permissions"] == {}
    assert JOB["permissions"] == {"contents": "write"}
    with_token = [name for name, step in STEPS.items() if "github.token" in str(step)]
    assert with_token == ["Restore the workspace", "Checkpoint"], "not where the agent works"
    assert "secrets." not in str(LOOP)


def test_the_job_outlives_the_longest_window_and_ends_before_github_ends_it() -> None:
    longest = max(int(each) for each in INPUTS["window"]["options"])
    others = sum(step.get("timeout-minutes", 0) for step in JOB["steps"])
    grace = 2  # --kill-after
    assert longest + grace + others <= JOB["timeout-minutes"] < 360
    assert "--kill-after=2m" in STEPS["Work until the window closes"]["run"]
    assert int(INPUTS["window"]["default"]) == 180


def test_runs_of_the_branch_do_not_overlap_and_none_is_thrown_away() -> None:
    assert LOOP["concurrency"] == {"group": "xuen-loop", "cancel-in-progress": False}
    assert LOOP[True]["schedule"]


def test_the_schedule_works_where_it_has_a_task_and_the_guides_say_so() -> None:
    assert JOB["if"] == "github.event_name != 'schedule' || vars.XUEN_TASK != ''"
    variables = set(re.findall(r"vars\.(\w+)", (ROOT / ".github/workflows/continuous-loop.yml").read_text("utf-8")))
    for guide in ("docs/ci.md", "docs/ci.zh-CN.md"):
        said = set(re.findall(r"`(XUEN_(?!MODEL|JUDGE)\w+)`", (ROOT / guide).read_text("utf-8")))
        assert said == variables, guide


def test_the_agent_works_outside_of_the_checkout() -> None:
    scripts = "\n".join(step.get("run", "") for step in JOB["steps"])
    places = re.findall(r"--workspace (\S+)", scripts)
    assert places == ['"$RUNNER_TEMP/workspace"'] * 4


def test_what_an_agent_prints_is_no_command_to_github() -> None:
    lines = STEPS["Work until the window closes"]["run"].splitlines()
    stops = [place for place, line in enumerate(lines) if line.startswith('echo "::stop-commands::$(')]
    starts = [place for place, line in enumerate(lines) if "main.py" in line]
    assert stops
    assert stops < starts


def test_the_checkpoint_runs_whatever_happened_before() -> None:
    step = STEPS["Checkpoint"]
    assert step["if"] == "always()"
    assert JOB["steps"][-1] is step


def test_signals_reach_the_programs() -> None:
    for name, step in STEPS.items():
        lines = step.get("run", "").splitlines()
        starts = any("main.py" in line for line in lines)
        assert not starts or lines[0].startswith("exec ") or any(line.startswith("trap ") for line in lines), name


def test_inputs_and_schedule_have_the_same_defaults() -> None:
    for name, value in (("task", "TASK"), ("window", "WINDOW"), ("words", "WORDS"), ("agent", "AGENT")):
        assert LOOP["env"][value] == f"${{{{ inputs.{name} || vars.XUEN_{value} || '{INPUTS[name]['default']}' }}}}"
    assert INPUTS["task"]["default"] == "设计一个新的算法"
    assert {f"{name}.yaml" for name in INPUTS["agent"]["options"]} == {
        path.name for path in (ROOT / ".github/xuen").glob("*.yaml")
    }


def test_one_version_of_the_agent_everywhere() -> None:
    package = (ROOT / ".github/xuen/npm/package.json").read_text("utf-8")
    version = re.search(r'"opencode-linux-x64": "([\d.]+)"', package)
    assert version is not None
    assert f"opencode-ai@{version[1]}" in (ROOT / ".ci/npm.txt").read_text("utf-8")
    assert "http" not in (ROOT / ".github/xuen/npm/package-lock.json").read_text("utf-8")
