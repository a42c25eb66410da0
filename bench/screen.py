"""What the screen costs: `python bench/screen.py [--lines N] [--keys N] [--pairs N] [--rounds N]`.

Real runs of the real command line in a pseudo-terminal.

keys     while an agent prints lines without end, as fast as it can, characters are typed into the input box; the time
         from the write of a key to its appearance in what the terminal is sent
memory   the most that the program held during that flood, and before it
loop     how long the same call takes with the screen and with `--no-tui`: the median of pairs, one after the other. A
         million lines take less time than the screen needs to stand, so that its start would be all that is measured
night    N rounds with an agent that writes and talks in each: memory after a tenth of them and at the end
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import re
import select
import statistics
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
FLOOD = "import sys\nfor block in range({blocks}): sys.stdout.write('a line of an agent that talks a lot\\n' * 100)"
BUSY = """for n in 1 2 3 4 5; do echo "thinking $n"; done; : "$prompt"
{ echo '# a task'
echo '<!-- XUEN:IDEA:BEGIN -->'; echo "idea of round $XUEN_ROUND"; echo '<!-- XUEN:IDEA:END -->'
echo '<!-- XUEN:ARTIFACT:BEGIN -->'; echo "- **step** $XUEN_ROUND"
echo '<!-- XUEN:ARTIFACT:END -->'; } > research.md"""
LIMIT = 3600.0
ROUND = re.compile(rb'"round":(\d+),')
MARKS = "äöüßéèñçåøæðþłšžčřďťňőűğşıâêîôûãõàìòù"
"""What is typed: characters that stand nowhere else on the screen."""


class Run:
    """One run in a pseudo-terminal; everything that it sends is read, so that it never waits for its reader."""

    def __init__(self, folder: Path, command: str, rounds: int, *, screen: bool = True) -> None:
        settings = {"agent": {"command": command}, "words": {"pick": 0}, "rounds": {"verify": "off"}}
        (folder / "config.yaml").write_text(json.dumps(settings), "utf-8")
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (40, 120))
        env = {k: v for k, v in os.environ.items() if not k.startswith(("XUEN_", "TEXTUAL")) and k != "NO_COLOR"}
        self.events = folder / "events.jsonl"
        options = ["--iterations", str(rounds), "--workspace", str(folder / "w"), "--events", str(self.events)]
        self.process = psutil.Popen(
            [sys.executable, str(ROOT / "main.py"), "a task", *options, *([] if screen else ["--no-tui"])],
            cwd=folder,
            env=env | {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)},
            stdin=slave,
            stdout=slave,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        os.close(slave)
        self.seen = b""

    def read(self, seconds: float) -> None:
        """Take what comes within this time; returns with the first of it."""
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.seen = self.seen[-100_000:] + os.read(self.master, 1 << 16)
            except OSError:  # the program has left its terminal
                time.sleep(seconds)

    def until_told(self, event: str) -> None:
        """Read until the run has told an event of this name, or has ended."""
        deadline = time.monotonic() + LIMIT
        while self.process.poll() is None and not self.has_told(event):
            assert time.monotonic() < deadline, f"{event} never came"
            self.read(0.05)

    def has_told(self, event: str) -> bool:
        """Whether an event of this name is in the recording's end."""
        return f'"event":"{event}"'.encode() in self._tail()

    def has_reached(self, number: int) -> bool:
        """Whether the recording's end is of this round or a later one."""
        rounds = ROUND.findall(self._tail())
        return bool(rounds) and int(rounds[-1]) >= number

    def _tail(self) -> bytes:
        if not self.events.exists():
            return b""
        with self.events.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 50_000))
            return file.read()

    def memory(self) -> float:
        """Resident megabytes of the program without its agents; 0 when it has ended."""
        try:
            return float(self.process.memory_info().rss) / 1e6
        except psutil.NoSuchProcess:
            return 0.0

    def processor_seconds(self) -> float:
        """Processor time of the program without its agents so far."""
        used = self.process.cpu_times()
        return float(used.user + used.system)

    def press(self, key: bytes) -> float:
        """Type a character and wait until it is drawn; seconds. It must stand nowhere else on the screen."""
        self.seen = b""
        began = time.monotonic()
        os.write(self.master, key)
        while key not in self.seen and time.monotonic() - began < 10:
            self.read(0.002)
        return time.monotonic() - began

    def end(self) -> None:
        """Quit, and wait for the end."""
        deadline = time.monotonic() + 60
        os.write(self.master, b"\x11")
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.05)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)


def call_seconds(run: Run) -> float:
    """How long the research call took, by its own event."""
    lines = [line for line in run.events.read_bytes().splitlines() if b'"event":"call_ended"' in line]
    return float(json.loads(lines[-1])["seconds"])


def command(lines: int) -> str:
    """An agent that prints so many lines as fast as it can."""
    return f'{sys.executable} -c "{FLOOD.format(blocks=max(1, lines // 100))}" "$prompt"'


def keys_in_a_flood(keys: int) -> dict[str, float]:
    """How long keys take while lines are printed without end, and what the program holds and uses meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), command(10**11), 1)
        run.until_told("output")
        assert run.process.poll() is None, run.seen
        before, times, peak = run.memory(), [], 0.0
        began, used = time.monotonic(), run.processor_seconds()
        for number in range(keys):
            times.append(run.press(MARKS[number % len(MARKS)].encode()))
            if number % len(MARKS) == len(MARKS) - 1:
                os.write(run.master, b"\x15")  # empties the line
                run.read(0.2)
            peak = max(peak, run.memory())
            time.sleep(0.02)
        assert run.process.poll() is None, run.seen
        share = (run.processor_seconds() - used) / (time.monotonic() - began)
        run.end()
    ordered = sorted(times)
    return {
        "key_median_ms": statistics.median(times) * 1e3,
        "key_p99_ms": ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1e3,
        "memory_before_mb": before,
        "memory_peak_mb": peak,
        "processor_share": share,
    }


def loop_with_and_without(lines: int, pairs: int) -> dict[str, float]:
    """How long a call of so many lines takes, by its own event; the order within a pair changes."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for pair in range(pairs):
        for screen in (True, False) if pair % 2 else (False, True):
            with tempfile.TemporaryDirectory() as folder:
                run = Run(Path(folder), command(lines), 1, screen=screen)
                run.until_told("run_finished")
                run.end()
                seconds[screen].append(call_seconds(run))
    with_screen, without = statistics.median(seconds[True]), statistics.median(seconds[False])
    return {"call_with_screen_s": with_screen, "call_with_console_s": without, "ratio": with_screen / without}


def flood(lines: int, keys: int, pairs: int) -> dict[str, float]:
    """Keys and memory while lines are printed, and the same call without the screen and without keys."""
    return {**keys_in_a_flood(keys), **loop_with_and_without(lines, pairs)}


def night(rounds: int) -> dict[str, float]:
    """Memory over many rounds."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), BUSY, rounds)
        early = late = 0.0
        began = time.monotonic()
        while not run.has_told("run_finished") and run.process.poll() is None:
            assert time.monotonic() - began < LIMIT
            run.read(0.2)
            if not early and run.has_reached(max(1, rounds // 10)):
                early = run.memory()
            late = run.memory() or late
        run.end()
        return {"rounds": rounds, "memory_early_mb": early, "memory_late_mb": late, "seconds": time.monotonic() - began}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=50_000_000)
    parser.add_argument("--keys", type=int, default=300)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2000)
    arguments = parser.parse_args()
    print(json.dumps(flood(arguments.lines, arguments.keys, arguments.pairs)), flush=True)
    if arguments.rounds:
        print(json.dumps(night(arguments.rounds)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
