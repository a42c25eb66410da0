"""A program with a screen around a small loop, run by the tests in a real terminal.

`screen_program.py HOW`: the loop tells a run and then waits to be stopped (`waits`), ends by itself (`ends`),
raises (`raises`), or prints without end (`floods`). Once the text "boom" is queued, `crash` tells something that no
screen can draw, and `deaf` puts a folder in the place of the terminal that keys come from. The workspace is a folder of
its own. Prints `code N` and whether the loop ended before it leaves with N.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import story

from xuen.errors import UsageError
from xuen.events import Output, Purpose, SectionChanged
from xuen.stop import Stop
from xuen.texts import plain
from xuen.ui.tui import no_screen_because, run_screen
from xuen.workspace import inbox
from xuen.workspace.paths import Workspace

how = sys.argv[1]
stop = Stop()
folder = tempfile.TemporaryDirectory()
workspace = Workspace(Path(folder.name))
ended = []


def work(sink):
    for event in story.adopted_round("en"):
        sink.emit(event)
    if how == "raises":
        raise UsageError(plain("the prompt is too long"))
    if how == "ends":
        return 0
    n = 0
    while not stop.wait(0 if how == "floods" else 0.01):
        n += 1
        if how in ("crash", "deaf") and any(entry.text == "boom" for entry in inbox.peek(workspace)):
            if how == "crash":
                sink.emit(SectionChanged(round=1, section="idea", content=None))
            else:
                os.dup2(os.open("/", os.O_RDONLY), 0)
        if how == "floods":
            sink.emit(Output(round=1, purpose=Purpose.RESEARCH, stream="stdout", line=f"line {n} " + "x" * 100))
    ended.append(n)
    return stop.exit_code


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda received, _frame: stop.request(128 + received))

reason = no_screen_because(sys.stdin, sys.stdout, os.environ)
if reason is not None:
    sys.stdout.write(f"{reason.en}\n")
    sys.exit(7)
try:
    code = run_screen(work, stop=stop, workspace=workspace, language="en")
except UsageError as error:
    sys.stdout.write(f"error: {error}\n")
    sys.exit(2)
try:
    sys.stdout.write(f"code {code} {'ended' if ended else 'by itself'}\n")
    sys.stdout.flush()
except OSError:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
folder.cleanup()
sys.exit(code)
