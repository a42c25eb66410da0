"""Ends the processes that a killed run left behind, before a new run begins.

Owns how such processes are recognised: by the marks in their environment, by the roll, by descent and session.
Always: this program, its ancestors and whatever belongs to another workspace are spared.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from xuen.proc.roll import read_roll, write_roll
from xuen.proc.table import Row, Table, send, system_table
from xuen.proc.tree import GIVE_UP, GRACE, STRIKES, with_kin


def end_leftovers(workspace: Path, token: str, *, grace: float = GRACE) -> int:
    """End what a killed run left behind in `workspace`: how many processes that were.

    Those are all that carry `XUEN_WORKSPACE` with this workspace and `XUEN_RUN` other than `token` in their
    environment or stand on the roll, with their descendants and sessions; never this program or one of its
    ancestors. The caller holds the lock of the workspace, so no other run is alive.
    """
    source = system_table()
    here = os.path.realpath(os.fsencode(workspace))
    known = read_roll(workspace)
    ended: set[tuple[int, float]] = set()
    began, strikes = time.monotonic(), 0
    while True:
        rows = _left_behind(source, here, token.encode(), known | ended)
        spent = time.monotonic() - began
        if not rows or (spent > grace + GIVE_UP and strikes >= STRIKES):
            write_roll(workspace, [row.identity for row in rows])
            return len(ended) - len(rows)
        strikes += spent >= grace
        for row in rows:
            if spent >= grace:
                send(source, row, signal.SIGKILL)
            elif row.identity not in ended:
                send(source, row, signal.SIGTERM)
                send(source, row, signal.SIGCONT)
            ended.add(row.identity)
        time.sleep(0.02)


def _is_in(place: bytes, workspace: bytes) -> bool:
    path = os.path.realpath(place)
    return path == workspace or path.startswith(workspace + os.sep.encode())


def _left_behind(source: Table, here: bytes, token: bytes, known: set[tuple[int, float]]) -> list[Row]:
    rows = source.snapshot().rows
    spared: set[int] = set()
    pid = os.getpid()
    while pid in rows and pid not in spared:
        spared.add(pid)
        pid = rows[pid].parent
    ours = {0, *(rows[pid].session for pid in spared)}
    found: dict[int, Row] = {}
    rest = []
    for row in rows.values():
        if row.pid not in spared and row.pid > 1:
            environ = dict(entry.partition(b"=")[::2] for entry in source.environ(row.pid).split(b"\0"))
            place, run = environ.get(b"XUEN_WORKSPACE"), environ.get(b"XUEN_RUN", token)
            if row.identity in known or (place and run != token and _is_in(place, here)):
                found[row.pid] = row
            else:
                rest.append(row)
    # A call always has a session of its own, so one that we or our ancestors are in was not made by it.
    kin = with_kin({pid: row for pid, row in found.items() if row.session not in ours}, rest)
    return [row for row in {row.identity: row for row in (*kin, *found.values())}.values() if not row.zombie]
