"""What of a long text is kept for people."""

from __future__ import annotations

import pytest

from xuen.guard.verify.excerpt import HEAD, TAIL, excerpt
from xuen.texts import Language


def test_a_short_text_is_kept_whole() -> None:
    assert excerpt("x" * (HEAD + TAIL), "en") == "x" * (HEAD + TAIL)


@pytest.mark.parametrize(("language", "gap"), [("en", "… (17 characters left out)"), ("zh", "…（略去 17 个字符）")])
def test_of_a_long_text_both_ends_stay_and_the_gap_is_told_in_the_readers_language(
    language: Language, gap: str
) -> None:
    found = excerpt("a" * HEAD + "b" * 17 + "c" * TAIL, language)
    assert found == "a" * HEAD + f"\n{gap}\n" + "c" * TAIL
