"""`python main.py "task"`: the command line of xuen from a checkout."""

import sys

from xuen.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
