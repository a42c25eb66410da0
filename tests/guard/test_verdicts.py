"""verdicts.txt: the person has the last word."""

from __future__ import annotations

import pytest
from guard_play import Play
from hypothesis import given
from hypothesis import strategies as st

from xuen.errors import UsageError
from xuen.guard import report
from xuen.guard.verdicts import parse


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("20261017-031037-r5 8", 8.0),
        ("20261017-031037-r5 8 deeper, and the pseudo code holds", 8.0),
        ("20261017-031037-r5\t7.5\t好", 7.5),
        ("  20261017-031037-r5   10  ", 10.0),
        ("20261017-031037-r5 0", 0.0),
        ("20261017-031037-r5 08.50", 8.5),
        ("20261017-031037-r5 8\r", 8.0),
        ("20261017-031037-r5 8/10", None),
        ("20261017-031037-r5 8分", None),
        ("20261017-031037-r5 ８", None),
        ("20261017-031037-r5 +8", None),
        ("20261017-031037-r5 -1", None),
        ("20261017-031037-r5 10.1", None),
        ("20261017-031037-r5 11", None),
        ("20261017-031037-r5 8,5", None),
        ("20261017-031037-r5 8.", None),
        ("20261017-031037-r5 .8", None),
        ("20261017-031037-r5 1e1", None),
        ("20261017-031037-r5 nan", None),
        ("20261017-031037-r5 great", None),
        ("20261017-031037-r5", None),
        ("20261017-031037-r5 score 8", None),
    ],
)
def test_only_a_plain_number_from_0_to_10_is_a_score(line: str, score: float | None) -> None:
    (found,) = parse(line.encode())
    assert (found.id, found.score) == ("20261017-031037-r5", score)


def test_a_bom_crlf_comments_blank_lines_and_a_missing_newline_are_fine() -> None:
    data = "\ufeffa 8\r\n\r\n# note\r\n   # b 9\r\nb 7.5 why\r\nc 3".encode()
    assert [(line.number, line.id, line.score, line.comment) for line in parse(data)] == [
        (1, "a", 8.0, ""),
        (5, "b", 7.5, "why"),
        (6, "c", 3.0, ""),
    ]


@given(st.binary(max_size=200))
def test_no_bytes_are_too_strange_to_read(data: bytes) -> None:
    for line in parse(data):
        assert line.score is None or 0 <= line.score <= 10


# --- what follows from them


def three_pending(play: Play) -> list[str]:
    play.start(verify="user")
    return [play.round(idea) for idea in ("one", "two", "three")]


def test_a_verdict_given_while_the_loop_stood_still_counts_for_the_next_round(play: Play) -> None:
    ids = three_pending(play)
    play.verdict(f"{ids[1]} 8\n")
    identity = play.guard.open_round(9)
    assert play.guard.sections().idea == play.best_idea() == play.idea == "two"
    assert not list(play.workspace.root.glob("research.edited-*"))  # what the guard put there itself is nobody's edit
    play.guard.close_round(play.report(identity, 9))
    assert [line["id"] for line in play.lines("adopted")] == [ids[1]]


def test_a_good_verdict_adopts_a_pending_candidate_after_the_round(play: Play) -> None:
    ids = three_pending(play)
    play.verdict(f"{ids[0]} 8 nice\n")
    play.round(None)
    (verdict,), (adopted,) = play.lines("verdict"), play.lines("adopted")
    assert (verdict["id"], verdict["score"], verdict["comment"]) == (ids[0], 8.0, "nice")
    assert (adopted["id"], adopted["score"], adopted["verify"]) == (ids[0], 8.0, "user")
    assert play.idea == play.best_idea() == "one"
    names = [type(event).__name__ for event in play.told()]
    assert names[names.index("Verdict") + 1] == "Adopted"


@pytest.mark.parametrize("moment", ["start", "finish"])
def test_verdicts_are_read_at_the_start_and_at_the_end_too(play: Play, moment: str) -> None:
    ids = three_pending(play)
    if moment == "finish":
        play.verdict(f"{ids[1]} 7\n")
        play.finish()
    else:
        play.finish()
        play.verdict(f"{ids[1]} 7\n")
        play.start(verify="user")
    assert play.idea == play.best_idea() == "two"


def test_a_low_verdict_rejects_and_a_later_line_overturns_it(play: Play) -> None:
    ids = three_pending(play)
    play.verdict(f"{ids[0]} 3\n")
    play.round(None)
    assert [line["id"] for line in play.lines("rejected")] == [ids[0]]
    play.verdict(f"{ids[0]} 9 on second thoughts\n")
    play.round(None)
    assert play.record()["id"] == ids[0]


def test_a_later_line_counts_in_either_direction_while_not_adopted(play: Play) -> None:
    ids = three_pending(play)
    play.verdict(f"{ids[0]} 9\n{ids[0]} 2\n{ids[1]} 1\n{ids[1]} 8\n")
    play.round(None)
    assert [line["id"] for line in play.lines("adopted")] == [ids[1]]
    assert [line["id"] for line in play.lines("rejected")] == [ids[0]]


def test_a_verdict_overturns_what_a_judge_rejected(play: Play) -> None:
    play.start(answers=[2, 9])
    first = play.round("one")
    play.round("two")
    play.verdict(f"{first} 7\n")
    play.round(None)
    assert play.record()["id"] == first, "the best's own score plays no part"


def test_of_several_good_ones_the_best_ends_as_best(play: Play) -> None:
    ids = three_pending(play)
    play.verdict(f"{ids[2]} 8\n{ids[0]} 9.5\n{ids[1]} 8\n")
    play.round(None)
    assert [line["id"] for line in play.lines("adopted")] == [ids[2], ids[1], ids[0]]
    assert play.record()["id"] == ids[0]


def test_a_low_score_for_the_best_is_noted_and_changes_nothing(play: Play) -> None:
    play.start(answers=[9])
    identity = play.round("one")
    play.verdict(f"{identity} 1\n")
    play.round(None)
    play.round(None)
    assert len(play.lines("verdict")) == 1
    assert [notice for notice in play.told("Notice") if identity in notice.text.en]
    assert play.record()["id"] == identity
    assert not play.lines("rejected")


def test_a_verdict_for_an_older_best_changes_nothing(play: Play) -> None:
    play.start(answers=[9, 9])
    first = play.round("one")
    second = play.round("two")
    play.verdict(f"{first} 10\n")
    play.round(None)
    assert play.record()["id"] == second


@pytest.mark.parametrize("line", ["20990101-000000-r9 8", "{id} 8/10", "{id} 12", "{id}", "x", "../../etc/passwd 9"])
def test_a_line_that_cannot_be_used_stays_open_and_is_reported_once(play: Play, line: str) -> None:
    ids = three_pending(play)
    play.verdict(line.format(id=ids[0]) + "\n")
    for _ in range(3):
        play.round(None)
    play.finish()
    assert len([notice for notice in play.told("Notice") if "verdicts.txt" in notice.text.en]) == 1
    assert not play.lines("verdict", "adopted", "rejected")
    play.verdict(f"{ids[0]} 8\n")
    play.start(verify="user")
    assert play.record()["id"] == ids[0]


@pytest.mark.parametrize("score", [2, 9])
def test_a_verdict_for_a_missing_snapshot_waits_until_it_is_back(play: Play, score: int) -> None:
    ids = three_pending(play)
    path = play.workspace.candidate(ids[0])
    data = path.read_bytes()
    play.finish()
    path.unlink()
    play.verdict(f"{ids[0]} {score}\n")
    play.start(verify="user")
    play.round(None)
    play.round(None)
    assert not play.lines("verdict", "adopted", "rejected")
    assert len([notice for notice in play.told("Notice") if "verdicts.txt" in notice.text.en]) == 1
    path.write_bytes(data)
    play.round(None)
    assert len(play.lines("verdict")) == 1


def test_a_damaged_snapshot_is_never_adopted(play: Play) -> None:
    ids = three_pending(play)
    path = play.workspace.candidate(ids[0])
    play.finish()
    path.write_bytes(path.read_bytes().replace(b"one", b"0ne"))
    play.verdict(f"{ids[0]} 9\n")
    play.start(verify="user")
    play.round(None)
    assert not play.lines("adopted")


def test_many_bad_lines_do_not_flood_the_screen(play: Play) -> None:
    three_pending(play)
    play.verdict("".join(f"nobody-{count} 8\n" for count in range(100)))
    play.round(None)
    told = [notice for notice in play.told("Notice") if "verdicts.txt" in notice.text.en]
    assert len(told) == 6
    assert "95" in told[-1].text.en


def test_honoured_lines_are_not_honoured_again_by_a_later_run(play: Play) -> None:
    ids = three_pending(play)
    play.verdict(f"{ids[0]} 8\n{ids[1]} 2\n")
    play.finish()
    play.start(answers=[9])
    later = play.round("later and better")
    play.finish()
    before = len(play.lines())
    assert play.restart() == ["RunStarted", "RunFinished"]
    assert len(play.lines()) == before + 2
    assert play.record()["id"] == later


def test_a_kill_between_a_verdict_and_its_effect_is_made_good(play: Play) -> None:
    ids = three_pending(play)
    play.verdict(f"{ids[0]} 8\n")
    play.finish()
    lines = play.workspace.history.read_bytes().splitlines(keepends=True)
    at = next(place for place, line in enumerate(lines) if b'"verdict"' in line)
    play.workspace.history.write_bytes(b"".join(lines[: at + 1]) + lines[at + 1][:20])
    play.workspace.best_json.unlink()
    play.workspace.best.unlink()
    play.start(verify="user")
    assert len(play.lines("verdict")) == 1
    assert play.record()["id"] == ids[0]
    assert play.idea == "one"


def test_a_verdict_given_by_the_command_is_honoured(play: Play) -> None:
    ids = three_pending(play)
    play.verdict("torn line without an end")
    report.add_verdict(play.workspace, ids[1], 8.25, "good\nindeed")
    assert play.workspace.verdicts.read_bytes().split(b"\n")[1] == f"{ids[1]} 8.25 good indeed".encode()
    play.round(None)
    assert play.record()["id"] == ids[1]
    assert play.record()["score"] == 8.25


def test_the_command_refuses_what_could_not_be_honoured(play: Play) -> None:
    ids = three_pending(play)
    for identity, score in [("nobody", 8), ("20990101-000000-r1", 8), (ids[0], 10.5), (ids[0], float("nan"))]:
        with pytest.raises(UsageError):
            report.add_verdict(play.workspace, identity, score)
    assert not play.workspace.verdicts.exists()


def test_an_unreadable_verdicts_file_is_told_once_and_stops_nothing(play: Play) -> None:
    play.start(answers=[9, 9])
    play.workspace.verdicts.mkdir()
    play.round("one")
    play.round("two")
    assert play.best_idea() == "two"
    assert len([notice for notice in play.told("Notice") if "verdicts.txt" in notice.text.en]) == 1
    assert not play.told("GuardOff")
