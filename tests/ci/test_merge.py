"""A workspace and the branch, brought together file by file."""

from __future__ import annotations

import json

import pytest

from xuen.ci.content import Content, log_copy, travels
from xuen.ci.merge import Merged, dead_models, merge
from xuen.guard.candidates import digest
from xuen.workspace.research import Sections, new_research, parse

START, NEW = "20261130-100000-r0", "20261130-100100-r1"
CANDIDATE = f"rounds/cand-{START}.md"


def research(idea: str, above: str = "a task") -> bytes:
    return parse(new_research(above)).with_sections(Sections(idea, ""))


def line(seq: int, event: str, identity: str, data: bytes, **more: object) -> bytes:
    value = {"seq": seq, "ts": f"2026-11-30T10:00:0{seq}.000Z", "event": event, "round": 0, "id": identity}
    return json.dumps(value | {"sha256": digest(data)} | more).encode() + b"\n"


def state(*steps: tuple[str, str], research_md: bytes | None = None, **files: bytes) -> dict[str, bytes]:
    """A workspace after adoptions of these ids and ideas."""
    made, history = {}, b""
    for seq, (identity, idea) in enumerate(steps, start=1):
        data = research(idea)
        made[f"rounds/cand-{identity}.md"] = data
        event = "baseline" if seq == 1 else "adopted"
        history += line(seq, event, identity, data, score=8, verify="ai")
        made["rounds/best.md"] = made["research.md"] = data
    made["rounds/history.jsonl"] = history
    if research_md is not None:
        made["research.md"] = research_md
    return made | {name.replace("__", "/").replace("_txt", ".txt"): data for name, data in files.items()}


def merged(ours: dict[str, bytes], theirs: dict[str, bytes], base: dict[str, bytes] | None) -> dict[str, bytes]:
    def contents(files: dict[str, bytes]) -> dict[str, Content]:
        return {path: Content.of(data) for path, data in files.items()}

    found: Merged = merge(contents(ours), contents(theirs), base, now="2026-11-30T12:00:00.000Z", language="en")
    return {path: each.load() for path, each in found.files.items()}


ONE, TWO = state((START, "")), state((START, ""), (NEW, "better"))


def test_a_new_workspace_is_the_branch_and_a_new_branch_is_the_workspace() -> None:
    assert merged({}, TWO, None) == TWO
    assert merged(TWO, {}, None) == TWO
    assert merged({}, {}, None) == {}


def test_a_workspace_that_was_wiped_does_not_wipe_the_branch() -> None:
    assert merged({}, TWO, None) == TWO
    base = {path: TWO[path] for path in ("research.md",)}
    found = merged({"research.md": TWO["research.md"]}, TWO, base)
    assert found == TWO


@pytest.mark.parametrize(
    ("ours", "theirs", "base", "expected"),
    [
        (b"a\n", b"b\n", b"a\n", b"b\n"),
        (b"a\n", b"b\n", b"b\n", b"a\n"),
        (b"a\n", b"b\n", b"c\n", b"b\n"),
        (b"a\n", None, b"a\n", None),  # a person deleted it on the web: the bank is made anew
        (b"a\n", None, None, b"a\n"),
    ],
)
def test_words_are_the_side_that_changed_them(
    ours: bytes | None, theirs: bytes | None, base: bytes | None, expected: bytes | None
) -> None:
    def with_words(data: bytes | None) -> dict[str, bytes]:
        return ONE if data is None else ONE | {"words.txt": data}

    was = None if base is None else {"words.txt": base, "research.md": ONE["research.md"]}
    assert merged(with_words(ours), with_words(theirs), was).get("words.txt") == expected


def test_verdicts_without_a_known_start_are_the_union() -> None:
    ours, theirs = ONE | {"rounds/verdicts.txt": b"a 1\nb 2\n"}, ONE | {"rounds/verdicts.txt": b"b 2\nc 3"}
    assert merged(ours, theirs, None)["rounds/verdicts.txt"] == b"b 2\nc 3\na 1\n"


def test_a_verdict_about_a_candidate_that_gets_another_name_goes_with_it() -> None:
    base = {"rounds/verdicts.txt": f"{START} 3\n".encode()}
    theirs = state((START, ""), (NEW, "theirs"), rounds__verdicts_txt=f"{START} 3\n{NEW} 2 web\n".encode())
    ours = state((START, ""), (NEW, "ours"), rounds__verdicts_txt=f"{START} 3\n {NEW} 9 here\n".encode())
    found = merged(ours, theirs, base)
    assert found[f"rounds/cand-{NEW}-2.md"] == ours[f"rounds/cand-{NEW}.md"]
    assert found["rounds/verdicts.txt"].decode() == f"{START} 3\n{NEW} 2 web\n {NEW}-2 9 here\n"
    later = merged(found, found, {"rounds/verdicts.txt": found["rounds/verdicts.txt"]})
    assert later == found


def test_a_later_word_about_the_same_candidate_stays_the_later_one() -> None:
    base = {"rounds/verdicts.txt": b"a 8\na 3\n", "research.md": ONE["research.md"]}
    ours = ONE | {"rounds/verdicts.txt": b"a 8\na 3\na 8\n"}
    theirs = ONE | {"rounds/verdicts.txt": b"a 8\na 3\nb 1\n"}
    assert merged(ours, theirs, base)["rounds/verdicts.txt"] == b"a 8\na 3\nb 1\na 8\n"


def test_what_an_earlier_checkpoint_of_this_run_has_pushed_is_not_said_again() -> None:
    base = {"rounds/verdicts.txt": b"a 8\n"}
    ours = ONE | {"rounds/verdicts.txt": b"a 8\nb 9\n"}
    theirs = ONE | {"rounds/verdicts.txt": b"a 8\nb 9\nb 2 on second thoughts\n"}
    assert merged(ours, theirs, base)["rounds/verdicts.txt"] == theirs["rounds/verdicts.txt"]


def test_of_dead_models_the_latest_finding_stays() -> None:
    def dead(**at: str) -> dict[str, bytes]:
        found = {name: {"at": when, "reason": name} for name, when in at.items()}
        return ONE | {"ci-models.json": json.dumps({"dead": found}).encode()}

    found = merged(dead(a="2026-01-01", b="2026-01-03"), dead(a="2026-01-02", c="2026-01-01"), None)
    assert {name: each["at"] for name, each in dead_models(found["ci-models.json"]).items()} == {
        "a": "2026-01-02",
        "b": "2026-01-03",
        "c": "2026-01-01",
    }
    assert dead_models(b"[]") == dead_models(b'{"dead": {"a": 1}}') == {}


def test_what_a_person_wrote_around_the_sections_stays_with_the_new_best() -> None:
    base = {"research.md": ONE["research.md"]}
    theirs = ONE | {"research.md": research("", "a task\n\nNotes of mine.")}
    found = merged(TWO, theirs, base)["research.md"]
    assert parse(found).sections == Sections("better", "")
    assert found == parse(theirs["research.md"]).with_sections(Sections("better", ""))


def test_what_a_killed_round_left_and_what_a_person_edited_are_not_overwritten() -> None:
    base = {"research.md": ONE["research.md"]}
    half, hand = research("half a thought"), research("by hand")
    assert merged(TWO | {"research.md": half}, ONE, base)["research.md"] == half
    assert merged(TWO | {"research.md": half}, ONE | {"research.md": hand}, base)["research.md"] == hand
    assert merged(TWO, ONE | {"research.md": hand}, base)["research.md"] == hand
    assert merged(ONE, TWO | {"research.md": b"damaged"}, base)["research.md"] == b"damaged"


def test_a_damaged_copy_of_a_candidate_never_takes_the_place_of_the_whole_one() -> None:
    broken = TWO | {CANDIDATE: b"half"}
    assert merged(broken, TWO, None)[CANDIDATE] == TWO[CANDIDATE]
    assert merged(TWO, broken, None)[CANDIDATE] == TWO[CANDIDATE]


def test_what_a_killed_restore_left_half_is_replaced_and_no_candidate_of_its_own() -> None:
    prompt = f"rounds/prompts/{NEW}.txt"
    whole = TWO | {prompt: b"the prompt"}
    for cut in (0, 10):
        found = merged({CANDIDATE: TWO[CANDIDATE][:cut], prompt: b"the"}, whole, None)
        assert found == whole
    other = merged({CANDIDATE: b"another one"}, TWO, None)
    assert other[f"rounds/cand-{START}-2.md"] == b"another one"


def test_files_that_were_kept_aside_are_all_kept() -> None:
    name = "research.md.damaged-20261130-101112"
    found = merged(ONE | {name: b"ours"}, ONE | {name: b"theirs"}, None)
    assert (found[name], found[f"{name}-2"]) == (b"theirs", b"ours")
    assert merged(ONE | {name: b"ours"}, found, None) == found


def test_a_log_that_has_grown_replaces_its_beginning() -> None:
    log = f"rounds/logs/{NEW}.log"
    assert merged(TWO | {log: b"one\ntwo\n"}, TWO | {log: b"one\n"}, None)[log] == b"one\ntwo\n"
    assert merged(TWO | {log: b"one\n"}, TWO | {log: b"one\ntwo\n"}, None)[log] == b"one\ntwo\n"


@pytest.mark.parametrize(
    "path",
    [
        ".xuen.lock",
        ".research.lock",
        "write_section.py",
        "rounds/.xuen-0a.tmp",
        "rounds/cand-x.md",
        "rounds/cand-20261130-100000-r0.md.tmp",
        "rounds/logs/x.log",
        "rounds/logs/../../x.log",
        "README.md",
        ".env",
        ".git/config",
        ".github/workflows/x.yml",
        ".xuen-ci.json",
    ],
)
def test_these_never_travel(path: str) -> None:
    assert not travels(path)


def test_a_copy_of_a_log_is_short_without_keys_and_stays_the_same() -> None:
    keys = ["ghp_" + "a" * 36, "github_pat_" + "b" * 30, "sk-proj-" + "c" * 30, "AKIA" + "D" * 16, "Bearer " + "e" * 40]
    data = "\n".join(keys).encode() + b"\n" + b"x" * 200_000
    once = log_copy(data)
    assert once.startswith(b"***\n***\n***\n***\nBearer ***\n")
    assert len(once) <= 65_536
    assert b"bytes left out" in once
    assert log_copy(once) == once
    assert log_copy(b"\xff http://me:secret@host/v1\n") == b"\xff http://host/v1\n"
    assert log_copy(b"the task-oriented sk-learn way\n") == b"the task-oriented sk-learn way\n"
