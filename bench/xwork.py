"""What a step of xwork costs beside its model and its tools, and beside mini-swe-agent's own deterministic model.

Usage: python bench/xwork.py [--mini PYTHON] [--steps 100 300 1000] [--rounds 3] [--json FILE]

The same scripted task of N steps, each one call of a tool that does nothing. Every measurement is a process of its
own; the best of some rounds counts, because other work on the machine only ever adds. `PYTHON` is an interpreter
that has mini-swe-agent. Also:

- What the fsyncs alone cost: before each answer and in each call a line is appended to another file and synced, by
  nothing but two system calls. So both kinds of writing meet the same moments of a busy disk, whose journal every
  fsync on the machine has to wait for; taken one after the other they differ by more than there is to measure.
- What an import costs in processor time, beside the standard library that it needs, from compiled modules as an
  installation has them.
- The memory that an output of 300 MB takes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STANDARD = (
    "argparse, collections, contextlib, enum, errno, fnmatch, hashlib, json, os, pathlib, queue, random, re, "
    "secrets, selectors, shutil, signal, stat, subprocess, threading, time, typing"
)


# --- one measurement, in a process of its own ---


class Bare:
    """A line appended and synced, and the time that it took."""

    LINE = b'{"kind":"answer","message":{"role":"assistant","text":"step","calls":[{"id":"call_1","name":"n"}]}}\n'

    def __init__(self, path: Path | None) -> None:
        self.seconds = 0.0
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if path else -1

    def __call__(self) -> None:
        """Do it, where there is a file for it."""
        if self._descriptor >= 0:
            began = time.perf_counter()
            os.write(self._descriptor, self.LINE)
            os.fsync(self._descriptor)
            self.seconds += time.perf_counter() - began


def one_run_of_xwork(steps: int, journal: bool) -> dict[str, float]:
    from xuen.xwork.agent import Agent
    from xuen.xwork.config import AgentConfig
    from xuen.xwork.model.scripted import ScriptedAnswer, ScriptedCall, ScriptedModel
    from xuen.xwork.policy.permission import Risk
    from xuen.xwork.session.journal import Session
    from xuen.xwork.tools.base import Arguments, Tool
    from xuen.xwork.tools.context import ToolContext
    from xuen.xwork.tools.outcome import Outcome

    class Nothing(Arguments, frozen=True, kw_only=True):
        step: int

    class Model(ScriptedModel):
        def complete(self, *asked: object, **named: object) -> Iterator[object]:
            bare()
            yield from super().complete(*asked, **named)

    def run(asked: Nothing, context: ToolContext) -> Outcome:
        del context
        bare()
        return Outcome(f"ok {asked.step}")

    tool = Tool("nothing", "Does nothing.", Nothing, run, risk=Risk.READ, resources=lambda _: ())
    answers = [
        ScriptedAnswer(text=f"step {n}", calls=(ScriptedCall(name="nothing", arguments={"step": n}),))
        for n in range(steps)
    ]
    model = Model([*answers, "done"], remember=False)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        path = Path(folder) / "session.jsonl" if journal else None
        bare = Bare(Path(folder) / "bare" if journal else None)
        config = AgentConfig(workspace=Path(folder), context_tokens=100_000_000)
        with Session(path) as session, Agent(config, client=model, session=session, tools=(tool,)) as agent:
            began, worked = time.perf_counter(), time.process_time()
            agent.run("do it")
            took, worked = time.perf_counter() - began - bare.seconds, time.process_time() - worked
    per_step = 1000 / steps
    return {
        "ms": took * per_step,
        "cpu_ms": worked * per_step,
        "sync_ms": bare.seconds * per_step,
        "above_ms": (took - bare.seconds) * per_step,
    }


def one_run_of_mini(steps: int, journal: bool) -> dict[str, float]:
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.exceptions import Submitted
    from minisweagent.models.test_models import DeterministicModel, make_output

    class Nothing:
        def execute(self, action: dict) -> dict:
            if action["command"] == "end":
                raise Submitted(
                    {"role": "exit", "content": "", "extra": {"exit_status": "Submitted", "submission": ""}}
                )
            return {"output": f"ok {action['command']}", "returncode": 0, "exception_info": ""}

        def get_template_vars(self, **_: object) -> dict:
            return {}

        def serialize(self) -> dict:
            return {}

    outputs = [make_output(f"step {n}", [{"command": str(n)}], 0.0) for n in range(steps)]
    model = DeterministicModel(outputs=[*outputs, make_output("done", [{"command": "end"}], 0.0)], cost_per_call=0.0)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        path = Path(folder) / "trajectory.json" if journal else None
        agent = DefaultAgent(model, Nothing(), system_template="s", instance_template="{{task}}", output_path=path)
        began = time.perf_counter()
        agent.run("do it")
        took = time.perf_counter() - began
    return {"ms": 1000 * took / steps, "sync_ms": 0.0}


def one_flood() -> dict[str, float]:
    import threading

    from xuen.xwork.policy.paths import Workspace
    from xuen.xwork.tools.artifacts import Artifacts
    from xuen.xwork.tools.context import ToolContext
    from xuen.xwork.tools.exec_command import TOOL, ExecCommand
    from xuen.xwork.tools.processes import ProcessTable

    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        context = ToolContext(workspace, threading.Event(), Artifacts(workspace), ProcessTable(), dict(os.environ))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.perf_counter()
        TOOL.run(ExecCommand(command="head -c 300000000 /dev/zero | tr '\\0' y"), context)
        took = time.perf_counter() - began
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        workspace.close()
    return {"grown_mb": (grown - before) / 1024, "whole_mb": grown / 1024, "seconds": took}


# --- the table ---


def measured(python: str, *arguments: str, rounds: int) -> dict[str, float]:
    """The smallest of each figure over some rounds."""
    told: list[dict[str, float]] = []
    for _ in range(rounds):
        argv = [python, str(Path(__file__).resolve()), "--one", *arguments]
        done = subprocess.run(argv, env=surroundings(), check=True, capture_output=True, text=True)
        told.append(json.loads(done.stdout.splitlines()[-1]))
    return {name: min(each[name] for each in told) for name in told[0]}


def surroundings(**more: str) -> dict[str, str]:
    """The environment of a measurement; its modules are compiled, as those of an installation are."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": str(ROOT), "MSWEA_SILENT_STARTUP": "1", "MSWEA_CONFIGURED": "true"} | more


def import_ms(cases: dict[str, tuple[str, str]], rounds: int) -> dict[str, float]:
    """Milliseconds of processor time for an interpreter that runs such a line; all in turn, the best counts."""
    best = dict.fromkeys(cases, float("inf"))
    with tempfile.TemporaryDirectory() as compiled:
        for _ in range(max(8, 3 * rounds)):
            for name, (python, code) in cases.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                env = surroundings(PYTHONPYCACHEPREFIX=compiled)
                subprocess.run([python, "-c", code], env=env, check=True, capture_output=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                best[name] = min(best[name], 1000 * spent)
    return best


def steps_table(options: argparse.Namespace, figures: dict[str, object]) -> None:
    """What a step costs, in memory and on the disk."""

    def row(title: str, cells: Iterable[float]) -> None:
        print(f"{title:<42}" + "".join(f"{cell:>10.2f}" for cell in cells))

    print(f"{'ms a step':<42}" + "".join(f"{steps:>10}" for steps in options.steps))
    for name, python in (("xwork", sys.executable), ("mini", options.mini)):
        for where in ("memory", "disk") if python else ():
            told = {n: measured(python, name, str(n), where, rounds=options.rounds) for n in options.steps}
            figures[f"{name} {where}"] = {str(n): each for n, each in told.items()}
            row(f"{name}, {where}", (each["ms"] for each in told.values()))
            if name == "xwork":
                row("  of it processor time", (each["cpu_ms"] for each in told.values()))
            if name == "xwork" and where == "disk":
                row("  the same fsyncs alone, in between", (each["sync_ms"] for each in told.values()))
                row("  above them, least of the rounds", (each["above_ms"] for each in told.values()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mini", metavar="PYTHON")
    parser.add_argument("--steps", type=int, nargs="+", default=[100, 300, 1000, 5000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, *rest = options.one
        one = {"xwork": one_run_of_xwork, "mini": one_run_of_mini}.get(name)
        print(json.dumps(one(int(rest[0]), rest[1] == "disk") if one else one_flood()))
        return
    figures: dict[str, object] = {}
    steps_table(options, figures)
    starts = {
        "python": (sys.executable, "pass"),
        "standard library": (sys.executable, f"import {STANDARD}"),
        "xwork": (sys.executable, "from xuen.xwork import Agent, AgentConfig"),
    }
    if options.mini:
        starts["mini-swe-agent"] = (options.mini, "from minisweagent.agents.default import DefaultAgent")
    imports = import_ms(starts, options.rounds)
    figures["import"] = imports
    for name, spent in imports.items():
        print(f"start and import, ms of processor time: {name:<20}{spent:>10.0f}")
    flood = measured(sys.executable, "flood", rounds=1)
    figures["flood"] = flood
    print(f"an output of 300 MB: {flood['grown_mb']:.0f} MB more memory, {flood['seconds']:.1f} s")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
