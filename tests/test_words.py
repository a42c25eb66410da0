"""Words out of messy answers, the draw, the making of a bank, words.txt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xuen.prompt import Setting, words_prompt
from xuen.words import Bank, draw, make_bank, parse_words, read_bank, unique, write_bank

NONCE = "c0ffee42"


@pytest.mark.parametrize(
    "answer",
    [
        'WORDS c0ffee42\n["alpha", "beta"]',
        'WORDS c0ffee42: ["alpha", "beta"]',
        'Here you go.\n\n**WORDS c0ffee42**\n\n```json\n["alpha",\n "beta"]\n```\nHope this helps.',
        'OpenAI Codex v0.171.0\n[INFO] MCP server fs connected\nWORDS c0ffee42\n["alpha", "beta"]\ntokens used: 4,119',
        '<think>WORDS c0ffee42 and then ["wrong"]</think>\nWORDS c0ffee42\n["alpha", "beta"]',
        'WORDS c0ffee42\n["wrong"]\nOn reflection:\nWORDS c0ffee42\n["alpha", "beta", "Beta", 7, ""]',
        'WORDS c0ffee42\n["alpha", "beta"]\nWORDS c0ffee42\n["broken o',
    ],
)
def test_the_array_below_the_nonce_is_the_list_whatever_stands_around_it(answer: str) -> None:
    assert parse_words(answer, NONCE) == ["alpha", "beta"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_printed_question_holds_no_words(language: str) -> None:
    setting = Setting("a task", language, "", "/usr/bin/python3", "/w/write_section.py", "/w", 0)
    question = words_prompt(setting, count=3, known=["gamma"], nonce=NONCE, again=True)
    assert parse_words(question, NONCE) == []
    assert parse_words(f'{question}\nWORDS {NONCE}\n["alpha"]', NONCE) == ["alpha"]


@pytest.mark.parametrize(
    "answer",
    [
        "alpha\nbeta\n",
        "alpha\r\nbeta",
        "- alpha\n- beta",
        "1. alpha\n2) beta",
        "（1）alpha\n• beta",
        "  alpha\n\tbeta.",
    ],
)
def test_a_program_without_a_model_prints_a_term_a_line(answer: str) -> None:
    assert parse_words(answer, NONCE) == ["alpha", "beta"]


@pytest.mark.parametrize(
    "word", ["C++", "C#", "A/B测试", "k-均值", "3D打印", "2-SAT", "注意力", "x's law", "Erdős–Rényi graph"]
)
def test_words_with_signs_survive(word: str) -> None:
    assert parse_words(f"1. {word}\nother", NONCE) == [word, "other"]
    assert parse_words(f"{word}\nother", NONCE) == [word, "other"]
    assert parse_words(f'WORDS {NONCE} ["{word}"]', NONCE) == [word]


def test_spellings_of_one_word_are_one_and_the_first_stays() -> None:
    assert parse_words("ＡＩ\nAI\nai\nAi.") == ["ＡＩ"]
    assert unique(["b", "B ", "c"], known=["C"]) == ["b"]


@pytest.mark.parametrize(
    "answer",
    [
        "The most important thing about this problem is that nobody has solved it yet.",
        "优化器的设计需要同时考虑收敛速度和泛化能力，并且要在不同的任务上验证。",
        "Error: 429 Too Many Requests\nrequest id abc",
        "OpenAI Codex v0.171.0\nNo\nNo such file or directory",
        "Killed",
        "12345\n67890",
        "---\n---",
        "",
        "\x00\n\ud800\n",
        "[]",
    ],
)
def test_prose_messages_and_rubbish_are_no_words(answer: str) -> None:
    assert parse_words(answer, NONCE) == []


@pytest.mark.parametrize(
    "piece", [" ", "\t", "　", "-", "#", "[", '["a', f"WORDS {NONCE} ", f"WORDS {NONCE} [", "1.", "a ", "a\n"]
)
def test_a_long_run_of_anything_is_read_in_one_go(piece: str) -> None:
    assert len(parse_words(piece * 50_000, NONCE)) < 2  # 120 seconds at the most


def fit_into_the_file(words: list[str]) -> bool:
    fine = all(word and word.strip() == word and len(word.splitlines()) == 1 and word[0] != "#" for word in words)
    return fine and unique(words) == words


@given(st.text(max_size=400))
def test_whatever_the_answer_its_words_fit_into_the_file(answer: str) -> None:
    assert fit_into_the_file(parse_words(answer))


@given(st.text("1.-*#>[]()\"'`、，|:： <>think/ab字\n", max_size=80))
def test_whatever_the_markup_its_words_fit_into_the_file(answer: str) -> None:
    assert fit_into_the_file(parse_words(answer))


# --- draw ------------------------------------------------------------------------------------------------------------


def test_a_draw_is_random_sample_with_the_given_random() -> None:
    bank = [str(n) for n in range(50)]
    assert draw(bank, 3, Random(7)) == tuple(Random(7).sample(bank, 3))
    assert len(set(draw(bank, 50, Random(1)))) == 50


def test_a_pick_larger_than_the_bank_draws_all_and_none_draws_none() -> None:
    assert sorted(draw(["a", "b"], 9, Random(1))) == ["a", "b"]
    assert draw([], 3, Random(1)) == ()
    assert draw(["a"], 0, Random(1)) == ()


# --- make ------------------------------------------------------------------------------------------------------------


def test_batches_are_asked_for_until_there_are_enough() -> None:
    asked: list[tuple[int, int]] = []
    seen: list[int] = []

    def ask(count: int, known: Sequence[str]) -> list[str]:
        asked.append((count, len(known)))
        return [f"w{len(known) + n}" for n in range(count)]

    words = make_bank(ask, 25, 10, progress=lambda words: seen.append(len(words)))
    assert words == [f"w{n}" for n in range(25)]
    assert asked == [(10, 0), (10, 10), (5, 20)]
    assert seen == [10, 20, 25]


def test_a_batch_without_a_new_word_ends_the_making() -> None:
    answers = iter([["a", "b"], ["B", "A."], ["c"]])
    assert make_bank(lambda _count, _known: next(answers), 10, 5) == ["a", "b"]
    assert next(answers) == ["c"]


def test_a_failed_call_ends_it_with_what_there_is() -> None:
    answers: Iterator[list[str]] = iter([["a", "b"], []])
    assert make_bank(lambda _count, _known: next(answers), 10, 5) == ["a", "b"]
    assert make_bank(lambda _count, _known: (), 10, 5) == []


def test_more_words_than_asked_for_are_cut_and_known_ones_count() -> None:
    assert make_bank(lambda _count, _known: ["a", "b", "c", "d"], 3, 5, known=["A"]) == ["A", "b", "c"]


# --- words.txt -------------------------------------------------------------------------------------------------------


def test_a_bank_comes_back_and_knows_its_task(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    write_bank(path, ["C#", "注意力", "a b"], "设计一个\n新的优化器")
    bank = read_bank(path)
    assert bank is not None
    assert bank.words == ("C#", "注意力", "a b")
    assert bank.suits("设计一个\n新的优化器")
    assert bank.suits("设计一个\n新的优化器\n")
    assert not bank.suits("设计一个")
    assert path.read_text("utf-8").splitlines()[-3:] == ["C#", "注意力", "a b"]
    assert [each.name for each in tmp_path.iterdir()] == ["words.txt"]


def test_a_bank_made_by_hand_suits_every_task(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbf# task ideas of mine\r\n\r\n one \r\nONE\r\n#two\r\n\xff\xfe\r\nthree")
    assert read_bank(path) == Bank(("one", "three"), None)
    assert Bank(("one",), None).suits("anything")


def test_no_bank_and_an_empty_bank_are_different(tmp_path: Path) -> None:
    assert read_bank(tmp_path / "words.txt") is None
    (tmp_path / "words.txt").touch()
    assert read_bank(tmp_path / "words.txt") == Bank((), None)
    with pytest.raises(OSError, match="words"):
        read_bank_at_a_folder(tmp_path)


def read_bank_at_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder-words").mkdir()
    read_bank(tmp_path / "folder-words")
