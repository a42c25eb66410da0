"""Ends the processes that a killed run left behind, before a new run begins.

On Linux a run's supervisors end its processes even when it is killed; this is for other systems, and for a run whose
supervisors were killed with it. Owns how such processes are recognised: by the run's marks in their environment.
"""

from __future__ import annotations

import os
from pathlib import Path

from xuen.proc.child import GRACE


def end_leftovers(workspace: Path, token: str, *, grace: float = GRACE) -> int:
    """End what a killed run left behind in `workspace`: how many processes that were.

    Those are all that carry `XUEN_WORKSPACE` with this workspace or a folder in it and `XUEN_RUN` other than `token`
    in their environment, with their descendants; never this program or one of its ancestors. The caller holds the
    lock of the workspace, so no other run is alive.
    """
    import psutil

    from xuen.proc.portable import FoundTree

    here = os.path.realpath(workspace)
    spared = {psutil.Process(), *psutil.Process().parents()}

    class Leftovers(FoundTree):
        def _belongs(self, process: psutil.Process) -> bool:
            if process in spared:
                return False
            environ = process.environ()
            place = os.path.realpath(environ.get("XUEN_WORKSPACE", "/"))  # an agent's is a folder in the workspace
            return environ.get("XUEN_RUN", token) != token and (place + os.sep).startswith(here + os.sep)

    tree = Leftovers()
    survivors = tree.end(grace=grace)
    return len(tree.asked) - len(survivors)
