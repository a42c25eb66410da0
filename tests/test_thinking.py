"""What a model only thought never counts, neither as a word nor as a score."""

from __future__ import annotations

import pytest

from xuen.guard.score import read_score
from xuen.thinking import without_thinking
from xuen.words import parse_words

FORMS = [
    "<think>{wrong}</think>{right}",
    "<think >{wrong}</think >{right}",
    "<think a='b'>{wrong}</think>{right}",
    "<THINK>{wrong}</THINK\n>{right}",
    "<seed:think>{wrong}</seed:think>{right}",
    "<reasoning>{wrong}<think>inner</think>{wrong}</reasoning>{right}",
    "{wrong}</think>{right}",
    "{wrong}</think >{right}",
    "{right}\n<thinking>{wrong}",
    "[THINK]{wrong}[/THINK]{right}",
    "◁think▷{wrong}◁/think▷{right}",
    "<|channel|>analysis<|message|>{wrong}<|end|><|start|>assistant<|channel|>final<|message|>{right}<|return|>",
]


@pytest.mark.parametrize("form", FORMS)
def test_only_what_was_said_is_left(form: str) -> None:
    assert without_thinking(form.format(wrong="wrong\n", right="right")).strip() == "right"
    assert parse_words(form.format(wrong="\nwrong\n", right="\nright\n")) == ["right"]
    assert read_score(form.format(wrong="\nSCORE: 9\n", right="\nSCORE: 4\n")).score == 4


def test_thinking_that_never_ended_says_nothing() -> None:
    for text in ("<think>Score: 9", "<think a='b'>9</think>", "<|channel|>analysis<|message|>Score: 9"):
        assert without_thinking(text).strip() == ""


def test_a_model_that_opens_and_closes_without_end_is_read_in_one_go() -> None:
    assert without_thinking("a" + "<think>" * 50_000 + "b" + "</think>" * 50_000 + "c") == "a\nc"  # within 120 s
    assert without_thinking("<think>b</think>" * 50_000 + "c").strip() == "c"


def test_text_without_such_marks_stays_as_it_is() -> None:
    for text in ("I think so", "a < b > c", "<thinker>x</thinker>", "[think tank]"):
        assert without_thinking(text) == text
