"""A fake agent that writes what it was given to `record.json`: arguments, standard input if asked, surroundings."""

import json
import os
import stat
import sys
from pathlib import Path

argv = sys.argv[1:]
record = {
    "argv": argv,
    "stdin": sys.stdin.buffer.read().decode("utf-8", "surrogateescape") if "--stdin" in argv else None,
    "stdin_is": str(Path("/proc/self/fd/0").readlink()),
    "cwd": str(Path.cwd()),
    "env": dict(os.environ),
    "session": os.getsid(0),
    "modes": [
        oct(stat.S_IMODE(Path(name).stat().st_mode)) for name in argv if name[:1] == "/" and Path(name).is_file()
    ],
}
Path("record.json").write_text(json.dumps(record), "utf-8")
