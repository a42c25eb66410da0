from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from xuen.ui.tui.wrap import wrap

LINES = st.text(alphabet=st.sampled_from("ab z\t中文，。（「」x…①é☕👍️️-_/[]"), max_size=80)


@given(line=LINES, width=st.integers(1, 30))
def test_rows_joined_are_the_line_again(line, width):
    assert "".join(wrap(line, width)) == line


@given(line=LINES, width=st.integers(2, 30))
def test_no_row_is_wider_than_asked_except_by_blanks_at_its_end(line, width):
    for row in wrap(line, width):
        assert cell_len(row.rstrip()) <= width


@pytest.mark.parametrize(
    ("line", "width", "rows"),
    [
        ("", 10, [""]),
        ("short", 10, ["short"]),
        ("two words here", 9, ["two words ", "here"]),
        ("小模型，大模型", 6, ["小模", "型，大", "模型"]),
        ("读「潮汐」篇", 6, ["读「潮", "汐」篇"]),
        ("读到「潮汐」篇", 6, ["读到", "「潮", "汐」篇"]),
        ("x" * 25, 10, ["x" * 10, "x" * 10, "x" * 5]),
        ("中中中", 1, ["中", "中", "中"]),
    ],
)
def test_lines_break_where_a_reader_expects_it(line, width, rows):
    assert wrap(line, width) == rows
