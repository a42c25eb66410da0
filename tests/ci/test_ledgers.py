"""Two histories that grew from one."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xuen.ci.ledgers import Joined, join, read
from xuen.guard.history import fold

NOW = "2026-11-30T12:00:00.000Z"
BASE_ID = "20261130-100000-r0"


def identity(number: int, second: int = 0) -> str:
    return f"20261130-1000{second:02d}-r{number}"


def line(seq: int, event: str, number: int = 0, **fields: object) -> bytes:
    value = {
        "seq": seq,
        "ts": f"2026-11-30T10:{seq // 60:02d}:{seq % 60:02d}.000Z",
        "event": event,
        "round": number,
        **fields,
    }
    return json.dumps(value).encode() + b"\n"


def baseline(seq: int, name: str = BASE_ID) -> bytes:
    return line(seq, "baseline", 0, id=name, sha256=f"sha-{name}")


def candidate(seq: int, name: str, parent: str = BASE_ID) -> bytes:
    return line(seq, "candidate", int(name.rpartition("r")[2]), id=name, sha256=f"sha-{name}", parent=parent)


def adopted(seq: int, name: str, score: float | None = 8, verify: str = "ai") -> bytes:
    number = int(name.rpartition("r")[2])
    return line(seq, "adopted", number, id=name, sha256=f"sha-{name}", score=score, verify=verify)


def joined(theirs: bytes, ours: bytes, lost: Sequence[str] = ()) -> Joined:
    both = read(theirs, ours)
    return join(both, both.ids, lambda anchor: anchor.id not in lost, now=NOW, language="en")


def values(data: bytes) -> list[dict]:
    return [json.loads(each) for each in data.splitlines()]


def best_of(data: bytes) -> str:
    """What a start of xuen takes for the best."""
    return max(fold(values(data)).anchors, key=lambda anchor: anchor.seq).id


COMMON = baseline(1) + candidate(2, identity(1)) + adopted(3, identity(1))
OURS, THEIRS = identity(2, 10), identity(2, 20)


def test_a_side_that_only_went_on_stays_as_it_is() -> None:
    longer = COMMON + line(4, "heartbeat", 2, streak=1)
    assert joined(COMMON, longer).data == longer
    assert joined(longer, COMMON).data == longer
    assert joined(b"", longer).data == longer
    assert joined(longer, b"").data == longer
    assert not joined(COMMON, longer).rewritten


def test_the_branch_keeps_its_lines_and_ours_follow_with_numbers_of_their_own() -> None:
    theirs = COMMON + line(4, "heartbeat", 2, streak=1)
    ours = COMMON + line(4, "agent_failed", 2, reason="no") + line(5, "heartbeat", 3, streak=1)
    found = joined(theirs, ours)
    assert found.data.startswith(theirs)
    assert [(each["seq"], each["event"], each.get("from_seq")) for each in values(found.data)[3:]] == [
        (4, "heartbeat", None),
        (5, "agent_failed", 4),
        (6, "heartbeat", 5),
    ]
    assert best_of(found.data) == identity(1)


def test_a_merge_that_is_merged_again_adds_nothing() -> None:
    theirs = COMMON + line(4, "heartbeat", 2, streak=1)
    ours = COMMON + candidate(4, OURS, identity(1)) + adopted(5, OURS)
    once = joined(theirs, ours).data
    assert joined(once, ours).data == once
    assert joined(once, once).data == once


def test_where_only_one_side_adopted_that_is_the_best() -> None:
    new = candidate(4, OURS, identity(1)) + adopted(5, OURS, score=7)
    idle = line(4, "heartbeat", 2, streak=1) + line(5, "heartbeat", 3, streak=2) + line(6, "heartbeat", 4, streak=3)
    assert best_of(joined(COMMON + idle, COMMON + new).data) == OURS
    assert best_of(joined(COMMON + new, COMMON + idle).data) == OURS


@pytest.mark.parametrize(
    ("ours", "theirs", "winner"),
    [
        (adopted(5, OURS, 9), adopted(5, THEIRS, 8), OURS),  # both against the same parent
        (adopted(5, OURS, 8), adopted(5, THEIRS, 9), THEIRS),
        (adopted(5, OURS, 8), adopted(5, THEIRS, 8), THEIRS),  # the branch's best moves only with a reason
        (adopted(5, OURS, 10, "user"), adopted(5, THEIRS, 8, "ai"), OURS),
        (adopted(5, OURS, 7, "user"), adopted(5, THEIRS, 9, "ai"), OURS),  # a person goes before a judge
        (adopted(5, OURS, 10, "ai"), adopted(5, THEIRS, 7, "user"), THEIRS),
        (adopted(5, OURS, 9, "user"), adopted(5, THEIRS, 8, "user"), OURS),
        (adopted(5, OURS, 10, "ai"), adopted(5, THEIRS, None, "tests"), THEIRS),  # nothing to compare
        (adopted(5, OURS, None, "tests"), adopted(5, THEIRS, None, "tests"), THEIRS),
    ],
)
def test_of_two_that_were_never_compared_one_is_the_best_and_the_other_waits(
    ours: bytes, theirs: bytes, winner: str
) -> None:
    found = joined(COMMON + candidate(4, THEIRS, identity(1)) + theirs, COMMON + candidate(4, OURS, identity(1)) + ours)
    index = fold(values(found.data))
    assert best_of(found.data) == winner
    assert found.best is not None
    assert (found.best.id, index.known[winner].status) == (winner, "adopted")
    loser = OURS if winner == THEIRS else THEIRS
    assert index.known[loser].status == "pending"
    waiting = [each for each in values(found.data) if each["event"] == "pending"]
    assert [(each["id"], each["verify"]) for each in waiting] == [(loser, "merge")]
    assert winner in waiting[0]["reason"]


def test_scores_against_different_parents_say_nothing() -> None:
    middle = identity(2, 15)
    theirs = (
        candidate(4, middle, identity(1)) + adopted(5, middle) + candidate(6, THEIRS, middle) + adopted(7, THEIRS, 7)
    )
    ours = candidate(4, OURS, identity(1)) + adopted(5, OURS, 10)
    assert best_of(joined(COMMON + theirs, COMMON + ours).data) == THEIRS


def test_a_best_that_came_from_the_others_best_goes_before_it() -> None:
    """Both honour the same verdict; one goes on from there."""
    waiting = candidate(4, OURS, identity(1)) + line(5, "pending", 2, id=OURS, verify="ai", reason="?")
    verdict = line(6, "verdict", 2, id=OURS, score=9, comment="") + adopted(7, OURS, 9, "user")
    also = verdict.replace(b"10:00:0", b"10:01:0")
    later = identity(3, 30)
    on = candidate(8, later, OURS) + adopted(9, later, 7)
    start = COMMON + waiting
    assert best_of(joined(start + verdict, start + also + on).data) == later
    assert best_of(joined(start + also + on, start + verdict).data) == later
    assert "pending" not in [each["event"] for each in values(joined(start + also + on, start + verdict).data)[5:]]


def test_a_baseline_never_goes_before_something_that_was_judged() -> None:
    other = identity(0, 30)
    theirs = COMMON
    ours = baseline(1, other) + line(2, "heartbeat", 1, streak=1)
    found = joined(theirs, ours)
    assert best_of(found.data) == identity(1)
    assert best_of(joined(ours, theirs).data) == identity(1)
    assert "pending" not in [each["event"] for each in values(found.data)]
    assert best_of(joined(baseline(1), baseline(1, other)).data) == BASE_ID


def test_a_best_whose_snapshot_is_gone_does_not_count() -> None:
    theirs = COMMON + candidate(4, THEIRS, identity(1)) + adopted(5, THEIRS, 8)
    ours = COMMON + candidate(4, OURS, identity(1)) + adopted(5, OURS, 9)
    best = joined(theirs, ours, lost=[OURS]).best
    assert best is not None
    assert (best.id, best.seq) == (THEIRS, 5)
    assert joined(b"", b"").best is None


def test_an_id_that_changed_is_followed_and_known_again() -> None:
    theirs = COMMON + candidate(4, OURS, identity(1)).replace(b"10:00:04", b"10:00:05")
    ours = COMMON + candidate(4, OURS, identity(1)) + line(5, "rejected", 2, id=OURS, score=3, verify="ai", reason="-")
    both = read(theirs, ours)
    renamed = {**both.ids, OURS: f"{OURS}-2"}
    once = join(both, renamed, lambda _: True, now=NOW, language="en").data
    added = values(once)[4:]
    assert [(each["id"], each["from_id"], each["seq"]) for each in added] == [
        (f"{OURS}-2", OURS, 5),
        (f"{OURS}-2", OURS, 6),
    ]
    later = ours + adopted(6, OURS, 9, "user")
    again = read(once, later)
    assert again.ids[OURS] == f"{OURS}-2"
    assert [each.value["event"] for each in again.ours_alone if each.value] == ["adopted"]
    last = values(join(again, again.ids, lambda _: True, now=NOW, language="en").data)[-1]
    assert (last["id"], last["event"], last["seq"]) == (f"{OURS}-2", "adopted", 7)


def test_damaged_and_torn_lines_of_both_sides_stay() -> None:
    theirs = COMMON + b'{"seq": 4, "event\n' + line(5, "heartbeat", 2, streak=1)
    ours = COMMON + b"\x00\x00junk\n" + line(4, "heartbeat", 2, streak=1) + b'{"torn'
    data = joined(theirs, ours).data
    assert data.startswith(theirs)
    assert b"\x00\x00junk\n" in data
    assert data.endswith(b'{"torn\n')
    assert joined(data, ours).data == data


# --- anything at all --------------------------------------------------------------------------------------------------

STEPS = st.lists(st.sampled_from(["adopt", "reject", "wait", "beat", "fail"]), max_size=6)


def grown(start: bytes, steps: Sequence[str], second: int) -> bytes:
    """A history that goes on from `start` with these rounds; the sides differ in the second of their ids."""
    index = fold(values(start))
    seq, number = index.top_seq, index.last_round
    best = max(index.anchors, key=lambda anchor: anchor.seq).id
    data = start
    for step in steps:
        number += 1
        name = f"20261130-11{second:02d}00-r{number}"
        if step in ("beat", "fail"):
            seq += 1
            data += line(seq, "heartbeat" if step == "beat" else "agent_failed", number, streak=1, side=second)
            continue
        data += candidate(seq + 1, name, best)
        seq += 2
        if step == "adopt":
            data += adopted(seq, name, 7 + number % 3)
            best = name
        else:
            data += line(seq, "rejected" if step == "reject" else "pending", number, id=name, verify="ai", reason="-")
    return data


@given(before=STEPS, ours=STEPS, theirs=STEPS, third=STEPS)
def test_whatever_happened_nothing_is_lost_and_there_is_one_best(
    before: list[str], ours: list[str], theirs: list[str], third: list[str]
) -> None:
    start = grown(baseline(1), before, 1)
    sides = [grown(start, steps, second) for second, steps in ((2, theirs), (3, ours), (4, third))]
    branch = sides[0]
    for side in sides[1:]:
        found = joined(branch, side)
        assert found.data.startswith(branch), "what was published is never rewritten"
        assert joined(found.data, side).data == found.data, "known again"
        assert found.best is not None
        assert found.best.id == best_of(found.data)
        branch = found.data
    told = values(branch)
    numbers = [each["seq"] for each in told]
    assert numbers == sorted(set(numbers))
    for side in sides:
        for each in values(side):
            twins = [
                one
                for one in told
                if (one["event"], one.get("id"), one["round"]) == (each["event"], each.get("id"), each["round"])
            ]
            assert each["ts"] in [one["ts"] for one in twins]
    assert {name for side in sides for name in fold(values(side)).known} == set(fold(told).known)
