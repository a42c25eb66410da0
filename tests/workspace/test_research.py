"""research.md as a value: what is damaged, what survives, what comes back byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from xuen.errors import DamagedResearch
from xuen.workspace.research import Research, Sections, new_research, parse, title_of

IB, IE = "<!-- XUEN:IDEA:BEGIN -->", "<!-- XUEN:IDEA:END -->"
AB, AE = "<!-- XUEN:ARTIFACT:BEGIN -->", "<!-- XUEN:ARTIFACT:END -->"


def text(*lines: str) -> bytes:
    return "\n".join(lines).encode()


WHOLE = text("# t", "mine", IB, "idea", IE, "between", AB, "artifact", AE, "end")


def test_a_new_file_has_the_layout_that_is_promised() -> None:
    assert new_research("设计一个优化器\nwith details") == text("# 设计一个优化器", "", IB, IE, "", AB, AE, "")
    assert parse(new_research("x")).sections == Sections("", "")


@pytest.mark.parametrize(
    ("task", "title"),
    [
        ("one\ntwo", "one"),
        ("\n  \n  two  \r\nthree", "two"),
        ("a\tb\x00c\x1b[0m", "a b c [0m"),
        (IB, IB),
        ("half \ud83d", "half"),
    ],
)
def test_the_title_is_the_first_line_of_the_task(task: str, title: str) -> None:
    assert title_of(task) == title
    assert parse(new_research(task)).title == title


def test_sections_are_read_and_replaced_and_the_rest_is_kept() -> None:
    research = parse(WHOLE)
    assert research.sections == Sections("idea", "artifact")
    assert research.title == "t"
    assert research.with_sections(Sections("new\n", "")) == text(
        "# t", "mine", IB, "new", "", IE, "between", AB, AE, "end"
    )
    assert research.with_sections(research.sections) == WHOLE


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "missing"),
        (text("no markers"), "missing"),
        (text(IB, IE, AB), "ARTIFACT:END"),
        (text(IB, IE, AE), "ARTIFACT:BEGIN"),
        (text(IE, AB, AE), "IDEA:BEGIN"),
        (text(IB, AB, AE), "IDEA:END"),
        (text(IE, IB, AB, AE), "order"),
        (text(AB, AE, IB, IE), "order"),
        (text(IB, AB, IE, AE), "order"),
        (text(IB, AB, AE, IE), "order"),
        (text(IB, IE, AB, AE, AE), "lines 4, 5"),
        (text(IB, "x", IB, IE, AB, AE), "lines 1, 3"),
        (text(IB, IE, IB, IE, AB, AE), "IDEA:BEGIN"),
        (text(f"  {IB}", IE, AB, AE), "IDEA:BEGIN"),
        (text(f"{IB} x", IE, AB, AE), "IDEA:BEGIN"),
        (text(f"{IB}{IE}", AB, AE), "IDEA:BEGIN"),
        (text(IB.lower(), IE, AB, AE), "IDEA:BEGIN"),
        (text("<!-- XUEN:IDEA:BEGIN2 -->", IE, AB, AE), "IDEA:BEGIN"),
        ("\r".join([IB, IE, AB, AE]).encode(), "IDEA:BEGIN"),
        ("\u2028".join([IB, IE, AB, AE]).encode(), "IDEA:BEGIN"),
        ("\x0b".join([IB, IE, AB, AE]).encode(), "IDEA:BEGIN"),
        (text(IB, "a") + b"\n\xff\n" + text(IE, AB, AE), "line 3 is not UTF-8"),
        (text(IB, "a") + b"\n\xed\xa0\x80\n" + text(IE, AB, AE), "UTF-8"),
        (b"\x00" * 200, "missing"),
        (text("x", "\ufeff" + IB, IE, AB, AE), "IDEA:BEGIN"),
    ],
)
def test_anything_but_the_four_markers_in_order_is_damaged(data: bytes, reason: str) -> None:
    with pytest.raises(DamagedResearch, match=reason) as caught:
        parse(data)
    assert caught.value.reason.zh
    assert caught.value.reason.zh != caught.value.reason.en


@pytest.mark.parametrize(
    "data",
    [
        WHOLE.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + WHOLE,
        b"\xef\xbb\xbf" + text(IB, "idea", IE, AB, "artifact", AE),
        text(f"{IB}  \t", "idea", f"{IE} \r", AB, "artifact", f"{AE}   "),
        text(IB, "idea", IE, AB, "artifact", AE),
        text(f"see {IB} in prose", f"    {AE}", IB, "idea", IE, AB, "artifact", AE),
    ],
)
def test_windows_ends_boms_blanks_and_mentions_do_no_harm(data: bytes) -> None:
    research = parse(data)
    assert research.sections.idea.rstrip("\r") == "idea"
    assert research.with_sections(research.sections) == data
    changed = research.with_sections(Sections("X", research.sections.artifact))
    assert parse(changed).sections == Sections("X", research.sections.artifact)
    before, _, after = data.partition(b"idea")
    assert changed.startswith(before + b"X\n")
    assert changed.endswith(after.lstrip(b"\r").removeprefix(b"\n"))


@pytest.mark.parametrize("marker", [IB, IE, AB, AE])
def test_content_with_a_marker_line_is_refused(marker: str) -> None:
    research = parse(WHOLE)
    for content in (marker, f"a\n{marker} \t\r\nb", f"a\n{marker}\n"):
        with pytest.raises(ValueError, match="marker line"):
            research.with_sections(Sections(content, "x"))
    for harmless in (f" {marker}", f"`{marker}`", f"a\r{marker}", f"\ufeff{marker}"):
        again = parse(research.with_sections(Sections(harmless, "x")))
        assert again.sections == Sections(harmless, "x")


def test_half_a_pair_is_refused_as_content() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        parse(WHOLE).with_sections(Sections("\ud83d", ""))


def test_a_blank_line_between_the_markers_is_still_empty_and_stays() -> None:
    data = text(IB, "", IE, AB, "", "", AE)
    research = parse(data)
    assert research.sections == Sections("", "\n")
    assert research.with_sections(Sections("", "\n")) == data


pieces = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from([IB, IE, AB, AE, " ", "\t", "\r", "\n", "\r\n", "\u2028", "\x0b", "\x0c", "\ufeff", "\x00", "x"]),
)
contents = st.lists(pieces, max_size=8).map("".join)


def holds_marker(content: str) -> bool:
    return any(line.rstrip(" \t\r") in (IB, IE, AB, AE) for line in content.split("\n"))


@given(
    idea=contents,
    artifact=contents,
    around=st.lists(contents, min_size=3, max_size=3),
    ends=st.sampled_from(["", " ", "\r"]),
)
def test_any_content_comes_back_and_nothing_around_it_changes(
    idea: str, artifact: str, around: list[str], ends: str
) -> None:
    assume(not any(holds_marker(each.removeprefix("\ufeff")) for each in [idea, artifact, *around]))
    before, between, after = around
    data = f"{before}\n{IB}{ends}\nold\n{IE}{ends}\n{between}\n{AB}{ends}\nold too\n{AE}{ends}\n{after}".encode()
    new = parse(data).with_sections(Sections(idea, artifact))
    assert parse(new).sections == Sections(idea, artifact)
    assert new.startswith(f"{before}\n{IB}{ends}\n".encode())
    assert new.endswith(f"\n{AE}{ends}\n{after}".encode())
    assert f"{IE}{ends}\n{between}\n{AB}{ends}\n".encode() in new
    assert parse(new).with_sections(Sections("old", "old too")) == data


@given(st.binary(max_size=300) | contents.map(str.encode))
def test_whatever_the_bytes_they_are_read_or_damaged(data: bytes) -> None:
    try:
        research = parse(data)
    except DamagedResearch:
        return
    assert isinstance(research, Research)
