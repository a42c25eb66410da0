from __future__ import annotations

import io
import json
import os
import resource
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
import story

from xuen import events as ev
from xuen.errors import UsageError
from xuen.events import Purpose, from_json, to_dict
from xuen.texts import plain
from xuen.ui.jsonl import JsonLines, open_events

NOON = datetime(2026, 11, 30, 12, 0, 0, 250_000, tzinfo=UTC)


def test_every_event_is_one_line_with_its_time_and_name():
    raw = io.BytesIO()
    sink = JsonLines(raw, "zh", now=lambda: NOON)
    events = [*story.whole_run("zh"), *story.one_of_each()]
    for event in events:
        sink.emit(event)
    lines = raw.getvalue().decode("utf-8").splitlines()
    assert len(lines) == len(events)
    expected = [{"ts": "2026-11-30T12:00:00.250Z", **to_dict(event, "zh")} for event in events]
    assert [json.loads(line) for line in lines] == json.loads(json.dumps(expected))
    assert lines[0].startswith('{"ts":"2026-11-30T12:00:00.250Z","event":"run_started"')


def test_a_recording_can_be_read_back_as_events():
    raw = io.BytesIO()
    for event in story.adopted_round("en"):
        JsonLines(raw, "en").emit(event)
    back = [from_json(line) for line in raw.getvalue().splitlines()]
    assert [type(event) for event in back] == [type(event) for event in story.adopted_round("en")]
    assert back[-1] == story.adopted_round("en")[-1]


@pytest.mark.parametrize("line", ["a\nb", "\u2028", "\x1b[31m", "[/bold]", '"', "\ud83d"])
def test_no_text_can_break_a_line_in_two(line):
    raw = io.BytesIO()
    JsonLines(raw, "en").emit(ev.Output(round=1, purpose=Purpose.RESEARCH, stream="stdout", line=line))
    assert raw.getvalue().count(b"\n") == 1
    assert json.loads(raw.getvalue())["line"] == line.replace("\ud83d", "?")


def test_a_file_is_added_to_and_readable_at_once(tmp_path):
    target = tmp_path / "events.jsonl"
    target.write_text("before\n")
    sink = open_events(str(target), "en")
    sink.emit(ev.Notice(level="info", text=plain("hi")))
    before, line = target.read_text().splitlines()
    sink.close()
    assert before == "before"
    assert json.loads(line)["text"] == "hi"
    ts = datetime.fromisoformat(json.loads(line)["ts"])
    assert timedelta(0) <= datetime.now(timezone.utc) - ts < timedelta(minutes=1)  # noqa: UP017


def test_a_line_of_which_the_disk_takes_only_a_part_is_an_error(tmp_path):
    target = tmp_path / "events.jsonl"
    sink = open_events(str(target), "en")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (30, limits[1]))  # as a disk with room for 30 more bytes
    try:
        with pytest.raises(OSError, match="File too large"):
            sink.emit(ev.Notice(level="info", text=plain("hi")))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
        sink.close()
    assert target.stat().st_size == 30


def test_a_file_that_cannot_be_opened_is_one_line_that_says_so(tmp_path):
    with pytest.raises(UsageError) as caught:
        open_events(str(tmp_path / "missing" / "events.jsonl"), "en")
    assert caught.value.line("en").startswith(f"--events {tmp_path}")
    assert "\n" not in caught.value.line("zh")


READER_LEAVES = """
import sys
from xuen.events import Notice
from xuen.sink import FanOut
from xuen.texts import plain
from xuen.ui.jsonl import open_events
told = []
class Other:
    def emit(self, event):
        told.append(event)
fan = FanOut([open_events("-", "en"), Other()])
for n in range(20_000):
    fan.emit(Notice(level="info", text=plain("x" * 100)))
print(len(told), file=sys.stderr)
"""


def test_a_reader_that_goes_away_is_told_once_and_the_run_goes_on():
    read_end, write_end = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", READER_LEAVES], stdout=write_end, stderr=subprocess.PIPE, text=True
    )
    os.close(write_end)
    os.read(read_end, 100)
    os.close(read_end)
    _, errors = process.communicate(timeout=60)
    assert (errors, process.returncode) == ("20001\n", 0)
