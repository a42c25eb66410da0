"""Whole answers to the question for words: held to the labelled corpus, and bounded whatever comes."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from xuen.proc.output import clean_text
from xuen.words import make_bank, parse_words, unique, without_lines_of

CORPUS = Path(__file__).parent / "corpora" / "word_lists.jsonl"
ANSWERS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def read(answer: dict[str, Any]) -> list[str]:
    """What a bank gets of an answer: cleaned as every agent's output is, without the words that it has."""
    text = clean_text(answer["answer"].encode())
    return unique(parse_words(without_lines_of(answer.get("asked", ""), text)), answer.get("known", ()))


def prose(answer: dict[str, Any]) -> list[str]:
    """Words out of lines in which a reader sees none."""
    labels = [label.casefold() for label in [*answer["words"], *answer.get("known", ())]]
    lines = [line for line in answer["answer"].casefold().splitlines() if not any(label in line for label in labels)]
    return [
        word for word in map(str.casefold, read(answer)) if word not in labels and any(word in line for line in lines)
    ]


def test_the_corpus_is_large_and_two_fifths_chinese() -> None:
    assert len(ANSWERS) >= 200
    assert sum(answer["lang"] == "zh" for answer in ANSWERS) >= 0.4 * len(ANSWERS)
    assert len({answer["id"] for answer in ANSWERS}) == len(ANSWERS)


def test_no_sentence_heading_or_message_is_taken_for_a_word() -> None:
    assert {answer["id"]: wrong for answer in ANSWERS if (wrong := prose(answer))} == {}


def test_at_least_98_of_100_lists_are_read_exactly() -> None:
    wrong = [answer["id"] for answer in ANSWERS if read(answer) != answer["words"]]
    assert len(wrong) <= 0.02 * len(ANSWERS), wrong


def test_what_was_asked_is_no_answer_also_where_it_is_framed() -> None:
    asked = "[Task]\nan optimizer\n\n[Word list]\nList 2 terms."
    echo = "> [Task]\n> an optimizer\n\n| [Word list]\n| List 2 terms.\n\nentropy\nlattice"
    assert parse_words(without_lines_of(asked, echo)) == ["entropy", "lattice"]
    assert without_lines_of("", "entropy\n") == "entropy"


def test_a_message_in_the_place_of_an_answer_ends_the_making_and_spoils_nothing() -> None:
    answers = iter(["entropy\nlattice", "Error: 429 Too Many Requests", "annealing"])
    assert make_bank(lambda _count, _known: next(answers), 10, 2) == ["entropy", "lattice"]


@pytest.mark.parametrize("piece", ["[", '["a",', "(", "\n", "**a", "1. ", "a: ", "- a\n", "| a\n|--\n", "<a", "foo: "])
def test_an_answer_without_end_costs_a_bounded_time(piece: str) -> None:
    """Thousands of times the length of a real answer; ten times as much may cost some ten times, not a hundred."""

    def cost(length: int) -> float:
        began = time.process_time()
        parse_words(piece * (length // len(piece)) + "not found")
        return time.process_time() - began

    assert cost(200_000) < 40 * max(cost(20_000), 0.01)
