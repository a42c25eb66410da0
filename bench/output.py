"""An agent that prints a lot: how fast it is read, and what it costs. `python bench/output.py [--mib N]`

Runs real calls of a ShellAgent whose command prints N MiB in one of several forms, with the events drawn by nobody
and the call's log written, and prints for each: MB/s, peak memory growth of this process, lines shown, log size, and
whether the call still ended well with the right first and last line.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from xuen.agent.call import Call  # noqa: E402
from xuen.agent.shell_agent import ShellAgent  # noqa: E402
from xuen.agent.template import parse  # noqa: E402
from xuen.events import Event, Output, Purpose  # noqa: E402
from xuen.stop import Stop  # noqa: E402

# What is repeated until there is enough; the first and the last line are told apart from it.
FORMS = {
    "plain lines": b"epoch 12 loss 0.3412 accuracy 0.9123 learning rate 0.0003 ok ok\n",
    "coloured lines": b"\x1b[32mepoch\x1b[0m 12 \x1b[1mloss\x1b[0m 0.3412 \x1b[31maccuracy\x1b[0m 0.9\n",
    "chinese lines": "第十二轮：损失零点三四，准确率九成一，学习率不变，一切正常。\n".encode(),
    "one line without end": b"x" * 64,
    "a progress bar": b"\r 12% [####      ] 3.4 MB/s eta 0:12",
}

WRITER = """
import os, sys
unit, total = bytes.fromhex(sys.argv[1]), int(sys.argv[2])
block = unit * (262144 // len(unit))
os.write(1, b"first line\\n")
left = total
while left > 0:
    view = memoryview(block)
    while view:
        view = view[os.write(1, view):]
    left -= len(block)
os.write(1, b"\\nlast line\\n")
"""


class Counter:
    """A sink that counts lines."""

    def __init__(self) -> None:
        self.lines = 0

    def emit(self, event: Event) -> None:
        """Take one event."""
        self.lines += isinstance(event, Output)


def peak() -> float:
    """Peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(form: str, size: int, folder: Path) -> bool:
    """One call; whether all goals were met."""
    sink, log = Counter(), folder / "call.log"
    writer = folder / "writer.py"
    writer.write_text(WRITER)
    command = f': "$prompt"; exec {sys.executable} writer.py {FORMS[form].hex()} {size}'
    agent = ShellAgent(parse(command), name="flood", workspace=folder, token="bench", sink=sink, stop=Stop())
    before, began = peak(), time.monotonic()
    outcome = agent.call(Call(prompt="go", purpose=Purpose.RESEARCH, round=1, log=log))
    seconds = time.monotonic() - began
    grown, rate = peak() - before, size / seconds / 1e6
    right = outcome.worked and outcome.stdout.startswith("first line\n") and outcome.stdout.endswith("last line\n")
    right = right and log.read_text().startswith("first line\n") and log.read_text().endswith("last line\n")
    print(
        f"{form:24} {rate:8.0f} MB/s   memory +{grown:5.1f} MB   {sink.lines:6} lines shown   "
        f"log {log.stat().st_size / 1e6:4.1f} MB   {'right' if right else 'WRONG'}"
    )
    return right and rate >= 100 and grown < 50


def main(arguments: Sequence[str]) -> int:
    """Measure every form; 0 when all goals were met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mib", type=int, default=1024, help="MiB that the agent prints")
    asked = parser.parse_args(arguments)
    met = True
    for form in FORMS:
        with tempfile.TemporaryDirectory(prefix="xuen-bench-") as folder:
            met = measure(form, asked.mib << 20, Path(folder)) and met
    print("goals met: at least 100 MB/s, under 50 MB more memory, the result right" if met else "a goal was missed")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
