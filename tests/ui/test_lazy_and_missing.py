from __future__ import annotations

import subprocess
import sys

import pytest


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize(
    "module", ["xuen.ui.tui", "xuen.ui.console", "xuen.ui.jsonl", "xuen.ui.view", "xuen.ui.telling"]
)
def test_nothing_of_a_face_brings_textual_or_rich_in_before_it_is_needed(module):
    loaded = run(f"import sys, {module}; print([m for m in ('textual', 'rich', 'asyncio') if m in sys.modules])")
    assert loaded == "[]"


def test_without_textual_the_reason_is_one_line():
    said = run(
        "import sys; sys.modules['textual'] = None\n"
        "from xuen.ui.tui import no_screen_because\n"
        "reason = no_screen_because(sys.stdin, sys.stdout, {'TERM': 'xterm'})\n"
        "print(reason.en)"
    )
    assert said == "no screen: textual is not installed; plain console"


def test_without_standard_streams_there_is_no_screen():
    from xuen.ui.tui import no_screen_because

    assert no_screen_because(None, None, {"TERM": "xterm"}) is not None
