"""What changed between two texts: lines, and words within them."""

from __future__ import annotations

import pytest

from xuen.ui.diff import MAX_WORK, diff
from xuen.ui.tui.widgets.section import diff_lines


def parts(line, spans):
    return [line[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        ("accept in one pass of it", "accept in a single pass of it", ["one"], ["a single"]),
        ("| 4 | 3.0 | 2.2x |", "| 4 | 3.4 | 2.2x |", ["3.0"], ["3.4"]),
        ("大模型一遍前向验证", "大模型单遍前向验证", ["一"], ["单"]),
        ("a line and more", "a line", [" and more"], []),
        ("nothing alike here", "完全不同的一行", [], []),
        ("", "new line", [], []),
        ("unchanged", "unchanged", [], []),
    ],
)
def test_the_words_that_changed_in_a_line_are_found(old, new, gone, come):
    lines = {each.what: parts(each.text, each.spans) for each in diff(f"{old}\n", f"{new}\n") if each.text}
    assert (lines.get("removed", []), lines.get("added", [])) == (gone, come)


def test_lines_are_compared_with_the_lines_that_they_replace():
    lines = diff("a\nthe old idea\nz", "a\nthe new idea\nand one more\nz")
    assert [(each.what, each.text, parts(each.text, each.spans)) for each in lines] == [
        ("same", "a", []),
        ("removed", "the old idea", ["old"]),
        ("added", "the new idea", ["new"]),
        ("added", "and one more", []),
        ("same", "z", []),
    ]


def test_marked_words_stay_at_their_place_behind_tabs_and_removed_control_characters():
    lines = diff_lines("\tone \x1b[31mred\x1b[0m pass of it", "\tone blue pass of it", "en")
    assert [(line.text, parts(line.text, line.spans)) for line in lines] == [
        ("-     one red pass of it", ["red"]),
        ("+     one blue pass of it", ["blue"]),
    ]


def test_words_are_compared_until_the_work_is_spent_and_lines_always():
    words = [f"w{n}" for n in range(250)]  # and the blanks between them
    old, new = (" ".join([*words, word]) for word in ("old", "new"))
    pairs = MAX_WORK // 501**2
    lines = diff("\n".join([old] * 3 * pairs), "\n".join([new] * 3 * pairs))
    assert [each.what for each in lines] == ["removed"] * 3 * pairs + ["added"] * 3 * pairs
    marked = [parts(each.text, each.spans) for each in lines if each.spans]
    assert marked == [["old"]] * pairs + [["new"]] * pairs


def test_a_line_without_end_is_not_even_cut_into_words():
    lines = diff("x" * MAX_WORK, "x " * MAX_WORK)
    assert [(each.what, each.spans) for each in lines] == [("removed", ()), ("added", ())]
