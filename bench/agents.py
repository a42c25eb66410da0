"""The real agent programs, each on a scripted model server. `python bench/agents.py [--agents A,B] [--cases A,B] …`

For each preset whose program is on PATH (or in a folder given with `--programs`) the real command line runs rounds:
`python main.py TASK --agent NAME --iterations N --pick 0 --no-tui`, with a home of its own and a model that answers as
agent_servers.py scripts it. Checked are the exit code, the written section and its candidate, that the prompt reached
the model byte for byte, that no process is left and no control sequence is shown, and for each failure the cause that
xuen names. Nothing but loopback is contacted by this program; to hold the agents to that too, run it where there is
nothing else: `unshare -n sh -c 'ip link set lo up; exec python bench/agents.py …'`.

Prints a row for each run and at last "N of M as expected". A program that is not installed is no run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

from agent_programs import PROGRAMS, Program  # noqa: E402
from agent_servers import BANK, Script, ScriptedServer  # noqa: E402

from xuen.agent.presets import PRESETS  # noqa: E402
from xuen.texts import agent as texts  # noqa: E402

MENTIONS = "Compare @property and @research.md, ask me@example.org, see @/etc/hostname and https://127.0.0.1:9/x."
TASK = "Find a better way to sort a nearly sorted list."
SLOW = 40  # seconds after which a call that hangs is ended
LIMIT = 170  # for calls that should end by themselves
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
RUDE = "\x1b]0;a title\x07A \x1b[31mred\x1b[0m \x1b[2J\x9b5mword\r\x00 and \x1b]52;c;QUJD\x1b\\the end."
DAEMON = "\n(setsid sleep 600 >/dev/null 2>&1 </dev/null &)\nnohup sleep 601 >/dev/null 2>&1 &"
FAILURES = (
    "no key",
    "refused key",
    "quota",
    "model",
    "refused port",
    "context",
    "overloaded",
    "broken",
    "denied",
    "empty",
)
CASES = ("ok", "hostile", "mentions", "words", "too long", *FAILURES, "hang", "html")


def hostile_task(folder: Path, size: int) -> str:
    """Text that shells, option parsers and agents would love to act upon; `size` bytes of it."""
    harm = folder / "harm"
    head = f"""- it's "a list", `touch {harm}1` $(touch {harm}2) ${{prompt}} "$(touch {harm}3)" '$(touch {harm}4)'
/help
!touch {harm}5
--help -p --version
; touch {harm}6 & touch {harm}7 | touch {harm}8 > {harm}9
\\ \\\\ \\n %s {{}} * ? ~ # $HOME me＠example.org <b>&amp;</b>
XUEN_END
```bash
echo not to be run
```
"""
    tail = "\nthe end of the task 结束"
    room = size - len(head.encode()) - len(tail.encode())
    filling = "研究一个开放的问题，" * (room // 30 + 1)
    return head + filling.encode()[:room].decode(errors="ignore") + tail


@dataclass
class Left:
    """Who is left of a run: the kernel's account of its cgroup, else a mark in the environment."""

    name: str
    place: Path | None = None

    def __post_init__(self) -> None:
        for mount in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified")):
            procs = mount / "cgroup.procs"
            if procs.exists() and not (mount / "tasks").exists() and os.access(procs, os.W_OK):
                self.place = mount / self.name
                self.place.mkdir()
                return

    def join(self) -> None:
        """Called in the child."""
        if self.place:
            (self.place / "cgroup.procs").write_text(str(os.getpid()))

    def pids(self) -> list[int]:
        """All of them."""
        if self.place:
            return [int(pid) for pid in (self.place / "cgroup.procs").read_text().split()]
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    if self.name.encode() in (entry / "environ").read_bytes():
                        found.append(int(entry.name))
                except OSError:
                    continue
        return found

    def of_round(self, number: int) -> list[int]:
        """Those that were started in one round."""
        found = []
        for pid in self.pids():
            try:
                if f"XUEN_ROUND={number}\0".encode() in Path(f"/proc/{pid}/environ").read_bytes():
                    found.append(pid)
            except OSError:
                continue
        return found

    def clear(self) -> None:
        """End whoever is left and forget the run."""
        for pid in self.pids():
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                continue
        if self.place:
            time.sleep(0.3)
            self.place.rmdir()


@dataclass
class Run:
    """One run and what was seen of it."""

    program: Program
    case: str
    folder: Path
    faults: list[str] = field(default_factory=list)
    note: str = ""
    seconds: float = 0.0
    stdout: str = ""
    stderr: str = ""
    code: int | None = None
    between: list[int] = field(default_factory=list)  # alive when the next round began

    @property
    def workspace(self) -> Path:
        """Where xuen works."""
        return self.folder / "workspace"

    @property
    def log(self) -> str:
        """All that the agent printed, as the logs keep it."""
        logs = sorted((self.workspace / "rounds" / "logs").glob("*.log"))
        return "\n".join(path.read_text("utf-8", "replace") for path in logs)

    def expect(self, holds: bool, fault: str) -> None:
        """Note a fault if something does not hold."""
        if not holds:
            self.faults.append(fault)


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def configuration(run: Run) -> str:
    """The configuration file of a run, as JSON (which is YAML)."""
    slow = run.case in ("hang", "html") or run.case in run.program.never_ends
    agent: dict[str, object] = {"timeout": SLOW if slow else LIMIT}
    if run.case == "denied":
        agent["command"] = run.program.denied
    one_failure = run.case not in ("ok", "hostile", "mentions")
    words = {"count": len(BANK), "batch": len(BANK)}
    return json.dumps({"agent": agent, "words": words, "loop": {"max_failures": 1 if one_failure else 3}})


def environment(run: Run, url: str, path: str, mark: str) -> dict[str, str]:
    """A small environment of its own."""
    home, temp = run.folder / "home", run.folder / "tmp"
    home.mkdir()
    temp.mkdir()
    made = {"HOME": str(home), "TMPDIR": str(temp), "PATH": path, "LANG": "C.UTF-8", "BENCH_MARK": mark}
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        made[f"XDG_{name}_HOME"] = str(home / name.lower())
    if run.case == "denied":
        made |= run.program.denied_env
    return made | run.program.prepare(home, url, key=run.case != "no key")


def play(run: Run, path: str) -> None:
    """Run xuen with the real program and judge what happened."""
    program, case = run.program, run.case
    run.folder.mkdir(parents=True)
    mark = f"xuen-agents-{os.getpid()}-{program.name}-{case.replace(' ', '-')}"
    left = Left(mark)
    script = Script(case=case, no_tools=program.no_tools)
    script.final = RUDE if case == "hostile" else script.final
    script.after_write = DAEMON if case == "hostile" else ""
    script.last_command = program.last_command

    def began(number: int) -> None:
        run.between += left.of_round(number - 1)

    script.on_research = began
    server = ScriptedServer(script)
    url = f"http://127.0.0.1:{free_port()}" if case == "refused port" else server.url
    task = TASK
    if case == "mentions":
        task = MENTIONS
    elif case == "hostile":
        task = hostile_task(run.folder, 100_000 if program.as_argument else 130_000)
    elif case == "too long":
        task = hostile_task(run.folder, 131_000)
    (run.folder / "config.yaml").write_text(configuration(run))
    rounds = "2" if case in ("ok", "hostile", "mentions", "too long") else "1" if case == "words" else "3"
    pick = "2" if case == "words" else "0"
    words = [sys.executable, str(ROOT / "main.py"), "--iterations", rounds, "--pick", pick, "--no-tui"]
    words += ["--language", "en", "--events", "events.jsonl"]
    words += [] if case == "denied" else ["--agent", program.name]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [*words, "--", task],
            cwd=run.folder,
            env=environment(run, url, path, mark),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=600,
            check=False,
            preexec_fn=left.join,
        )
        run.stdout, run.stderr = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
        run.code = done.returncode
    except subprocess.TimeoutExpired:
        run.faults.append("xuen did not end")
    finally:
        run.seconds = time.monotonic() - begin
        survivors = left.pids()
        left.clear()
        server.close()
        (run.folder / "requests.json").write_text(json.dumps(server.bodies, ensure_ascii=False, indent=1))
        (run.folder / "said.txt").write_text(run.stdout + "\n--- stderr\n" + run.stderr)
    run.expect(not survivors, f"{len(survivors)} processes left")
    run.expect(not run.between, f"{len(run.between)} processes left of the round before")
    run.expect(not CONTROL.search(run.stdout), "control characters shown")
    run.expect("Traceback" not in run.stderr, "xuen failed")
    run.expect(not list(run.folder.glob("harm*")), "THE PROMPT WAS EXECUTED")
    run.expect(not list((run.folder / "tmp").iterdir()), "temporary files left")
    judge(run, script)


def judge(run: Run, script: Script) -> None:
    """What one case expects."""
    if run.case in ("ok", "hostile", "mentions"):
        worked(run, script)
    elif run.case == "words":
        bank = [line for line in (run.workspace / "words.txt").read_text("utf-8").splitlines() if line[:1] not in "#"]
        run.note = f"{len(bank)} words: {', '.join(bank)[:100]}"
        run.expect(sorted(bank) == sorted(BANK), "not the words that the model listed")
    elif run.case == "too long" and run.program.as_argument:
        run.expect(run.code == 2, f"exit {run.code}")
        run.expect("$prompt_file" in run.stdout + run.stderr, "the mend is not named")
        run.expect(script.requests == 0, "the model was asked")
        run.note = "refused before anything starts"
    elif run.case == "too long":
        worked(run, script)
    elif run.case in ("hang", "html"):
        ended(run)
    else:
        failed(run)


def worked(run: Run, script: Script) -> None:
    """A round that goes well."""
    run.expect(run.code == 0, f"exit {run.code}")
    history = (run.workspace / "rounds" / "history.jsonl").read_text("utf-8")
    events = [json.loads(line)["event"] for line in history.splitlines()]
    run.expect(events.count("candidate") == 2, f"{events.count('candidate')} candidates")
    best = run.workspace / "rounds" / "best.md"
    text = best.read_text("utf-8") if best.exists() else ""
    run.expect("an idea through a real agent" in text, "the idea is not in the best")
    permits = PRESETS[run.program.name].permits.en
    run.expect(permits in run.stdout.partition("Round 1")[0], "what it permits is not said before the first round")
    run.expect("[idea updated]an idea through a real agent, number 2" in run.stdout, "the update is not shown")
    prompts = [path.read_bytes().decode() for path in sorted((run.workspace / "rounds" / "prompts").glob("*.txt"))]
    exact = sum(prompt in script.texts for prompt in prompts)
    within = sum(any(prompt in text for text in script.texts) for prompt in prompts)
    run.note = f"prompt exact {exact}, within {within} of {len(prompts)}, {script.requests} requests"
    if run.case == "mentions" and run.program.reads_mentions:
        run.note += ", its own @mentions"
        arrived = ["".join(text.split()) for text in script.texts]
        within = sum(any("".join(prompt.split()) in text for text in arrived) for prompt in prompts)
    run.expect(within == len(prompts) == 2, "the prompt did not arrive whole")


def told(run: Run) -> list[str]:
    """The causes that xuen named."""
    shown = " ".join(run.stdout.split())
    names = [name for name in vars(texts) if name.startswith("CAUSE_")]
    return [name for name in names if getattr(texts, name).en.partition("{")[0].strip() in shown]


def failed(run: Run) -> None:
    """A round that cannot go well."""
    causes = told(run)
    expected = run.program.causes[run.case]
    heard = run.stdout.partition("It said: ")[2].partition("\n")[0]
    run.note = f"{', '.join(causes) or 'none'}: {heard[:110]}"
    if run.code == 0:
        run.note = "exit 0, " + run.note
    run.expect(causes == ([expected] if expected else []), f"cause {expected or 'none'} expected")


def ended(run: Run) -> None:
    """A call that has to be ended, or ends by itself; with an error either way."""
    events = [json.loads(line) for line in (run.folder / "events.jsonl").read_text("utf-8").splitlines()]
    calls = [event for event in events if event["event"] == "call_ended"]
    run.note = ", ".join(f"{call['why']} after {call['seconds']:.0f} s" for call in calls) + f" {told(run)}"
    run.expect(bool(calls) and all(call["seconds"] < SLOW + 5 for call in calls), "not ended in time")
    # A web page instead of a model: not a word of it counts as an answer, and no other cause is named.
    allowed = (
        {"CAUSE_BROKEN_ANSWER", "CAUSE_EMPTY", "CAUSE_SILENT", "CAUSE_OVERLOADED"} if run.case == "html" else set()
    )
    run.expect(set(told(run)) <= allowed, "a cause that is not the cause")
    if run.case == "hang":
        run.expect(bool(calls) and all(call["why"] == "timeout" for call in calls), "not ended by the timeout")


def main() -> int:
    """All runs, two at a time."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--agents", default=",".join(PROGRAMS))
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--programs", action="append", default=[], help="a folder that goes before PATH")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="keep all files of the runs in this new folder")
    options = parser.parse_args()
    path = os.pathsep.join([*(str(Path(each).resolve()) for each in options.programs), os.environ["PATH"]])
    os.environ["PATH"] = path
    chosen = [PROGRAMS[name] for name in options.agents.split(",")]
    here = [each for each in chosen if shutil.which(PRESETS[each.name].program)]
    with tempfile.TemporaryDirectory(prefix="xuen-agents-") as temporary:
        base = (options.keep or Path(temporary)).resolve()
        runs = [
            Run(each, case, base / each.name / case.replace(" ", "-"))
            for each in here
            for case in options.cases.split(",")
            if case not in each.not_applicable
        ]
        with ThreadPoolExecutor(options.jobs) as pool:
            for run, _ in zip(runs, pool.map(lambda run: play(run, path), runs), strict=True):
                mark = "good" if not run.faults else "BAD"
                print(f"{run.program.name:9} {run.case:13} {mark:5} {run.seconds:5.0f} s  {run.note}", flush=True)
                for fault in run.faults:
                    print(f"{'':24}!! {fault}", flush=True)
    for each in chosen:
        seen = PRESETS[each.name].version_number() if each in here else "not installed"
        print(f"{each.name:9} {seen}")
    good = sum(not run.faults for run in runs)
    print(f"{good} of {len(runs)} as expected")
    return 0 if runs and good == len(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
