"""Whole answers to the question for words: the labelled corpus as it is, and with the array that is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from xuen.proc.output import clean_text
from xuen.words import parse_words, unique

CORPUS = Path(__file__).parent / "corpora" / "word_lists.jsonl"
ANSWERS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
NONCE = "c0ffee42"


def read(answer: dict[str, Any]) -> list[str]:
    """The words that a bank gets of an answer, which the program has cleaned like every output."""
    return unique(parse_words(clean_text(answer["answer"].encode()), NONCE), answer.get("known", ()))


def prose(answer: dict[str, Any]) -> list[str]:
    """Words out of lines in which a reader sees none."""
    labels = [label.casefold() for label in [*answer["words"], *answer.get("known", ())]]
    lines = [line for line in answer["answer"].casefold().splitlines() if not any(label in line for label in labels)]
    return [
        word for word in map(str.casefold, read(answer)) if word not in labels and any(word in line for line in lines)
    ]


def test_no_sentence_heading_or_message_is_taken_for_a_word() -> None:
    assert len(ANSWERS) >= 200
    assert {answer["id"]: wrong for answer in ANSWERS if (wrong := prose(answer))} == {}


def test_the_list_that_was_asked_for_is_read_exactly_whatever_stands_before_it() -> None:
    words = ["entropy", "晶格", "C++"]
    for answer in ANSWERS:
        text = f"{answer['answer']}\nWORDS {NONCE}\n{json.dumps(words)}\ntokens used: 12"
        assert parse_words(clean_text(text.encode()), NONCE) == words, answer["id"]


def test_a_plain_list_with_a_term_a_line_is_read_exactly_or_loses_its_oddest_terms() -> None:
    plain = [answer for answer in ANSWERS if answer["answer"].strip().splitlines() == answer["words"] != []]
    assert all(set(read(answer)) <= set(answer["words"]) for answer in plain)
    assert sum(read(answer) == answer["words"] for answer in plain) >= 20
