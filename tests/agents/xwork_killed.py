"""Runs one session of xwork to its end although every process that works on it is killed with SIGKILL.

Usage: python xwork_killed.py WORKSPACE STEPS MODE

Each child does a little and dies at its third write into the journal: MODE is `before` it, in the `middle` (half of
the bytes are written) or `after` it. The parent looks at the journal after each death and prints one JSON line: what
became of the session, and which calls were being recorded when a child died.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from xuen.xwork.agent import Agent
from xuen.xwork.config import AgentConfig
from xuen.xwork.messages import Assistant, ToolResult, User
from xuen.xwork.model.scripted import ScriptedAnswer, ScriptedCall, ScriptedModel
from xuen.xwork.session.journal import read
from xuen.xwork.session.ledger import Ledger, State
from xuen.xwork.session.records import Answered, Carried, Prompted
from xuen.xwork.session.seal import Seal

LIVES = 3  # writes that a child gets through, the last one perhaps not whole


def answers(steps: int) -> list[ScriptedAnswer]:
    """Two calls with an effect a step, then a check and the end, as often as it is wanted."""

    def step(number: int) -> ScriptedAnswer:
        calls = [
            ScriptedCall(
                name="write_file",
                id=f"{letter}{number}",
                arguments={"path": "effects", "content": f"{letter}{number}\n", "mode": "append"},
            )
            for letter in "ab"
        ]
        return ScriptedAnswer(calls=tuple(calls))

    check = ScriptedAnswer(calls=(ScriptedCall(name="exec_command", arguments={"command": "true"}),))
    return [step(number) for number in range(steps)] + [check, ScriptedAnswer(text="done")] * 500


def ledger_of(path: Path) -> tuple[Ledger, list]:
    records = read(path, Seal.of(path, path.parent)).records
    ledger = Ledger()
    for record in records:
        ledger.apply(record)
    return ledger, list(records)


def pairs_are_valid(ledger: Ledger) -> bool:
    """Every call has its result right after its answer, in order, but for those that wait."""
    waiting: list[str] = []
    for message in ledger.view:
        if isinstance(message, ToolResult):
            if not waiting or waiting.pop(0) != message.call_id:
                return False
        elif waiting:
            return False
        elif isinstance(message, Assistant):
            waiting = [call.id for call in message.calls]
    return waiting == [call.id for call in ledger.open_calls]


def child(workspace: Path, journal: Path, steps: int, mode: str, deaths: int, lives: int) -> None:
    """One life; returns only when the session is finished."""
    written = 0
    real_write = os.write

    def write(descriptor: int, data: bytes) -> int:
        nonlocal written
        if not bytes(data[:20]).lstrip(b"\n").startswith(b'{"kind":'):
            return real_write(descriptor, data)
        written += 1
        if written < lives:
            return real_write(descriptor, data)
        if mode != "before":
            real_write(descriptor, data if mode == "after" else data[: len(data) // 2])
        real_write(deaths, bytes(data).strip().split(b"\n")[-1] + b"\n")
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    os.write = write
    _, records = ledger_of(journal)
    said = sum(isinstance(record, Answered) for record in records)
    model = ScriptedModel(answers(steps)[said:])
    with Agent(AgentConfig(workspace=workspace, reminders=30), client=model) as agent:
        if agent.session.ledger.state is State.NEW:
            agent.run("work")
        else:
            agent.resume()


def main() -> None:
    workspace, steps, mode = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    journal = workspace / ".xwork" / "session.jsonl"
    died_at = workspace.parent / "deaths"
    deaths = os.open(died_at, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    lives, invalid, longer = 0, 0, LIVES
    while True:
        pid = os.fork()
        if pid == 0:
            child(workspace, journal, steps, mode, deaths, longer)
            os._exit(0)
        lives += 1
        status = os.waitpid(pid, 0)[1]
        ledger, records = ledger_of(journal)
        invalid += not pairs_are_valid(ledger)
        if status == 0:
            break
        if sum(isinstance(record, Answered) for record in records) > steps:
            longer += 1  # a check after each recovery needs longer lives in the end
        if not os.WIFSIGNALED(status) or lives > 100 * steps:
            sys.exit(f"a child ended by itself: {status}")
    interrupted = [json.loads(line) for line in died_at.read_bytes().splitlines()]
    report = {
        "lives": lives,
        "invalid": invalid,
        "state": ledger.state.value,
        "prompts": sum(isinstance(record, Prompted) for record in records),
        "users": sum(isinstance(message, User) for message in ledger.messages),
        "results": [record.message.call_id for record in records if isinstance(record, Carried)],
        "died_recording": [each["message"]["call_id"] for each in interrupted if each["kind"] == "result"],
        "effects": (workspace / "effects").read_text().split(),
    }
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
