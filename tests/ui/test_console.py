from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
import story

from xuen import events as ev
from xuen.events import Purpose
from xuen.texts import plain
from xuen.ui.console import Console, LastWords, wants_colour

GOLDEN = Path(__file__).with_name("golden")


def written(events, language="en", *, colour=False):
    stream = io.StringIO()
    console = Console(stream, language, colour=colour)
    for event in events:
        console.emit(event)
    return stream.getvalue()


def output(line):
    return ev.Output(round=1, purpose=Purpose.RESEARCH, stream="stdout", line=line)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_whole_run_reads_as_agreed(language):
    text = written([*story.whole_run(language), *story.one_of_each()], language)
    assert text == (GOLDEN / f"console.{language}.txt").read_text(encoding="utf-8")


def test_a_run_without_a_guard_ends_without_a_word_of_a_best():
    end = ev.RunFinished(round=2, reason=plain("done"), exit_code=0, succeeded=2, failed=0)
    assert written([story.start("en")[0], end]).splitlines()[-3:] == [
        "── Finished · done",
        "  rounds   2 completed, 0 failed",
        f"  files    {story.start('en')[0].workspace}/research.md",
    ]


@pytest.mark.parametrize(("language", "mark"), [("zh", "[修改想法区]"), ("en", "[idea updated]")])
def test_an_overwritten_section_is_shown_directly_after_its_mark(language, mark):
    text = written([ev.SectionChanged(round=1, section="idea", content="第一行\nline 2")], language)
    assert text == f"{mark}第一行\nline 2\n"


@pytest.mark.parametrize("colour", [False, True])
def test_hostile_text_is_literal_and_harmless_wherever_it_comes_from(colour):
    hostile = [
        output(story.HOSTILE),
        ev.SectionChanged(round=1, section="artifact", content=story.HOSTILE),
        ev.AgentFailed(round=1, why=ev.Why.FAILED, code=1, reason=plain(story.HOSTILE)),
        ev.InputTaken(round=1, texts=(story.HOSTILE,)),
        ev.Notice(level="error", text=plain(story.HOSTILE)),
        ev.RoundStarted(round=1, words=(story.HOSTILE,), left=None),
    ]
    text = written(hostile, colour=colour)
    assert text.count(story.HARMLESS) == len(hostile)
    for forbidden in ("\x1b]", "\x1b[2J", "\x9b", "\x07"):
        assert forbidden not in text
    assert ("\x1b" in text) is colour


def test_without_colour_there_is_no_escape_byte_at_all():
    assert "\x1b" not in written([*story.whole_run("zh"), *story.one_of_each()], "zh")


def test_with_colour_every_style_is_closed_before_agent_text_begins():
    text = written([output("said")], colour=True)
    assert text.endswith("\x1b[0msaid\n")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({}, False),
    ],
)
def test_colour_needs_a_terminal_that_wants_it(environ, expected):
    assert wants_colour(Terminal(), environ) is expected
    assert wants_colour(io.StringIO(), environ) is False


def test_a_terminal_without_unicode_still_shows_everything_it_can():
    raw = io.BytesIO()
    console = Console(io.TextIOWrapper(raw, encoding="ascii"), "zh", colour=False)
    console.emit(output("naïve 词"))
    console.emit(ev.Adopted(round=1, id="x-r1", sha256="0", score=8.0, verify="user"))
    assert raw.getvalue().decode("ascii").splitlines()[0] == "| na?ve ?"
    assert b"+ ??" in raw.getvalue()


def test_each_event_is_on_the_stream_at_once():
    raw = io.BytesIO()
    console = Console(io.TextIOWrapper(raw, encoding="utf-8"), "en", colour=False)
    console.emit(output("now"))
    assert raw.getvalue() == "│ now\n".encode()


READER_LEAVES = """
import sys
from xuen.events import Output, Purpose
from xuen.ui.console import Console
console = Console(sys.stdout, "en", colour=False)
for n in range(200_000):
    console.emit(Output(round=1, purpose=Purpose.RESEARCH, stream="stdout", line=f"line {n}"))
print("went on to the end", file=sys.stderr)
"""


def test_a_reader_that_goes_away_is_no_error():
    read_end, write_end = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", READER_LEAVES], stdout=write_end, stderr=subprocess.PIPE, text=True
    )
    os.close(write_end)
    os.read(read_end, 100)
    os.close(read_end)
    _, errors = process.communicate(timeout=60)
    assert (errors, process.returncode) == ("went on to the end\n", 0)


def test_a_full_disk_does_not_stop_the_run():
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        console = Console(full, "en", colour=False)
        console.emit(output("x"))
        console.emit(output("y"))
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())  # so that closing it can flush


def test_last_words_are_the_end_of_the_run_alone():
    stream = io.StringIO()
    last = LastWords(Console(stream, "en", colour=False))
    for event in story.whole_run("en"):
        last.emit(event)
    assert stream.getvalue() == ""
    last.say()
    assert stream.getvalue() == "── Finished" + written(story.whole_run("en")).rpartition("── Finished")[2]
