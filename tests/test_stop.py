"""The one token: an end, the end of one call, a pause."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from xuen.events import Why
from xuen.proc.command import Listener, run
from xuen.stop import Stop


def test_a_pause_holds_whoever_waits_until_it_is_taken_back() -> None:
    stop = Stop()
    stop.wait_while_paused()
    stop.pause()
    waiting = threading.Thread(target=stop.wait_while_paused)
    waiting.start()
    while not stop.is_waiting():
        pass
    assert stop.is_paused()
    stop.go_on()
    waiting.join(30)
    assert not waiting.is_alive()
    assert not stop.is_paused()
    assert not stop.is_waiting()


@pytest.mark.parametrize("first", ["pause", "end"])
def test_an_end_goes_before_a_pause_whichever_came_first(first: str) -> None:
    stop = Stop()
    steps = [stop.pause, lambda: stop.request(0)]
    for step in steps if first == "pause" else reversed(steps):
        step()
    stop.wait_while_paused()
    assert stop.is_set()
    assert not stop.is_paused()


class _SkipsAtFirstWord(Listener):
    def __init__(self, stop: Stop) -> None:
        self.stop = stop

    def output(self, stream: str, chunk: bytes) -> None:
        self.stop.skip_call()


def test_ending_one_call_ends_it_as_stopped_and_the_next_one_runs(tmp_path: Path) -> None:
    stop = Stop()
    stop.skip_call()  # nothing runs: it is meant for nobody
    sleeper = [sys.executable, "-uc", "print(1)\nimport time\ntime.sleep(60)"]
    ended = run(sleeper, cwd=tmp_path, env=os.environ, listener=_SkipsAtFirstWord(stop), cancel=stop.begin_call())
    assert (ended.why, ended.code) == (Why.STOPPED, None)
    assert not stop.is_set()
    ended = run([sys.executable, "-c", ""], cwd=tmp_path, env=os.environ, listener=Listener(), cancel=stop.begin_call())
    assert ended.why is Why.OK
