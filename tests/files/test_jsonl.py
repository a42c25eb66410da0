"""JSON lines with every kind of damage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xuen.files.jsonl import LARGEST_SEQ, append_objects, number, parse_line, parse_lines, read_objects, to_line, whole


def test_objects_come_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    assert read_objects(path) == []
    append_objects(path, [{"seq": 1}, {"seq": 2, "text": "两\n行"}])
    append_objects(path, [])
    append_objects(path, [{"seq": 3}])
    assert read_objects(path) == [{"seq": 1}, {"seq": 2, "text": "两\n行"}, {"seq": 3}]
    assert path.read_bytes().count(b"\n") == 3
    assert "两" in path.read_text("utf-8")


@pytest.mark.parametrize(
    "damage",
    [b"{", b'{"e":"ado', b"\x00" * 40, b"\xff\xfe", b"[1]", b"null", b'"x"', b"{} {}", b"9" * 5000, b"[" * 100_000],
)
def test_a_damaged_line_in_the_middle_costs_that_line_only(damage: bytes) -> None:
    found = parse_lines(b'{"a":1}\n' + damage + b'\n{"a":2}\n')
    assert found == [{"a": 1}, {"a": 2}]
    assert parse_line(damage) is None


def test_a_torn_line_before_a_blank_one_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "h"
    path.write_bytes(b'{"a":1}\n{"e":"ado\n\n')
    assert read_objects(path) == [{"a": 1}]


def test_a_whole_last_line_without_newline_counts_and_the_next_is_not_glued_to_it(tmp_path: Path) -> None:
    path = tmp_path / "h"
    path.write_bytes(b'{"a":1}\n{"a":2}')
    assert read_objects(path) == [{"a": 1}, {"a": 2}]
    append_objects(path, [{"a": 3}])
    assert read_objects(path) == [{"a": 1}, {"a": 2}, {"a": 3}]


def test_a_torn_last_line_stays_and_the_next_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "h"
    path.write_bytes(b'{"a":1}\n{"a":')
    append_objects(path, [{"a": 3}])
    assert path.read_bytes() == b'{"a":1}\n{"a":\n{"a":3}\n'
    assert read_objects(path) == [{"a": 1}, {"a": 3}]


def test_windows_line_ends_a_bom_and_unusual_separators_are_fine() -> None:
    data = b"\xef\xbb\xbf" + '{"a":"x\u2028y\u0085z"}\r\n{"a":2}\r\n'.encode()
    assert parse_lines(data) == [{"a": "x\u2028y\u0085z"}, {"a": 2}]


def test_half_a_pair_becomes_a_replacement_and_a_whole_pair_stays() -> None:
    assert to_line({"t": "a\ud83db"}) == '{"t":"a\ufffdb"}'.encode()
    assert parse_lines(rb'{"t":"a\ud83db \ud83d\ude00"}') == [{"t": "a\ufffdb \U0001f600"}]
    assert parse_lines(rb'{"t":"\\ud83d"}') == [{"t": "\\ud83d"}]


@pytest.mark.parametrize("value", [{"x": float("nan")}, {"x": object()}])
def test_what_json_cannot_hold_writes_nothing(tmp_path: Path, value: dict[str, object]) -> None:
    path = tmp_path / "h"
    with pytest.raises((TypeError, ValueError)):
        append_objects(path, [{"a": 1}, value])
    assert not path.exists()


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(st.dictionaries(st.text(), anything, max_size=4), max_size=5))
def test_any_objects_come_back(objects: list[dict[str, object]]) -> None:
    data = b"".join(to_line(each) + b"\n" for each in objects)
    assert data.count(b"\n") == len(objects)
    assert parse_lines(data) == [json.loads(json.dumps(each)) for each in objects]


@pytest.mark.parametrize("value", [0, 1, LARGEST_SEQ])
def test_whole_numbers_are_numbers(value: int) -> None:
    assert whole(value) == value
    assert number(value) == value


@pytest.mark.parametrize("value", [True, False, None, "1", [], {}, float("nan"), float("inf"), 10**400])
def test_what_is_no_number_is_none(value: object) -> None:
    assert whole(value) is None
    assert number(value) is None


@pytest.mark.parametrize(("value", "as_number"), [(-1, -1.0), (1.5, 1.5), (LARGEST_SEQ + 1, 2.0**53), (8.0, 8.0)])
def test_numbers_that_are_not_whole_or_too_large_to_count_with(value: object, as_number: float) -> None:
    assert whole(value) is None
    assert number(value) == as_number
