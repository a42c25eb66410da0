"""Plays GitHub's part: runs the workflow "continuous loop" step by step, with its own `run` blocks, on this machine.

The remote is a bare repository, each job has a checkout of its own, one commit deep. What a step's script is given is
what GitHub gives it: bash with -e and -o pipefail, the evaluated environment, GITHUB_OUTPUT, GITHUB_PATH and
GITHUB_STEP_SUMMARY; a cancelled job signals the script's own process and no other, and then goes on with the steps
that always run. Only three programs are replaced: opencode by a scripted agent, npm and pip by nothing.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
WORKFLOW = ROOT / ".github" / "workflows" / "continuous-loop.yml"
BRANCH = "xuen-loop"
LOOP, CHECKPOINT = "Work until the window closes", "Checkpoint"
AS_GITHUB_STARTS_IT = ["env", "--default-signal=INT,TERM,HUP,QUIT"]
"""Tests that run in the background inherit an ignored SIGINT, for which no script of theirs could set a trap."""

GRACE = 7.5
"""Seconds that GitHub gives a cancelled step after SIGINT before it sends SIGTERM."""

MODELS = "opencode/broken-fail opencode/big-pickle opencode/empty-free"


def git(folder: Path, *words: str) -> bytes:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    done = subprocess.run(["git", *words], cwd=folder, env={**env, **who, **quiet}, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode())
    return done.stdout


class Remote:
    """The repository on GitHub."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "remote.git"
        seed = folder / "seed"
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.path))
        git(folder, "init", "-q", "-b", "main", str(seed))
        for name in ("xuen", ".github", "requirements.txt"):
            (seed / name).symlink_to(ROOT / name)
        (seed / "main.py").write_bytes((ROOT / "main.py").read_bytes())
        (seed / ".gitignore").write_text("/workspace/\n/.workspace-*\n")
        git(seed, "add", ".")
        git(seed, "commit", "-q", "-m", "code")
        git(seed, "push", "-q", str(self.path), "main")
        self.main = self.tip("main")

    def tip(self, branch: str = BRANCH) -> str:
        return git(self.path, "rev-parse", f"refs/heads/{branch}").decode().strip()

    def read(self, path: str) -> bytes:
        return git(self.path, "show", f"{BRANCH}:{path}")

    def names(self) -> list[str]:
        return git(self.path, "ls-tree", "-r", "--name-only", BRANCH).decode().splitlines()

    def history(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.read("rounds/history.jsonl").splitlines()]

    def candidates(self) -> set[bytes]:
        return {self.read(name) for name in self.names() if name.startswith("rounds/cand-")}


@dataclass
class Job:
    """One run of the workflow. `during` is called with a step's process when that step has started."""

    remote: Remote
    folder: Path
    name: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    during: Mapping[str, Callable[[Job, subprocess.Popen[bytes]], None]] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    said: str = ""
    log: Path = Path(os.devnull)
    failed: bool = False
    died: bool = False
    runs_before: int = 0

    @property
    def checkout(self) -> Path:
        return self.folder / self.name

    @property
    def workspace(self) -> Path:
        return self.temporary / "workspace"

    @property
    def temporary(self) -> Path:
        """The machine's RUNNER_TEMP."""
        return self.folder / f"{self.name}-temp"

    @property
    def summary(self) -> str:
        path = self.folder / f"{self.name}.summary"
        return path.read_text("utf-8") if path.exists() else ""

    def run(self) -> Job:
        """All steps that are scripts."""
        git(self.folder, "clone", "-q", "--depth=1", self.remote.path.as_uri(), self.name)
        self.temporary.mkdir()
        workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
        base = self._base() | {name: self._value(text) for name, text in workflow["env"].items()}
        for number, step in enumerate(workflow["jobs"]["loop"]["steps"]):
            if "run" in step and not self.died and self._is_due(step, base):
                self._step(number, step, base)
        return self

    def history(self) -> list[dict[str, Any]]:
        """The whole lines of the workspace's history, at any moment."""
        with suppress(FileNotFoundError):
            data = (self.workspace / "rounds" / "history.jsonl").read_bytes()
            return [json.loads(line) for line in data.split(b"\n")[:-1] if line]
        return []

    def candidates(self) -> set[bytes]:
        return {path.read_bytes() for path in self.workspace.glob("rounds/cand-*.md")}

    def wait_for_candidates(self, process: subprocess.Popen[bytes], count: int) -> None:
        """Until this run (not those before it) has brought so many."""

        def brought() -> bool:
            started = [place for place, line in enumerate(self.history()) if line["event"] == "run_started"]
            new = self.history()[started[-1] :] if len(started) > self.runs_before else []
            return sum(line["event"] == "candidate" for line in new) >= count

        self.wait_until(process, brought)

    def wait_for_agent(self, process: subprocess.Popen[bytes]) -> list[psutil.Process]:
        """Until the agent has said that it is at work; all processes of the step at that moment."""
        self.wait_until(process, lambda: "thinking in round" in self.log.read_text("utf-8", errors="replace"))
        return psutil.Process(process.pid).children(recursive=True)

    def wait_until(self, process: subprocess.Popen[bytes], holds: Callable[[], bool], seconds: float = 100) -> None:
        """Until something holds while a step runs; a step that ends before it does is an error."""
        end = time.monotonic() + seconds
        while not holds():
            if process.poll() is not None or time.monotonic() > end:
                raise TimeoutError(
                    f"{self.name}: step ended with {process.poll()}; {self.log.read_text('utf-8', errors='replace')}"
                )
            time.sleep(0.05)

    # --- GitHub's part

    def _step(self, number: int, step: dict[str, Any], base: dict[str, str]) -> None:
        script = self.folder / f"{self.name}-{number}.sh"
        script.write_text(step["run"], "utf-8")
        output, path = script.with_suffix(".output"), script.with_suffix(".path")
        output.touch()
        path.touch()
        env = base | {name: self._value(text) for name, text in step.get("env", {}).items()}
        env |= {"GITHUB_OUTPUT": str(output), "GITHUB_PATH": str(path)}
        began = time.monotonic()
        self.runs_before = sum(line["event"] == "run_started" for line in self.history())
        self.log = script.with_suffix(".log")
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                [*AS_GITHUB_STARTS_IT, "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
                cwd=self.checkout,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                if step["name"] in self.during:
                    self.during[step["name"]](self, process)
                code = process.wait(110)
            finally:
                kill_all(process)
        self.seconds[step["name"]] = time.monotonic() - began
        self.codes[step["name"]] = code
        self.failed = self.failed or code != 0
        self.said += self.log.read_text("utf-8", errors="replace")
        if "id" in step:
            pairs = (line.partition("=") for line in output.read_text("utf-8").splitlines())
            self.outputs[step["id"]] = {name: value for name, _, value in pairs}
        added = path.read_text("utf-8").split()
        base["PATH"] = os.pathsep.join([*reversed(added), base["PATH"]])

    def _is_due(self, step: dict[str, Any], env: Mapping[str, str]) -> bool:
        condition = step.get("if", "success()")
        if condition == "always()":
            return True
        if self.failed:
            return False
        agent = re.fullmatch(r"env\.(\w+) == '(\w+)'", condition)
        return condition == "success()" or (agent is not None and env[agent[1]] == agent[2])

    def _value(self, text: str) -> str:
        """A value with its expressions filled in; the few forms that the workflow uses."""
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self._expression(found[1]), text)

    def _expression(self, text: str) -> str:
        for term in text.split(" || "):
            kind, _, rest = term.partition(".")
            if term.startswith("'"):
                return term.strip("'")
            if kind == "steps":
                step, _, name = rest.partition(".outputs.")
                value = self.outputs.get(step, {}).get(name, "")
            else:
                known = {"inputs": self.inputs, "github": {"token": "no-token"}, "vars": self.variables}
                value = known[kind].get(rest, "")
            if value:
                return value
        return ""

    def _base(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT", "XUEN_", "PYTEST_", "FAKE_", "PYTHON"))
        }
        tools = self.folder / "tools"
        make_tools(tools)
        path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), kept.get("PATH", "")])
        return kept | {
            "PATH": path,
            "PYTHONPATH": str(tools / "python"),
            "HOME": str(self.folder),
            "LC_ALL": "C.UTF-8",
            "GITHUB_ACTIONS": "true",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY": "me/it",
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_STEP_SUMMARY": str(self.folder / f"{self.name}.summary"),
            "FAKE_MODELS": MODELS,
            "FAKE_OPTIONS": f"--idea '{self.name} in {{round}}' --score 8,5,9",
            **self.env,
        }


def make_tools(tools: Path) -> None:
    """The programs that a rehearsal has no use for, and the agent."""
    if tools.exists():
        return
    (tools / "python" / "pip").mkdir(parents=True)
    (tools / "python" / "pip" / "__init__.py").write_text("")
    (tools / "python" / "pip" / "__main__.py").write_text("")
    agent = ROOT / "tests" / "agents" / "opencode_like.py"
    for name, script in {"npm": "exit 0", "opencode": f'exec "{sys.executable}" "{agent}" "$@"'}.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """The whole tree of a step at once, without a word."""
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(process.pid)
        for each in [*root.children(recursive=True), root]:
            with suppress(psutil.NoSuchProcess):
                each.kill()
    process.wait()


# --- what can happen to a step ----------------------------------------------------------------------------------------


def cancelled_after(count: int, number: int = signal.SIGINT) -> Callable[[Job, subprocess.Popen[bytes]], None]:
    """The job is cancelled when the run has brought `count` candidates: the script's process alone gets a signal."""

    def act(job: Job, process: subprocess.Popen[bytes]) -> None:
        job.wait_for_candidates(process, count)
        process.send_signal(number)

    return act


def cancelled_by_github(job: Job, process: subprocess.Popen[bytes]) -> None:
    """With an agent at work, as GitHub cancels: SIGINT, 7.5 s later SIGTERM, 2.5 s later the step is killed."""
    job.wait_for_agent(process)
    for number, seconds in ((signal.SIGINT, GRACE), (signal.SIGTERM, 2.5)):
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return
    kill_all(process)


def killed_after(count: int) -> Callable[[Job, subprocess.Popen[bytes]], None]:
    """Everything of the step is killed then, in the middle of whatever it does."""

    def act(job: Job, process: subprocess.Popen[bytes]) -> None:
        job.wait_for_candidates(process, count)
        kill_all(process)

    return act


def lost_after(count: int) -> Callable[[Job, subprocess.Popen[bytes]], None]:
    """The machine is gone then: no further step runs."""

    def act(job: Job, process: subprocess.Popen[bytes]) -> None:
        killed_after(count)(job, process)
        job.died = True

    return act


# --- what must hold afterwards ----------------------------------------------------------------------------------------


def faults(remote: Remote, jobs: list[Job]) -> list[str]:
    """What is missing or wrong on the branch after these jobs; empty when all is well."""
    found = []
    told, kept = remote.history(), remote.candidates()
    if remote.tip("main") != remote.main:
        found.append("the default branch has moved")
    numbers = [line["seq"] for line in told]
    if numbers != sorted(set(numbers)):
        found.append("seq does not rise")
    known = {(line["ts"], line["event"], line.get("from_id", line.get("id"))) for line in told}
    known |= {(line["ts"], line["event"], line.get("id")) for line in told}
    for job in jobs:
        missing = [line for line in job.history() if (line["ts"], line["event"], line.get("id")) not in known]
        found += [f"{job.name}: line {line} is missing" for line in missing]
        if job.candidates() - kept:
            found.append(f"{job.name}: candidates are missing")
    last = [line for line in told if line["event"] in ("adopted", "baseline")][-1]
    best = json.loads(remote.read("rounds/best.json"))
    if (best["seq"], best["id"]) != (last["seq"], last["id"]):
        found.append("the best is not the last one that was adopted")
    if remote.read("rounds/best.md") != remote.read(f"rounds/cand-{best['id']}.md"):
        found.append("best.md is not the best")
    return found
