"""The unattended loop rehearsed with the workflow's own scripts: is anything lost, how long do its ends take?

python bench/actions.py [--rounds N] [--candidates N]

First three jobs in a row and two at once against a bare repository: one is killed in the middle, two push at the same
time, one machine is lost. Then how long a cancelled job takes until it is ready for its checkpoint, for each signal
and with an agent that hears none, and how long restore and checkpoint take with a workspace of many candidates.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e")]

from actions_play import (  # noqa: E402 - needs the line above
    CHECKPOINT,
    GRACE,
    LOOP,
    Job,
    Remote,
    cancelled_after,
    faults,
    git,
    killed_after,
    lost_after,
)

from xuen.events import Adopted, Baseline, Candidate  # noqa: E402
from xuen.guard.candidates import (  # noqa: E402
    Snapshot,
    digest,
    new_id,
    save,
)
from xuen.guard.history import Ledger  # noqa: E402
from xuen.workspace.paths import Workspace  # noqa: E402
from xuen.workspace.research import Sections, new_research, parse  # noqa: E402


def rehearse(folder: Path, rounds: int) -> list[str]:
    """Jobs in a row, at once, killed and lost; what is wrong on the branch afterwards."""
    remote = Remote(folder)
    killed = Job(remote, folder, "killed", during={LOOP: killed_after(rounds)}).run()
    one = Job(remote, folder, "one", during={LOOP: cancelled_after(rounds)})
    two = Job(remote, folder, "two", during={LOOP: cancelled_after(rounds)})
    threads = [threading.Thread(target=job.run) for job in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    Job(remote, folder, "lost", during={LOOP: lost_after(1)}).run()
    last = Job(remote, folder, "last", during={LOOP: cancelled_after(rounds)}).run()
    jobs = [killed, one, two, last]
    wrong = faults(remote, jobs)
    wrong += [f"{job.name}: the checkpoint failed" for job in jobs if job.codes.get(CHECKPOINT) != 0]
    told = remote.history()
    print(
        f"5 jobs: {len(told)} history lines, {len(remote.candidates())} candidates, "
        f"{sum(line['event'] == 'adopted' for line in told)} adoptions on the branch; {len(wrong)} faults"
    )
    for job in jobs:
        print(f"  {job.name:7} checkpoint {job.seconds[CHECKPOINT]:.1f} s")
    return wrong


def cancel(folder: Path, number: signal.Signals, model: str) -> tuple[float, float]:
    """Seconds from a signal to the loop's script, with an agent at work, to its end; and those of the checkpoint."""
    sent = []

    def act(job: Job, process: subprocess.Popen[bytes]) -> None:
        job.wait_for_agent(process)
        time.sleep(1)
        sent.append(time.monotonic())
        process.send_signal(number)
        process.wait()
        sent.append(time.monotonic())

    env = {"FAKE_MODELS": model, "FAKE_OPTIONS": "--idea 'in {round}' --sleep 300"}
    job = Job(Remote(folder), folder, "only", inputs={"words": "0"}, env=env, during={LOOP: act}).run()
    return sent[1] - sent[0], job.seconds[CHECKPOINT]


def large(folder: Path, count: int) -> tuple[float, float, float]:
    """Seconds for the first checkpoint of a workspace of `count` candidates, for the next one, and for a restore."""
    remote = Remote(folder)
    first, second = folder / "first", folder / "second"
    for checkout in (first, second):
        git(folder, "clone", "-q", "--depth=1", remote.path.as_uri(), checkout.name)
    fill(Workspace(first / "workspace"), count)
    times = []
    for checkout, step in ((first, "checkpoint"), (first, "checkpoint"), (second, "restore")):
        if times:
            fill(Workspace(first / "workspace"), 1)
        began = time.monotonic()
        subprocess.run([sys.executable, "main.py", "ci", step], cwd=checkout, check=True, stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - began)
    return times[0], times[1], times[2]


def fill(workspace: Workspace, count: int) -> None:
    """Rounds as the guard records them, without waiting for the disk each time."""
    workspace.prompts.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(workspace.history, language="en", clock=lambda: datetime.now(UTC))
    empty = parse(new_research("a task"))
    parent, start = "", ledger.index.last_round
    events: list[Adopted | Baseline | Candidate] = []
    for number in range(start, start + count + 1):
        data = empty.with_sections(Sections(f"idea {number}\n" + "thought " * 500, "step\n" * 300))
        identity = new_id(datetime.now(UTC) + timedelta(seconds=number), number, lambda _: False)
        sha256 = digest(data)
        if count == 1:
            save(workspace.candidate(identity), Snapshot(identity, number, data, sha256))
        else:
            workspace.candidate(identity).write_bytes(data)
        (workspace.prompts / f"{identity}.txt").write_bytes(data)
        events.append(
            Candidate(round=number, id=identity, sha256=sha256, parent=parent)
            if parent
            else Baseline(round=0, id=identity, sha256=sha256)
        )
        parent = identity
    ledger.append(*events)
    workspace.research.write_bytes(empty.data)


def main(arguments: Sequence[str]) -> int:
    """Measure; 0 when nothing was lost and every end was in time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="candidates that each job brings before its end")
    parser.add_argument("--candidates", type=int, default=2000, help="candidates in the large workspace")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="xuen-bench-") as place:
        wrong = rehearse(Path(place), asked.rounds)
    for line in wrong:
        print(f"  {line}")
    slow = False
    cases = [(number, "opencode/big-pickle") for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    for number, model in [*cases, (signal.SIGINT, "opencode/deaf")]:
        with tempfile.TemporaryDirectory(prefix="xuen-bench-") as place:
            seconds, push = cancel(Path(place), number, model)
        slow = slow or seconds > GRACE
        agent = "an agent that hears no signal" if model.endswith("deaf") else "an agent"
        print(
            f"{number.name} to the script with {agent} at work: ended after {seconds:.1f} s (GitHub waits {GRACE} s), "
            f"checkpoint {push:.1f} s"
        )
    with tempfile.TemporaryDirectory(prefix="xuen-bench-") as place:
        first, following, restored = large(Path(place), asked.candidates)
    print(
        f"{asked.candidates} candidates: first checkpoint {first:.1f} s, the next one {following:.1f} s, "
        f"restore {restored:.1f} s"
    )
    print("nothing lost, every end in time" if not (wrong or slow) else "a goal was missed")
    return 1 if wrong or slow else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
