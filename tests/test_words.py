"""Words out of messy answers, the draw, the making of a bank, words.txt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xuen.words import Bank, draw, make_bank, parse_words, read_bank, unique, write_bank


@pytest.mark.parametrize(
    "line",
    [
        "1.a",
        "1. a",
        "1)a",
        "(1) a",
        "（1）a",
        "1、a",
        "一、a",
        "（十二）a",
        "①a",
        "⑴ a",
        "1．a",
        "1 - a",
        "01. a",
        "12: a",
        "[3] a",
    ],
)
def test_numbers_are_taken_off(line: str) -> None:
    assert parse_words(line) == ["a"]


@pytest.mark.parametrize("bullet", ["+", "-", "*", "•", "·", "–", "◦", "▪", "●"])
def test_bullets_are_taken_off_also_indented_and_nested(bullet: str) -> None:
    answer = f"{bullet} 注意力\n    {bullet} gradient flow\n\t{bullet} 1. entropy"
    assert parse_words(answer) == ["注意力", "gradient flow", "entropy"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("self-attention - explained", ["self-attention"]),
        ("- self-attention — weighs everything", ["self-attention"]),
        ("注意力机制：让模型选择、关注重点", ["注意力机制"]),
        ("Entropy: a measure of disorder, in bits", ["Entropy"]),
        ("1. 自注意力（self-attention）", ["自注意力"]),
        ("Adam (an optimizer)", ["Adam"]),
        ("模拟退火——一种随机搜索", ["模拟退火"]),
    ],
)
def test_explanations_are_taken_off(line: str, words: list[str]) -> None:
    assert parse_words(line) == words


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("1. **注意力机制**：说明", "注意力机制"),
        ("1. **注意力机制：**说明", "注意力机制"),
        ("**Self-attention** - weighs", "Self-attention"),
        ('- "x"', "x"),
        ("- 「x」", "x"),
        ("- `x`", "x"),
        ("- “x”", "x"),
        ("- 《x》", "x"),
        ("* *x*", "x"),
        ("__x__", "x"),
        ('  "x",', "x"),
        ("1. [x](https://example.org/x)", "x"),
        ("- [ ] x", "x"),
        ("x's law", "x's law"),
        ('the "x" effect', 'the "x" effect'),
    ],
)
def test_bold_and_quotes_come_off_in_pairs(line: str, word: str) -> None:
    assert parse_words(line) == [word]


@pytest.mark.parametrize(
    "answer",
    [
        "<think>maybe\n1. wrong\n</think>\nright",
        "<THINKING>wrong</THINKING>right",
        "<thought>\nwrong\n</thought>\n\nright",
        "<seed:think>wrong</seed:think>right",
        "<think a='b'>wrong <think>inner</think> wrong</think>right",
        "wrong\n</think>\nright",
        "right\n<think>wrong, never closed",
    ],
)
def test_reasoning_is_no_word(answer: str) -> None:
    assert parse_words(answer) == ["right"]


@pytest.mark.parametrize(
    "answer",
    [
        "Here are 50 keywords:\n\nalpha\nbeta\n\nI hope this helps!",
        "Sure! Here is the list.\n- alpha\n- beta\nLet me know if you need more.",
        "以下是词汇：\n1. alpha\n2. beta\n希望有帮助",
        "好的，以下是为您整理的词：\nalpha、beta\n希望这些对您的研究有帮助。",
        "```\nalpha\nbeta\n```",
        '```json\n["alpha", "beta"]\n```\nHope this helps.',
        'Here you go: ["alpha", "beta"]',
        '{"keywords": ["alpha", "beta"]}',
        '[{"term": "alpha", "why": "x"}, {"term": "beta", "why": "y"}]',
        '[\n  "alpha",\n  "beta",\n',
        '["alpha", "no\\_escape", "beta", "broken o',
        "Keywords: alpha, beta",
        "关键词：alpha、beta",
        "| No. | Term | Why |\n|---|---|---|\n| 1 | alpha | first |\n| 2 | beta | second |",
        "<ul><li>alpha</li><li>beta</li></ul>",
        "alpha\r\nbeta\r\n",
    ],
)
def test_small_talk_and_wrapping_are_no_words(answer: str) -> None:
    assert parse_words(answer) == ["alpha", "beta"]


def test_spellings_of_one_word_are_one_and_the_first_stays() -> None:
    assert parse_words("ＡＩ\nAI\nai\nAi.") == ["ＡＩ"]
    assert unique(["b", "B ", "c"], known=["C"]) == ["b"]


def test_one_line_with_several_words_is_parted() -> None:
    assert parse_words("a、b，c; d | e") == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    "word",
    [
        "C++",
        "C#",
        "A/B测试",
        ".NET",
        "k-均值",
        "P=NP",
        "3D打印",
        "2-SAT",
        "1.5维",
        "注意力",
        "请求队列",
        "O(n)",
        "std::vector",
    ],
)
def test_words_with_signs_survive(word: str) -> None:
    assert parse_words(f"1. {word}\n") == [word]
    assert parse_words(word) == [word]


@pytest.mark.parametrize(
    "prose",
    [
        "The most important thing about this problem is that nobody has solved it yet.",
        "优化器的设计需要同时考虑收敛速度和泛化能力，并且要在不同的任务上验证。",
        "x" * 200,
        "12345",
        "---",
        "…",
        "",
        "\x00\n\ud800\n",
    ],
)
def test_prose_and_rubbish_are_no_words(prose: str) -> None:
    assert parse_words(prose) == []


@pytest.mark.parametrize("rubbish", [" ", "\t", "　", "-", "#", "[", "<a", '["a", '])
@pytest.mark.parametrize("form", ["x\na{}!\nb", "x\n{}!\nb", "```{}!\nb"])
def test_a_long_run_of_anything_is_read_in_one_go(form: str, rubbish: str) -> None:
    run = rubbish * (9_900 // len(rubbish))
    assert len(parse_words(form.format("\n".join([run] * 50)))) < 9_000  # 120 seconds at the most


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

    def ask(count: int, known: Sequence[str]) -> str:
        asked.append((count, len(known)))
        return "\n".join(f"w{len(known) + n}" for n in range(count))

    words = make_bank(ask, 25, 10, progress=lambda words: seen.append(len(words)))
    assert words == [f"w{n}" for n in range(25)]
    assert asked == [(10, 0), (10, 10), (5, 20)]
    assert seen == [10, 20, 25]


def test_a_batch_without_a_new_word_ends_the_making() -> None:
    answers = iter(["a\nb", "B\nA.", "c"])
    assert make_bank(lambda _count, _known: next(answers), 10, 5) == ["a", "b"]
    assert next(answers) == "c"


def test_a_failed_call_ends_it_with_what_there_is() -> None:
    answers = iter(["a\nb", None])
    assert make_bank(lambda _count, _known: next(answers), 10, 5) == ["a", "b"]
    assert make_bank(lambda _count, _known: None, 10, 5) == []


def test_more_words_than_asked_for_are_cut_and_known_ones_count() -> None:
    assert make_bank(lambda _count, _known: "a\nb\nc\nd", 3, 5, known=["A"]) == ["A", "b", "c"]


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
