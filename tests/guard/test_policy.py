"""From judgements to decisions."""

from __future__ import annotations

import pytest

from xuen.config.model import RoundsSettings
from xuen.guard.policy import Policy
from xuen.guard.verify import Judgement
from xuen.texts import plain


def said(verifier: str, outcome: str, score: float | None = None) -> Judgement:
    return Judgement(verifier, outcome, score, plain("because"))  # type: ignore[arg-type]


def policy(verify: str, fallback: str = "ai", needed: float = 7) -> Policy:
    return Policy.of(RoundsSettings(verify=verify, fallback=fallback, adopt_score=needed, repo="."))  # type: ignore[arg-type]


def test_without_a_repository_auto_asks_the_fallback_at_once() -> None:
    assert Policy.of(RoundsSettings(verify="auto", fallback="user")).next_verifier([]) == "user"


@pytest.mark.parametrize(
    ("verify", "fallback", "said_so_far", "following"),
    [
        ("off", "ai", [], None),
        ("ai", "ai", [], "ai"),
        ("user", "ai", [], "user"),
        ("tests", "ai", [], "tests"),
        ("tests", "ai", [said("tests", "unavailable")], None),
        ("auto", "ai", [], "tests"),
        ("auto", "ai", [said("tests", "unavailable")], "ai"),
        ("auto", "user", [said("tests", "unavailable")], "user"),
        ("auto", "ai", [said("tests", "passed")], "ai"),
        ("auto", "user", [said("tests", "passed")], "user"),
        ("auto", "ai", [said("tests", "passed"), said("ai", "passed", 9)], None),
        ("tests", "ai", [said("tests", "passed")], None),
        ("auto", "ai", [said("tests", "failed")], None),
        ("auto", "ai", [said("tests", "unknown")], None),
        ("auto", "ai", [said("tests", "unavailable"), said("ai", "unavailable")], None),
    ],
)
def test_who_is_asked_next(verify: str, fallback: str, said_so_far: list[Judgement], following: str | None) -> None:
    assert policy(verify, fallback).next_verifier(said_so_far) == following


@pytest.mark.parametrize(
    ("verify", "judgements", "what", "by", "score"),
    [
        ("off", [], "adopted", "off", None),
        ("ai", [], "pending", "ai", None),
        ("tests", [said("tests", "passed")], "adopted", "tests", None),
        ("tests", [said("tests", "failed")], "rejected", "tests", None),
        ("tests", [said("tests", "unknown")], "pending", "tests", None),
        ("tests", [said("tests", "unavailable")], "pending", "tests", None),
        ("auto", [said("tests", "unavailable"), said("ai", "passed", 8)], "adopted", "ai", 8),
        ("auto", [said("tests", "passed"), said("ai", "passed", 8)], "adopted", "ai", 8),
        ("auto", [said("tests", "passed"), said("ai", "passed", 6)], "rejected", "ai", 6),
        ("auto", [said("tests", "passed"), said("ai", "unknown")], "pending", "ai", None),
        ("auto", [said("tests", "passed")], "pending", "ai", None),
        ("auto", [said("tests", "failed")], "rejected", "tests", None),
        ("auto", [said("tests", "unknown")], "pending", "tests", None),
        ("auto", [], "pending", "tests", None),
        ("auto", [said("tests", "unavailable"), said("ai", "unknown")], "pending", "ai", None),
        ("ai", [said("ai", "passed", 7)], "adopted", "ai", 7),
        ("ai", [said("ai", "passed", 6.9)], "rejected", "ai", 6.9),
        ("ai", [said("ai", "failed", 6.9)], "rejected", "ai", 6.9),
        ("ai", [said("ai", "failed", 8)], "pending", "ai", None),
        ("ai", [said("ai", "unknown", 9)], "pending", "ai", None),
        ("ai", [said("ai", "passed", 11)], "pending", "ai", None),
        ("ai", [said("ai", "passed", float("inf"))], "pending", "ai", None),
        ("ai", [said("ai", "passed", float("nan"))], "pending", "ai", None),
        ("user", [said("user", "unknown")], "pending", "user", None),
    ],
)
def test_what_is_decided(verify: str, judgements: list[Judgement], what: str, by: str, score: float | None) -> None:
    decision = policy(verify).decide(judgements)
    assert (decision.what, decision.verify) == (what, by)
    if what != "pending":
        assert decision.score == score
    assert decision.reason.en
    assert decision.reason.zh
