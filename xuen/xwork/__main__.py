"""`python -m xuen.xwork`."""

import os
import sys
import threading

from xuen.xwork.cli import main

if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    if any(thread.daemon for thread in threading.enumerate()):
        # An interrupted completion still reads its prompt in native code, which cannot be stopped and crashes when
        # the interpreter is taken down around it.
        os._exit(code)
    sys.exit(code)
