"""What a step of xwork costs beside its model and its tools, and beside mini-swe-agent's own deterministic model.

Usage: python bench/xwork.py [--mini PYTHON] [--steps 100 300 1000] [--rounds 3] [--json FILE]

The same scripted task of N steps, each one call of a tool that does nothing. Every measurement is a process of its
own; the best of some rounds counts, because other work on the machine only ever adds. `PYTHON` is an interpreter
that has mini-swe-agent. Also: the cost of the fsyncs alone (the same lines, appended and synced by nothing else), what
an import costs beside the standard library that it needs, and the memory that an output of 300 MB takes.
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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STANDARD = (
    "argparse, collections, contextlib, enum, errno, fnmatch, hashlib, json, os, pathlib, queue, random, re, "
    "secrets, selectors, shutil, signal, stat, subprocess, threading, time, typing"
)


# --- one measurement, in a process of its own ---


def one_run_of_xwork(steps: int, journal: bool) -> dict[str, float]:
    from xuen.xwork.agent import Agent
    from xuen.xwork.config import AgentConfig
    from xuen.xwork.model.scripted import ScriptedAnswer, ScriptedCall, ScriptedModel
    from xuen.xwork.policy.permission import Risk
    from xuen.xwork.session.journal import Session
    from xuen.xwork.tools.base import Arguments, Kit, Outcome, Tool

    class Nothing(Arguments, frozen=True, kw_only=True):
        step: int

    def run(asked: Nothing, kit: Kit) -> Outcome:
        del kit
        return Outcome(f"ok {asked.step}")

    tool = Tool("nothing", "Does nothing.", Nothing, run, risk=Risk.READ, resources=lambda _: ())
    answers = [
        ScriptedAnswer(text=f"step {n}", calls=(ScriptedCall(name="nothing", arguments={"step": n}),))
        for n in range(steps)
    ]
    model = ScriptedModel([*answers, "done"], remember=False)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        path = Path(folder) / "session.jsonl" if journal else None
        config = AgentConfig(workspace=Path(folder), context_tokens=100_000_000)
        with Session(path) as session, Agent(config, client=model, session=session, tools=(tool,)) as agent:
            began = time.perf_counter()
            agent.run("do it")
            took = time.perf_counter() - began
        syncs = sync_alone(path) if path else 0.0
    return {"ms": 1000 * took / steps, "sync_ms": 1000 * syncs / steps}


def sync_alone(journal: Path) -> float:
    """Seconds for the same lines, each appended and synced, and nothing else."""
    copy = journal.with_name("copy")
    lines = journal.read_bytes().splitlines(keepends=True)
    descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    began = time.perf_counter()
    for line in lines:
        os.write(descriptor, line)
        os.fsync(descriptor)
    took = time.perf_counter() - began
    os.close(descriptor)
    return took


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
    from xuen.xwork.tools.base import Kit
    from xuen.xwork.tools.exec_command import TOOL, ExecCommand
    from xuen.xwork.tools.processes import Shelf

    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        kit = Kit(workspace, threading.Event(), Artifacts(workspace), Shelf(), dict(os.environ))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.perf_counter()
        TOOL.run(ExecCommand(command="head -c 300000000 /dev/zero | tr '\\0' y"), kit)
        took = time.perf_counter() - began
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        workspace.close()
    return {"grown_mb": (grown - before) / 1024, "whole_mb": grown / 1024, "seconds": took}


# --- the table ---


def measured(python: str, *arguments: str, rounds: int) -> dict[str, float]:
    """The smallest of each figure over some rounds."""
    told: list[dict[str, float]] = []
    env = os.environ | {"PYTHONPATH": str(ROOT), "MSWEA_SILENT_STARTUP": "1", "MSWEA_CONFIGURED": "true"}
    for _ in range(rounds):
        argv = [python, str(Path(__file__).resolve()), "--one", *arguments]
        done = subprocess.run(argv, env=env, check=True, capture_output=True, text=True)
        told.append(json.loads(done.stdout.splitlines()[-1]))
    return {name: min(each[name] for each in told) for name in told[0]}


def import_ms(python: str, code: str, rounds: int) -> float:
    """Milliseconds for starting an interpreter that runs this line."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "MSWEA_SILENT_STARTUP": "1", "MSWEA_CONFIGURED": "true"}
    best = float("inf")
    for _ in range(max(5, 2 * rounds)):
        began = time.perf_counter()
        subprocess.run([python, "-c", code], env=env, check=True, capture_output=True)
        best = min(best, time.perf_counter() - began)
    return 1000 * best


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mini", metavar="PYTHON")
    parser.add_argument("--steps", type=int, nargs="+", default=[100, 300, 1000])
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
    print(f"{'ms a step':<34}" + "".join(f"{steps:>10}" for steps in options.steps))
    for name, python in (("xwork", sys.executable), ("mini", options.mini)):
        for where in ("memory", "disk") if python else ():
            row = {n: measured(python, name, str(n), where, rounds=options.rounds) for n in options.steps}
            figures[f"{name} {where}"] = {str(n): each["ms"] for n, each in row.items()}
            print(f"{name + ', ' + where:<34}" + "".join(f"{each['ms']:>10.2f}" for each in row.values()))
            if name == "xwork" and where == "disk":
                figures["fsyncs alone"] = {str(n): each["sync_ms"] for n, each in row.items()}
                print(f"{'the same fsyncs alone':<34}" + "".join(f"{each['sync_ms']:>10.2f}" for each in row.values()))
    starts = {
        "python": (sys.executable, "pass"),
        "standard library": (sys.executable, f"import {STANDARD}"),
        "xwork": (sys.executable, "from xuen.xwork import Agent, AgentConfig"),
        "mini-swe-agent": (options.mini, "from minisweagent.agents.default import DefaultAgent"),
    }
    for name, (python, code) in starts.items():
        if python:
            figures[f"import {name}"] = import_ms(python, code, options.rounds)
            print(f"start and import, ms: {name:<20}{figures[f'import {name}']:>10.0f}")
    flood = measured(sys.executable, "flood", rounds=1)
    figures["flood"] = flood
    print(f"an output of 300 MB: {flood['grown_mb']:.0f} MB more memory, {flood['seconds']:.1f} s")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
