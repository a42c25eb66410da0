"""What of a long text is kept for people."""

from __future__ import annotations

from xuen.guard.verify.excerpt import HEAD, TAIL, excerpt, in_both
from xuen.texts import Text, plain


def test_a_short_text_is_kept_whole() -> None:
    assert excerpt("x" * (HEAD + TAIL)) == "x" * (HEAD + TAIL)


def test_of_a_long_text_both_ends_stay_and_the_gap_is_told_in_both_languages() -> None:
    found = excerpt("a" * HEAD + "b" * 17 + "c" * TAIL)
    assert found.startswith("a" * HEAD + "\n")
    assert found.endswith("\n" + "c" * TAIL)
    assert "17 characters left out" in found
    assert "略去 17 个字符" in found


def test_a_text_that_is_the_same_in_both_languages_stands_once() -> None:
    assert in_both(plain("make")) == "make"
    assert in_both(Text("one", "一")) == "one / 一"
