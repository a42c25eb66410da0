"""How much the processes below one have used the processor."""

from __future__ import annotations

import contextlib
import os

Used = dict[tuple[int, float], float]
"""Seconds of processor time by process, which is known by pid and start time."""

_BUSY = 0.01  # processor seconds per second from which processes count as working


def used_below(root: int) -> Used:
    """What `root`, its session and all that descends from it have used, with their children that have ended."""
    import psutil

    used: Used = {}
    with contextlib.suppress(psutil.Error, OSError):  # ended, or no descriptor left to look with
        top = psutil.Process(root)
        session = [psutil.Process(pid) for pid in psutil.pids() if _session(pid) == root]
        for process in {top, *session, *top.children(recursive=True)}:
            with contextlib.suppress(psutil.Error):
                used[process.pid, process.create_time()] = float(sum(process.cpu_times()[:4]))
    return used


def is_busy(before: Used, now: Used, seconds: float) -> bool:
    """Whether processes worked in the seconds between two looks."""
    return sum(max(0.0, used - before.get(who, 0.0)) for who, used in now.items()) > _BUSY * seconds


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return -1
