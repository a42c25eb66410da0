"""Both filters before a person's terminal hold to one corpus: that of agents' output and that of everything else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xuen.proc.output import clean_text
from xuen.ui.safe import clean

HOSTILE = [
    *(f"a{chr(code)}b" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))),
    *(f"a{chr(code)}b" for code in (*range(0x00, 0x09), 0x0B, 0x0C, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F)),
    "\x1b[31ma\x1b[0mb",
    "a\x1b[6nb",
    "a\x1b]0;title\x07b",
    "a\x1b]52;c;aGk=\x1b\\b",
    "a\u009b2Jb",
    "a\x1b[\u202e31mb",
    "a\u202e\x1b[2J\u2066b\u2069",
]
FILTERS: list[Callable[[str], str]] = [lambda text: clean_text(text.encode("utf-8", "replace")), clean]
FORBIDDEN = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
FORBIDDEN -= {"\n", "\t"}


@pytest.mark.parametrize("cleaned", FILTERS, ids=["output", "everything"])
@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_nothing_that_a_terminal_obeys_comes_through(cleaned: Callable[[str], str], text: str) -> None:
    shown = cleaned(text)
    assert not FORBIDDEN & set(shown)
    assert shown.startswith("a")
    assert shown.endswith("b")


@given(st.text(st.sampled_from("ab汉[]0;m\\\n\t\x07\x1b\x9b\x9c\x9d\u202a\u202e\u2066\u2069\ud800")))
def test_no_mixture_comes_through_either(text: str) -> None:
    for cleaned in FILTERS:
        assert not FORBIDDEN & set(cleaned(text))


@pytest.mark.parametrize("text", ["汉☕ é 🧑‍🚀", "[red]x[/red]", "שלום, مرحبا", "two\nlines\tand a tab"])
def test_text_of_every_script_comes_through_as_it_is(text: str) -> None:
    assert [cleaned(text) for cleaned in FILTERS] == [text, text]
