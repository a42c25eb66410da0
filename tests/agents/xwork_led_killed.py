"""Kills a call of xuen's, led through its steps, at each of its writes into the journal, and resumes it each time.

Usage: python xwork_led_killed.py FOLDER MODE

MODE is `before` or `after` the write at which the process gets SIGKILL. Prints one JSON list: what became of the
session and of research.md for a kill at the first write, at the second, and so on, until one comes to its end.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from xuen.workspace import section_script
from xuen.workspace.research import Sections, new_research, parse
from xuen.xwork.agent import Agent
from xuen.xwork.config import AgentConfig
from xuen.xwork.messages import Finish
from xuen.xwork.model.client import Finished, TextDelta
from xuen.xwork.profile.led import Led
from xuen.xwork.request import Request
from xuen.xwork.session.journal import read
from xuen.xwork.session.ledger import Ledger, State
from xuen.xwork.session.records import Prompted
from xuen.xwork.session.seal import Seal

IDEA = "Use silk, because it is light. Test it in a light wind."
POINTS = "1. Buy silk.\n2. Cut a diamond of one metre.\n3. Fly it at the beach."


class Answers:
    """A model that answers by what it is asked, so that it does not matter how often."""

    name = "answers"
    context_tokens = None

    def complete(self, messages, tools=(), *, options, cancel):
        asked = messages[-1].text
        yield TextDelta(POINTS if "points" in asked else IDEA if "idea" in asked else "Silk is light.")
        yield Finished(Finish.STOP)

    def close(self):
        pass


REQUEST = Request(purpose="research", task="Design a kite.", words=("silk",))


def live(workspace: Path) -> None:
    config = AgentConfig(workspace=workspace, request=REQUEST)
    with Agent(config, client=Led(Answers(), workspace, REQUEST)) as agent:
        if agent.session.ledger.state is State.NEW:
            agent.run("go")
        elif agent.session.ledger.interrupted:
            agent.resume()


def child(workspace: Path, dies_at: int, mode: str) -> int:
    """A life in a process of its own; its wait status. `dies_at` 0 lets it live."""
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1]
    real_write, written = os.write, 0

    def write(descriptor: int, data: bytes) -> int:
        nonlocal written
        if bytes(data[:20]).lstrip(b"\n").startswith(b'{"kind":'):
            written += 1
            if written == dies_at:
                if mode == "after":
                    real_write(descriptor, data)
                os.kill(os.getpid(), signal.SIGKILL)
        return real_write(descriptor, data)

    os.write = write
    live(workspace)
    os._exit(0)


def outcome(workspace: Path) -> dict:
    path = workspace / ".xwork" / "session.jsonl"
    records = read(path, Seal.of(path, workspace)).records
    ledger = Ledger()
    for record in records:
        ledger.apply(record)
    return {
        "state": ledger.state.value,
        "prompts": sum(isinstance(record, Prompted) for record in records),
        "written": parse((workspace / "research.md").read_bytes()).sections == Sections(IDEA, POINTS),
    }


def main() -> None:
    told = []
    for dies_at in range(1, 100):
        workspace = Path(sys.argv[1]) / f"at{dies_at}"
        workspace.mkdir()
        shutil.copy(section_script.__file__, workspace / "write_section.py")
        (workspace / "research.md").write_bytes(new_research("Design a kite."))
        died = child(workspace, dies_at, sys.argv[2])
        if child(workspace, 0, ""):
            sys.exit(f"the life after the kill at write {dies_at} failed")
        told.append(outcome(workspace))
        if not died:
            break
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
