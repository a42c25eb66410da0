"""`python -m xuen`: the same as the command `xuen`."""

import sys

from xuen.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
