"""The ledger and its fold."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

from guard_play import Play
from hypothesis import given, settings
from hypothesis import strategies as st

from xuen.events import Heartbeat
from xuen.guard.history import Ledger, fold


def ledger(path: Path) -> Ledger:
    return Ledger(path, language="en", clock=lambda: datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC))


def test_a_line_is_the_event_with_its_number_and_time(tmp_path: Path) -> None:
    path = tmp_path / "rounds" / "history.jsonl"
    ledger(path).append(Heartbeat(round=3, streak=1))
    assert json.loads(path.read_bytes()) == {
        "seq": 1,
        "ts": "2026-01-02T03:04:05.678Z",
        "event": "heartbeat",
        "round": 3,
        "streak": 1,
        "cause": None,
    }


def test_numbers_go_on_over_runs_and_torn_lines(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    ledger(path).append(Heartbeat(round=1, streak=1), Heartbeat(round=2, streak=2))
    torn = path.read_bytes() + b'{"seq":3,"ev'
    path.write_bytes(torn)
    ledger(path).append(Heartbeat(round=3, streak=3))
    assert path.read_bytes().startswith(torn + b"\n")
    assert json.loads(path.read_bytes().splitlines()[-1])["seq"] == 3


def test_a_whole_last_line_without_newline_counts(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    ledger(path).append(Heartbeat(round=1, streak=1))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    again = ledger(path)
    assert again.index.top_seq == 1
    again.append(Heartbeat(round=2, streak=2))
    assert [json.loads(line)["seq"] for line in path.read_bytes().splitlines()] == [1, 2]


def test_a_damaged_line_in_the_middle_costs_itself_only(play: Play) -> None:
    play.start(answers=[8, 9])
    play.round("one")
    play.round("two")
    play.finish()
    lines = play.workspace.history.read_bytes().splitlines(keepends=True)
    lines[2] = b'{"seq": 3, "event": "adop\n\n'
    play.workspace.history.write_bytes(b"".join(lines))
    play.workspace.best_json.unlink()
    play.start()
    assert play.best_idea() == "two"


def test_order_is_by_seq_and_not_by_place(play: Play) -> None:
    play.start(answers=[8, 9])
    play.round("one")
    play.round("two")
    play.finish()
    lines = play.workspace.history.read_bytes().splitlines(keepends=True)
    play.workspace.history.write_bytes(b"".join(reversed(lines)))
    play.workspace.best_json.unlink()
    play.start()
    assert play.best_idea() == "two"


def test_the_history_only_ever_grows(play: Play) -> None:
    play.start(answers=[8, 2])
    seen = b""
    for idea in ("one", "two", None, "three"):
        play.round(idea)
        now = play.workspace.history.read_bytes()
        assert now.startswith(seen)
        seen = now


VALUES = st.sampled_from([None, True, -1, 0, 7, 2**60, 0.5, "", "text", "7", [], ["x", 1], {}])
EVENTS = st.sampled_from(["baseline", "candidate", "adopted", "rejected", "pending", "verdict", "heartbeat", "odd"])
LINES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "seq": st.integers(0, 9) | VALUES,
            "round": st.integers(0, 9) | VALUES,
            "event": EVENTS | VALUES,
            "id": st.sampled_from(["20260101-000000-r1", "20260101-000000-r2", "../x"]) | VALUES,
            "sha256": st.sampled_from(["a", "b"]) | VALUES,
            "score": VALUES,
            "words": VALUES,
            "verify": VALUES,
            "comment": VALUES,
        },
    ),
    max_size=12,
)


@settings(max_examples=200, deadline=None)
@given(LINES)
def test_no_line_is_too_strange_to_fold(lines: list[dict[str, object]]) -> None:
    index = fold(lines)
    assert all(known.id != "../x" for known in index.known.values())
    assert [anchor.seq for anchor in index.anchors] == sorted(anchor.seq for anchor in index.anchors)


def test_a_start_with_ten_thousand_lines_takes_less_than_a_second_of_work(play: Play) -> None:
    play.start(verify="off")
    play.round("one")
    play.finish()
    last = play.lines()[-1]["seq"]
    with play.workspace.history.open("ab") as file:
        for count in range(10_000):
            line = {"seq": last + 1 + count, "ts": "", "event": "heartbeat", "round": 2 + count, "streak": count}
            file.write(json.dumps(line).encode() + b"\n")
    began = time.process_time()
    guard = play.start()
    assert time.process_time() - began < 1
    assert guard.last_round() == 10_001
