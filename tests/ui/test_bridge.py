from __future__ import annotations

import threading

from xuen import events as ev
from xuen.events import Purpose
from xuen.texts import plain
from xuen.ui.tui.bridge import LINE, MAX_WAITING_LINES, Bridge


def output(n):
    return ev.Output(round=1, purpose=Purpose.RESEARCH, stream="stdout", line=str(n))


def test_events_come_out_once_in_the_order_they_went_in():
    bridge = Bridge()
    events = [output(1), ev.Notice(level="info", text=plain("x")), output(2)]
    for event in events:
        bridge.emit(event)
    assert bridge.drain() == (events, 0)
    assert bridge.drain() == ([], 0)


def test_a_flood_loses_the_oldest_lines_counts_them_and_loses_nothing_else():
    bridge = Bridge()
    notice = ev.Notice(level="info", text=plain("kept"))
    bridge.emit(notice)
    total = 10 * MAX_WAITING_LINES
    for n in range(total):
        bridge.emit(output(n))
    events, skipped = bridge.drain()
    assert events[0] == notice
    lines = [event.line for event in events[1:]]
    assert len(lines) <= MAX_WAITING_LINES
    assert lines == [str(n) for n in range(skipped, total)]


def test_long_lines_are_counted_by_what_it_takes_to_draw_them():
    bridge = Bridge()
    total = MAX_WAITING_LINES // 2
    for n in range(total):
        bridge.emit(output(str(n) + "x" * 64 * LINE))
    events, skipped = bridge.drain()
    assert len(events) + skipped == total
    assert len("".join(event.line for event in events)) <= MAX_WAITING_LINES * LINE
    assert [event.line.partition("x")[0] for event in events] == [str(n) for n in range(skipped, total)]


def test_several_threads_can_tell_at_once():
    bridge = Bridge()
    threads = [threading.Thread(target=lambda: [bridge.emit(output(n)) for n in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(bridge.drain().events) == 800
