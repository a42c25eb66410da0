"""`python main.py "task"`: the command line of xuen from a checkout."""

import sys

from xuen.__main__ import start

if __name__ == "__main__":
    sys.exit(start())
