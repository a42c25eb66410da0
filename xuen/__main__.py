"""`python -m xuen` and the command `xuen`: imported with hardly a moment in which Ctrl+C shows a traceback."""

import signal
import sys


def start() -> int:
    """Import the program and run it; its exit code. Until it listens, Ctrl+C just ends it: nothing has begun."""
    listening = signal.getsignal(signal.SIGINT)
    if listening is signal.default_int_handler:  # and not ignored, as whoever started us may want it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from xuen.cli.main import main

    signal.signal(signal.SIGINT, listening)
    return main()


if __name__ == "__main__":
    sys.exit(start())
