"""What xwork prints: the model's words on standard output, everything else on standard error."""

import io
import json

from xuen.xwork.display import PlainDisplay, json_listener
from xuen.xwork.events import Fetching, Notice, Retrying, RunStarted, StepStarted, TextChunk, ToolStarted


class Terminal(io.StringIO):
    def isatty(self):
        return True


def show(events, err):
    out = io.StringIO()
    display = PlainDisplay("en", out, err)
    for event in events:
        display(event)
    return out.getvalue(), err.getvalue()


def progress(*millions):
    return [Fetching(done=done * 1_000_000, total=93_000_000) for done in millions]


def test_a_download_counts_up_in_one_line_of_a_terminal():
    assert show(progress(0, 0, 40, 93, 93), Terminal()) == (
        "",
        "\rmodel: 0 / 93 MB\rmodel: 40 / 93 MB\rmodel: 93 / 93 MB\n",
    )


def test_elsewhere_it_tells_the_begin_and_the_end():
    assert show(progress(0, 10, 40, 93, 93), io.StringIO()) == (
        "",
        "xwork: model: 0 / 93 MB\nxwork: model: 93 / 93 MB\n",
    )


def test_notices_stay_out_of_the_models_words_and_steps_begin_on_a_new_line():
    events = [TextChunk(text="so"), Notice(level="info", text="hm"), StepStarted(step="idea"), TextChunk(text="x")]
    assert show(events, io.StringIO()) == ("so\n-- The idea --\nx", "xwork: hm\n")


def test_a_tool_call_is_one_short_line():
    call = ToolStarted(call_id="1", name="read_file", arguments='{"path":\n "' + "a" * 500 + '"}')
    _, err = show([call], io.StringIO())
    assert err.startswith('xwork: read_file {"path": "aaa')
    assert err.endswith(" …\n")
    assert len(err) < 250


def test_a_retry_says_when_it_comes():
    events = [TextChunk(text="so"), Retrying(attempt=1, seconds=4.2, reason="the server is busy")]
    assert show(events, io.StringIO()) == ("so\n", "xwork: the server is busy; trying again in 4 s\n")
    at_once = [Retrying(attempt=1, seconds=0.0, reason="nothing was said")]
    assert show(at_once, io.StringIO()) == ("", "xwork: nothing was said; trying again\n")


def test_a_path_that_is_no_text_is_told_all_the_same():
    out = io.StringIO()
    json_listener(out)(RunStarted(model="m", workspace="/a\udcff", resumed=False))
    assert json.loads(out.getvalue())["workspace"] == "/a\ufffd"


def test_a_model_cannot_steer_the_terminal_and_a_pipe_gets_every_character():
    said = "a\x1b[8mb\tc\x9b1mé\u202ed\r\n"
    for out, text in ((Terminal(), "a[8mb\tc1méd\n"), (io.StringIO(newline=""), said)):
        display = PlainDisplay("en", out, out)
        display(TextChunk(text=said))
        assert out.getvalue() == text
        display(Notice(level="info", text=said.strip()))
        assert ("\x1b" in out.getvalue()) is not out.isatty()
