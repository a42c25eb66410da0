"""Shapes that the processes of a command can take, as shell scripts. Each sleeps for 300 s somewhere."""

import shlex
import sys

_PYTHON = shlex.quote(sys.executable)
_CHAIN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    if os.fork(): os._exit(0)
    os.setsid()
    time.sleep(0.001)
"""

SHAPES = {
    "background child of a command that ends": "sleep 300 &",
    "background child that is waited for": "sleep 300 & wait",
    "foreground child": "sleep 300; echo never",
    "wrappers in wrappers": "sh -c 'sh -c \"sleep 300; :\"; :'; :",
    "ignores SIGTERM": "trap '' TERM INT HUP; sleep 300 & while :; do sleep 0.2; done",
    "stops itself": "sleep 300 & kill -STOP $!; kill -STOP $$",
    "own group": f"{_PYTHON} -c \"import os; os.setpgid(0, 0); os.execvp('sleep', ['sleep', '300'])\" & wait",
    "own session": "setsid sleep 300 & setsid sleep 300 & wait",
    "session that outlives a good end": "setsid sleep 300 & sleep 0.1",
    "double fork": "( ( setsid sleep 300 & ) & ) ; sleep 0.1",
    "daemon with an emptied environment": "( setsid env -i /bin/sleep 300 & ) ; sleep 0.1",
    "holds the pipe after the end": "( trap '' HUP; setsid env -i /bin/sh -c 'sleep 300; echo late' & ) & echo done",
    "forks while it is killed": "trap '' TERM; while :; do sleep 300 & sleep 0.01; done",
    "chain of forks in ever new sessions": f"exec env -i {_PYTHON} -S -c {shlex.quote(_CHAIN)}",
}
