"""A fake agent that writes what it was given to `record.json`: arguments, standard input if asked, surroundings.

`RECORD` names another file for it. It leaves a file among its temporary ones.
"""

import json
import os
import stat
import sys
import tempfile
from pathlib import Path

argv = sys.argv[1:]
request = os.environ.get("XUEN_REQUEST")
temporary = Path(tempfile.gettempdir())
record = {
    "argv": argv,
    "stdin": sys.stdin.buffer.read().decode("utf-8", "surrogateescape") if "--stdin" in argv else None,
    "stdin_is": str(Path("/proc/self/fd/0").readlink()),
    "cwd": str(Path.cwd()),
    "files": sorted(path.name for path in Path.cwd().iterdir()),
    "temporary": str(temporary),
    "temporary_files": [path.name for path in temporary.iterdir()],
    "private_mode": oct(stat.S_IMODE(Path(request).parent.stat().st_mode)) if request else None,
    "request": json.loads(Path(request).read_text("utf-8")) if request else None,
    "env": dict(os.environ),
    "session": os.getsid(0),
    "read": [Path(name).read_text("utf-8") for name in argv if name[:1] == "/" and Path(name).is_file()],
    "modes": [
        oct(stat.S_IMODE(Path(name).stat().st_mode)) for name in argv if name[:1] == "/" and Path(name).is_file()
    ],
}
tempfile.mkstemp()
Path(os.environ.get("RECORD", "record.json")).write_text(json.dumps(record), "utf-8")
